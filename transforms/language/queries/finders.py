"""The finders of query templates: what they take, what wordings may use, in which mode.

``transforms.questions.queries`` says what they do; a test keeps both in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ontology.continuations import CONTINUATION
from transforms.language.operators import Param

MODES = ("retrospective", "present", "future", "proactive")
CLOSED = ("choice", "yes_no")
EITHER = ("choice", "open")


@dataclass(frozen=True, slots=True)
class Finder:
    """One way to find questions in a video's facts.

    Attributes:
        mode: temporal mode of its questions.
        streaming: whether they are asked in rounds.
        params: arguments by name.
        asks: field -> type that a question may use; the answer may use them, too.
        answers: field -> type that only the answer may use.
        forms: forms that its questions may have.
        each: what has one question: ``clip``, ``stage``, or '' for a stretch of the recording.
    """

    name: str
    mode: str
    doc: str
    params: Mapping[str, Param]
    asks: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[str, ...] = EITHER
    streaming: bool = False
    each: str = ""


_OF = Param("text", "Kind of label: phase, step, gesture, instrument, finding …")
_LOOK_AHEAD = Param("number", "Seconds in which it must begin to be foreseeable.", 30.0)
_LABEL = {"label": "name"}

_CLIPS = {
    "shortest": Param(
        "integer", "Seconds; shorter runs of an action go to a neighbour.", 5, least=1
    ),
    "reach": Param(
        "integer", "Annotated seconds further apart are not of one stretch.", 1, least=1
    ),
    "purity": Param("number", "Least share of a clip's seconds that show its action.", 0.0),
    "centrality": Param("number", "Least share of them with an instrument in the centre.", 0.0),
}
_TRACK = {
    "track": Param("text", "Track of the benchmark: laparoscopic or neurosurgical."),
    "procedure": Param("text", "Part of the procedure's name; of others nothing is asked."),
    "fps": Param(
        "text",
        "Pictures a second of the recordings: 25, 30000/1001.",
        pattern=r"^[1-9][0-9]*(/[1-9][0-9]*)?$",
    ),
}
_ACTION = {"action": "name"}

_ALL = (
    Finder("state_now", "present", "The one label of its kind that holds at the end.",
           {"of": _OF}, {}, _LABEL),
    Finder("doing_now", "present", "The one label of an instrument or a hand that holds.",
           {"of": _OF}, {"subject": "name"}, _LABEL),
    Finder("state_ended", "retrospective", "The one label of its kind that ended in the window.",
           {"of": _OF}, {}, {**_LABEL, "ended": "time"}),
    Finder("states_done", "retrospective", "How many labels of a kind ended in the window.",
           {"of": _OF}, {}, {"number": "integer"}, ("choice",)),
    Finder("presence_now", "present", "Whether a label holds at the end.",
           {"of": _OF}, _LABEL, {"yes": "yes_no"}, ("yes_no",)),
    Finder("presence_before", "retrospective",
           "Whether a label was there in the window, to be gone again before its end.",
           {"of": _OF}, _LABEL, {"yes": "yes_no"}, ("yes_no",)),
    Finder("set_now", "present", "All labels of a kind that are there at the end.",
           {"of": _OF}, {}, {"labels": "labels"}),
    Finder("set_before", "retrospective", "All labels of a kind that were there in the window.",
           {"of": _OF}, {}, {"labels": "labels"}),
    Finder("number_now", "present", "How many different labels of a kind are there at the end.",
           {"of": _OF}, {}, {"number": "integer"}, ("choice",)),
    Finder("left_view", "retrospective", "The one instrument that left the view in the window.",
           {"of": _OF}, {}, {**_LABEL, "ended": "time"}),
    Finder("target_now", "present", "What an instrument acts on at the end.",
           {"of": Param("text", "Kind of label: triplet.", "triplet")},
           {"tool": "name"}, {"target": "name", "action": "action"}),
    Finder("place_now", "present", "In which ninth of the picture the only region lies.",
           {"of": _OF}, _LABEL, {"place": "text"}),
    Finder("score_now", "present", "The word for the score that holds at the end.",
           {"of": _OF}, _LABEL, {"word": "text"}),
    Finder("whole_label", "retrospective", "What is said of the whole recording.",
           {"of": _OF}, {}, _LABEL),
    Finder("image_label", "present", "What is said of a still.", {"of": _OF}, {}, _LABEL),
    Finder("whole_presence", "retrospective", "Whether something is there at any time.",
           {"of": _OF}, _LABEL, {"yes": "yes_no"}, ("yes_no",)),
    Finder("whole_score", "retrospective", "The word for a score of the whole recording.",
           {"of": _OF}, _LABEL, {"word": "text"}),
    Finder("whole_number", "retrospective", "A number counted over the whole recording.",
           {"of": _OF}, _LABEL, {"number": "integer"}, ("choice",)),
    Finder("state_next", "future", "The label that comes next, or that nobody can tell.",
           {"of": _OF, "look_ahead": _LOOK_AHEAD}, {}, {"label": "outcome"}),
    Finder("state_begins", "future", "The label that begins next, waited for.",
           {"of": _OF}, {}, _LABEL, EITHER, streaming=True),
    Finder("alert", "proactive", "A trigger of ontology/alerts that is watched for.",
           {"trigger": Param("text", "Name of the trigger.")},
           {"watched": "text", "when": "text"}, {"reason": "text"}, ("open",), streaming=True),
    Finder("next_action", "future", "The action that begins on the second after the picture.",
           _CLIPS, {}, _ACTION, ("choice",), each="clip"),
    Finder("next_action_told", "future", "The same; the last few actions are told.",
           {**_CLIPS, "last": Param("integer", "How many are told, at most.", 5, least=1)},
           {"history": "text"}, _ACTION, ("choice",), each="clip"),
    Finder("action_plan", "future", "The next few actions in order.",
           {**_CLIPS, "horizon": Param("integer", "How many.", 3, least=1)},
           {"horizon": "integer"}, {"plan": "text"}, ("choice",), each="clip"),
    Finder("continuation", "future", "The eight seconds that follow a picture of a stage.",
           _TRACK, {"stage": "name"}, {"reference": "text"}, (CONTINUATION,), each="stage"),
    Finder("stage_of_frame", "present", "The stage in which that picture lies.",
           _TRACK, {}, _LABEL, ("choice",), each="stage"),
    Finder("stage_after", "future", "The stage that comes after that picture's.",
           _TRACK, {}, _LABEL, ("choice",), each="stage"),
    Finder("frame_order", "retrospective", "The order of three pictures of the eight seconds.",
           _TRACK, {}, {"order": "text"}, ("choice",), each="stage"),
)  # fmt: skip

FINDERS: Mapping[str, Finder] = {finder.name: finder for finder in _ALL}

FILTERS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "outcome"),
    "a": ("name",),
    "the": ("name",),
    "is": ("name",),
    "does": ("name",),
    "has": ("name",),
    "act": ("action",),
    "list": ("labels",),
    "whole": ("integer",),
    "text": ("text",),
    "clock": ("time",),
    "yes": ("yes_no",),
}
"""Filter -> types it takes; those of clips that also fit here, with the same meaning."""

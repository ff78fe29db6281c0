"""The finders of chain templates: what they take, and what the words of each stage may use.

``transforms.questions.chains`` says what they do; a test keeps both in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transforms.language.operators import Param

TASKS = (
    "causal_action_ordering", "cue_action_alignment", "affordance_mapping",
    "micro_transition_localization", "anomaly_onset_tracking",
)  # fmt: skip
"""CAO, CAA, AM, MTL and AOT of the paper."""


@dataclass(frozen=True, slots=True)
class Finder:
    """One way to find chains in a video's evidence.

    Attributes:
        task: of :data:`TASKS`.
        params: arguments by name.
        asks: field -> type that the questions of every stage may use.
        answers: field -> type that tells the answer of Q1: contexts and clues may use it,
            the questions of later stages too, those of the main question and Q1 not.
        found: field -> type that tells the answers of Q2 (``segment``) and Q3 (``instant``,
            ``box``): contexts may use ``segment`` from Q3 on, clues all of them.
    """

    name: str
    task: str
    doc: str
    params: Mapping[str, Param]
    asks: Mapping[str, str]
    answers: Mapping[str, str]
    found: Mapping[str, str]


_COARSE = Param("flag", "Whether events whose time is known too coarsely for options half a "
                "second apart are asked about with wider ones, and marked.", True)  # fmt: skip
_WHEN = {"segment": "span", "instant": "time", "where": "text"}

_ALL = (
    Finder("ordered_actions", "causal_action_ordering",
           "Two actions on one tissue, of one instrument, or that a workflow rule links.",
           {"coarse": _COARSE}, {"one": "deed", "other": "deed"},
           {"order": "text", "first": "deed", "second": "deed", "moment": "text"}, _WHEN),
    Finder("announced_action", "cue_action_alignment",
           "An action, and whether something announced it in the two seconds before.",
           {"coarse": _COARSE}, {"deed": "deed"}, {"cue": "text", "sought": "text"}, _WHEN),
    Finder("effect_of_action", "affordance_mapping",
           "What an instrument's action does to a tissue.",
           {"coarse": _COARSE}, {"tool": "name", "tissue": "name", "phase": "text"},
           {"effect": "text", "deed": "deed"}, _WHEN),
    Finder("change_of_action", "micro_transition_localization",
           "Two different actions of one instrument, one directly after the other.",
           {"coarse": _COARSE}, {"tool": "name", "phase": "text"},
           {"before": "deed", "after": "deed", "change": "text"}, _WHEN),
    Finder("anomaly_onset", "anomaly_onset_tracking",
           "An anomaly, when and where it begins.",
           {"coarse": _COARSE}, {}, {"anomaly": "name", "structure": "text"}, _WHEN),
)  # fmt: skip

FINDERS: Mapping[str, Finder] = {finder.name: finder for finder in _ALL}

_ACTIONS = "actions, stated or as interactions at annotated instants"

NEEDS: Mapping[str, str] = {
    "ordered_actions": _ACTIONS,
    "announced_action": f"{_ACTIONS}; cues, or instruments, speech and camera watched throughout",
    "effect_of_action": f"{_ACTIONS}, of a known instrument on a known tissue",
    "change_of_action": f"transitions, or {_ACTIONS}, of a known instrument",
    "anomaly_onset": "anomalies with their onset",
}
"""Finder -> evidence without which it finds nothing."""

RESTATED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "ordered_actions": (("order",), ("first", "second")),
    "announced_action": (("cue", "deed"),),
    "effect_of_action": (("effect",), ("deed",)),
    "change_of_action": (("change",), ("before", "after")),
    "anomaly_onset": (("anomaly",),),
}
"""Finder -> fields of which one set together tells the answer of Q1 again; the context of Q2
must, or the chain would be discarded when it is asked."""

FILTERS: Mapping[str, tuple[str, ...]] = {
    "name": ("name",),
    "a": ("name",),
    "the": ("name",),
    "is": ("name",),
    "deed": ("deed",),
    "noun": ("deed",),
    "text": ("text",),
    "clock": ("time",),
    "span": ("span",),
}
"""Filter -> types it takes.  ``deed``: "the hook dissects the gallbladder"; ``noun``:
"dissecting the gallbladder with the hook"; ``clock``: "21.57 s"; ``span``: "21.50 s to
23.00 s"."""

TEXTS: Mapping[str, str] = {
    "order": "clipping the cystic duct is over before cutting it begins",
    "moment": "the cystic duct is first seen clipped; clipping the cystic duct begins",
    "cue": "the surgeon announces it; nothing announces it",
    "sought": "the cue; the start of the action",
    "phase": "clipping and cutting; this part of the operation",
    "effect": "it divides the cystic duct",
    "change": "from grasping the gallbladder to dissecting it",
    "structure": "the liver; a place that is not named",
    "where": " at [540, 420, 620, 480]; nothing where no place is known",
}
"""What fields of type ``text`` print, for example; a wording must read well with each."""

"""Cue-action alignment: whether something announces an action, and when the action starts.

A cue counts if it begins 0.5 to 2 s before the action (SurgCoT 3.4).  That there was none is
only said where instruments, speech and camera were all watched in that time.
"""

from __future__ import annotations

from ontology.records import Code, Pointer
from ontology.times import SECOND_US
from transforms.questions.chains.actions import forms, named_alike, phase_of, slot
from transforms.questions.chains.found import Bank, Event, Refused, Results, Search, Wrong
from transforms.questions.chains.words import deed_noun
from transforms.timeline.story import Deed, Noted, Story

EARLIEST_US = 2 * SECOND_US
LATEST_US = SECOND_US // 2
TOGETHER_US = SECOND_US // 5
CHANNELS = ("tracks", "speech", "camera")
SAYS = {
    "approach": "the instrument moves towards the tissue without touching it yet",
    "positioned": "the instrument waits beside the tissue before it acts",
    "intent": "the surgeon announces it",
    "camera": "the camera moves in on the place",
}
SEVERAL = "several cues come at the same time"
NOTHING = "nothing announces it"


def announced_action(search: Search) -> Results:
    """Every action, with what announces it."""
    for deed in search.story.deeds:
        yield deed.start_us, _event(search, deed)


def cues_of(story: Story, deed: Deed) -> list[Noted]:
    """Cues of a deed in the time in which cues count, by start."""
    low, high = deed.start_us - EARLIEST_US, deed.start_us - LATEST_US
    return [
        noted for noted in story.of("cue")
        if low <= noted.moment.start_us <= high and _fits(noted, deed)
    ]  # fmt: skip


def _fits(noted: Noted, deed: Deed) -> bool:
    """Whether a cue may be one of this deed."""
    cue = noted.moment
    if cue.target not in ("", deed.target):
        return False
    if cue.label == "camera":
        return cue.tool in ("", deed.tool)
    if cue.label == "intent":
        return cue.verb == deed.verb and (not deed.tool or cue.tool in ("", deed.tool))
    return bool(cue.tool) and cue.tool == deed.tool


def _event(search: Search, deed: Deed) -> Event | Refused:
    story = search.story
    cues = cues_of(story, deed)
    early, late = deed.start_us - EARLIEST_US, deed.start_us - LATEST_US
    if early < 0:
        return Refused(Code.NO_FILLING, "the action starts too early in the recording for a cue")
    if not cues and not all(story.is_watched(c, early, late) for c in CHANNELS):
        return Refused(Code.NO_EVIDENCE, "no cue is known, and instruments, speech and camera were "
                       "not all watched before the action")  # fmt: skip
    value = _value(cues)
    start = cues[-1].moment.start_us if cues else deed.start_us
    texts, said = _texts(deed), _said(value)
    near = story.deeds_beside(deed.stretch, deed)
    return Event(
        name=deed.event,
        whole=(start, max(deed.start_us + 1, min(deed.end_us, deed.start_us + SECOND_US))),
        target=(start, start),
        onset_us=deed.start_us,
        resolution_us=max([deed.resolution_us, *(n.moment.resolution_us for n in cues[-1:])]),
        fields={"deed": deed, "cue": said,
                "sought": "the cue" if cues else "the start of the action"},
        slots={"deed": slot(deed)},
        value=value,
        right=texts[str(value["cue"])],
        wrong=tuple(Wrong(text, "other_cue", {"cue": name})
                    for name, text in texts.items() if name != value["cue"]),
        keys={n: Bank(deed.verb, deed.target, phase=phase_of(story, deed)) for n in (1, 2, 3)},
        proofs=_proofs(story, deed, cues),
        same=tuple((n.moment.start_us, n.moment.start_us + SECOND_US) for n in cues[:-1]),
        also=tuple(d.start_us for d in near if d.act == deed.act),
        related=tuple(d.stretch for d in near if d.act != deed.act),
        box=deed.box,
        from_us=start,
        names=((said,), forms(deed)),
        guards=tuple(("the action is done more than once in the window", d.stretch)
                     for d in near if named_alike(d, deed)),
    )  # fmt: skip


def _proofs(story: Story, deed: Deed, cues: list[Noted]) -> dict[int, tuple[Pointer, ...]]:
    """The cues and the action; of an absence, what was watched."""
    proof = tuple(n.pointer for n in cues)
    watched = () if cues else tuple(n.pointer for n in story.of("watched"))
    everything = (*proof, *deed.pointers, *watched)
    return {0: everything, 1: everything, 2: (*proof[-1:], *deed.pointers), 3: deed.pointers}


def _value(cues: list[Noted]) -> dict[str, str | None]:
    if not cues:
        return {"cue": "none", "label": None}
    together = len(cues) > 1 and (cues[-1].moment.start_us - cues[0].moment.start_us <= TOGETHER_US)
    return {"cue": "several" if together else "one", "label": cues[-1].moment.label}


def _said(value: dict[str, str | None]) -> str:
    """The answer of Q1 in a clause of its own."""
    if value["label"] is None:
        return NOTHING
    return SEVERAL if value["cue"] == "several" else SAYS[value["label"]]


def _texts(deed: Deed) -> dict[str, str]:
    done = deed_noun(deed)
    return {
        "one": "yes, one cue comes before it",
        "none": "no, it starts without any warning",
        "several": "yes, several cues come at the same time",
        "absent": f"{done} does not take place in this part of the recording",
    }

"""Entries that are moments: speech, actions, cues, transitions, affordances, contacts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.moments import Moment
from surgqa.ontology.published import Unfit, number, word
from surgqa.ontology.records import Code, Span, VideoLabel
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.unified.entries import Intake, ListEntry

CHANNELS = ("tracks", "speech", "camera", "anomaly")
CUES = {
    "approach": "approach", "tool_approach": "approach", "approaching": "approach",
    "positioned": "positioned", "tool_positioned": "positioned", "positioning": "positioned",
    "intent": "intent", "verbal_intent": "intent", "spoken_intent": "intent",
    "camera": "camera", "camera_in": "camera", "camera_zoom": "camera", "zoom": "camera",
}  # fmt: skip
ORDER = "order"
TEMPORAL, SPATIAL = "temporal_evidence", "spatial_evidence"


@dataclass(frozen=True, slots=True)
class StatedAction:
    """The verb and the target of an action, as far as they are given."""

    verb: str
    target: str

    def __str__(self) -> str:
        return f"{self.verb},{self.target}"


def said(entry: ListEntry) -> Iterator[Moment]:
    """Yield an utterance of ``asr_segments``; with ``intent`` and an action, also a cue for it."""
    text = word(entry.data.get("text"), "text") or word(entry.data.get("raw_caption"), "text")
    if text is None:
        raise Unfit(Code.BAD_ROW, "text is missing")
    when = entry.when()
    yield entry.moment("said", "", when, text=text)
    if entry.flag("intent") and entry.data.get("action") is not None:
        yield entry.moment("cue", "intent", when, **who(entry), text="")


def action(entry: ListEntry) -> Iterator[Moment]:
    """Yield the action of an entry of ``action_onsets``."""
    words = who(entry, needed=True, lenient=True)
    yield entry.moment("action", words["verb"], **words, box_xyxy=entry.box())


def cue(entry: ListEntry) -> Iterator[Moment]:
    """Yield the sign in an entry of ``cues`` that announces an action."""
    label = entry.choice("type", CUES)
    yield entry.moment("cue", label, **who(entry), box_xyxy=entry.box())


def transition(entry: ListEntry) -> Iterator[Moment]:
    """Yield the change from one action to the next in an entry of ``micro_transitions``."""
    before, after = _stated_action(entry, "from"), _stated_action(entry, "to")
    if before == after:
        raise Unfit(Code.CONTRADICTION, "from and to are the same")
    yield entry.moment(
        "transition", f"{before}>{after}", tool=entry.concept("instrument", "tool"),
        verb=after.verb, target=after.target, box_xyxy=entry.box(),
    )  # fmt: skip


def affordance(entry: ListEntry) -> Iterator[Moment]:
    """Yield the effect of a tool on a tissue, in an entry of ``affordances``."""
    words, box = who(entry, lenient=True), entry.box("contact_bbox")
    yield entry.moment("affordance", entry.effect(words["verb"]), **words, box_xyxy=box)


def contact(entry: ListEntry) -> Iterator[Moment]:
    """Yield the contact of a tool with a tissue in an entry of ``contacts``."""
    yield entry.moment("contact", "", **who(entry, lenient=True), box_xyxy=entry.box())


def channel(entry: ListEntry) -> Iterator[Moment]:
    """Yield the time in which a channel (tracks, speech, camera, anomaly) was annotated."""
    name = entry.choice("channel", {one: one for one in CHANNELS})
    yield entry.moment("watched", name)


LISTS = (
    (TEMPORAL, "asr_segments", said),
    (TEMPORAL, "action_onsets", action),
    (TEMPORAL, "micro_transitions", transition),
    (TEMPORAL, "cues", cue),
    (SPATIAL, "affordances", affordance),
    (SPATIAL, "contacts", contact),
)  # fmt: skip
"""(section, list in it, function that returns the moments of one entry)."""


def moments_of(tree: Mapping[str, Any], intake: Intake) -> list[Moment]:
    """Return the moments of all lists, and the times in which channels were annotated."""
    out: list[Moment] = []
    for section, name, parse in LISTS:
        out += intake.all(part(tree, section).get(name), f"{section}.{name}", parse)
    return out + _watched(tree, intake)


def phases_of(tree: Mapping[str, Any], intake: Intake) -> tuple[tuple[Span, ...], list[VideoLabel]]:
    """Return the phases of ``phase_sequence``: with start and end, or only in order.

    The order is the value of a label of the whole recording, from 1 on.
    """
    known: set[tuple[str, int, int]] = set()

    def parse(entry: ListEntry) -> Iterator[Span | VideoLabel]:
        label = entry.concept("phase", "phase", needed=True)
        place = f"{entry.file} {entry.pointer}"
        if set(entry.data) == {"phase", ORDER}:
            order = float(number(entry.data[ORDER], ORDER))
            yield VideoLabel("phase", label, order, "", entry.file, place)
            return
        when = entry.when()
        if when.start_us == when.end_us:
            raise Unfit(Code.BAD_TIME, f"phase {label} has no length")
        if (label, when.start_us, when.end_us) in known:
            raise Unfit(Code.DUPLICATE_FRAME, f"phase {label} stands there twice with these times")
        known.add((label, when.start_us, when.end_us))
        yield Span("phase", label, when.start_us, when.end_us, entry.file, place)

    listed = part(tree, "clinical_context").get("phase_sequence")
    found = intake.all(_ordered(listed), "clinical_context.phase_sequence", parse)
    spans = [one for one in found if isinstance(one, Span)]
    return sorted_spans(spans), [one for one in found if isinstance(one, VideoLabel)]


def _ordered(found: Any) -> Any:
    """Return the phases; a bare name becomes ``{"phase": NAME, "order": 1}``, then 2, 3, …"""
    if not isinstance(found, list):
        return found
    return [{"phase": one, ORDER: place} if isinstance(one, str) else one
            for place, one in enumerate(found, 1)]  # fmt: skip


def part(tree: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """Return a section of a file; empty if the file lacks the section."""
    found = tree.get(section)
    return found if isinstance(found, Mapping) else {}


def _watched(tree: Mapping[str, Any], intake: Intake) -> list[Moment]:
    """Return the times in which a channel was annotated, as ``channels`` states them.

    Without ``channels``, a list of speech or of anomalies, even an empty one, counts as complete
    for the whole video.
    """
    temporal, anomalies = part(tree, TEMPORAL), part(tree, "anomaly_evidence")
    if temporal.get("channels") is not None:
        return intake.all(temporal["channels"], f"{TEMPORAL}.channels", channel)
    lists = (
        ("anomaly", anomalies.get("anomalies"), "anomaly_evidence.anomalies"),
        ("speech", temporal.get("asr_segments"), f"{TEMPORAL}.asr_segments"),
    )
    header = intake.header
    return [
        Moment("watched", name, 0, header.duration_us, header.period_us, intake.file, pointer)
        for name, found, pointer in lists
        if isinstance(found, list)
    ]


def who(entry: ListEntry, needed: bool = False, lenient: bool = False) -> dict[str, Any]:
    """Return tool, verb and target of an entry.

    Args:
        needed: raise an error if the verb is missing.
        lenient: True to keep an entry with an unknown tool or tissue without it. False for cues,
            because a cue without its tool or tissue would announce another action.
    """
    find = entry.known if lenient else entry.concept
    return {
        "tool": find("instrument", "tool"),
        "verb": entry.concept("verb", "action", needed),
        "target": find("target", "tissue"),
    }


def _stated_action(entry: ListEntry, field: str) -> StatedAction:
    """Return an object with action and tissue, or the action alone."""
    found = entry.data.get(field)
    stated = found if isinstance(found, Mapping) else {"action": found}
    verb = entry.meant("verb", stated.get("action"), f"{field}.action", needed=True)
    return StatedAction(verb, entry.meant("target", stated.get("tissue"), f"{field}.tissue"))

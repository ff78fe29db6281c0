"""Entries that are moments: speech, actions, cues, transitions, affordances, contacts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ontology.moments import Moment
from ontology.published import Unfit, word
from ontology.records import Code, Span
from transforms.readers.base.intervals import sorted_spans
from transforms.readers.base.unified.entries import Entry, Intake

CHANNELS = ("tracks", "speech", "camera", "anomaly")
CUES = {
    "approach": "approach", "tool_approach": "approach", "approaching": "approach",
    "positioned": "positioned", "tool_positioned": "positioned", "positioning": "positioned",
    "intent": "intent", "verbal_intent": "intent", "spoken_intent": "intent",
    "camera": "camera", "camera_in": "camera", "camera_zoom": "camera", "zoom": "camera",
}  # fmt: skip
TEMPORAL, SPATIAL = "temporal_evidence", "spatial_evidence"


@dataclass(frozen=True, slots=True)
class Deed:
    """Verb and target, as far as they are told."""

    verb: str
    target: str

    def __str__(self) -> str:
        return f"{self.verb},{self.target}"


def said(entry: Entry) -> Iterator[Moment]:
    """``asr_segments``: what is said; with ``intent`` and an action also what it announces."""
    text = word(entry.data.get("text"), "text") or word(entry.data.get("raw_caption"), "text")
    if text is None:
        raise Unfit(Code.BAD_ROW, "text is missing")
    when = entry.when()
    yield entry.moment("said", "", when, text=text)
    announced = entry.data.get("intent")
    if announced is not None and not isinstance(announced, bool):
        raise Unfit(Code.BAD_VALUE, "intent is neither true nor false")
    if announced and entry.data.get("action") is not None:
        yield entry.moment("cue", "intent", when, **_who(entry), text="")


def action(entry: Entry) -> Iterator[Moment]:
    """``action_onsets``: an action from its first visible cue on."""
    who = _who(entry, needed=True)
    yield entry.moment("action", who["verb"], **who, box_xyxy=entry.box())


def cue(entry: Entry) -> Iterator[Moment]:
    """``cues``: what announces an action."""
    label = entry.choice("type", CUES)
    yield entry.moment("cue", label, **_who(entry), box_xyxy=entry.box())


def transition(entry: Entry) -> Iterator[Moment]:
    """``micro_transitions``: from one deed to the next."""
    before, after = _deed(entry, "from"), _deed(entry, "to")
    if before == after:
        raise Unfit(Code.CONTRADICTION, "from and to are the same")
    yield entry.moment(
        "transition", f"{before}>{after}", tool=entry.concept("instrument", "tool"),
        verb=after.verb, target=after.target, box_xyxy=entry.box(),
    )  # fmt: skip


def affordance(entry: Entry) -> Iterator[Moment]:
    """``affordances``: the effect of a tool on a tissue, with the place of first contact."""
    who, box = _who(entry), entry.box("contact_bbox")
    yield entry.moment("affordance", entry.effect(who["verb"]), **who, box_xyxy=box)


def contact(entry: Entry) -> Iterator[Moment]:
    """``contacts``: a tool at a tissue."""
    yield entry.moment("contact", "", **_who(entry), box_xyxy=entry.box())


def channel(entry: Entry) -> Iterator[Moment]:
    """``channels``: what was looked at all the way."""
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
"""Section, list in it, and what its entries say."""


def moments_of(tree: Mapping[str, Any], intake: Intake) -> list[Moment]:
    """The moments of all lists, and of the channels that were looked at."""
    out: list[Moment] = []
    for section, name, parse in LISTS:
        out += intake.all(part(tree, section).get(name), f"{section}.{name}", parse)
    return out + _watched(tree, intake)


def phases_of(tree: Mapping[str, Any], intake: Intake) -> tuple[Span, ...]:
    """``phase_sequence``: phases with start and end."""
    known: set[tuple[str, int, int]] = set()

    def parse(entry: Entry) -> Iterator[Span]:
        label, when = entry.concept("phase", "phase", needed=True), entry.when()
        if when.start_us == when.end_us:
            raise Unfit(Code.BAD_TIME, f"phase {label} has no length")
        if (label, when.start_us, when.end_us) in known:
            raise Unfit(Code.DUPLICATE_FRAME, f"phase {label} stands there twice with these times")
        known.add((label, when.start_us, when.end_us))
        place = f"{entry.file} {entry.pointer}"
        yield Span("phase", label, when.start_us, when.end_us, entry.file, place)

    found = part(tree, "clinical_context").get("phase_sequence")
    return sorted_spans(intake.all(found, "clinical_context.phase_sequence", parse))


def part(tree: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """A section of a file, empty where it has none."""
    found = tree.get(section)
    return found if isinstance(found, Mapping) else {}


def _watched(tree: Mapping[str, Any], intake: Intake) -> list[Moment]:
    """The stated channels; where none are, the whole time for speech and anomalies listed.

    A list of anomalies that is there and empty says that there are none.
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


def _who(entry: Entry, needed: bool = False) -> dict[str, Any]:
    """Tool, verb and target of an entry."""
    return {
        "tool": entry.concept("instrument", "tool"),
        "verb": entry.concept("verb", "action", needed),
        "target": entry.concept("target", "tissue"),
    }


def _deed(entry: Entry, field: str) -> Deed:
    """An object with action and tissue, or the action alone."""
    found = entry.data.get(field)
    told = found if isinstance(found, Mapping) else {"action": found}
    verb = entry.meant("verb", told.get("action"), f"{field}.action", needed=True)
    return Deed(verb, entry.meant("target", told.get("tissue"), f"{field}.tissue"))

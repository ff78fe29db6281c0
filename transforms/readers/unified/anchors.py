"""Read ``temporal_anchors``: phase, action, tool and tissue named by an utterance, in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from surgqa.ontology.moments import Moment
from surgqa.ontology.published import Unfit, word
from surgqa.ontology.records import Code, Span
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.unified.entries import Intake, ListEntry, When
from surgqa.transforms.readers.unified.moments import TEMPORAL, part, who

NAME = "temporal_anchors"
KIND = "phase_anchor"
ORIGIN = "speech"
SPOKEN_US = 2 * SECOND_US
"""Resolution of the time of an action that is known only from speech."""
GAP_US = 2 * SECOND_US
"""Greatest gap between anchors of one phase that are merged into one interval."""


def anchors_of(
    tree: Mapping[str, Any], heard: Sequence[Moment], intake: Intake
) -> tuple[list[Moment], tuple[Span, ...]]:
    """Return the moments and the phase spans that the anchors give.

    An anchor with an action gives this action, as mentioned in speech. An anchor that announces an
    action (``intent``) gives a cue. The words of an anchor give an utterance, unless a segment of
    speech has them already. The list may be in ``temporal_evidence`` or outside of all sections.

    Args:
        heard: moments of the kind ``said``, from ``asr_segments``.
    """
    said = [one for one in heard if one.kind == "said"]

    def parse(entry: ListEntry) -> Iterator[Moment | Span]:
        when = entry.when()
        moments: list[Moment | Span] = [*_words(entry, when, said), *_action(entry, when)]
        moments += _phase(entry, when)
        if not moments and not entry.data.get("raw_caption"):
            raise Unfit(Code.BAD_ROW, "neither words nor an action nor a phase is told")
        return iter(moments)

    found = [
        *intake.all(part(tree, TEMPORAL).get(NAME), f"{TEMPORAL}.{NAME}", parse),
        *intake.all(tree.get(NAME), NAME, parse),
    ]
    spans = [one for one in found if isinstance(one, Span)]
    return [one for one in found if isinstance(one, Moment)], _merged(spans)


def _words(entry: ListEntry, when: When, said: Sequence[Moment]) -> Iterator[Moment]:
    text = word(entry.data.get("raw_caption"), "raw_caption")
    known = any(
        text in one.text and one.start_us <= when.end_us and when.start_us <= one.end_us
        for one in said
        if text
    )
    if text and not known:
        yield entry.moment("said", "", when, text=text)


def _action(entry: ListEntry, when: When) -> Iterator[Moment]:
    if entry.data.get("action") is None:
        return
    common = {**who(entry, lenient=True), "text": "", "origin": ORIGIN}
    if entry.flag("intent"):
        yield entry.moment("cue", "intent", when, **common)
    elif common["verb"]:
        stated = entry.data.get("resolution") is not None
        at = when if stated else replace(when, resolution_us=SPOKEN_US)
        yield entry.moment("action", common["verb"], at, **common)


def _phase(entry: ListEntry, when: When) -> Iterator[Span]:
    label = entry.known("phase", "phase")
    if label and when.end_us > when.start_us:
        place = f"{entry.file} {entry.pointer}"
        yield Span(KIND, label, when.start_us, when.end_us, entry.file, place)


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Merge neighbouring anchors of one phase; the pointer names the first anchor."""
    out: list[Span] = []
    for one in sorted(spans, key=lambda span: (span.start_us, span.end_us, span.label)):
        last = out[-1] if out else None
        if last and last.label == one.label and one.start_us - last.end_us <= GAP_US:
            out[-1] = replace(last, end_us=max(last.end_us, one.end_us))
        else:
            out.append(one)
    return sorted_spans(out)


READ: Mapping[str, tuple[str, ...]] = {
    "": (NAME,),
    "video_metadata": (),
    "temporal_evidence": ("asr_segments", "action_onsets", "micro_transitions", "cues",
                          "channels", NAME),
    "spatial_evidence": ("tool_tracks", "tissue_tracks", "affordances", "contacts"),
    "anomaly_evidence": ("anomalies",),
    "clinical_context": ("phase_sequence", "critical_structures"),
}  # fmt: skip
"""Section ('' for the top level of the file) -> lists that are read, and ``critical_structures``,
which is left out without a rejection because it is not evidence about a video."""


def lose_unread(tree: Mapping[str, Any], intake: Intake) -> None:
    """Record the entries of all lists that are not in ``READ`` as rejected."""
    for pointer, found in _unread(tree):
        if found:
            reason = f"{pointer} is not a list that is read"
            intake.lose(pointer, Unfit(Code.EXCLUDED, reason), len(found))


def _unread(tree: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, section in tree.items():
        if isinstance(section, list) and name not in READ[""]:
            yield name, section
        elif isinstance(section, Mapping):
            for inner, found in section.items():
                if isinstance(found, list) and inner not in READ.get(name, ()):
                    yield f"{name}.{inner}", found

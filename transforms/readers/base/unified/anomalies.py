"""``anomaly_evidence``: anomalies with their onset, and their places at key frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from surgqa.ontology.anomalies import anomaly_moments, anomaly_of, name_of
from surgqa.ontology.moments import Moment
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code
from surgqa.transforms.readers.base.unified.entries import Intake, ListEntry, concept_of


def anomalies_of(found: Any, pointer: str, intake: Intake, origin: str = "") -> list[Moment]:
    """Return moments ``anomaly`` and ``roi`` of a list of anomalies in the published shape.

    Args:
        found: the list; None if anomalies were not annotated.
        origin: origin of the moments; '' for the origin that each entry states.
    """
    known: set[str] = set()

    def parse(entry: ListEntry) -> Iterator[Moment]:
        name = name_of(entry.data, len(known))
        if name in known:
            raise Unfit(Code.CONTRADICTION, f"a second anomaly is called {name}")
        found = _anomaly(entry, name, origin)
        known.add(name)
        return found

    return intake.all(found, pointer, parse)


def _anomaly(entry: ListEntry, name: str, origin: str) -> Iterator[Moment]:
    header = entry.header
    if header.size is None:
        reason = "the size of the pictures is not known, so its boxes are not"
        raise Unfit(Code.BAD_BOX, reason)
    one, clipped = anomaly_of(name, entry.data, header.fps, *header.size)
    if one.onset_us(header.fps) >= header.duration_us:
        raise Unfit(Code.BAD_TIME, "it starts after the recording's end")
    concept = entry.meant("event", one.kind, "anomaly_type", needed=True)
    target = _target(entry, dict(one.origin).get("tissue"))
    if clipped:
        entry.note(Code.BAD_BOX, "a box reached beyond the frame and was clipped")
    moments = anomaly_moments(one, concept, target, header.fps, header.size, entry.file,
                              entry.pointer, origin or entry.origin())  # fmt: skip
    return _inside(entry, moments)


def _target(entry: ListEntry, name: str | None) -> str:
    """Return the concept of an anomaly's tissue; '' if it is missing or unknown."""
    found = "" if name is None else concept_of("target", name)
    if isinstance(found, str):
        return found
    entry.note(found[0], f"{found[1]}: kept without its tissue")
    return ""


def _inside(entry: ListEntry, moments: Iterator[Moment]) -> Iterator[Moment]:
    """Yield the key frames inside the recording. An anomaly that lasts longer is cut."""
    length = entry.header.duration_us
    for one in moments:
        if one.start_us >= length:
            entry.note(Code.BAD_TIME, "a key frame lies after the recording: left out")
        elif one.end_us > length:
            entry.note(Code.BAD_TIME, "it ends after the recording: cut")
            yield replace(one, end_us=length)
        else:
            yield one

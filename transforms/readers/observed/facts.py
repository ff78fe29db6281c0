"""Check and return the fields of ``video.json`` that the reader needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surgqa.ontology.concepts import load_data, vocabulary
from surgqa.ontology.errors import StoreBroken
from surgqa.ontology.fitness import made_by
from surgqa.ontology.observed import require_masked
from surgqa.ontology.records import Media, MediaKind


@dataclass(frozen=True, slots=True)
class ObservedVideo:
    """One observed video.

    Attributes:
        fps: frame rate; the mean rate if it varies.
        rate: pictures sampled each second, None for all.
        classes: instruments that the detector knows, sorted; None without a detector.
        digests: for each kind of table, SHA-256 of its file.
        made_by: :func:`ontology.fitness.made_by` of the boxes.
        reviewed_us: instants of which a person reviewed and corrected all boxes.
        layers: names of the layers of corrections that the evidence contains.
    """

    media: Media
    fps: Fraction
    rate: Fraction | None
    duration_us: int
    classes: tuple[str, ...] | None
    metadata: Mapping[str, Any]
    digests: Mapping[str, str]
    made_by: str = ""
    reviewed_us: tuple[int, ...] = ()
    layers: tuple[str, ...] = ()


def facts_of(entry: Any, where: str) -> ObservedVideo:
    """Return the facts of one video.

    Raises:
        SourceBroken: a field is missing or of another type, or the ontology does not know an
            instrument.
    """
    try:
        medium = entry["medium"]
        media = Media(MediaKind(medium["kind"]), medium["path"], medium["width"], medium["height"],
                      int(medium.get("first", 0)), medium.get("sha256"))  # fmt: skip
        require_masked(entry, where)
        detect = entry["extractors"].get("detect")
        rate = entry["rate"]
        return ObservedVideo(
            media=media,
            fps=Fraction(*medium["fps"]),
            rate=None if rate is None else Fraction(*rate),
            duration_us=int(entry["duration_us"]),
            classes=None if detect is None else _classes(detect["facts"]["classes"], where),
            metadata=_metadata(entry),
            digests={kind: str(entry["kinds"][kind]["sha256"]) for kind in entry["kinds"]},
            made_by=made_by(entry),
            reviewed_us=tuple(map(int, entry.get("reviewed", ()))),
            layers=tuple(map(str, entry.get("layers", ()))),
        )
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise StoreBroken(
            f"{where} is not what 'surgqa observe' writes",
            found=f"{type(error).__name__}: {error}",
            where=f"{where}:1",
            fix="observe the video again",
        ) from None


def _metadata(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata of the video, in the ontology's words where it has them."""
    known = facts.get("harmonised", {}).get("metadata", {})
    terms = load_data("vocab", "metadata")
    shown = {}
    for field, kind in (("procedure", "procedures"), ("specialty", "specialties")):
        entry = terms[kind].get(known.get(field))
        if entry:
            shown[field] = entry["display"]
    return {**facts["metadata"], **shown}


def _classes(concepts: Mapping[str, Any], where: str) -> tuple[str, ...]:
    known = vocabulary("instruments")
    names = sorted({c["concept"] for c in concepts.values() if c.get("kind") == "instrument"})
    for name in names:
        if name not in known:
            raise StoreBroken(
                f"{where}: unknown instrument {name!r}",
                expected=", ".join(known),
                found=name,
                where=f"{where}:1",
                fix="observe with a class map (--classes) that names instruments of the ontology",
            )
    return tuple(names)

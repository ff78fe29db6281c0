"""Labels of a whole image or video, and labels whose kind the source does not state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from surgqa.ontology.records import Code, VideoLabel
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.words import concept_of

LabelMap = Mapping[str, Mapping[str, Any]]


class NamedLabel(NamedTuple):
    """A source's label, mapped to a kind and a concept of the ontology."""

    kind: str
    concept: str


class Stated(NamedTuple):
    """One row: its labels for the whole image or video, as the source spells them.

    Attributes:
        has_more: True if the row also states something else, so that it is kept without a label.
    """

    labels: Sequence[str]
    source: str
    where: str
    has_more: bool = False


def folded(label: str) -> str:
    """Return the label in lower case, with single blanks and without ``,.;`` around it."""
    return " ".join(label.casefold().split()).strip(" ,.;")


def named(label: str, known: LabelMap, kinds: Sequence[str]) -> NamedLabel | tuple[Code, str]:
    """Return kind and concept of a label, or rejection code and reason if it has none."""
    kind = next((kind for kind in kinds if label in known.get(kind, ())), kinds[0])
    concept = concept_of(kind, label, known)
    return NamedLabel(kind, concept) if isinstance(concept, str) else concept


def whole_labels(
    rows: Iterable[Stated], known: LabelMap, kinds: Sequence[str], ledger: Ledger
) -> tuple[tuple[VideoLabel, ...], int]:
    """Return the distinct labels of all rows, by kind and label, and the number of rows kept.

    Rows without any usable label and rows that only repeat earlier labels are rejected,
    unless ``has_more`` is set.
    """
    found: dict[NamedLabel, VideoLabel] = {}
    kept = 0
    for place, row in enumerate(rows):
        at, before = (place,), len(found)
        names = [named(label, known, kinds) for label in row.labels]
        for name in names:
            if isinstance(name, NamedLabel) and name not in found:
                found[name] = VideoLabel(*name, None, "", row.source, row.where)
        bad = [name for name in names if not isinstance(name, NamedLabel)]
        if not row.has_more and len(bad) == len(names):
            problem = bad[0] if bad else (Code.BAD_VALUE, "the row gives no label at all")
            ledger.reject(at, *problem, row.where)
            continue
        for problem in bad:
            ledger.repair(at, *problem, row.where)
        if len(found) == before and not row.has_more:
            reason = "an earlier row has given the same labels already"
            ledger.reject(at, Code.DUPLICATE_FRAME, reason, row.where)
        else:
            kept += 1
    ordered = sorted(found.values(), key=lambda label: (label.kind, label.label))
    return tuple(ordered), kept

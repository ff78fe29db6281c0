"""What sources say of a whole still or film, and labels that they do not sort by kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ontology.records import Code, VideoLabel
from transforms.readers.base.labels import concept_of
from transforms.readers.base.ledger import Ledger

LabelMap = Mapping[str, Mapping[str, Any]]


class Named(NamedTuple):
    """A source's label in our words."""

    kind: str
    concept: str


class Stated(NamedTuple):
    """One row: the labels it gives to the whole, as its source spells them.

    Attributes:
        otherwise_of_use: it tells something else, too, and is kept without a label.
    """

    labels: Sequence[str]
    source: str
    where: str
    otherwise_of_use: bool = False


def folded(label: str) -> str:
    """Without case and without blanks and commas around it; single blanks inside."""
    return " ".join(label.casefold().split()).strip(" ,.;")


def named(label: str, known: LabelMap, kinds: Sequence[str]) -> Named | tuple[Code, str]:
    """Kind and concept of a label, or code and sentence where it has none."""
    kind = next((kind for kind in kinds if label in known.get(kind, ())), kinds[0])
    concept = concept_of(kind, label, known)
    return Named(kind, concept) if isinstance(concept, str) else concept


def whole_labels(
    rows: Iterable[Stated], known: LabelMap, kinds: Sequence[str], ledger: Ledger
) -> tuple[tuple[VideoLabel, ...], int]:
    """The labels of all rows, each once, in the order of the record; and the rows kept.

    A row without a single label that can be used is rejected, unless it is of other use;
    a row that says again what an earlier one said is rejected as well.
    """
    found: dict[Named, VideoLabel] = {}
    kept = 0
    for place, row in enumerate(rows):
        at, before = (place,), len(found)
        names = [named(label, known, kinds) for label in row.labels]
        for name in names:
            if isinstance(name, Named) and name not in found:
                found[name] = VideoLabel(*name, None, "", row.source, row.where)
        bad = [name for name in names if not isinstance(name, Named)]
        if not row.otherwise_of_use and len(bad) == len(names):
            problem = bad[0] if bad else (Code.BAD_VALUE, "the row gives no label at all")
            ledger.reject(at, *problem, row.where)
            continue
        for problem in bad:
            ledger.repair(at, *problem, row.where)
        if len(found) == before and not row.otherwise_of_use:
            reason = "an earlier row has given the same labels already"
            ledger.reject(at, Code.DUPLICATE_FRAME, reason, row.where)
        else:
            kept += 1
    ordered = sorted(found.values(), key=lambda label: (label.kind, label.label))
    return tuple(ordered), kept

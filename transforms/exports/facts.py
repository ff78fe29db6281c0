"""The relation of facts as tables of ``evidence/``; a gap is a stretch nobody annotated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from surgqa.ontology.keys import digest
from surgqa.ontology.records import Video
from surgqa.ontology.rows import FACTS, HOLES, INSTANTS, LOOKED, SAMPLES
from surgqa.transforms.exports.parquet import video_table
from surgqa.transforms.exports.regions import CORNERS
from surgqa.transforms.timeline.relation import NONE, Relation
from surgqa.transforms.timeline.relation.table import INFINITE

IDENTITY = (
    "kind", "label", "subject", "track", "verb", "target", "rater", "origin", "s_us", "e_us",
)  # fmt: skip
"""The columns that identify a fact."""


def fact_tables(relation: Relation, video: Video) -> dict[str, pa.Table]:
    """Tables of the facts, gaps, annotated kinds, samples and instants of the only video."""
    instants = relation.instants.get(0, np.zeros(0, np.int64))
    boxes = np.asarray(relation.samples["box"], np.float64).reshape(-1, 4)
    tables = {
        "facts": (FACTS, _facts(relation)),
        "holes": (HOLES, _holes(relation)),
        "looked": (LOOKED, _looked(relation)),
        "samples": (SAMPLES, {
            "track": _names(relation, relation.samples["track"]),
            "time_us": relation.samples["t"],
            **{name: boxes[:, k] for k, name in enumerate(CORNERS)},
        }),
        "instants": (INSTANTS, {"time_us": instants}),
    }  # fmt: skip
    return {name: video_table(schema, video, columns, len(next(iter(columns.values()))))
            for name, (schema, columns) in tables.items()}  # fmt: skip


def _names(relation: Relation, codes: np.ndarray) -> list[str | None]:
    names = relation.codes.names
    return [names[code] if code != NONE else None for code in codes.tolist()]


def _facts(relation: Relation) -> dict[str, Sequence]:
    facts = relation.facts
    columns: dict[str, Sequence] = {}
    for field in FACTS.names:
        own = field.removesuffix("_us")
        if pa.types.is_string(FACTS.field(field).type) and own in facts.__slots__:
            columns[field] = _names(relation, getattr(facts, own))
        elif own in facts.__slots__:
            columns[field] = getattr(facts, own)
    columns["value_lo"], columns["value_hi"] = (
        pa.array(getattr(facts, name), mask=np.isnan(getattr(facts, name)))
        for name in ("value_lo", "value_hi")
    )
    identity = zip(*(np.asarray(columns[name]).tolist() for name in IDENTITY), strict=True)
    columns["fact_id"] = [digest("fact", *map(str, one))[:16] for one in identity]
    columns["marks"] = [_marks(relation, proof) for proof in facts.proof.tolist()]
    return columns


def _marks(relation: Relation, proof: int) -> list[dict[str, str]]:
    if proof < 0:
        return []
    table, rows = relation.proofs[proof]
    return [{"kind": table, "id": row} for _, row in rows]


def _holes(relation: Relation) -> dict[str, Sequence]:
    holes = relation.holes
    return {
        **{name: _names(relation, getattr(holes, name)) for name in ("kind", "label", "subject")},
        "u0_us": holes.u0,
        "u1_us": holes.u1,
        "floor_us": pa.array(holes.floor, mask=holes.floor == INFINITE),
    }


def _looked(relation: Relation) -> dict[str, Sequence]:
    rows: list[tuple[str, str | None, list[str] | None]] = [
        (kind, None, None) for _, kind in sorted(relation.looked)
    ]
    for (_, kind), fields in sorted(relation.looked_for.items()):
        rows += [(kind, field, sorted(fields[field])) for field in sorted(fields)]
    kinds, fields_, ids = (
        (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 3
    )
    return {"kind": kinds, "field": fields_, "ids": ids}

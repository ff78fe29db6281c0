"""Join the relations (tables of facts) of several videos to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from surgqa.transforms.timeline.relation.table import (
    CODES,
    NONE,
    SHIFT,
    Codes,
    Columns,
    FactTable,
    HoleTable,
    Proof,
    Recording,
    Relation,
)

TIMES = ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1", "t0", "t1", "u0", "u1", "t")
MARKS = ("s_mark", "e_mark", "s_gap", "e_gap")
NUMBERED = {"grp": "rows", "proof": "proofs", **dict.fromkeys(MARKS, "marks")}
"""Column with row numbers -> the table that they refer to; joining adds to these numbers."""


def joined(relations: Sequence[Relation]) -> Relation:
    """Join relations of one video each, in their order; a single relation is returned unchanged.

    Times are moved to each video's part of the common axis, codes of ids are replaced by common
    codes, and row numbers are shifted. Nothing else changes in the facts of a video.
    """
    if len(relations) == 1:
        return relations[0]
    codes = Codes()
    moves = [_Move(k, codes.codes(one.codes.names)) for k, one in enumerate(relations)]
    recordings: list[Recording] = []
    proofs: list[Proof] = []
    rows = marks = 0
    for move, one in zip(moves, relations, strict=True):
        move.first = {"rows": rows, "marks": marks, "proofs": len(proofs)}
        recordings += one.recordings
        proofs += one.proofs
        rows += len(one.facts)
        marks += 1 + max(int(getattr(one.facts, m).max(initial=NONE)) for m in MARKS)
    each = list(zip(moves, relations, strict=True))
    looked_for = {(move.video, kind): fields for move, one in each
                  for (_, kind), fields in one.looked_for.items()}  # fmt: skip
    return Relation(
        codes, tuple(recordings), FactTable(**_columns(each, "facts")),
        HoleTable(**_columns(each, "holes")),
        looked_for, _sorted(_columns(each, "samples")), proofs,
        {m.video: m.moved("t", at) for m, one in each for at in one.instants.values()},
        frozenset((m.video, kind) for m, one in each for _, kind in one.looked),
    )  # fmt: skip


class _Move:
    """Converts the columns of one video to those of the joined relation.

    Attributes:
        video: index of the video among all videos.
        codes: int32, the common code for each code of the video.
        first: for each table, the number that the video's first row gets.
    """

    def __init__(self, video: int, codes: np.ndarray) -> None:
        self.video, self.codes = video, np.append(codes, np.int32(NONE))
        self.first: dict[str, int] = {}

    def moved(self, name: str, column: np.ndarray) -> np.ndarray:
        """Convert one column."""
        if name == "video":
            return np.full(len(column), self.video, column.dtype)
        if name in CODES:
            return self.codes[column]
        if name in TIMES:
            return column + (self.video << SHIFT)
        if name in NUMBERED:
            first = column.dtype.type(self.first[NUMBERED[name]])
            return np.where(column == NONE, column, column + first)
        return column


def _columns(each: Sequence[tuple[_Move, Relation]], table: str) -> dict[str, np.ndarray]:
    """Return one table's columns for all videos; facts that always hold get no time bounds."""
    parts = [_by_name(getattr(one, table)) for _, one in each]
    return {name: np.concatenate([move.moved(name, part[name])
                                  for (move, _), part in zip(each, parts, strict=True)])
            for name in parts[0]}  # fmt: skip


def _by_name(table: Columns | Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    if isinstance(table, Columns):
        return {name: getattr(table, name) for name in table.__slots__}
    return table


def _sorted(samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    order = np.lexsort((samples["t"], samples["track"]))
    return {name: column[order] for name, column in samples.items()}

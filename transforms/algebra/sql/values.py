"""The SQL of one expression: the name of its common table expression (CTE), and its columns."""

from __future__ import annotations

from dataclasses import dataclass

TRUTH, RANGE, LABEL, STRETCH, FACT, BOX, GROUP, FACTS, LISTED, SPANS, MOTION = (
    "truth", "range", "label", "stretch", "fact", "box", "group", "facts", "listed", "spans",
    "motion",
)  # fmt: skip

FAR = 1 << 40
"""Microseconds, beyond both ends of any video."""

INFINITE = 1 << 60
"""``floor`` of a gap in which nobody annotated the kind at all."""

TEXTS = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin")
TIMES = ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1")
MARKS = ("grp", "s_mark", "e_mark", "s_gap", "e_gap")
FACT_COLUMNS = (*TEXTS, *TIMES, *MARKS, "t0", "t1", "value_lo", "value_hi", "proof")
"""Columns of a fact in every CTE; ``sure`` is named ``held`` after a pattern's tests."""

STRETCH_COLUMNS = ("a0", "a", "a1", "a_mark", "a_ok", "b0", "b", "b1", "b_mark", "b_ok")
MOTION_COLUMNS = ("path", "mean_speed", "min_speed", "max_speed", "samples")

COLUMNS = {
    TRUTH: ("value", "ok"),
    RANGE: ("lo", "at", "hi", "mark", "ok", "none"),
    LABEL: ("value", "ok", "none"),
    STRETCH: (*STRETCH_COLUMNS, "ok"),
    FACT: (*FACT_COLUMNS, "ok", "none"),
    BOX: ("x1", "y1", "x2", "y2", "ok", "none"),
    GROUP: ("value", "ok"),
    MOTION: (*MOTION_COLUMNS, "ok", "none"),
    FACTS: ("ok",),
    LISTED: ("ok",),
    SPANS: ("ok",),
}
"""Shape of a value -> its columns, in a CTE with one row for each ``q`` of its scope.

``truth``: true, false, or NULL if unknown. ``range``: whole microseconds, or a DOUBLE. ``label``:
an id, an act (``verb,target``) or a word; NULL for a null. ``group``: a list of ids. ``ok``:
defined
in every timeline that the labels allow, never NULL; where it is false, ignore the other columns.
"""

REPORTED = {
    STRETCH: ("a0", "a", "a1", "b0", "b", "b1", "ok"),
    FACT: ("label", "subject", "track", "verb", "target", "s", "s1", "e0", "e", "ok", "none"),
}
"""Columns of each shape that a template's query returns, if it does not return all of them."""

HOLE_COLUMNS = ("u0", "u1", "floor", "label", "subject")


@dataclass(frozen=True, slots=True)
class SqlValue:
    """The value of one expression, in SQL.

    Attributes:
        shape: one of :data:`COLUMNS`.
        cte: name of the main CTE, with ``q`` and the columns of the shape.
        rows: CTE of the elements: facts have q, FACT_COLUMNS, held and sure; a list of facts has q,
            place and FACT_COLUMNS; several stretches or times have q, place and the columns of
            ``of``.
        holes: for facts, CTE with q and HOLE_COLUMNS: the gaps that may hide further facts.
        fields: for a list of facts, the fields that the answer gives.
        of: for several stretches or times, the shape of one (a stretch or a range).
        table: for facts, CTE of all facts before the pattern's filters, merged as the pattern
            states; '' if these facts come from no table.
    """

    shape: str
    cte: str
    rows: str = ""
    holes: str = ""
    fields: tuple[str, ...] = ()
    of: str = ""
    table: str = ""


def text(value: object) -> str:
    """Return a value as an SQL literal."""
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"


def names(columns: tuple[str, ...] | list[str], alias: str = "") -> str:
    """Return column names as written in a SELECT, with the table's alias in front."""
    return ", ".join(f"{alias}.{name}" if alias else f'"{name}"' for name in columns)

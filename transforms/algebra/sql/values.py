"""A node compiled to SQL: the name of a common table expression, and its contents."""

from __future__ import annotations

from dataclasses import dataclass

TRUTH, RANGE, LABEL, STRETCH, FACT, BOX, GROUP, FACTS, LISTED, SPANS, MOTION = (
    "truth", "range", "label", "stretch", "fact", "box", "group", "facts", "listed", "spans",
    "motion",
)  # fmt: skip

FAR = 1 << 40
"""Microseconds, beyond both ends of any video."""

INFINITE = 1 << 60
"""As a gap's ``floor``: nobody annotated anything there."""

TEXTS = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin")
TIMES = ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1")
MARKS = ("grp", "s_mark", "e_mark", "s_gap", "e_gap")
FACT_COLUMNS = (*TEXTS, *TIMES, *MARKS, "t0", "t1", "value_lo", "value_hi", "proof")
"""A fact's columns in every expression; ``sure`` becomes ``held`` once it matched a pattern."""

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
"""Columns of a value's main expression, besides ``q``: one row for each row of its scope.

``truth``: true, false, or NULL where neither is certain. ``range``: whole microseconds, or a
DOUBLE. ``label``: an id, an act (``verb,target``) or a word, NULL for a null. ``group``: a list of
ids. ``ok``: defined in every possible world, never NULL; where it is false, ignore the others.
"""

REPORTED = {
    STRETCH: ("a0", "a", "a1", "b0", "b", "b1", "ok"),
    FACT: ("label", "subject", "track", "verb", "target", "s", "s1", "e0", "e", "ok", "none"),
}
"""Columns that a template's query returns of a value, if it does not return all of them."""

HOLE_COLUMNS = ("u0", "u1", "floor", "label", "subject")


@dataclass(frozen=True, slots=True)
class SqlValue:
    """One node in SQL.

    Attributes:
        shape: one of :data:`COLUMNS`.
        cte: name of the node's main table expression, with ``q`` and the columns of the shape.
        rows: for facts: q, FACT_COLUMNS, held, sure; for listed: q, place, FACT_COLUMNS; for spans:
            q, place and the columns of ``of``.
        holes: for facts: q, HOLE_COLUMNS.
        fields: for listed: the reported fields.
        of: for spans: the shape of one element, a stretch or a range.
        table: for facts: all facts before the pattern's filters, merged as the pattern says; '' if
            these facts come from no table.
    """

    shape: str
    cte: str
    rows: str = ""
    holes: str = ""
    fields: tuple[str, ...] = ()
    of: str = ""
    table: str = ""


def text(value: object) -> str:
    """Return a literal of SQL."""
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"


def names(columns: tuple[str, ...] | list[str], alias: str = "") -> str:
    """Return the columns as written in a SELECT."""
    return ", ".join(f"{alias}.{name}" if alias else f'"{name}"' for name in columns)

"""Convert a query's columns to plain Python data, as in the rows of a dataset."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.sql.query import QueryColumn

DECIMALS = 6
"""Decimals of measured numbers: finer than any annotation, coarser than rounding errors."""

FIELDS = ("label", "subject", "verb", "target", "track")
EDGES = ("start_box", "end_box")


def typed(column: QueryColumn, row: dict[str, Any]) -> Any:
    """Return the value in one column of a query's row as plain data.

    Times are microseconds from the video's start, with their bounds if they are uncertain. A fact
    is its labels with its start and end. None is null.
    """
    match column.shape:
        case "truth":
            return row["value"] is True
        case "range":
            return _time(row) if column.type == "instant" else _number(row)
        case "label":
            return _label(column.type, row)
        case "stretch":
            return _stretch(row)
        case "fact":
            return None if row["none"] or not row["ok"] else _fact(row)
        case "box":
            return _box([row[name] for name in ("x1", "y1", "x2", "y2")])
        case "group":
            return [one or "" for one in row["value"]]
        case "motion":
            names = ("path", "mean_speed", "min_speed", "max_speed", "samples")
            return {name: _rounded(row[name]) for name in names}
        case "listed":
            return [{name: _field(one, name) for name in column.fields} for one in row["elements"]]
        case "spans":
            read = _stretch if column.of == "stretch" else _time
            return [read(one) for one in row["elements"]]
    return None


def known(row: dict[str, Any]) -> bool:
    """True if a value certainly exists or is certainly none; a truth value must be certain."""
    there = row["ok"] or row.get("none", False)
    if len(row) > 2 or "value" not in row:  # not the columns of a truth value
        return there
    return there and row["value"] is not None


def _time(row: dict[str, Any]) -> Any:
    if row.get("none"):
        return None
    low, at, high = row["lo"], row["at"], row["hi"]
    return at if low == high else {"time_us": at, "earliest_us": low, "latest_us": high}


def _number(row: dict[str, Any]) -> Any:
    if row["none"]:
        return None
    low, at, high = (_rounded(row[name]) for name in ("lo", "at", "hi"))
    return at if row["lo"] == row["hi"] else {"value": at, "least": low, "most": high}


def _rounded(x: float | int | None) -> float | int | None:
    if x is None or isinstance(x, int):
        return x
    return int(x) if x.is_integer() else round(x, DECIMALS)


def _label(kind: str, row: dict[str, Any]) -> Any:
    if kind == "statement":
        return None if row["value"] is None else int(row["value"])
    if row["none"] or not row["value"]:
        return None
    if kind != "act":
        return row["value"]
    verb, _, target = row["value"].partition(",")
    return {"verb": verb, "target": target or None}


def _stretch(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _time({"lo": row[f"{side}0"], "at": row[side], "hi": row[f"{side}1"]})
        for name, side in (("start", "a"), ("end", "b"))
    }


def _fact(row: dict[str, Any]) -> dict[str, Any]:
    names = {name: row[name] for name in FIELDS if row[name]}
    return {**names, "start_us": row["s"], "end_us": row["e"]}


def _box(sides: list[float | None]) -> list[float] | None:
    return None if sides[0] is None else [round(one, DECIMALS) for one in sides]


def _field(row: dict[str, Any], name: str) -> Any:
    """Return the reported value of one field of a listed fact."""
    match name:
        case "start_box" | "end_box":
            return _box(row[name])
        case "start":
            return _time({"lo": row["x0"], "at": row["s"], "hi": row["s1"]})
        case "end":
            return _time({"lo": row["e0"], "at": row["e"], "hi": row["x1"]})
        case "track":
            return _fact(row)
        case "act":
            return ",".join(filter(None, (row["verb"], row["target"]))) or None
        case "length":
            low, high = max(row["e0"] - row["s1"], 1), row["x1"] - row["x0"]
            at = row["e"] - row["s"]
            return at if low == high else {"value": at, "least": low, "most": high}
    return row[name] or None

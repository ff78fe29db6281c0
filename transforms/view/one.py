"""One item with everything: its row, the times of its answers, its evidence rows, and its chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ontology.errors import UserError
from ontology.records import Clock
from transforms.view.database import Database, Row, parsed

Span = tuple[int, int]
"""Start and end in microseconds of the video; equal for an instant."""
INSTANT = "instant"


def spans_of(value: Any, of: str = "") -> list[Span]:
    """Instants and intervals that a value contains, in order, each once.

    Args:
        value: plain data as in ``answer_value`` and ``options[].value``.
        of: its static type, which distinguishes an instant from a number.
    """
    return sorted(set(_spans(value, of)))


def _spans(value: Any, of: str) -> Iterator[Span]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        if of == INSTANT:
            yield value, value
    elif isinstance(value, list):
        for one in value:
            yield from _spans(one, of)
    elif isinstance(value, Mapping):
        yield from _in_fields(value, of)


def _in_fields(value: Mapping[str, Any], of: str) -> Iterator[Span]:
    pair = value.get("interval_us")
    if isinstance(pair, list) and len(pair) == 2:
        pair = (pair[0], pair[1])
    else:
        pair = next(
            ((_at(value[a]), _at(value[b])) for a, b in (("start_us", "end_us"), ("start", "end"))
             if a in value and b in value), None,
        )  # fmt: skip
    if pair and all(isinstance(one, int) for one in pair):
        yield pair
    time = value.get("time_us")
    if isinstance(time, int):
        yield time, time
    for name, one in value.items():
        if isinstance(one, Mapping | list) and name not in ("interval_us", "start", "end"):
            yield from _spans(one, of)


def _at(value: Any) -> Any:
    """The printed instant of one with bounds."""
    return value.get("time_us") if isinstance(value, Mapping) else value


def answer_spans(value: Any, rule_args: Any) -> list[Span]:
    """The times of an answer; ``rule_args`` contains the types of its fields."""
    told = rule_args.get("answer") if isinstance(rule_args, Mapping) else None
    types = told if isinstance(told, Mapping) else {}
    if not isinstance(value, Mapping):
        return spans_of(value, _one_type(types))
    found = set(spans_of(value))
    for name, one in value.items():
        kind = types.get(name)
        found |= set(spans_of(one, kind.get("type", "") if isinstance(kind, Mapping) else ""))
    return sorted(found)


def option_spans(value: Any, rule_args: Any) -> list[Span]:
    """The times of an option's value."""
    told = rule_args.get("answer") if isinstance(rule_args, Mapping) else None
    return spans_of(value, _one_type(told if isinstance(told, Mapping) else {}))


def _one_type(types: Mapping[str, Any]) -> str:
    kinds = [one.get("type", "") for one in types.values() if isinstance(one, Mapping)]
    return kinds[0] if len(set(kinds)) == 1 else ""


IDS = {
    "events": "event_id", "segments": "segment_id", "regions": "region_id",
    "labels": "label_id", "moments": "moment_id", "facts": "fact_id",
}  # fmt: skip
"""Kinds of pointers that name a row, and the column with its id."""
JSON = ("answer_value", "slots", "rule_args", "rubric")
MOST_ROWS = 400
"""Maximum number of evidence rows of a table; the total is stated."""
MOST_BOXES = 4000
STAGE = ("item_id", "stage", "task", "form", "question", "answer", "answer_key", "options",
         "context", "knowledge", "clue", "start_us", "end_us")  # fmt: skip


def item_of(db: Database, item_id: str) -> Row | None:
    """The row of an item with parsed JSON columns; None if there is no such item."""
    found = db.rows("SELECT * FROM items WHERE item_id = ? LIMIT 1", [item_id])
    if not found:
        return None
    (row,) = found
    row["asked_us"] = asked_us(row)
    row |= {name: parsed(row[name]) for name in JSON}
    for one in row["options"] or ():
        one["value"] = parsed(one["value"])
        one["spans"] = option_spans(one["value"], row["rule_args"])
    row["spans"] = answer_spans(row["answer_value"], row["rule_args"])
    row["seen_us"] = seen_us(row)
    return row


def seen_us(row: Mapping[str, Any], round_index: int | None = None) -> int:
    """The last instant that may be shown; later ones would reveal the future.

    It is the end of the round, or of the last round.  For an item without rounds it is the query
    time, if that is before the end of the window.
    """
    ends = [one["end_us"] for one in row["rounds"] or ()
            if round_index in (None, one["round_index"]) and one["end_us"] is not None]  # fmt: skip
    if ends:
        return max(ends)
    asked = row["query_us"]
    return row["end_us"] if asked is None else min(row["end_us"], max(asked, row["start_us"]))


def asked_us(row: Mapping[str, Any]) -> list[int]:
    """Instants that the question or an option names, among those that may be seen."""
    from transforms.inference.frames import named_us  # a slow import, rarely needed
    from transforms.inference.windows import scale_of

    try:
        origin_us = scale_of(row, Clock.TIME, row["resolution_us"] or 0).origin_us
        named = named_us(row, origin_us)
    except (UserError, ValueError, TypeError, KeyError):  # a row that was edited by hand
        return []
    return sorted(one for one in named if row["start_us"] <= one <= seen_us(row))


def whole(db: Database, item_id: str) -> Row | None:
    """An item with everything that a page shows next to its timeline."""
    row = item_of(db, item_id)
    if row is None:
        return None
    video = db.rows(
        "SELECT procedure, period_us, duration_us, width, height, media_kind, clock, licence, "
        "sources FROM videos WHERE dataset = ? AND video_id = ? LIMIT 1", _video(row),
    )  # fmt: skip
    marks = db.rows("SELECT model, round, status, response FROM marks WHERE item_id = ? "
                    "ORDER BY model, round", [item_id])  # fmt: skip
    return {
        "item": row,
        "video": video[0] if video else None,
        "evidence": evidence(db, row),
        "stages": stages(db, row),
        "marks": marks,
    }


def _video(row: Mapping[str, Any]) -> list[Any]:
    return [row["dataset"], row["video_id"]]


def evidence(db: Database, row: Mapping[str, Any]) -> dict[str, Any]:
    """Rows that an item's pointers name, by table, and the number of each."""
    named: dict[str, list[str]] = {}
    spans: list[Mapping[str, Any]] = []
    for pointer in row["evidence"] or ():
        if pointer["kind"] in IDS:
            named.setdefault(pointer["kind"], []).append(pointer["id"])
        else:
            spans.append(pointer)
    found = {kind: _named(db, row, kind, ids) for kind, ids in sorted(named.items())}
    if spans:
        events = _in_spans(db, row, spans)
        known = {one["event_id"] for one in found.get("events", ())}
        found["events"] = [*found.get("events", ()),
                           *(one for one in events if one["event_id"] not in known)]  # fmt: skip
    counts = {kind: len(rows) for kind, rows in found.items()}
    return {"rows": {kind: rows[:MOST_ROWS] for kind, rows in found.items()}, "counts": counts}


def _named(db: Database, row: Mapping[str, Any], kind: str, ids: Sequence[str]) -> list[Row]:
    marks = ", ".join("?" for _ in ids)
    return db.rows(
        f"SELECT * EXCLUDE (dataset, video_id) FROM {kind} WHERE dataset = ? AND video_id = ? "
        f"AND {IDS[kind]} IN ({marks}) ORDER BY {IDS[kind]}",
        [*_video(row), *ids],
    )


def _in_spans(
    db: Database, row: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]
) -> list[Row]:
    """Events of a track or of a whole window, within the pointers' times."""
    parts, values = [], _video(row)
    for one in spans:
        part, mine = "time_us BETWEEN ? AND ?", [one["start_us"], one["end_us"]]
        if one["kind"] == "tracks":
            part, mine = f"track_id = ? AND {part}", [one["id"], *mine]
        parts.append(f"({part})")
        values += mine
    return db.rows(
        "SELECT * EXCLUDE (dataset, video_id) FROM events WHERE dataset = ? AND video_id = ? "
        f"AND ({' OR '.join(parts)}) ORDER BY time_us, event_id",
        values,
    )


def stages(db: Database, row: Mapping[str, Any]) -> list[Row]:
    """The items of a chain in the order of the questions; empty for a single item."""
    if not row["chain_id"]:
        return []
    return db.rows(
        f"SELECT {', '.join(STAGE)} FROM items WHERE chain_id = ? ORDER BY stage, item_id",
        [row["chain_id"]],
    )


def boxes(db: Database, row: Mapping[str, Any]) -> list[Row]:
    """Boxes of instances and regions at the annotated instants that may be shown.

    Those that are ``masked`` have outlines, see :mod:`transforms.view.pictures`.
    """
    cut = [*_video(row), row["start_us"], row["seen_us"]]
    where = ("WHERE dataset = ? AND video_id = ? AND time_us BETWEEN ? AND ? "
             "AND x1 IS NOT NULL AND label IS NOT NULL")  # fmt: skip
    sides = "time_us, label, track_id, x1, y1, x2, y2, coalesce(mask, '') <> '' AS masked"
    return db.rows(
        f"SELECT 'instrument' AS kind, {sides} FROM events {where} "
        f"UNION ALL SELECT kind, {sides} FROM regions {where} "
        f"ORDER BY time_us, label, x1, y1, x2, y2, track_id LIMIT {MOST_BOXES}",
        [*cut, *cut],
    )

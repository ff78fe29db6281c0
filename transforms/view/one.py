"""What the page shows of one item: its row, the times in its answers, evidence, and a timeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgqa.ontology.errors import UserError
from surgqa.ontology.records import Clock
from surgqa.transforms.view.database import Database, Row, parsed

Span = tuple[int, int]
"""Start and end in microseconds of the video; equal for an instant."""
INSTANT = "instant"


def spans_of(value: Any, of: str = "") -> list[Span]:
    """Return the times and time intervals in a value, sorted and without repetition.

    Args:
        value: plain data, such as the parsed column ``answer_value``.
        of: static type of the value, which distinguishes an instant from a number.
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
    """Return the printed time of an instant with bounds; other values are returned unchanged."""
    return value.get("time_us") if isinstance(value, Mapping) else value


def answer_spans(value: Any, rule_args: Any) -> list[Span]:
    """Return the times in an answer; ``rule_args`` (of the row) has the types of its fields."""
    declared = rule_args.get("answer") if isinstance(rule_args, Mapping) else None
    types = declared if isinstance(declared, Mapping) else {}
    if not isinstance(value, Mapping):
        return spans_of(value, _one_type(types))
    found = set(spans_of(value))
    for name, one in value.items():
        kind = types.get(name)
        found |= set(spans_of(one, kind.get("type", "") if isinstance(kind, Mapping) else ""))
    return sorted(found)


def option_spans(value: Any, rule_args: Any) -> list[Span]:
    """Return the times in an option's value; ``rule_args`` is that of the row."""
    declared = rule_args.get("answer") if isinstance(rule_args, Mapping) else None
    return spans_of(value, _one_type(declared if isinstance(declared, Mapping) else {}))


def _one_type(types: Mapping[str, Any]) -> str:
    kinds = [one.get("type", "") for one in types.values() if isinstance(one, Mapping)]
    return kinds[0] if len(set(kinds)) == 1 else ""


IDS = {
    "events": "event_id", "segments": "segment_id", "regions": "region_id",
    "labels": "label_id", "moments": "moment_id", "facts": "fact_id",
}  # fmt: skip
"""Evidence tables that an item's pointers refer to by row -> the column with the row's id."""
JSON = ("answer_value", "slots", "rule_args", "rubric")
MOST_ROWS = 400
"""Maximum number of evidence rows that are shown of a table; the total is shown beside them."""
MOST_BOXES = 4000
STAGE = ("item_id", "stage", "task", "form", "question", "answer", "answer_key", "options",
         "context", "knowledge", "clue", "start_us", "end_us")  # fmt: skip


def item_of(db: Database, item_id: str) -> Row | None:
    """Return the row of an item with parsed JSON columns; None if there is no such item."""
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
    """Return the last time, in microseconds, that a viewer may see of an item's video.

    For a stream, this is the end of the given round (None: of the last one). For other items it is
    the query time or the end of the window, whichever is earlier.
    """
    ends = [one["end_us"] for one in row["rounds"] or ()
            if round_index in (None, one["round_index"]) and one["end_us"] is not None]  # fmt: skip
    if ends:
        return max(ends)
    asked = row["query_us"]
    return row["end_us"] if asked is None else min(row["end_us"], max(asked, row["start_us"]))


def asked_us(row: Mapping[str, Any]) -> list[int]:
    """Return the times that the question or an option names, without those that are hidden."""
    from surgqa.transforms.inference.frames import named_us  # a slow import, rarely needed
    from surgqa.transforms.inference.windows import scale_of

    try:
        origin_us = scale_of(row, Clock.TIME, row["resolution_us"] or 0).origin_us
        named = named_us(row, origin_us)
    except (UserError, ValueError, TypeError, KeyError):  # a row that was edited by hand
        return []
    return sorted(one for one in named if row["start_us"] <= one <= seen_us(row))


def whole(db: Database, item_id: str) -> Row | None:
    """Return an item with everything that the page shows of it except the timeline."""
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
    """Return the evidence rows that an item refers to, and their number, for each table."""
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
    """Return the events of the tracks or windows that an item refers to."""
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
    """Return all items of an item's chain, in order; an empty list for an item without a chain."""
    if not row["chain_id"]:
        return []
    return db.rows(
        f"SELECT {', '.join(STAGE)} FROM items WHERE chain_id = ? ORDER BY stage, item_id",
        [row["chain_id"]],
    )


def boxes(db: Database, row: Mapping[str, Any]) -> list[Row]:
    """Return the boxes of instruments and regions at the annotated times that may be shown.

    If a box is ``masked``, :mod:`transforms.view.pictures` can draw the outline of its mask.
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


PAD = 0.25
"""How much is shown before and after a window, as a share of its length."""
LEAST_US = 5_000_000
MOST = 1500
"""Maximum number of facts, and of stretches without annotation."""
NO_LABEL = "null_"
"""Prefix of labels that stand for "no verb" or "no target"."""


def timeline(db: Database, row: Mapping[str, Any], whole: bool = False) -> dict[str, Any]:
    """Return the facts around an item by kind, the times without annotation, and the item's times.

    Args:
        row: a row from :func:`transforms.view.one.item_of`.
        whole: show the whole video instead of the window and its surroundings.

    Returns:
        Times in microseconds of the video, clipped to ``from_us`` and ``to_us``.
    """
    start, end = _span(db, row, whole)
    facts, cut = _facts(db, row, start, end)
    spoken = _spoken(db, row, start, end)
    for fact in facts:
        fact["words"] = next((spoken[one] for one in fact["marks"] or () if one in spoken), None)
    return {
        "from_us": start,
        "to_us": end,
        "window": [row["start_us"], row["end_us"]],
        "query_us": row["query_us"],
        "seen_us": row["seen_us"],
        "rounds": row["rounds"] or [],
        "asked_us": row["asked_us"],
        "spans": row["spans"],
        "options": [{"key": one["key"], "is_answer": one["is_answer"], "spans": one["spans"]}
                    for one in row["options"] or () if one["spans"]],
        "lanes": _lanes(facts, _holes(db, row, start, end), start, end, _marked(row)),
        "cut": cut,
    }  # fmt: skip


def _span(db: Database, row: Mapping[str, Any], whole: bool) -> tuple[int, int]:
    lasts = db.rows("SELECT duration_us FROM videos WHERE dataset = ? AND video_id = ? LIMIT 1",
                    [row["dataset"], row["video_id"]])  # fmt: skip
    last = (lasts[0]["duration_us"] if lasts else None) or row["end_us"]
    last = max(last, row["end_us"], row["start_us"] + 1)
    if whole:
        return 0, last
    pad = max(LEAST_US, round((row["end_us"] - row["start_us"]) * PAD))
    return max(0, row["start_us"] - pad), min(last, row["end_us"] + pad)


def _facts(db: Database, row: Mapping[str, Any], start: int, end: int) -> tuple[list[Row], bool]:
    found = db.rows(
        "SELECT fact_id, kind, label, subject, track, verb, target, s0_us, s_us, s1_us, e0_us, "
        "e_us, e1_us, sure, [m.kind || '/' || m.id for m in marks] AS marks FROM facts "
        "WHERE dataset = ? AND video_id = ? AND s_us < ? AND e_us >= ? "
        f"ORDER BY kind, s_us, fact_id LIMIT {MOST + 1}",
        [row["dataset"], row["video_id"], end, start],
    )
    return found[:MOST], len(found) > MOST


def _spoken(db: Database, row: Mapping[str, Any], start: int, end: int) -> dict[str, str]:
    """Return spoken texts, by the name (such as ``moments/ID``) with which facts refer to them."""
    found = db.rows(
        "SELECT 'moments/' || moment_id AS mark, text FROM moments WHERE dataset = ? "
        "AND video_id = ? AND text IS NOT NULL AND start_us < ? AND end_us >= ? "
        f"ORDER BY start_us, moment_id LIMIT {MOST}",
        [row["dataset"], row["video_id"], end, start],
    )
    return {one["mark"]: one["text"] for one in found}


def _holes(db: Database, row: Mapping[str, Any], start: int, end: int) -> list[Row]:
    """Return intervals that nobody annotated (*holes*), with the missing kind of fact."""
    return db.rows(
        "SELECT DISTINCT kind, u0_us, u1_us FROM holes WHERE dataset = ? AND video_id = ? "
        "AND floor_us IS NULL AND u0_us < ? AND u1_us > ? AND label IS NULL AND subject IS NULL "
        f"ORDER BY kind, u0_us, u1_us LIMIT {MOST}",
        [row["dataset"], row["video_id"], end, start],
    )


def _marked(row: Mapping[str, Any]) -> set[str]:
    return {f"{one['kind']}/{one['id']}" for one in row["evidence"] or ()}


def _lanes(
    facts: list[Row], holes: list[Row], start: int, end: int, marked: set[str]
) -> list[dict[str, Any]]:
    """Return the lanes of the timeline: one for each kind of fact, with one row for each label."""
    lanes: dict[str, dict[str, Any]] = {}
    for hole in holes:
        lane = lanes.setdefault(hole["kind"], {"kind": hole["kind"], "rows": {}, "holes": []})
        lane["holes"].append([max(start, hole["u0_us"]), min(end, hole["u1_us"])])
    for fact in facts:
        lane = lanes.setdefault(fact["kind"], {"kind": fact["kind"], "rows": {}, "holes": []})
        lane["rows"].setdefault(_said(fact), []).append(_drawn(fact, start, end, marked))
    ordered = [lanes[kind] for kind in sorted(lanes)]
    return [lane | {"rows": [{"label": label, "facts": found}
                             for label, found in lane["rows"].items()]}
            for lane in ordered]  # fmt: skip


def _said(fact: Mapping[str, Any]) -> str:
    """Return the words for a fact: its label, or its instrument, verb and target."""
    names = ("subject", "verb", "target") if fact["verb"] else ("label",)
    words = [fact[name] for name in names if fact[name] and not fact[name].startswith(NO_LABEL)]
    return " ".join(words) or fact["subject"] or fact["kind"]


def _drawn(fact: Mapping[str, Any], start: int, end: int, marked: set[str]) -> dict[str, Any]:
    """Return a fact's start ``s`` and end ``e`` with their bounds, clipped to what is shown."""

    def cut(time: int | None, otherwise: int) -> int:
        return min(end, max(start, otherwise if time is None else time))

    s, e = cut(fact["s_us"], start), cut(fact["e_us"], end)
    return {
        "id": fact["fact_id"],
        "s": s, "e": e,
        "s0": cut(fact["s0_us"], s), "s1": cut(fact["s1_us"], s),
        "e0": cut(fact["e0_us"], e), "e1": cut(fact["e1_us"], e),
        "track": fact["track"],
        "words": fact["words"],
        "sure": bool(fact["sure"]),
        "evidence": not marked.isdisjoint(
            [*(fact["marks"] or ()), f"facts/{fact['fact_id']}", f"tracks/{fact['track']}"]
        ),
    }  # fmt: skip

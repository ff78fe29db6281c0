"""The facts of a video around an item's window, ready to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.view.database import Database, Row

PAD = 0.25
"""Share of the window's length shown before and after it."""
LEAST_US = 5_000_000
MOST = 1500
"""Maximum number of facts, holes and instants of each kind."""
NO_LABEL = "null_"
"""Prefix of labels of verbs and targets that mean none."""


def timeline(db: Database, row: Mapping[str, Any], whole: bool = False) -> dict[str, Any]:
    """Lanes of facts by kind, holes in them, and the times of the item.

    Args:
        row: as :func:`transforms.view.one.item_of` returns it.
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
    """Mark of a moment -> the spoken words."""
    found = db.rows(
        "SELECT 'moments/' || moment_id AS mark, text FROM moments WHERE dataset = ? "
        "AND video_id = ? AND text IS NOT NULL AND start_us < ? AND end_us >= ? "
        f"ORDER BY start_us, moment_id LIMIT {MOST}",
        [row["dataset"], row["video_id"], end, start],
    )
    return {one["mark"]: one["text"] for one in found}


def _holes(db: Database, row: Mapping[str, Any], start: int, end: int) -> list[Row]:
    """Times without annotation, merged if they touch."""
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
    """One lane for each kind, with one row for each label, sorted by time."""
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
    """The label of a fact; for an action with its instrument and target."""
    names = ("subject", "verb", "target") if fact["verb"] else ("label",)
    told = [fact[name] for name in names if fact[name] and not fact[name].startswith(NO_LABEL)]
    return " ".join(told) or fact["subject"] or fact["kind"]


def _drawn(fact: Mapping[str, Any], start: int, end: int, marked: set[str]) -> dict[str, Any]:
    """A fact's printed ends and the bounds of the true ones, clipped to the shown interval."""

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

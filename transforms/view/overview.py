"""Data for the overview: contents, coverage of the videos, blind guessing, and models' scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from surgqa.transforms.view.database import Database, Row
from surgqa.transforms.view.items import FACETS

REPLICATES = 400
SEED = "0"


def scores(db: Database) -> list[Row]:
    """Return, for each model and task, the mean score of its items; a missing answer counts as 0.

    Returns:
        ``score`` in [0, 1]; ``low`` and ``high``: 95 % interval over resampled videos, None with
        one video; ``chance``: accuracy of a random choice among the options, None without options.
    """
    rows = db.rows(
        "SELECT m.model, i.benchmark, i.task, i.dataset || '/' || i.video_id AS video, "
        "sum(m.score) AS score, count(*) AS n, "
        "count(*) FILTER (m.status = 'unparsed') AS unparsed, "
        "count(*) FILTER (m.status = 'missing') AS missing, "
        "sum(1 / len(i.options)) FILTER (len(i.options) > 0) AS guessed, "
        "count(*) FILTER (len(i.options) > 0) AS closed "
        "FROM (SELECT DISTINCT item_id, model, status, score FROM marks WHERE score IS NOT NULL) m "
        "JOIN items i USING (item_id) GROUP BY ALL ORDER BY ALL"
    )
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["model"], row["benchmark"], row["task"]].append(row)
    return [_group(key, found) for key, found in sorted(groups.items())]


def _group(key: tuple[str, str, str], rows: list[Row]) -> Row:
    from surgqa.transforms.scoring.bootstrap import VideoDraws

    videos, totals, counts = ([row[name] for row in rows] for name in ("video", "score", "n"))
    score, ends, _ = VideoDraws(videos, REPLICATES, SEED).quotient(videos, totals, counts)
    closed = sum(row["closed"] for row in rows)
    n = sum(counts)
    return {
        "model": key[0], "benchmark": key[1], "task": key[2], "n": n,
        "score": score, "low": ends and ends[0], "high": ends and ends[1],
        "chance": sum(row["guessed"] or 0 for row in rows) / n if closed == n else None,
        "unparsed": sum(row["unparsed"] for row in rows),
        "missing": sum(row["missing"] for row in rows),
    }  # fmt: skip


MOST = 300
BINS = 60
"""Number of equal parts into which a video is divided."""
ANSWERS = 6
"""Number of answers of a template that are listed."""
CLOSED = ("choice", "yes_no", "text", "set", "sequence", "number")
"""Forms in which the same answers occur often, so that their shares are informative."""
SHOWN = ("books", "review", "inputs", "settings")
"""Fields of the manifest that describe how the dataset was made."""


def overview(db: Database) -> dict[str, Any]:
    """Return the numbers of items, videos and rejections of the dataset, and how it was made."""
    manifest = db.folder.manifest
    tasks = db.rows("SELECT benchmark, task, count(*) AS items, count(DISTINCT template_id) AS "
                    "templates, count(DISTINCT (dataset, video_id)) AS videos FROM items "
                    "GROUP BY benchmark, task ORDER BY benchmark, task")  # fmt: skip
    (of_all,) = db.rows("SELECT count(DISTINCT template_id) AS templates, count(DISTINCT "
                        "(dataset, video_id)) AS videos, count(DISTINCT window_id) AS windows "
                        "FROM items")  # fmt: skip
    return {
        "name": db.name,
        "digest": manifest.get("digest"),
        "tasks": tasks,
        "items": sum(one["items"] for one in tasks),
        "counts": of_all,
        "videos": coverage(db),
        "answers": answers(db),
        "levels": db.rows("SELECT level, count(*) AS items FROM items WHERE level IS NOT NULL "
                          "GROUP BY level ORDER BY level"),
        "rejects": db.rows("SELECT stage, code, outcome, count(*) AS rows, "
                           "CAST(sum(count) AS BIGINT) AS units, min(reason) AS example "
                           "FROM rejects GROUP BY ALL ORDER BY rows DESC, stage, code, outcome "
                           "LIMIT 60"),
        "scores": scores(db),
        "made": _made(manifest),
    }  # fmt: skip


def _made(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the manifest that describe how the dataset was made."""
    made = {name: manifest[name] for name in SHOWN if manifest.get(name)}
    inputs = made.get("inputs", [])
    return made | {"inputs": inputs[:MOST], "more_inputs": max(0, len(inputs) - MOST)}


def coverage(db: Database) -> list[Row]:
    """Return the videos, each with its length and the number of items about each part of it.

    Returns:
        ``bins``: for each of :data:`BINS` equal parts of the video, the number of items whose
            window overlaps it.
    """
    videos = db.rows(
        "SELECT dataset, video_id, procedure, duration_us, media_kind FROM videos "
        f"ORDER BY dataset, video_id LIMIT {MOST}"
    )
    part = f"floor(greatest(0, {{}}) * {BINS} / greatest(1, v.duration_us))"
    part = f"CAST(least({BINS - 1}, {part}) AS INTEGER)"
    reached = db.rows(
        f"SELECT i.dataset, i.video_id, {part.format('i.start_us')} AS first, "
        f"{part.format('i.end_us - 1')} AS last, count(*) AS items FROM items i "
        "JOIN videos v USING (dataset, video_id) GROUP BY ALL"
    )
    steps: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * (BINS + 1))
    items: dict[tuple[str, str], int] = defaultdict(int)
    for one in reached:
        key = one["dataset"], one["video_id"]
        items[key] += one["items"]
        steps[key][one["first"]] += one["items"]
        steps[key][one["last"] + 1] -= one["items"]
    for video in videos:
        key = video["dataset"], video["video_id"]
        video |= {"items": items[key], "bins": list(accumulate(steps[key][:BINS]))}
    return videos


def answers(db: Database) -> list[Row]:
    """Return, for each template, how often each answer is correct, and how well it can be guessed.

    Only templates whose answers repeat (such as yes and no) are listed.

    Returns:
        ``top``: the most frequent answers, each with the number of items; ``chance``: accuracy of a
        random choice among an item's options, None without options; ``blind``, ``by``: accuracy and
        name of the best blind rule, None without a report; ``letters``: how often each is correct.
    """
    forms = ", ".join("?" for _ in CLOSED)
    found: dict[str, Row] = {}
    for one in db.rows(
        "SELECT template_id, form, len(options) AS options, answer_key, count(*) AS items "
        f"FROM items WHERE form IN ({forms}) GROUP BY ALL ORDER BY ALL", CLOSED,
    ):  # fmt: skip
        name = one["template_id"]
        entry = found.setdefault(name, {"template": name, "items": 0, "guessed": 0.0, "closed": 0,
                                       "letters": {}, "top": []})  # fmt: skip
        ways = one["options"] or (2 if one["form"] == "yes_no" else 0)
        entry["items"] += one["items"]
        entry["closed"] += one["items"] if ways else 0
        entry["guessed"] += one["items"] / ways if ways else 0
        if one["answer_key"]:
            letters = entry["letters"]
            letters[one["answer_key"]] = letters.get(one["answer_key"], 0) + one["items"]
    for name, text, items in _frequent(db):
        found[name]["top"].append([text, items])
    for entry in found.values():
        guessed, closed = entry.pop("guessed"), entry.pop("closed")
        entry["chance"] = guessed / closed if closed == entry["items"] else None
        entry["blind"], entry["by"] = db.guessed.get(entry["template"], (None, None))
    return [found[name] for name in sorted(found)]


def _frequent(db: Database) -> list[tuple[str, str, int]]:
    """Return (template, answer, number of items) for the most frequent answers of each template.

    Answers that occur only once are left out. Answers are counted by their hash, because a million
    different texts would not fit into memory.
    """
    forms = ", ".join("?" for _ in CLOSED)
    counted = (f"SELECT template_id, hash({FACETS['answer']}) AS which, count(*) AS n FROM items "
               f"WHERE form IN ({forms}) GROUP BY 1, 2 HAVING n > 1")  # fmt: skip
    rows = db.rows(
        f"FROM ({counted}) QUALIFY row_number() OVER "
        f"(PARTITION BY template_id ORDER BY n DESC, which) <= {ANSWERS}", CLOSED,
    )  # fmt: skip
    counts = {(row["template_id"], row["which"]): row["n"] for row in rows}
    texts = _texts(db, sorted({which for _, which in counts}))
    answers_counted = [(name, texts[which], n) for (name, which), n in counts.items()]
    return sorted(answers_counted, key=lambda one: (one[0], -one[2], one[1]))


def _texts(db: Database, hashes: Sequence[int]) -> dict[int, str]:
    if not hashes:
        return {}
    marks = ", ".join(str(int(one)) for one in hashes)
    rows = db.rows(f"SELECT hash({FACETS['answer']}) AS which, min({FACETS['answer']}) AS text "
                   f"FROM items WHERE which IN ({marks}) GROUP BY which")  # fmt: skip
    return {row["which"]: row["text"] for row in rows}

"""Read a file of predictions: JSON Lines with one response for each item or round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from ontology.errors import UserError
from ontology.files import read_bytes, read_text

PredictionKey = tuple[str, int | None]
"""(item id, round index or None)."""

EXAMPLE = '{"item_id": "0f3a…", "round_index": null, "response": "B"}'


def load_predictions(path: Path | str) -> dict[PredictionKey, str]:
    """Return the responses by item id and round.

    Each line is ``{"item_id": text, "round_index": integer or null, "response": text}``.
    ``round_index`` may be absent.  Other keys and empty lines are ignored.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: the file cannot be read or is not UTF-8.
        UserError: a line is not such an object, or an earlier line has the same item and round.
    """
    path = Path(path)
    text = read_text(read_bytes(path, str(path)), str(path))
    responses: dict[PredictionKey, str] = {}
    lines: dict[PredictionKey, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        key, response = _prediction(line, where)
        if key in responses:
            raise UserError(
                f"item {_named(key)} is answered twice",
                expected="one line per item and round",
                found=f"lines {lines[key]} and {number}",
                where=where,
                fix="keep one of the two lines",
            )
        responses[key], lines[key] = response, number
    return responses


def _prediction(line: str, where: str) -> tuple[PredictionKey, str]:
    try:
        entry = orjson.loads(line)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise _wrong("a prediction is not JSON", str(error), where) from None
    if not isinstance(entry, dict):
        raise _wrong("a prediction is not a JSON object", _kind(entry), where)
    for field in ("item_id", "response"):
        if field not in entry:
            raise _wrong(f"a prediction has no {field}", ", ".join(entry) or "no keys", where)
        if not isinstance(entry[field], str):
            raise _wrong(f"{field} is not text", f"{field}: {_kind(entry[field])}", where)
    index = entry.get("round_index")
    if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
        raise _wrong("round_index is not an integer or null", _kind(index), where)
    return (entry["item_id"], index), entry["response"]


def _wrong(summary: str, found: str, where: str) -> UserError:
    return UserError(
        summary,
        expected=EXAMPLE,
        found=found,
        where=where,
        fix="correct the line, or leave it out: its item then counts as missing",
    )


def _kind(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}…"


def _named(key: PredictionKey) -> str:
    return key[0] if key[1] is None else f"{key[0]} round {key[1]}"

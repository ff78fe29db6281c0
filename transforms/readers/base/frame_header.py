"""The parts of a JSON file of records by frame that hold for all records: names by id, rate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.errors import SourceBroken
from surgqa.transforms.readers.base.json_text import JsonText

FASTEST_FPS, SLOWEST_FPS = 1000, Fraction(1, 1000)


def refuse_repeated(text: JsonText, may: Sequence[str]) -> None:
    """Raise if a key is repeated, except in the parts whose keys may be.

    Raises:
        SourceBroken: the error names the key.
    """
    for path, keys in sorted(text.repeated.items()):
        if not path or path.split(".")[0] not in may:
            key = sorted(keys)[0]
            place = f"{path}.{key}" if path else key
            raise broken(text, place, "every key once", f"{place} {len(keys[key])} times")


def part_of(text: JsonText, key: str, inside: str = "") -> dict[str, Any]:
    """Return the object under a key of the file, or of a part of it.

    Raises:
        SourceBroken: it is missing, or is no object.
    """
    data = part_of(text, inside) if inside else text.data
    place = f"{inside}.{key}" if inside else key
    if not isinstance(data.get(key), dict):
        keys = ", ".join(map(repr, list(data)[:8])) or "an empty object"
        found = f"{data[key]!r:.60}" if key in data else f"no {key} among {keys}"
        raise broken(text, place, f"an object {place}", found)
    return data[key]


def names_of(text: JsonText, kind: str) -> dict[int, str]:
    """Return the names by id of ``{"categories": {kind: {"0": "grasper", …}}}``.

    Raises:
        SourceBroken: an id or a name is invalid or repeated.
    """
    out: dict[int, str] = {}
    for key, label in part_of(text, kind, "categories").items():
        good_id = key.isascii() and key.isdigit() and len(key) < 6 and int(key) not in out
        if not good_id or type(label) is not str or label in out.values():
            place, found = f'categories.{kind}["{key[:20]}"]', f"{key!r:.20}: {label!r:.40}"
            raise broken(text, place, 'every id and every name once, as "0": "name"', found)
        out[int(key)] = label
    return out


def listed_names(text: JsonText, kind: str) -> dict[int, str]:
    """Return the names by id of ``{"categories": {kind: [{"id": 0, "name": "grasper"}, …]}}``.

    Raises:
        SourceBroken: there are none.
    """
    lists = text.data.get("categories")
    entries = lists.get(kind) if isinstance(lists, dict) else None
    plain = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    names = {e["id"]: e["name"] for e in plain
             if type(e.get("id")) is int and isinstance(e.get("name"), str)}  # fmt: skip
    if not names:
        expected = f'"categories": {{"{kind}": [{{"id": 0, "name": …}}, …]}}'
        raise broken(text, "categories", expected, f"no {kind} with id and name")
    return names


def rate_of(text: JsonText) -> Fraction:
    """Return ``fps``, the exact rate of the frames.

    Raises:
        SourceBroken: it is missing, or is no rate.
    """
    fps: Any = text.data.get("fps")
    if type(fps) in (int, float) and SLOWEST_FPS <= fps <= FASTEST_FPS:
        return Fraction(repr(fps))  # the decimal as written: 29.97 is 2997/100
    raise broken(text, "fps", "fps, a number above 0 (1 in the release)", f"{fps!r:.40}")


def broken(text: JsonText, place: str, expected: str, found: str) -> SourceBroken:
    """Return the error for a part of a file that cannot be understood."""
    return SourceBroken(
        f"{text.name}: {place} is not understood", expected=expected, found=found,
        where=f"{text.name} {place}", fix="copy the file again from the release",
    )  # fmt: skip

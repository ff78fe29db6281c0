"""A rater's sheet as one HTML page, which shows the generated and the real video side by side.

The page contains everything except the videos, which it loads from relative paths. Its content
security policy forbids requests to servers. It is made from ``page.html``, ``page.css``,
``page.js`` and the parts that all pages share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surgqa.ontology.continuations import ASKED, DIMENSIONS, ERROR_TYPES, TIMES_S, anchors, scale
from surgqa.ontology.errors import RowTwice, SyntaxBroken
from surgqa.ontology.files import read_bytes, read_text
from surgqa.transforms.exports.surgveo.sheets import HEADER, SheetEntry, Study, order, sheet_name
from surgqa.transforms.pages import one_file, parts_of

_SHEET = "__SHEET__"
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that could end the script element or a line of it."""


def page(study: Study, rater: str) -> bytes:
    """Return the page of one rater, which does not reveal the prompts of videos."""
    sheet = {
        "format": FORMAT,
        "sheet": sheet_name(study, rater),
        "header": HEADER,
        "times": TIMES_S,
        "dimensions": [
            {
                "id": name,
                "name": words,
                "asked": ASKED[name],
                "scale": scale(name),
                "anchors": [[score, meant] for score, meant in anchors()[name].items()],
            }
            for name, words in DIMENSIONS.items()
        ],
        "errors": [{"id": name, "name": words} for name, words in ERROR_TYPES.items()],
        "videos": [
            {name: getattr(clip, name) for name in ("code", "generated", "reference", "context")}
            for clip in order(study, rater)
        ],
    }
    text = json.dumps(sheet, ensure_ascii=False)
    for sign, instead in _UNSAFE.items():
        text = text.replace(sign, instead)
    return _frame().replace(_SHEET, text).encode()


def _frame() -> str:
    """Return the page without the data of a sheet."""
    parts = {name: one.read_text(encoding="utf-8") for name, one in parts_of(__package__).items()}
    return one_file(parts["page.html"], parts.__getitem__, "media-src 'self' file:")


FORMAT = "surgqa/surgveo-sheet-v1"


class _Doubled(ValueError):
    """A name occurs twice in one JSON object; parsers would silently keep the last value."""


def read_saved(path: Path) -> list[SheetEntry]:
    """Return the entries of a sheet that the page saved, also those without a score.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a sheet that the page saved.
        UserError: a video occurs twice.
    """
    text = read_text(read_bytes(path, str(path)), str(path))
    try:
        data = json.loads(text, object_pairs_hook=_once)
        if data["format"] != FORMAT:
            raise KeyError(f"format {FORMAT}")
        lines = text.split("\n")
        return [entry for code, video in data["videos"].items()
                for entry in _entries(path, lines, str(data["sheet"]), code, video)]  # fmt: skip
    except _Doubled as error:
        raise RowTwice(
            "a video or score is given twice", expected="every video once", found=str(error),
            where=f"{path}:{_line(text.split(chr(10)), str(error))}", fix="keep one of the two",
        ) from None  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SyntaxBroken(
            f"{path.name} is not a saved sheet", expected=f"format {FORMAT}", found=str(error),
            where=str(path), fix="save the sheet from the HTML page again",
        ) from None  # fmt: skip


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in pairs:
        if name in out:
            raise _Doubled(name)
        out[name] = value
    return out


def _entries(
    path: Path, lines: list[str], sheet: str, code: str, video: dict[str, Any]
) -> Iterator[SheetEntry]:
    where = f"{path}:{_line(lines, code)}"
    types, comment = tuple(map(str, video["errors"])), str(video["comment"])
    scores = video["scores"]
    times = [*map(str, TIMES_S), *(one for one in scores if one not in map(str, TIMES_S))]
    for time_s in times:
        given = scores.get(time_s) or {}
        for dimension in [*DIMENSIONS, *(one for one in given if one not in DIMENSIONS)]:
            score = given.get(dimension)
            text = "" if score is None else json.dumps(score)
            # Error types and comments are about the whole video, so only its first entry has them.
            yield SheetEntry(where, sheet, code, time_s, dimension, text, types, comment)
            types, comment = (), ""


def _line(lines: list[str], name: str) -> int:
    """Return the number of the last line with a name as a key; 1 if there is none."""
    found = [k for k, line in enumerate(lines, 1) if f'"{name}":' in line.replace('" :', '":')]
    return found[-1] if found else 1

"""A rater's sheet as one HTML page: both videos side by side, scores by keyboard.

The page contains everything except the videos, which it finds by relative path.  It requests
nothing from a server, and a content policy in its head forbids it.  It is built from
``page.html``, ``page.css``, ``page.js`` and the parts that all pages share.
"""

from __future__ import annotations

import json

from surgqa.ontology.continuations import ASKED, DIMENSIONS, ERROR_TYPES, TIMES_S, anchors, scale
from surgqa.transforms.exports.surgveo.sheets.saved import FORMAT
from surgqa.transforms.exports.surgveo.sheets.study import Study, order, sheet_name
from surgqa.transforms.exports.surgveo.sheets.table import HEADER
from surgqa.transforms.pages import one_file, parts_of

_SHEET = "__SHEET__"
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that could end the script element or a line in it."""


def page(study: Study, rater: str) -> bytes:
    """Return the page of one rater; it does not reveal which prompt a video was made with."""
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
            {
                "code": clip.code,
                "generated": clip.generated,
                "reference": clip.reference,
                "context": clip.context,
            }
            for clip in order(study, rater)
        ],
    }
    text = json.dumps(sheet, ensure_ascii=False)
    for sign, instead in _UNSAFE.items():
        text = text.replace(sign, instead)
    return _frame().replace(_SHEET, text).encode()


def _frame() -> str:
    """The page without a sheet; the sheet comes last, so that its text is never filled in."""
    parts = {name: one.read_text(encoding="utf-8") for name, one in parts_of(__package__).items()}
    return one_file(parts["page.html"], parts.__getitem__, "media-src 'self' file:")

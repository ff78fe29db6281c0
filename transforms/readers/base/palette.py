"""Colour masks: read the palette of classes and split an image into one mask per class."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code
from surgqa.transforms.readers.base.json_text import BOM, read_json

Palette = tuple[tuple[int, int, str], ...]
"""(colour as 0xRRGGBB, class id, name)"""


def read_palette(data: bytes, name: str) -> Palette:
    """Palette of classes: ``[{"name": "thread", "color": [187, 155, 25], "classid": 6}, …]``.

    Raises:
        SourceBroken: the file holds no list of classes, or a colour occurs twice.
    """
    # The JSON helper requires an object as outermost value; here it is a list.
    bare = data.removeprefix(BOM).strip() or b"[]"
    out: dict[int, tuple[int, str]] = {}
    entries = read_json(b'{"classes": ' + bare + b"}", name).data["classes"]
    for entry in entries if isinstance(entries, list) else [entries]:
        try:
            red, green, blue = entry["color"]
            known = [red, green, blue, entry["classid"]]
            good = all(type(value) is int and 0 <= value < 256 for value in known)
            colour = (red << 16) + (green << 8) + blue if good else -1
        except (KeyError, TypeError, ValueError):
            colour = -1
        if colour < 0 or colour in out:
            raise _not_a_palette(name, repr(entry)[:80])
        out[colour] = entry["classid"], str(entry.get("name"))
    if not out:
        raise _not_a_palette(name, "no class")
    return tuple((colour, *out[colour]) for colour in out)


def _not_a_palette(name: str, found: str) -> SourceBroken:
    return SourceBroken(
        f"{name} does not list classes and their colours",
        expected='[{"name": "thread", "color": [187, 155, 25], "classid": 6}, …], no colour twice',
        found=found,
        where=f"{name}:1",
        fix="take the file from the archive again",
    )


def colour_masks(pixels: np.ndarray, palette: Palette) -> list[np.ndarray] | tuple[Code, str]:
    """One mask, bool (H, W), per class, in the order of the palette.

    Returns a rejection code and reason if the image is grey or has an unlisted colour.
    """
    if pixels.ndim == 2:
        return Code.BAD_MASK, "the mask is grey where colours are expected"
    colours = pixels.astype(np.int32) @ np.array([65536, 256, 1], dtype=np.int32)
    masks = [colours == colour for colour, _, _ in palette]
    unseen = ~np.logical_or.reduce(masks)
    if not unseen.any():
        return masks
    strange, counts = np.unique(colours[unseen], return_counts=True)
    shown = ", ".join(
        f"({c >> 16}, {c >> 8 & 255}, {c & 255}) on {n} pixels"
        for c, n in list(zip(strange.tolist(), counts.tolist(), strict=True))[:5]
    )
    return Code.BAD_MASK, f"{strange.size} colours are no class of the table: {shown}"

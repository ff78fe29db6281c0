"""Masks whose colours are classes of a list, and masks of single instances next to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import BOM, read_json
from surgqa.ontology.records import Code, Source
from surgqa.ontology.sections import Section
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.mask_frames import Fault, MaskFrames, Patch, colours_of, judged
from surgqa.transforms.readers.base.patterns import PathPattern, match, paths_of, pattern_of
from surgqa.transforms.readers.base.tables.sorts import INSTANT_KINDS
from surgqa.transforms.readers.base.words import AllWords

Palette = tuple[tuple[int, int, str], ...]
"""(colour as 0xRRGGBB, class id, name)"""


def read_palette(data: bytes, name: str) -> Palette:
    """Parse the list of classes: ``[{"name": "thread", "color": [187, 155, 25], "classid": 6}]``.

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
        fix="unpack the file from the archive again",
    )


def colour_masks(pixels: np.ndarray, palette: Palette) -> list[np.ndarray] | tuple[Code, str]:
    """Return one mask, bool (H, W), per class, in the order of the palette.

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
    return Code.BAD_MASK, f"{strange.size} colours are not a class of the table: {shown}"


HIGHEST_CODE = 10**6
EACH = 100
"""The row of an instance is ``EACH`` times its code, plus its number."""


class Coloured(NamedTuple):
    """Settings of how masks in colours are read.

    Attributes:
        files: possible paths of the list of classes.
        kinds: kinds of evidence to which the classes may belong. A class belongs to the first kind
            whose vocabulary contains its name, or to the last kind if none does.
        instances: path pattern of the masks that show one instance each, with ``{above}`` (the
            folder), ``{frame}``, ``{code}`` and ``{number}``; '' if there are no such masks.
        kind: kind of evidence to which all these instances belong.
        names: for each ``{code}``, the name of its class.
    """

    files: tuple[PathPattern, ...]
    kinds: tuple[str, ...]
    instances: str = ""
    kind: str = ""
    names: Mapping[int, str] = {}

    def meaning(self, name: str, words: AllWords) -> tuple[str, str | Fault]:
        """Return kind and concept of a class, or why the class has none."""
        known = (kind for kind in self.kinds if words[kind].known(name) is not None)
        kind = next(known, self.kinds[-1])
        return kind, words[kind].concept(name)

    def annotated(self, palette: Palette, typed: bool, words: AllWords) -> dict[str, list[str]]:
        """Return, by kind, the sorted concepts that the colours and the instances can show."""
        meant = [self.meaning(name, words) for _, _, name in palette]
        meant += [(self.kind, words[self.kind].concept(n)) for n in self.names.values() if typed]
        return {
            one: sorted({label for kind, label in meant if kind == one and isinstance(label, str)})
            for one in self.kinds
        }

    def typed(
        self, names: Sequence[str], frames: Iterable[int]
    ) -> Iterator[tuple[str, int, int, int]]:
        """Yield file name, frame, class and number of each instance that has a mask file.

        The frame is -1 for a file with another name, or of a frame that is not in ``frames``.
        """
        form, known = self.instances.rpartition("/")[2], set(frames)
        for name in names:
            values = match(form, name) or {}
            numbers = [values.get(key, "") for key in ("frame", "code", "number")]
            frame, code, number = (int(n) if n.isdecimal() else -1 for n in numbers)
            yield name, frame if min(code, number) >= 0 and frame in known else -1, code, number


def coloured_of(section: Section) -> Coloured | None:
    """Return ``colours:`` and ``instances:`` of a table, None without colours."""
    if "colours" not in section.data:
        return None
    colours = section.section("colours").closed(("file", "kinds"), ("file", "kinds"))
    files, kinds = paths_of(colours, "file", ()), colours.texts("kinds")
    if not kinds or not {*kinds} <= {*INSTANT_KINDS}:
        colours.wrong("kinds", f"a list of some of {', '.join(INSTANT_KINDS)}")
    if "instances" not in section.data:
        return Coloured(files, kinds)
    instances = section.section("instances").closed(("file", *kinds), ("file",))
    form = pattern_of(instances, "file", ("above", "frame", "code", "number"))
    (kind, *more) = [key for key in instances.data if key != "file"] or [""]
    if more or not kind:
        section.wrong("instances", f"file, and one of {', '.join(kinds)} with its codes")
    return Coloured(files, kinds, form.text if form else "", kind,
                    instances.section(kind).coded(HIGHEST_CODE))  # fmt: skip


class PictureFile(NamedTuple):
    """The label file of one image.

    Attributes:
        row, folder: number and name of the instance's folder, if each instance has a folder.
        code, number: class and number of the instance, if each instance has a file; otherwise -1.
    """

    frame: int
    data: bytes
    source: Source
    row: int = 0
    folder: str = ""
    code: int = -1
    number: int = -1


def add_frame(
    frame: int, masks: Sequence[PictureFile], plan: Coloured, palette: Palette, words: AllWords,
    frames: MaskFrames, ledger: Ledger,
) -> int:  # fmt: skip
    """Add a frame if all of its masks are valid; return how many masks were kept.

    Args:
        masks: masks of single instances, then the mask with all classes.
    """
    parts: dict[str, list[Patch] | Fault] = {}
    for one in masks[:-1]:
        parts[one.source.path] = _instance(one, plan, words)
    concepts = {p.label for part in parts.values() if isinstance(part, list) for p in part}
    data, path = masks[-1].data, masks[-1].source.path
    parts[path] = _classes(colours_of(data, path), plan, palette, concepts, words)
    return judged(frame, parts, frames, ledger)


def _instance(one: PictureFile, plan: Coloured, words: AllWords) -> list[Patch] | Fault:
    """Return the area of one instance of a known type: all pixels that are not black."""
    if one.code not in plan.names:
        return Code.UNKNOWN_LABEL, f"class {one.code} is none of the known types of {plan.kind}s"
    pixels = colours_of(one.data, one.source.path)
    if not isinstance(pixels, np.ndarray):
        return pixels
    mask = (pixels if pixels.ndim == 2 else pixels.max(axis=2)) > 0
    concept = words[plan.kind].concept(plan.names[one.code])
    row = EACH * one.code + one.number
    return [Patch(plan.kind, concept, mask, row)] if isinstance(concept, str) else concept


def _classes(
    pixels: np.ndarray | Fault,
    plan: Coloured,
    palette: Palette,
    concepts: set[str],
    words: AllWords,
) -> list[Patch] | Fault:
    """Return one patch for each class in a mask, except ``concepts``, which have own masks."""
    masks = colour_masks(pixels, palette) if isinstance(pixels, np.ndarray) else pixels
    if isinstance(masks, tuple):
        return masks
    out = []
    for (_, number, name), mask in zip(palette, masks, strict=True):
        kind, concept = plan.meaning(name, words)
        if not isinstance(concept, str):
            if concept[0] == Code.UNKNOWN_LABEL and mask.any():
                return concept
        elif concept not in concepts:
            out.append(Patch(kind, concept, mask, number))
    return out

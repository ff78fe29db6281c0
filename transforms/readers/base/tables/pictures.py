"""Tables with one file for each image: masks, shapes, or lines of questions and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import PurePosixPath
from typing import NamedTuple

from surgqa.ontology.records import Code, InstrumentTable, Source
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.mask_frames import MaskFrames, judged, numbered
from surgqa.transforms.readers.base.patterns import literal, match, pattern_regex
from surgqa.transforms.readers.base.tables.build import Built
from surgqa.transforms.readers.base.tables.coloured import Palette, PictureFile, add_frame
from surgqa.transforms.readers.base.tables.plan import TablePlan
from surgqa.transforms.readers.base.tables.shapes import read_shapes
from surgqa.transforms.readers.base.tables.sorts import MASKS, SHAPES
from surgqa.transforms.readers.base.tables.values import instance_of, parted, patches_of
from surgqa.transforms.readers.base.vqla.lines import read_questions
from surgqa.transforms.readers.base.words import AllWords


class PictureFiles(NamedTuple):
    """The label files of one video, by frame; ``others`` counts files that belong to no frame."""

    plan: TablePlan
    video_id: str
    files: tuple[PictureFile, ...]
    others: int
    classes: tuple[Palette, Source] | None = None

    @property
    def sources(self) -> list[Source]:
        """All label files of the video; the list of classes first."""
        first = [self.classes[1]] if self.classes else []
        return first + [picture.source for picture in self.files]

    @property
    def pointer(self) -> str:
        """The pattern of a place in the label files, with ``{frame}`` and ``{row}``."""
        path = self.files[-1].source.path
        folder = path.rpartition("/")[0]
        parts = {"video": self.video_id, "file": path, "folder": folder,
                 "above": folder.rpartition("/")[0]}  # fmt: skip
        return self.plan.pointer.format(
            **{name: literal(text) for name, text in parts.items()}, frame="{frame}", row="{row}"
        )


def by_frame(
    names: Sequence[str], pattern: str, folder: str, ledger: Ledger
) -> list[tuple[int, str]]:
    """Return (frame, path) of a folder's files; if names have no ``{frame}``, files are counted.

    Args:
        names: names of the files in the folder. Files with another ending are ignored.
        pattern: pattern of the names.
    """
    ending = PurePosixPath(pattern).suffix
    mine = [name for name in names if PurePosixPath(name).suffix == ending]
    if "{frame}" in pattern:
        return numbered(mine, pattern_regex(pattern), folder, ledger)
    known = sorted((n for n in mine if pattern_regex(pattern).fullmatch(n)), key=_natural)
    return list(enumerate(f"{folder}/{name}".lstrip("/") for name in known))


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts ``2.json`` before ``10.json``, and ``2_3.json`` between them."""
    parts = re.findall(r"\d+|\D+", PurePosixPath(name).stem)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def name_for(stem: str, pattern: str) -> str:
    """Return the name of an image's label file; '' if the image's name ends with no number."""
    form, ending = PurePosixPath(pattern).stem, PurePosixPath(pattern).suffix
    if pattern_regex(form).fullmatch(stem):
        return stem + ending
    number = re.search(r"\d+$", stem)
    return form.replace("{frame}", number[0]).replace("*", "") + ending if number else ""


def names_from(pattern: str, names: Sequence[str], count: int) -> list[str]:
    """Return that many image names from 0, with as many digits as existing names."""
    digits = [found["frame"] for name in names if (found := match(pattern, name))]
    width = len(digits[0]) if digits else 0
    return [pattern.replace("{frame}", f"{number:0{width}d}") for number in range(count)]


def read_pictures(
    tables: Iterable[PictureFiles], words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[Built, int]:
    """Return the evidence in these files of a video, and how many rows or masks were read."""
    out, read = Built(None, {}, (), (), None, 0, 0), 0
    for one in tables:
        seen, spans, kept, units = _read(one, words, fps, ledger)
        end = frame_to_us(max(picture.frame for picture in one.files) + 1, fps)
        period = out.period_us or period_us(fps)
        instruments = seen.pop("instrument", out.instruments)
        out = Built(instruments, {**out.regions, **seen}, (*out.spans, *spans), (), period,
                    max(out.end_us, end), out.kept + kept)  # fmt: skip
        read += units
    return out, read


def _read(
    one: PictureFiles, words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[dict[str, InstrumentTable], tuple, int, int]:
    """Return the tables by kind, the spans, and how many rows or masks were kept and read."""
    files = [(picture.frame, picture.source.path, picture.data) for picture in one.files]
    if one.plan.holds == MASKS:
        how = _instances if one.plan.parts else _coloured if one.plan.coloured else _masks
        tables, kept, read = how(one, words, fps, ledger)
        return tables, (), kept, read + one.others
    if one.plan.holds == SHAPES:
        tables, kept, read = read_shapes(files, one.plan.columns, words, fps, one.pointer, ledger)
        return tables, (), kept, read + one.others
    tables, spans, kept, read = read_questions(files, words, fps, ledger)
    return tables, spans, kept, read + one.others


def _masks(
    one: PictureFiles, words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[dict[str, InstrumentTable], int, int]:
    """Return the tables by kind, and how many masks, or areas of masks, were kept and read."""
    frames, kept, read = MaskFrames(), 0, 0
    for frame, data, source, *_ in one.files:
        shown = patches_of(data, source.path, one.plan.values, words)
        if one.plan.apart and isinstance(shown, list):
            shown, specks = parted(shown, one.plan.apart)
            for row, pixels in specks:
                reason = f"a region of {pixels} pixels is a speck and no thing"
                ledger.reject((frame, row), Code.BAD_MASK, reason, source.path)
            if not shown and not specks:
                reason = "the mask is empty, although something was seen in every picture"
                ledger.reject((frame, 0), Code.BAD_MASK, reason, source.path)
            read += max(1, len(shown) + len(specks))
            kept += len(shown)
            frames.add(frame, shown)
            continue
        read += 1
        kept += judged(frame, {source.path: shown}, frames, ledger)
    return (
        {
            kind: frames.table(kind, words[kind].concepts or (), fps, one.pointer)
            for kind in one.plan.kinds()
        },
        kept,
        read,
    )


def _coloured(
    one: PictureFiles, words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[dict[str, InstrumentTable], int, int]:
    """Read masks whose colours are classes of a list."""
    frames, kept, plan = MaskFrames(), 0, one.plan.coloured
    assert plan is not None and one.classes is not None
    palette = one.classes[0]
    for frame, group in groupby(one.files, lambda picture: picture.frame):
        kept += add_frame(frame, [*group], plan, palette, words, frames, ledger)
    labels = plan.annotated(palette, any(p.code >= 0 for p in one.files) or one.others > 0, words)
    tables = {kind: frames.table(kind, labels[kind], fps, one.pointer) for kind in plan.kinds}
    return tables, kept, len(one.files)


def _instances(
    one: PictureFiles, words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[dict[str, InstrumentTable], int, int]:
    """Read masks of which every instance has a folder with one mask for each frame."""
    frames, kept, plan = MaskFrames(), 0, one.plan
    (kind,) = plan.kinds()
    assert plan.parts is not None
    pattern = next(p for p in PurePosixPath(plan.file.text).parts if "{" + kind + "}" in p)
    folders = sorted({(picture.row, picture.folder) for picture in one.files})
    texts = [(match(pattern, folder) or {kind: folder})[kind] for _, folder in folders]
    for frame, group in groupby(one.files, lambda picture: picture.frame):
        mine = list(group)
        parts = {
            picture.source.path: instance_of(
                picture.data, picture.source.path, picture.row, plan.parts, words[kind],
                texts[picture.row],
            ) for picture in mine
        }  # fmt: skip
        lacking = [folder for row, folder in folders if row not in {one.row for one in mine}]
        if lacking:
            reason = f"frame {frame} has no mask in {lacking[0]}"
            where = mine[0].source.path
            ledger.reject((frame,), Code.INCOMPLETE_INSTANT, reason, where, len(mine))
        else:
            kept += judged(frame, parts, frames, ledger)
    table = frames.table(kind, words[kind].concepts or (), fps, one.pointer)
    return {kind: table}, kept, len(one.files)

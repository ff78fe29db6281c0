"""Frame tables of folders with numbered image files, and of still images."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import cv2
import numpy as np

from surgqa.ontology.errors import MediaBroken, MediaMissing
from surgqa.ontology.files import listed
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.media.batches import FrameTable, SampleFault
from surgqa.transforms.media.decoding import DecodedFrame
from surgqa.transforms.media.found import SUFFIXES
from surgqa.transforms.media.table import starts_us
from surgqa.transforms.places import Place

DIGITS = 6
NAMED_FILES = 3
"""Maximum number of other files that an error lists."""
COPY = re.compile(r"(\d+) ?\(\d+\)")
NAMED = re.compile(r"(.*?\D)(\d+)", re.ASCII)
"""A number after a name, as in ``frame000`` or ``BBP01_00000001``."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Files of a folder of frames.

    Attributes:
        numbers, files: frame numbers, ascending, and their file names.
        copies: files that repeat a number, such as ``001171 (1).png``.
        others: files that are not numbered images.
    """

    numbers: tuple[int, ...]
    files: tuple[str, ...]
    copies: tuple[str, ...]
    others: tuple[str, ...]


def listing(folder: Place, name: str) -> Listing:
    """List the numbered images of a folder.

    If several files have the same number, the file with a six-digit name is used.

    Raises:
        SourceMissing: the folder does not exist or has no numbered image.
    """
    if not folder.is_dir():
        raise MediaMissing(f"{name} is missing", expected="a folder of frames", where=name)
    found: dict[int, str] = {}
    copies, others = [], []
    entries = [path for path in listed(folder) if not path.name.startswith(".")]
    named = _common_name([path.stem for path in entries if path.suffix.lower() in SUFFIXES])
    for path in sorted(entries, key=lambda p: _rank(p.name)):
        number = path.stem.removeprefix(named)
        if path.suffix.lower() in SUFFIXES and number.isascii() and number.isdigit():
            if int(number) in found:
                copies.append(path.name)
            else:
                found[int(number)] = path.name
        elif path.suffix.lower() in SUFFIXES and COPY.fullmatch(path.stem):
            copies.append(path.name)
        else:
            others.append(path.name)
    if not found:
        more = f" and {len(others) - NAMED_FILES} more" if len(others) > NAMED_FILES else ""
        raise MediaMissing(
            f"{name} holds no numbered pictures",
            expected="files such as 000000.png",
            found=", ".join(sorted(others)[:NAMED_FILES]) + more or "an empty folder",
            where=name,
            fix="name a folder of numbered pictures; a video is named by its file, not its folder",
        )
    numbers = tuple(sorted(found))
    files = tuple(found[n] for n in numbers)
    return Listing(numbers, files, tuple(sorted(copies)), tuple(sorted(others)))


def _common_name(stems: Sequence[str]) -> str:
    """The common text before the number in all names; '' if some names are plain numbers."""
    if any(stem.isascii() and stem.isdigit() for stem in stems):
        return ""
    names = {match[1] for match in map(NAMED.fullmatch, stems) if match}
    return names.pop() if len(names) == 1 else ""


def _rank(name: str) -> tuple[bool, int, str]:
    stem, _, suffix = name.rpartition(".")
    known = f".{suffix}" in SUFFIXES
    return len(stem) != DIGITS, SUFFIXES.index(f".{suffix}") if known else len(SUFFIXES), name


def folder_table(found: Listing, fps: Fraction, first: int = 0) -> FrameTable:
    """Table in which frame n is on screen from (n - first) / fps on, for one period.

    Raises:
        SourceBroken: an image has a number below ``first``.
    """
    if found.numbers[0] < first:
        raise MediaBroken(
            f"{found.files[0]} has a lower number than the picture at time 0",
            expected=f"numbers from {first} on",
            found=str(found.numbers[0]),
            where=found.files[0],
        )
    ticks = np.array(found.numbers, dtype=np.int64) - first
    ends = starts_us(ticks + 1, 1 / fps)
    return FrameTable(
        starts_us=starts_us(ticks, 1 / fps),
        ticks=ticks,
        key=np.ones(len(ticks), dtype=bool),
        end_us=int(ends[-1]),
        period_us=-(-SECOND_US * fps.denominator // fps.numerator),
    )


def still_table() -> FrameTable:
    """Return the table of one frame of one microsecond, because a still image has no time."""
    one = np.zeros(1, dtype=np.int64)
    return FrameTable(starts_us=one, ticks=one.copy(), key=np.ones(1, dtype=bool), end_us=1)


def folder_pictures(
    folder: Place, files: Sequence[str], frames: Sequence[int]
) -> Iterator[DecodedFrame]:
    """Read the images of a folder; ``frames`` are indices into ``files``."""
    for frame in frames:
        path = folder / files[frame]
        picture = picture_of(path.read_bytes()) if path.is_file() else None
        fault = SampleFault.NONE if picture is not None else SampleFault.DAMAGED
        yield DecodedFrame(frame, picture, fault if path.is_file() else SampleFault.MISSING)


def first_size(folder: Place, files: Sequence[str], name: str) -> tuple[int, int]:
    """Width and height of the first image that can be read.

    Raises:
        SourceBroken: there is none.
    """
    for seen in folder_pictures(folder, files, range(len(files))):
        if seen.picture is not None:
            return seen.picture.shape[1], seen.picture.shape[0]
    raise MediaBroken(
        f"{name} contains no picture that can be decoded",
        found=f"{len(files)} files",
        where=name,
        fix="fetch the pictures again",
    )


def picture_of(data: bytes) -> np.ndarray | None:
    """Return an image as uint8 (H, W, 3), RGB; None if its bytes are incomplete."""
    if not data:
        return None
    try:
        return cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error:
        return None  # more pixels than OpenCV accepts

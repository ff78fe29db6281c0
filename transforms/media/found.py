"""Find image and video files by name and read their sizes from headers, without decoding."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import BinaryIO

from surgqa.ontology.errors import MediaBroken
from surgqa.ontology.files import listed, unreadable
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.places import Place, below

SUFFIXES = (".png", ".jpg", ".jpeg")
"""Extensions of frame files; of equal numbers, the first in this order is used."""
STILLS = (*SUFFIXES, ".tif", ".tiff")
"""Extensions of images that may be a still image, that is, a whole "video"."""
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
# Start-of-frame markers; C4 and CC between them define tables, and C8 is reserved.
_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = frozenset(range(0xD0, 0xD9)) | {0x01}


@dataclass(frozen=True, slots=True)
class MediaRecord:
    """A video's media file, or a record that the video has none.

    Attributes:
        fps, duration_us: read from the container; None if the container was not read.
    """

    media: Media
    fps: Fraction | None = None
    duration_us: int | None = None


def recording(root: Place, names: Sequence[str], probed: bool) -> MediaRecord:
    """Return the first of these files that exists, or ABSENT.

    Args:
        root: the dataset's root.
        names: paths relative to the root, with forward slashes.
        probed: also read the container's header.

    Raises:
        SourceBroken: ``probed`` is True and the container can't be read.
    """
    name = next((name for name in names if below(root, name).is_file()), None)
    if name is None:
        return MediaRecord(Media(MediaKind.ABSENT))
    if not probed:
        return MediaRecord(Media(MediaKind.VIDEO, name))
    # PyAV is imported only if a container must be read.
    from surgqa.transforms.media.probe import probe

    container = probe(below(root, name), name)
    media = Media(MediaKind.VIDEO, name, container.width, container.height)
    return MediaRecord(media, container.fps, container.duration_us)


def still(root: Place, name: str) -> Media:
    """Return a single image with the size from its header, or ABSENT."""
    file = below(root, name)
    if not file.is_file():
        return Media(MediaKind.ABSENT)
    return Media(MediaKind.IMAGE, name, *image_size(file, name))


def frames_media(root: Place, folder: str, frames: Iterable[int], first: int = 0) -> Media:
    """Return a folder of numbered images (``000016.png``), or ABSENT.

    Args:
        root: the dataset's root.
        folder: the video's folder relative to the root, with forward slashes.
        frames: frame numbers to try first; if none exists, the first image found is used.
        first: number of the image at time 0.

    Raises:
        SourceBroken: the first image is neither PNG nor JPEG.
    """
    there = below(root, folder)
    if not there.is_dir():
        return Media(MediaKind.ABSENT)
    tries = (there / f"{frame:06d}{suffix}" for frame in frames for suffix in SUFFIXES)
    picture = next((path for path in tries if path.is_file()), None)
    if picture is None:
        shown = (p for p in listed(there) if not p.name.startswith("."))
        picture = next((p for p in shown if p.suffix.lower() in SUFFIXES), None)
    if picture is None:
        return Media(MediaKind.ABSENT)
    width, height = image_size(picture, f"{folder}/{picture.name}")
    return Media(MediaKind.FRAMES, folder, width, height, first)


def image_size(path: Place, name: str) -> tuple[int, int]:
    """Width and height in pixels from the header of a PNG or JPEG file.

    Args:
        path: the image file.
        name: the file's path relative to the dataset's root, used in messages.

    Raises:
        SourceBroken: the file is neither PNG nor JPEG, or it is truncated.
    """
    try:
        with path.open("rb") as file:
            size = _size(file)
    except OSError as error:
        raise unreadable(error, name) from None
    if size is None or not all(size):
        raise MediaBroken(
            f"{name} is not a picture",
            expected="a PNG, JPEG or TIFF header with a size",
            found="another file, or one that was cut short",
            where=name,
            fix="unpack the frames again, or delete this file",
        )
    return size


def _size(file: BinaryIO) -> tuple[int, int] | None:
    start = file.read(24)
    if start.startswith(_PNG) and len(start) == 24 and start[12:16] == b"IHDR":
        return struct.unpack(">II", start[16:24])
    if start.startswith(_JPEG):
        file.seek(len(_JPEG))
        return _jpeg_size(file)
    return _tiff_size(file, start)


def _tiff_size(file: BinaryIO, start: bytes) -> tuple[int, int] | None:
    """Width and height from the first directory of a TIFF file (TIFF 6.0, section 2)."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(start[:4])
    if order is None or len(start) < 8:
        return None
    file.seek(struct.unpack(order + "I", start[4:8])[0])
    (count,) = struct.unpack(order + "H", file.read(2).ljust(2, b"\0"))
    found: dict[int, int] = {}
    for _ in range(count):
        tag, kind, _, value = struct.unpack(order + "HHI4s", file.read(12).ljust(12, b"\0"))
        form, size = ("H", 2) if kind == 3 else ("I", 4)
        found[tag] = struct.unpack(order + form, value[:size])[0]
    return (found[256], found[257]) if {256, 257} <= found.keys() else None


def _jpeg_size(file: BinaryIO) -> tuple[int, int] | None:
    """Follow the markers up to the one that holds the size (ITU-T T.81, B.2)."""
    while True:
        marker = file.read(2)
        if len(marker) < 2 or marker[0] != 0xFF:
            return None
        if marker[1] == 0xFF:  # a fill byte
            file.seek(-1, 1)
            continue
        if marker[1] in _BARE_MARKERS:
            continue
        head = file.read(7)
        if len(head) < 7:
            return None
        length, _, height, width = struct.unpack(">HBHH", head)
        if marker[1] in _SIZE_MARKERS:
            return width, height
        if length < 2:
            return None
        file.seek(length - 7, 1)

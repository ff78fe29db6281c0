"""The values of ``video_metadata``, and the values that are assumed without them.

The published files state neither the frame rate nor the size of the images. Their numbers imply 30
frames a second, and their boxes fit 1280 x 720 pixels. These values are assumed only if nothing in
the file contradicts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from surgqa.ontology.anomalies import check_onset
from surgqa.ontology.concepts import load_data
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import read_json, read_tree
from surgqa.ontology.published import Unfit, number
from surgqa.ontology.sections import fraction
from surgqa.ontology.times import SECOND_US, period_us, round_half_up
from surgqa.transforms.readers.base.moments import clock
from surgqa.transforms.readers.base.words import fold

RATE = Fraction(30)
SIZE = (1280, 720)
FASTEST = 1000
LONGEST_US = 10**6 * SECOND_US
LARGEST = 2**15
PAIRS = (("onset_frame", "onset_time"), ("start_frame", "start_time"), ("frame", "time"),
         ("end_frame", "end_time"))  # fmt: skip
"""Frame number and time of one instant, as entries write them."""
BOXES = ("bbox", "initial_bbox", "contact_bbox")


@dataclass(frozen=True, slots=True)
class UnifiedHeader:
    """Frame rate, image size and length of a video, from its ``video_metadata``.

    Attributes:
        fps: exact rate of frame numbers.
        size: width and height in pixels to which boxes refer; None if unknown.
        duration_us: length of the recording.
        metadata: ``video_metadata``, unchanged.
    """

    fps: Fraction
    size: tuple[int, int] | None
    duration_us: int
    metadata: Mapping[str, Any]

    @property
    def period_us(self) -> int:
        """Distance of two frames."""
        return period_us(self.fps)


def header_of(tree: Mapping[str, Any], name: str, rate: Fraction | None = None) -> UnifiedHeader:
    """Return the header of one file.

    Args:
        name: name of the file, for messages.
        rate: frames a second as the user declared, for files that do not.

    Raises:
        SourceBroken: there is no ``video_metadata`` with a duration, or one of its values is
            impossible.
    """
    metadata = tree.get("video_metadata")
    if not isinstance(metadata, Mapping):
        raise _broken(name, "an object video_metadata with video_id and duration", metadata)
    length = _seconds(metadata.get("duration"))
    duration = 0 if length is None else round_half_up(length * SECOND_US)
    if not 0 < duration < LONGEST_US:
        raise _broken(name, "duration in seconds or as HH:MM:SS", metadata.get("duration"))
    return UnifiedHeader(
        rate_of(tree, metadata, name, rate), size_of(tree, metadata, name), duration, metadata
    )


def rate_of(
    tree: Any, metadata: Mapping[str, Any], name: str, rate: Fraction | None = None
) -> Fraction:
    """Return ``fps``, else the rate that the user stated, else 30 if frames and times agree with
    it.

    Raises:
        SourceBroken: ``fps`` is not a rate, or is missing and 30 does not fit.
    """
    if metadata.get("fps") is not None:
        found = fraction(str(metadata["fps"]))
        if found is None or not 0 < found <= FASTEST:
            raise _broken(name, "fps above 0, exactly: 25, 29.97 or 30000/1001", metadata["fps"])
        return found
    if rate is not None:
        return rate
    wrong = contradiction(tree, RATE)
    if wrong:
        shown = f"frame {wrong[0]} at {float(wrong[1]):g} s"
        raise _broken(name, "fps, or frames and times that fit 30 frames a second", shown)
    return RATE


def size_of(
    tree: Any, metadata: Mapping[str, Any], name: str, known: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """Return ``width`` and ``height``, else ``known``, else 1280 x 720 if all boxes fit into it.

    Raises:
        SourceBroken: only one of the two is given, or they are not a size of an image.
    """
    width, height = metadata.get("width"), metadata.get("height")
    if width is None and height is None:
        if known is not None:
            return known
        return SIZE if all(_fits(box) for box in _boxes(tree)) else None
    sides = [side for side in (width, height) if type(side) is int and 0 < side <= LARGEST]
    if len(sides) < 2:
        raise _broken(name, "width and height, whole pixels", f"{width!r:.40} x {height!r:.40}")
    return sides[0], sides[1]


def named(metadata: Mapping[str, Any], kind: str, given: Any) -> str:
    """Return a procedure or specialty in the ontology's words, else as written.

    Args:
        kind: ``procedures`` or ``specialties``.
    """
    text = given.strip() if isinstance(given, str) else ""
    for key, entry in load_data("vocab", "metadata")[kind].items():
        if fold(text) in {fold(key), fold(entry["display"]), *map(fold, entry["synonyms"])}:
            return str(entry["display"])
    return text


def specialty_of(procedure: str) -> str:
    """Return the specialty of a procedure, given by its name in the ontology; '' if unknown."""
    terms = load_data("vocab", "metadata")
    for entry in terms["procedures"].values():
        if entry["display"] == procedure:
            return str(terms["specialties"][entry["specialty"]]["display"])
    return ""


def contradiction(tree: Any, rate: Fraction) -> tuple[int, Fraction] | None:
    """Return the first frame and time in a file that differ by more than half a frame, if any."""
    return next((one for one in _pairs(tree) if not check_onset(one[0], rate, one[1])), None)


def _seconds(found: Any) -> Fraction | None:
    if isinstance(found, str):
        return clock(found) if ":" in found else fraction(found)
    try:
        return number(found, "duration")
    except Unfit:
        return None


def _objects(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object of a tree, outer objects first."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _pairs(tree: Any) -> Iterator[tuple[int, Fraction]]:
    """Yield frame and seconds of each instant that has both."""
    for one in _objects(tree):
        for frame, time in PAIRS:
            stated = one.get(time)
            if type(one.get(frame)) is int and isinstance(stated, int | Decimal):
                try:
                    yield one[frame], number(stated, time)
                except Unfit:
                    continue


def _boxes(tree: Any) -> Iterator[list[Any]]:
    for one in _objects(tree):
        yield from (one[key] for key in BOXES if isinstance(one.get(key), list))


def _fits(box: list[Any]) -> bool:
    """True if a box lies in an image of 1280 x 720 pixels, or if a value is not a box."""
    try:
        x, y, w, h = (number(value, "bbox") for value in box)
    except (Unfit, ValueError):
        return True
    return x >= 0 and y >= 0 and x + w <= SIZE[0] and y + h <= SIZE[1]


def _broken(name: str, expected: str, found: Any) -> SourceBroken:
    return SourceBroken(
        f"{name}: its video_metadata can't be used",
        expected=expected,
        found=f"{found!s:.80}" if found is not None else "nothing",
        where=f"{name} video_metadata",
        fix="complete video_metadata; docs/datasets.md says what a file holds",
    )


def exact_json(data: bytes, name: str) -> Mapping[str, Any]:
    """Return the outermost object of a file; numbers with a decimal point become ``Decimal``.

    Raises:
        SourceBroken: the file is empty, truncated, not UTF-8, not JSON or not an object, an
            object repeats a key, or a number is not finite.
    """
    read_json(data, name)  # it must be an object
    found: Mapping[str, Any] = read_tree(
        data, name, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_object
    )
    return found


def _no_number(found: str) -> None:
    raise ValueError(f"{found} where a number is expected")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return plain

"""Validate an anomaly (such as bleeding) in SurgCoT's published format; convert it to moments.

This module works on parsed objects and reads no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from surgqa.ontology.moments import Moment
from surgqa.ontology.published import (
    BoxXywh,
    Unfit,
    box_xywh,
    frame_number,
    number,
    objects,
    unit_box,
    word,
)
from surgqa.ontology.records import Code
from surgqa.ontology.times import SECOND_US, frame_to_us, period_us, round_half_up

ORIGINS = ("tissue", "cause", "location")


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """The annotation of an anomaly at one frame.

    Attributes:
        frame: the frame's number.
        box_xywh: left, top, width, height in pixels.
        size: word for the size, or None.
        state: ``warning``, ``present``, ``controlled``, or None.
    """

    frame: int
    box_xywh: BoxXywh
    size: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Anomaly:
    """An anomaly (something that goes wrong, such as bleeding) whose values are valid.

    Attributes:
        name: the ``anomaly_id``.
        kind: the ``anomaly_type``.
        keys: the key frames, the onset first, in strictly ascending order of their numbers.
        control_s: time in seconds at which the anomaly is under control, or None.
        origin: where the anomaly comes from, as pairs such as ``("tissue", "liver")``; the first
            word is ``tissue``, ``cause`` or ``location``.
    """

    name: str
    kind: str
    keys: tuple[KeyFrame, ...]
    control_s: Fraction | None
    origin: tuple[tuple[str, str], ...]

    def onset_us(self, fps: Fraction) -> int:
        """Return the start of the onset's frame in microseconds."""
        return frame_to_us(self.keys[0].frame, fps)

    def end_us(self, fps: Fraction) -> int:
        """Return the time in microseconds at which the anomaly is under control.

        If the file does not state this time, it is that of the last key frame.
        """
        if self.control_s is None:
            return frame_to_us(self.keys[-1].frame, fps)
        return round_half_up(self.control_s * SECOND_US)


def name_of(entry: Any, place: int) -> str:
    """Return the ``anomaly_id``, or ``anomalies[<index>]`` if there is none."""
    name = entry.get("anomaly_id") if isinstance(entry, Mapping) else None
    plain = isinstance(name, str | int) and not isinstance(name, bool) and name != ""
    return str(name) if plain else f"anomalies[{place}]"


def check_onset(
    onset_frame: int, fps: Fraction, onset_time: Fraction | Decimal | float | int
) -> bool:
    """Return whether the frame and the stated time of an onset differ by at most half a frame.

    Args:
        onset_time: seconds; a float means its shortest decimal form.
    """
    stated = Fraction(str(onset_time)) if isinstance(onset_time, float) else Fraction(onset_time)
    return abs(Fraction(onset_frame) / fps - stated) * 2 * fps <= 1


def anomaly_of(
    name: str, entry: Any, fps: Fraction, width: int, height: int
) -> tuple[Anomaly, int]:
    """Return the anomaly, and the number of its boxes that were clipped to the frame.

    Args:
        name: result of :func:`name_of`.
        fps: exact rate of the frame numbers.
        width, height: size in pixels of the frames that the boxes refer to.

    Raises:
        Unfit: a value is missing or invalid, or two values contradict each other.
    """
    if not isinstance(entry, Mapping) or name.startswith("anomalies["):
        raise Unfit(Code.BAD_ROW, "an anomaly is an object with an anomaly_id")
    kind = word(entry.get("anomaly_type"), "anomaly_type")
    onset = frame_number(entry.get("onset_frame"), "onset_frame")
    stated = number(entry.get("onset_time"), "onset_time")
    if kind is None:
        raise Unfit(Code.BAD_ROW, "anomaly_type is missing")
    if not check_onset(onset, fps, stated):
        raise Unfit(
            Code.CONTRADICTION,
            f"frame {onset} at {float(fps):g} fps is {float(onset / fps):.3f} s, "
            f"more than half a frame from the stated {float(stated):g} s",
        )
    boxes = [box_xywh(entry.get("initial_bbox"), width, height)]
    keys = [KeyFrame(onset, boxes[0][0])]
    for part in objects(entry.get("evolution"), "evolution"):
        boxes.append(box_xywh(part.get("bbox"), width, height))
        size, state = (word(part.get(what), what) for what in ("size", "state"))
        keys.append(KeyFrame(frame_number(part.get("frame"), "frame"), boxes[-1][0], size, state))
    control = entry.get("hemostasis_time")
    control_s = None if control is None else number(control, "hemostasis_time")
    if control_s is not None and control_s < Fraction(onset) / fps:
        raise Unfit(Code.CONTRADICTION, "it is under control before it begins")
    one = Anomaly(name, kind, _ordered(keys), control_s, _origin(entry.get("source")))
    return one, sum(clipped for _, clipped in boxes)


def anomaly_moments(
    one: Anomaly, concept: str, target: str, fps: Fraction, size: tuple[int, int], source: str,
    pointer: str, origin: str,
) -> Iterator[Moment]:  # fmt: skip
    """Yield a moment ``anomaly``, and for each key frame a moment ``roi`` with the box.

    A ``roi`` has the state and the size that this or an earlier key frame stated last.

    Args:
        concept: id of the event, from the vocabulary ``events``.
        target: the tissue of origin, '' if unknown.
        size: width and height in pixels.
    """
    origins = dict(one.origin)
    words = ", ".join(origins[what] for what in ("cause", "location") if what in origins)
    onset, resolution = one.onset_us(fps), period_us(fps)
    first = unit_box(one.keys[0].box_xywh, *size)
    yield Moment("anomaly", concept, onset, one.end_us(fps), resolution, source, pointer,
                 target=target, box_xyxy=first, group=one.name, text=words,
                 origin=origin)  # fmt: skip
    size_word = state = ""
    for key in one.keys:  # a size or a state holds until another one is stated
        at = frame_to_us(key.frame, fps)
        size_word, state = key.size or size_word, key.state or state
        yield Moment("roi", state, at, at, resolution, source, pointer,
                     target=target, box_xyxy=unit_box(key.box_xywh, *size), group=one.name,
                     value=float(key.frame), text=size_word,
                     origin=origin)  # fmt: skip


def _ordered(keys: list[KeyFrame]) -> tuple[KeyFrame, ...]:
    """Return the key frames in order.

    A key frame at the onset's frame replaces the onset and must have the same box.
    """
    onset, others = keys[0], sorted(keys[1:], key=lambda key: key.frame)
    if others and others[0].frame < onset.frame:
        raise Unfit(Code.BAD_FRAME, f"key frame {others[0].frame} lies before the onset")
    if others and others[0].frame == onset.frame:
        if others[0].box_xywh != onset.box_xywh:
            raise Unfit(Code.CONTRADICTION, "initial_bbox is not the box of the first key frame")
        onset = others.pop(0)
    numbers = [onset.frame, *(key.frame for key in others)]
    if len(set(numbers)) < len(numbers):
        raise Unfit(Code.DUPLICATE_FRAME, "two key frames have the same number")
    return onset, *others


def _origin(found: Any) -> tuple[tuple[str, str], ...]:
    if found is None:
        return ()
    if not isinstance(found, Mapping):
        raise Unfit(Code.BAD_ROW, "source is not an object")
    words = ((what, word(found.get(what), what)) for what in ORIGINS)
    return tuple((what, name) for what, name in words if name is not None)

"""Anomaly onset tracking: what goes wrong, when and where it begins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ontology.concepts import load_data
from ontology.times import us_to_frame
from transforms.checks.chains.base import Q1, Chain, Key, Missing, Task, Truth, Value, meets
from transforms.checks.chains.deeds import moments_of
from transforms.checks.chains.names import label_in, tissues_in
from transforms.checks.evidence import Box, VideoView


class Anomaly(NamedTuple):
    """A moment of that kind, or an interval with such a label."""

    id: str
    label: str
    target: str
    start_us: int
    end_us: int
    resolution_us: int
    group: str
    box: Box | None

    @property
    def stretch(self) -> tuple[int, int]:
        """Start and end."""
        return self.start_us, self.end_us


def anomalies_of(video: VideoView) -> Iterator[Anomaly]:
    """All that goes wrong in a video."""
    for one in moments_of(video, "anomaly"):
        yield Anomaly(one.id, one.label, one.target, one.start_us, one.end_us, one.resolution_us,
                      one.group, one.box)  # fmt: skip
    labels = load_data("vocab", "events/anomalies")
    for span in video.spans:
        if span.kind == "event" and span.label in labels:
            yield Anomaly(span.id, span.label, "", span.start_us, span.end_us, video.period_us,
                          "", None)  # fmt: skip


def truth(chain: Chain) -> Truth:
    """The anomaly that is the chain's event, and its place at the onset."""
    video = chain.video
    found = [one for one in anomalies_of(video) if one.id == chain.event]
    if not found:
        raise Missing(f"row {chain.event!r} is no anomaly")
    one = found[0]
    same = [other for other in anomalies_of(video)
            if other.label == one.label and other.id != one.id]  # fmt: skip
    box = box_at(video, one.group, one.start_us) or one.box
    return Truth(
        what={"anomaly": one.label, "target": one.target},
        shown=(one.start_us, max(one.end_us, one.start_us)),
        target=one.stretch,
        time_us=one.start_us,
        resolution_us=one.resolution_us,
        resolutions=frozenset([one.resolution_us]),
        key=Key(target=one.target, anomaly=one.label),
        same=[other.stretch for other in same],
        also=[other.start_us for other in same],
        twins=[other.stretch for other in same],
        boxes=[box] if box else [],
    )


def box_at(video: VideoView, group: str, time_us: int) -> Box | None:
    """A region between its key frames: x, y, width and height are linear in the frame number.

    Returns:
        None without key frames, before the first and after the last.
    """
    fps = Fraction(video.header["fps_num"] or 0, video.header["fps_den"] or 1)
    keys = {}
    for one in moments_of(video, "roi"):
        if group and one.group == group and one.box:
            keys[_frame(one.value, one.start_us, fps)] = one.box
    at = _frame(None, time_us, fps)
    if at in keys:
        return keys[at]
    earlier, later = [key for key in keys if key < at], [key for key in keys if key > at]
    if not earlier or not later:
        return None
    low, high = max(earlier), min(later)
    share = (at - low) / (high - low)
    # corners are sums of place and size, so they are linear in the frame number as well
    x1, y1, x2, y2 = (
        float(Fraction(a) + (Fraction(b) - Fraction(a)) * share)
        for a, b in zip(keys[low], keys[high], strict=True)
    )
    return x1, y1, x2, y2


def _frame(value: float | None, time_us: int, fps: Fraction) -> Fraction:
    """The number of a key frame; without a rate its time stands for it."""
    if not fps:
        return Fraction(time_us)
    return Fraction(value) if value is not None else Fraction(us_to_frame(time_us, fps))


def read(_: Chain, truth: Truth, text: str) -> Value | None:
    """The anomaly that a text names, and the tissue it is at."""
    label = label_in(text, "events", truth.what["anomaly"])
    if label is None:
        return None
    tissues = tissues_in(text.casefold().partition(" at ")[2])
    target = truth.what["target"]
    if not tissues or target not in tissues[0]:
        target = min(tissues[0]) if tissues else ""
    return {"anomaly": label, "target": target}


def holds(chain: Chain, truth: Truth, value: Value) -> bool:
    """Such an anomaly is there at some time of the window; a place not known may be any."""
    if value == truth.what:
        return True
    window = chain.window(Q1)
    return any(
        one.label == value["anomaly"]
        and (not one.target or not value["target"] or one.target == value["target"])
        for one in anomalies_of(chain.video)
        if meets(one.stretch, window)
    )


def told(_: Chain, truth: Truth, text: str) -> bool:
    """A context names the anomaly."""
    return label_in(text, "events", truth.what["anomaly"]) == truth.what["anomaly"]


ANOMALIES = Task(truth, read, holds, told)

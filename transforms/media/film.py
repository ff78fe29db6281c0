"""Access to one medium of any kind: its facts, its frame times and its decoded frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.errors import MediaMissing, RateMissing
from surgqa.ontology.records import Media, MediaKind, Rejected
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.media.accounts import folder_problems, video_problems
from surgqa.transforms.media.batches import FrameBatch, FrameTable, SampleFault, Samples
from surgqa.transforms.media.decoding import DecodedFrame, pictures
from surgqa.transforms.media.folders import (
    Listing,
    first_size,
    folder_pictures,
    folder_table,
    listing,
    still_table,
)
from surgqa.transforms.media.located import located
from surgqa.transforms.media.probe import Container, probe
from surgqa.transforms.media.table import frame_table
from surgqa.transforms.places import Place, check_links


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """An opened video file, folder of frames or still image.

    A film can be pickled, because it holds no open file.

    Attributes:
        path: the file, or the folder of frames.
        name: path relative to the dataset's root, for messages.
        width, height: pixels as shown.
        facts: plain JSON with everything known without decoding the whole medium.
        problems: parts of the medium that cannot be read.
        files: file names of a folder, one per frame.
    """

    path: Place
    name: str
    kind: MediaKind
    table: FrameTable
    width: int
    height: int
    facts: dict[str, Any] = field(repr=False)
    problems: tuple[Rejected, ...] = ()
    files: tuple[str, ...] = field(default=(), repr=False)

    def on_screen(self, time_us: int) -> int | None:
        """Index of the frame on screen; None before the first, after the last and in a gap."""
        if self.kind is MediaKind.IMAGE:
            return 0
        table = self.table
        index = int(np.searchsorted(table.starts_us, time_us, side="right")) - 1
        if index < 0:
            return None
        period = table.period_us
        over = table.end_us if period is None else int(table.starts_us[index]) + period
        return index if time_us < over else None

    def batches(
        self, samples: Samples, size: int, first: int = 0, last: int | None = None
    ) -> Iterator[FrameBatch]:
        """Yield the batches of samples numbered first <= n < last, with their frames.

        A batch has the same bytes whichever range of batches is requested.

        Args:
            samples: samples of this medium's table.
            size: samples of a batch; only the last batch of the medium is smaller.
            last: number after the last batch; None for all batches.

        Raises:
            SourceMissing, SourceBroken: the medium was removed or changed since it was opened.
        """
        total = -(-len(samples.times_us) // size)
        last = total if last is None else min(last, total)
        if last <= first:
            return
        asked = samples.frames[first * size : last * size]
        seen = self.decoded([int(f) for f in np.unique(asked)])
        one = DecodedFrame(-1, None, SampleFault.MISSING)
        for number in range(first, last):
            part = slice(number * size, (number + 1) * size)
            shown = []
            for frame in samples.frames[part]:
                while one.frame < frame:
                    one = next(seen)
                shown.append(one)
            yield self._batch(number, size, samples.times_us[part], samples.frames[part], shown)

    def decoded(self, frames: Sequence[int]) -> Iterator[DecodedFrame]:
        """Yield the frames at ascending indices of the table; a frame with a fault has no picture.

        Raises:
            SourceMissing, SourceBroken: as :meth:`batches`.
        """
        if self.kind is MediaKind.VIDEO:
            seen = pictures(self.path, self.name, self.table, frames)
        else:
            seen = folder_pictures(self.path, self.files, frames)
        for one in seen:
            if one.picture is None or one.picture.shape[:2] == (self.height, self.width):
                yield one
            else:
                yield DecodedFrame(one.frame, None, SampleFault.OTHER_SIZE)

    def _batch(
        self,
        number: int,
        size: int,
        times_us: np.ndarray,
        frames: np.ndarray,
        shown: list[DecodedFrame],
    ) -> FrameBatch:
        faults = np.array([one.fault for one in shown], dtype=np.uint8)
        black = np.zeros((self.height, self.width, 3), dtype=np.uint8)
        return FrameBatch(
            number=number,
            size=size,
            times_us=times_us,
            frames=self.table.ticks[frames] if self.kind is MediaKind.FRAMES else frames,
            # One array each: copying them into one takes half as long as running a small model.
            pictures=[black if one.picture is None else one.picture for one in shown],
            trusted=faults == SampleFault.NONE,
            faults=faults,
        )  # fmt: skip


def media_of(row: Mapping[str, Any]) -> tuple[Media, Fraction | None]:
    """Return the medium that a row describes, such as ``media`` in ``data/``, and its rate."""
    rate = Fraction(row["fps_num"], row.get("fps_den") or 1) if row.get("fps_num") else None
    media = Media(MediaKind(row["kind"]), row.get("path"), first=int(row.get("first") or 0),
                  sha256=row.get("sha256"))  # fmt: skip
    return media, rate


def film_of(
    root: Place,
    media: Media,
    fps: Fraction | None = None,
    table: FrameTable | None = None,
) -> Film:
    """Open a medium.

    Args:
        root: the dataset's folder; ``media.path`` is relative to it.
        fps: frames per second of a folder; ignored for a video file, which has its own times.
        table: the frame table of this medium, if it is already known.

    Raises:
        SourceMissing: no such file or folder, or a dataset without frames.
        SourceBroken: no frame of the medium can be read, or it is another recording.
        UserError: a folder without a rate.
    """
    if media.kind is MediaKind.ABSENT or media.path is None:
        raise MediaMissing(
            "this video has annotations, but no pictures",
            expected="frames or a video file",
            found="media kind 'absent'",
            fix="get the dataset's pictures and observe again with them under the root",
        )
    path = located(root, media)
    if media.kind is MediaKind.VIDEO:
        return _video(path, media.path, table)
    if media.kind is MediaKind.IMAGE:
        return _still(path, media.path)
    if fps is None or fps <= 0:
        raise RateMissing(
            "the frame rate of this folder is not known", found=str(fps),
            expected="a number above 0", where=media.path, fix="give fps, such as 1 or 25",
        )  # fmt: skip
    found = listing(path, media.path)
    check_links(root, media.path, found.files)
    return _folder(path, media.path, found, fps, table, media.first)


def _video(path: Place, name: str, table: FrameTable | None) -> Film:
    container = probe(path, name)
    table = table or frame_table(path, name)
    rate = _rate(container, table)
    facts = container.plain | {
        "kind": "video",
        "fps": [rate.numerator, rate.denominator],
        "constant_rate": bool(table.step and not table.absent),
        "duration_us": table.end_us,
        "frames": len(table.ticks),
        "counted": True,
        "promised_us": table.promised_us,
        "promised": table.promised,
        "key_frames": int(table.key.sum()),
        "entries": len(table.restarts or ()),
        "order_decoded": table.places is not None,
        "stopped_us": table.stopped_us,
        "stopped_why": table.stopped_why,
        "damaged": table.damaged,
        "doubled": table.doubled,
        "unshown": table.unshown,
        "absent": table.absent,
    }
    return Film(path, name, MediaKind.VIDEO, table, container.width, container.height, facts,
                video_problems(name, table))  # fmt: skip


def _rate(container: Container, table: FrameTable) -> Fraction:
    """Return the stated rate; if it varies, the mean rate, which Matroska does not state."""
    varies = not table.step and len(table.ticks) > 1
    return Fraction(len(table.ticks) * SECOND_US, table.end_us) if varies else container.fps


def _folder(
    path: Place, name: str, found: Listing, fps: Fraction, table: FrameTable | None, first: int = 0
) -> Film:
    table = table or folder_table(found, fps, first)
    width, height = first_size(path, found.files, name)
    facts = {
        "kind": "frames",
        "width": width,
        "height": height,
        "fps": [fps.numerator, fps.denominator],
        "frames": len(found.files),
        "duration_us": table.end_us,
        "first": found.numbers[0],
        "last": found.numbers[-1],
        "copies": len(found.copies),
        "others": len(found.others),
    }
    return Film(path, name, MediaKind.FRAMES, table, width, height, facts,
                folder_problems(name, found), found.files)  # fmt: skip


def _still(path: Place, name: str) -> Film:
    if not path.is_file():
        raise MediaMissing(f"{name} is missing", expected=name, where=name)
    width, height = first_size(path.parent, (path.name,), name)
    facts = {"kind": "image", "width": width, "height": height, "frames": 1}
    return Film(path.parent, name, MediaKind.IMAGE, still_table(), width, height, facts,
                files=(path.name,))  # fmt: skip

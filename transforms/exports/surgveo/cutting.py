"""Cuts the images, references (real continuations) and clips of the samples from the videos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import cv2
import numpy as np

from surgqa.ontology.errors import MediaBroken, MediaMissing, Mismatched, WrongUsage
from surgqa.ontology.files import listed
from surgqa.transforms.exports.surgveo.extension import (
    CLIPS,
    FRAMES,
    INPUT,
    REFERENCE,
    ExtensionItem,
    OptionClip,
    QuestionImage,
)
from surgqa.transforms.exports.surgveo.samples import ContinuationSample, Row
from surgqa.transforms.media import Film, film_of
from surgqa.transforms.media.continuations import write_continuation
from surgqa.transforms.media.film import media_of
from surgqa.transforms.media.located import located
from surgqa.transforms.places import Place, below, write_whole

NEAR = Fraction(1, 2000)
"""Largest relative difference of equal frame rates; 24 and 24000/1001 differ by more."""
GAP = 1.5
"""Two frames that are more than this many median distances apart are ignored for the frame rate."""

Video = tuple[str, str]


def cut_media(
    samples: Sequence[ContinuationSample],
    items: Sequence[ExtensionItem],
    roots: Mapping[str, Place],
    to: Path,
) -> dict[str, int]:
    """Cut everything that the samples and their questions show, one video after another.

    Args:
        roots: folder of each dataset.
        to: an existing folder.

    Returns:
        The number of files in each folder.

    Raises:
        UserError: a dataset has no root, or a video has another frame rate than its row states.
        SourceMissing, SourceBroken: a video file is missing, or cannot be cut.
    """
    check_there([one.row for one in samples], roots)
    videos = {one.video: one for one in samples}
    for name in (INPUT, REFERENCE, CLIPS, FRAMES):
        (to / name).mkdir()
    for video, known in sorted(videos.items()):
        film = _opened(known.row, roots)
        _check_rate(film, known)
        mine = [one for one in samples if one.video == video]
        for sample in mine:
            cut = sample.cut
            write_continuation(
                film, cut.frame, cut.frames, cut.fps, below(to, f"{INPUT}/{cut.sample_id}.png"),
                below(to, f"{REFERENCE}/{cut.sample_id}.mp4"),
            )  # fmt: skip
        _clips(film, known.cut.fps, mine, _of(items, video), to)
        _pictures(film, items, video, to)
    counts = {name: len(listed(to / name)) for name in (INPUT, REFERENCE, CLIPS, FRAMES)}
    for name, count in counts.items():
        if not count:
            (to / name).rmdir()
    return {name: count for name, count in counts.items() if count}


def check_there(rows: Sequence[Row], roots: Mapping[str, Place]) -> None:
    """Raise an error if a video file is missing, before anything is cut.

    Raises:
        UserError: a dataset has no root.
        SourceMissing: video files are missing; the message counts them and lists the first.
    """
    wanted = {(row["dataset"], row["video_id"]): media_of(row["media"])[0] for row in rows}
    lacking = sorted({dataset for dataset, _ in wanted} - set(roots))
    if lacking:
        raise WrongUsage(
            f"dataset {lacking[0]} has no folder", expected=f"--root {lacking[0]}=DIR",
            found=f"no root for {', '.join(lacking)}", where="--root",
            fix="give the folder of every dataset, or no --root at all to cut nothing",
        )  # fmt: skip
    absent = [
        f"{dataset}/{media.path or video_id}"
        for (dataset, video_id), media in sorted(wanted.items(), key=itemgetter(0))
        if media.path is None or not located(roots[dataset], media).exists()
    ]
    # fmt: skip
    if absent:
        more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
        raise MediaMissing(
            f"{len(absent)} of {len(wanted)} videos are missing",
            expected="the video file of every operation in the export",
            found=f"nothing at {', '.join(absent[:5])}{more}", where="--root",
            fix="get the missing files, or export without --root to cut nothing",
        )  # fmt: skip


def _opened(row: Row, roots: Mapping[str, Place]) -> Film:
    return film_of(roots[row["dataset"]], *media_of(row["media"]))


def _check_rate(film: Film, sample: ContinuationSample) -> None:
    """Raise an error if a file has another frame rate than its sample."""
    rate = rate_of(film)
    stated = sample.cut.fps
    if rate is None or abs(rate - stated) <= stated * NEAR:
        return
    raise Mismatched(
        f"{film.name} has another frame rate than its samples",
        expected=f"{stated} frames a second",
        found=f"{float(rate):.3f}", where=f"{sample.row['dataset']}/{film.name}",
        fix="use the videos that the labels were made for, and build with these videos in place",
    )  # fmt: skip


def rate_of(film: Film) -> Fraction | None:
    """Return the frame rate of a video, ignoring gaps; None if it has only one frame."""
    steps = np.diff(film.table.starts_us)
    steps = steps[steps <= GAP * np.median(steps)] if len(steps) else steps
    return Fraction(len(steps) * 1_000_000, int(steps.sum())) if len(steps) else None


def _of(items: Sequence[ExtensionItem], video: Video) -> Iterator[OptionClip]:
    """Yield the clips of one video that are options of questions, each once."""
    found = {one.clip.code: one.clip for item in items for one in item.choices
             if one.clip and one.clip.video == "/".join(video)}  # fmt: skip
    yield from (found[code] for code in sorted(found))


def _clips(
    film: Film,
    fps: Fraction,
    samples: Sequence[ContinuationSample],
    clips: Iterator[OptionClip],
    to: Path,
) -> None:
    """Write the clips that are options; a clip that is a reference is copied."""
    cut = {one.cut.frame: below(to, f"{REFERENCE}/{one.sample_id}.mp4") for one in samples}
    for clip in clips:
        path = below(to, clip.path)
        if clip.frame in cut:
            path.write_bytes(cut[clip.frame].read_bytes())
            continue
        first = path.with_suffix(".png")
        write_continuation(film, clip.frame, clip.frames, fps, first, path)
        first.unlink()


def _pictures(film: Film, items: Sequence[ExtensionItem], video: Video, to: Path) -> None:
    """Write the images of questions that show more than one."""
    wanted: dict[int, list[QuestionImage]] = {}
    for item in items:
        if item.sample.video == video:
            for one in item.pictures:
                if one.letter is not None:
                    wanted.setdefault(one.frame, []).append(one)
    if not wanted:
        return
    numbers = sorted(wanted)
    if numbers[-1] >= len(film.table.starts_us):
        raise MediaBroken(
            f"{film.name} ends before the continuation does", where=film.name,
            expected=f"frame {numbers[-1]}", found=f"{len(film.table.starts_us)} frames",
            fix="compare the file with the dataset's published length; it may be truncated",
        )  # fmt: skip
    for shown in film.decoded(numbers):
        if shown.picture is None:
            raise MediaBroken(f"{film.name} is damaged at frame {shown.frame}", where=film.name,
                              fix="download the file again")  # fmt: skip
        data = cv2.imencode(".png", shown.picture[..., ::-1])[1].tobytes()
        for one in wanted[shown.frame]:
            write_whole(below(to, one.path), data)

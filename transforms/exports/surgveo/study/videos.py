"""Checks generated videos before rating, and copies them without data that reveals their source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import av

from surgqa.ontology.continuations import LENGTH_US, PROMPTS
from surgqa.ontology.errors import (
    MediaBroken,
    SourceBroken,
    SourceMissing,
    SourceUnreadable,
    UserError,
)
from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.exports.surgveo.study.listed import ListedSample
from surgqa.transforms.media.container import opened, picture_track
from surgqa.transforms.media.probe import probe
from surgqa.transforms.places import inside

SHOWN = 20
"""Maximum number of problems that are printed; the others are only counted."""
PLAYED = ("h264", "av1", "libdav1d", "vp8", "vp9")
"""Codecs that all browsers play, by the names of their decoders."""


@dataclass(frozen=True, slots=True)
class Given:
    """A video to be rated, or a reference to compare with.

    Attributes:
        prompt: None for a reference.
    """

    sample_id: str
    prompt: str | None
    path: Path


def given_videos(samples: Iterable[ListedSample], folder: Path) -> list[Given]:
    """Return the two generated videos of each sample, and the sample's reference."""
    out = []
    for one in samples:
        out += [Given(one.sample_id, prompt, inside(folder, f"{one.sample_id}.{prompt}.mp4"))
                for prompt in PROMPTS]  # fmt: skip
        out.append(Given(one.sample_id, None, one.reference))
    return out


def check_videos(videos: Iterable[Given]) -> list[str]:
    """Check all videos before any is copied.

    Returns:
        Names of files that some browsers cannot play.

    Raises:
        UserError: some are missing, unreadable or too short; one error reports all of them.
    """
    problems: list[UserError] = []
    unplayed = []
    for one in videos:
        try:
            facts = probe(one.path, str(one.path), count=True)
        except (SourceMissing, SourceBroken) as error:
            problems.append(error)
            continue
        # Allow half a frame, because containers round times to their own ticks.
        least = LENGTH_US - round(SECOND_US * 3 / (2 * facts.fps))
        if facts.duration_us < least:
            problems.append(MediaBroken(
                "the video is too short", where=str(one.path),
                expected=f"{print_seconds(LENGTH_US)} s, or at most one frame less",
                found=f"{print_seconds(facts.duration_us)} s, {facts.frames} frames",
            ))  # fmt: skip
        if facts.codec not in PLAYED:
            unplayed.append(f"{one.path.name} ({facts.codec})")
    if problems:
        raise together(problems)
    return unplayed


def together(problems: list[UserError]) -> UserError:
    """One error that reports all problems."""
    kind = type(problems[0]) if len({type(one) for one in problems}) == 1 else UserError
    lines = [f"{one.where}: {one.summary}{_details(one)}" for one in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"and {len(problems) - SHOWN} more")
    return kind(
        f"{len(problems)} of the videos cannot be rated",
        expected="SAMPLE_ID.baseline.mp4 and SAMPLE_ID.stage_aware.mp4 of every sample",
        found="\n            ".join(lines), where="--videos",
        fix="generate these videos again; a study needs all its videos",
    )  # fmt: skip


def _details(one: UserError) -> str:
    parts = [f"{name} {value}" for name, value in (("expected", one.expected),
             ("found", one.found)) if value and value != one.where]  # fmt: skip
    return f" ({'; '.join(parts)})" if parts else ""


def copy_pictures(source: Path, target: Path) -> None:
    """Copy the frames of a file unchanged, without its sound and its metadata.

    Some programs write their prompt into the metadata of the videos that they generate.

    Raises:
        SourceBroken: the file cannot be read.
    """
    try:
        with opened(source, str(source)) as box:
            stream = picture_track(box)
            options = {"movflags": "faststart", "fflags": "+bitexact"}
            with av.open(str(target), "w", format="mp4", options=options) as copy:
                track = copy.add_stream_from_template(stream)
                for packet in box.demux(stream):
                    if packet.dts is not None:
                        packet.stream = track
                        copy.mux(packet)
                _forget(copy, track)
    except av.FFmpegError as error:
        raise SourceUnreadable(
            f"{source} cannot be copied", found=error.strerror or str(error), where=str(source),
            fix="generate it again, as H.264 in MP4",
        ) from None  # fmt: skip


def _forget(copy: av.container.OutputContainer, track: av.stream.Stream) -> None:
    copy.metadata.clear()
    track.metadata.clear()

"""Checks the videos of a study, and copies them without metadata that reveal their source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import orjson

from surgqa.ontology import errors
from surgqa.ontology.continuations import LENGTH_US, PROMPTS, TRACKS
from surgqa.ontology.files import read_bytes
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.media.container import opened, picture_track
from surgqa.transforms.media.probe import probe
from surgqa.transforms.places import inside

SHOWN = 20
"""Maximum number of problems that are listed; all are counted."""
PLAYED = ("h264", "av1", "libdav1d", "vp8", "vp9")
"""Names of the decoders for codecs that all browsers can play."""


@dataclass(frozen=True, slots=True)
class Given:
    """A generated video, or the reference (real video) that it is compared with.

    Attributes:
        prompt: None for a reference.
    """

    sample_id: str
    prompt: str | None
    path: Path


def given_videos(samples: Iterable[ListedSample], folder: Path) -> list[Given]:
    """Return the two generated videos and the reference of each sample."""
    out = []
    for one in samples:
        out += [Given(one.sample_id, prompt, inside(folder, f"{one.sample_id}.{prompt}.mp4"))
                for prompt in PROMPTS]  # fmt: skip
        out.append(Given(one.sample_id, None, one.reference))
    return out


def check_videos(videos: Iterable[Given]) -> list[str]:
    """Check all videos before any is copied.

    Returns:
        The names of files that some browsers cannot play.

    Raises:
        UserError: videos are missing, unreadable or too short; one error lists all problems.
    """
    problems: list[errors.UserError] = []
    unplayed = []
    for one in videos:
        try:
            facts = probe(one.path, str(one.path), count=True)
        except (errors.SourceMissing, errors.SourceBroken) as error:
            problems.append(error)
            continue
        # Half a frame is tolerated, because video files round times.
        least = LENGTH_US - round(SECOND_US * 3 / (2 * facts.fps))
        if facts.duration_us < least:
            problems.append(errors.MediaBroken(
                "the video is too short", where=str(one.path),
                expected=f"{print_seconds(LENGTH_US)} s, or at most one frame less",
                found=f"{print_seconds(facts.duration_us)} s, {facts.frames} frames",
            ))  # fmt: skip
        if facts.codec not in PLAYED:
            unplayed.append(f"{one.path.name} ({facts.codec})")
    if problems:
        raise together(problems)
    return unplayed


def together(problems: list[errors.UserError]) -> errors.UserError:
    """Return one error that lists all problems."""
    kind = type(problems[0]) if len({type(one) for one in problems}) == 1 else errors.UserError
    lines = [f"{one.where}: {one.summary}{_details(one)}" for one in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"and {len(problems) - SHOWN} more")
    return kind(
        f"{len(problems)} of the videos cannot be rated",
        expected="SAMPLE_ID.baseline.mp4 and SAMPLE_ID.stage_aware.mp4 of every sample",
        found="\n            ".join(lines), where="--videos",
        fix="generate these videos again; a study needs all its videos",
    )  # fmt: skip


def _details(one: errors.UserError) -> str:
    parts = [f"{name} {value}" for name, value in (("expected", one.expected),
             ("found", one.found)) if value and value != one.where]  # fmt: skip
    return f" ({'; '.join(parts)})" if parts else ""


def copy_pictures(source: Path, target: Path) -> None:
    """Copy the frames of a video file unchanged, without its sound and metadata.

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
        raise errors.SourceUnreadable(
            f"{source} cannot be copied", found=error.strerror or str(error), where=str(source),
            fix="generate it again, as H.264 in MP4",
        ) from None  # fmt: skip


def _forget(copy: av.container.OutputContainer, track: av.stream.Stream) -> None:
    copy.metadata.clear()
    track.metadata.clear()


FILE = "samples.jsonl"


@dataclass(frozen=True, slots=True)
class ListedSample:
    """One sample in an export as surgveo.

    Attributes:
        context: words about the operation and its stage.
        reference: path of the reference.
    """

    sample_id: str
    track: str
    stage: str
    context: str
    reference: Path


def listed_samples(export: Path) -> tuple[list[ListedSample], str]:
    """Return the samples of an export, and the digest of the file that lists them.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: a line is not a sample.
        UserError: there are no samples, or the export has no references.
    """
    path = export / FILE
    data = read_bytes(path, str(path))
    out = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            out.append(_listed(export, line, f"{path}:{number}"))
    if not out:
        raise errors.NothingSelected("there are no samples to rate", found="an empty file",
                              where=str(path),
                              fix="build with --benchmark surgveo and export again")  # fmt: skip
    return out, bytes_digest(data)


def _listed(export: Path, line: bytes, where: str) -> ListedSample:
    try:
        entry: dict[str, Any] = orjson.loads(line)
        known = [str(entry[name]) for name in ("sample_id", "track", "stage")]
        context = f"{entry['procedure']}: {entry['stage_name']}"
        reference = entry["reference"]
        if known[1] not in TRACKS:
            raise KeyError(known[1])
    except (ValueError, KeyError, TypeError) as error:
        raise errors.SourceBroken(
            "the line is not a sample", found=str(error), where=where,
            expected="a line that 'surgqa export OUT --as surgveo' wrote",
            fix="export again with 'surgqa export OUT --as surgveo'",
        ) from None  # fmt: skip
    if not reference:
        raise errors.StepOrder(
            "the export has no references", expected="videos to compare with", found="none",
            where=where, fix="export again with --root DATASET=DIR, the folder of the videos",
        )  # fmt: skip
    return ListedSample(known[0], known[1], known[2], context, inside(export, str(reference)))

"""Write a small sample of LDPolypVideo in its layout; all images and polyps are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import digest, h64
from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    Video,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture, png
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video
from surgqa.transforms.readers.base.sample_film import film

FRAMES = 5
Corners = tuple[int, int, int, int]


def write(
    root: Path,
    *,
    procedures: int = 2,
    seconds: int = FRAMES,
    variant: int = 0,
    pictures: str | None = "jpg",
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of each: sequences for training, for testing, and long videos.
        seconds: number of annotated frames of each sequence; at most 5 are written.
        variant: every third one calls a folder ``Train``, not ``TrainValid``; others differ in the
            places of polyps, in empty frames, and in a box that exceeds the image.
        pictures: ``png`` or ``jpg`` frames; None: no frames.
    """
    root = Path(root)
    evidence = []
    for number in range(1, procedures + 1):
        top = "Train" if variant % 3 == 2 else "TrainValid"
        for part, folder in (("trainvalid", top), ("test", "Test")):
            frames = _frames(part, number, min(seconds, FRAMES), variant)
            video_id = f"{part}-{number:03d}"
            evidence.append(_write_frames(root, video_id, folder, number, frames, pictures))
        evidence.append(_write_film(root, number, variant))
    return Truth(tuple(sorted(evidence, key=lambda one: one.video.video_id)))


def _frames(part: str, number: int, count: int, variant: int) -> dict[int, list[Corners]]:
    """Polyps by frame: one that moves, sometimes a second one, sometimes none."""
    first = h64("sample", part, number) % 4 + 1
    frames = {}
    for step in range(count):
        x = 6 + (step + variant) % 9
        polyps = [(x, 8 + step % 4, x + 20, 40 + step % 6)]
        if (step + variant) % 5 == 3:
            right = 600 if variant % 4 == 3 else 62
            polyps.append((36, 12, right, 44))
        if (step + variant) % 4 == 2:
            polyps = []
        frames[first + step + (step > 2)] = polyps
    return frames


def _write_frames(
    root: Path, video_id: str, top: str, number: int, frames: dict[int, list[Corners]],
    pictures: str | None,
) -> VideoEvidence:  # fmt: skip
    wide, high = (WIDTH, HEIGHT) if pictures else (560, 480)
    folder = f"{top}/Annotations/{number}"
    sources, seen, rejected = [], [], []
    for frame, polyps in frames.items():
        lines = [str(len(polyps)), *(" ".join(map(str, corners)) for corners in polyps)]
        name = f"{folder}/{frame}.txt"
        sources.append(put(root, name, ("\n".join(lines) + "\n").encode()))
        own = []
        for row, (x1, y1, x2, y2) in enumerate(polyps):
            box = (x1 / wide, y1 / high, min(x2, wide) / wide, y2 / high)
            own.append(Instance("polyp", box, None, row))
            if x2 > wide:
                rejected.append(
                    Rejected("read", f"ldpolypvideo/{video_id}", Code.BAD_BOX, "",
                             f"{name}:{row + 2}", outcome="repaired")
                )  # fmt: skip
        seen.append(own)
        if pictures:
            image = picture(frame, [one.box_xyxy for one in own if one.box_xyxy], [0] * len(own))
            data = png(image) if pictures == "png" else jpeg(image)
            put(root, f"{top}/Images/{number}/{frame}.{pictures}", data)
    media = Media(MediaKind.ABSENT)
    if pictures:
        media = Media(MediaKind.FRAMES, f"{top}/Images/{number}", WIDTH, HEIGHT)
    video = _video(video_id, tuple(sources), media, Fraction(1), max(frames) + 1, Clock.ORDER)
    table = true_table([frame * 1_000_000 for frame in frames], list(frames), seen, ("polyp",),
                       f"{folder}: frame {{frame}}, polyp {{row}}")  # fmt: skip
    books = Books("read", "annotation files", len(frames), len(frames), 0)
    return VideoEvidence(video, None, (), tuple(rejected), (books,), regions={"finding": table})


def _write_film(root: Path, number: int, variant: int) -> VideoEvidence:
    label = number % 2
    folder = ("videos_without_polyps", "videos_with_polyps")[label]
    stem = f"{folder}/{label}_{number}"
    frames = 6 + variant % 5
    source = put(root, f"{stem}.avi", film(frames, 25))
    media = Media(MediaKind.VIDEO, source.path, WIDTH, HEIGHT)
    video_id = f"video-{digest('alias', stem)[:8]}"
    video = _video(video_id, (source,), media, Fraction(25), frames, Clock.TIME)
    found = VideoLabel("finding", "polyp", float(label), "", source.path, source.path)
    return VideoEvidence(video, None, (), (), (Books("read", "films", 1, 1, 0),), (found,))


def _video(
    video_id: str, sources: tuple[Source, ...], media: Media, fps: Fraction, frames: int,
    clock: Clock,
) -> Video:  # fmt: skip
    return true_video(
        "ldpolypvideo", video_id, "colonoscopy", "gastroenterology",
        "research use; no licence stated", sources, fps=fps, period_us=int(1_000_000 / fps),
        duration_us=int(frames * 1_000_000 / fps), media=media, clock=clock,
    )  # fmt: skip

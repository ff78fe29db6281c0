"""Write a small sample of EndoVis-18-VQLA in its real layout; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

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
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture, png
from surgqa.transforms.readers.base.sample import put, true_video
from surgqa.transforms.readers.base.vqla.sample import (
    VOCABULARY,
    Written,
    actions,
    frame_file,
    tables,
)

SEQUENCES = ("seq_1", "seq_10", "seq_2")
FRAMES = (0, 1, 2, 3, 5, 6)
SECOND = 1_000_000


def write(
    root: Path,
    *,
    procedures: int = 2,
    variant: int = 0,
    with_boxes: bool = True,
    pictures: str | None = "png",
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of sequences, 1 to 3.
        variant: determines tools and actions; ``vqla_sample.BAD`` states the errors it adds.
        with_boxes: False writes the older form, EndoVis-18-VQA.
        pictures: ``png`` or ``jpg`` frames of the first sequence; None: no frames.
    """
    root = Path(root)
    evidence = []
    for place, video_id in enumerate(SEQUENCES[:procedures]):
        media = Media(MediaKind.ABSENT)
        if pictures and not place:
            media = Media(MediaKind.FRAMES, f"{video_id}/left_frames", WIDTH, HEIGHT)
            for frame in FRAMES[:2]:
                image = picture(frame, [(0.2, 0.3, 0.5, 0.7)], [frame])
                data = png(image) if pictures == "png" else jpeg(image)
                put(root, f"{video_id}/left_frames/frame{frame:03d}.{pictures}", data)
        evidence.append(_sequence(root, video_id, variant, with_boxes, media))
    return Truth(tuple(evidence))


def _sequence(root: Path, video_id: str, variant: int, boxes: bool, media: Media) -> VideoEvidence:
    folder = f"{video_id}/vqla/label" if boxes else f"{video_id}/vqa/Classification"
    sources: list[Source] = []
    frames: list[int] = []
    files: list[Written] = []
    rejected: list[Rejected] = []
    read = 0
    for frame in FRAMES:
        file = frame_file(video_id, frame, variant, boxes, spoilt=frame == FRAMES[1])
        path = f"{folder}/frame{frame:03d}_QA.txt"
        sources.append(put(root, path, file.text.encode()))
        if boxes:
            stem = f"{video_id}/vqla/img_features/5x5/frame{frame:03d}"
            put(root, f"{stem}.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(8))
        read += file.lines
        if file.fault:
            rejected += _rejected(f"endovis18_vqla/{video_id}", path, file, file.fault)
        else:
            frames.append(frame)
            files.append(file)
    table, regions = tables(frames, files)
    left_out = sum(entry.count for entry in rejected)
    video = _record(video_id, media, sources)
    return VideoEvidence(
        video,
        table,
        actions(frames, files, folder),
        tuple(rejected),
        (Books("read", "question-answer lines", read, read - left_out, left_out),),
        regions=regions,
    )


def _rejected(key: str, path: str, file: Written, fault: tuple[int, Code]) -> list[Rejected]:
    """Rejections of the other lines of the frame, then of the invalid line."""
    line, code = fault
    others = Rejected("read", key, Code.INCOMPLETE_INSTANT, "", f"{path}:1", file.lines - 1)
    return [others, Rejected("read", key, code, "", f"{path}:{line}")]


def _record(video_id: str, media: Media, sources: list[Source]) -> Video:
    return true_video(
        "endovis18_vqla", video_id, "robotic nephrectomy", "urology",
        "MIT (labels); EndoVis challenge rules (frames)", sources, fps=Fraction(1),
        period_us=SECOND, duration_us=(FRAMES[-1] + 1) * SECOND, media=media,
        split_group=f"endovis2018/{video_id}", vocabulary=VOCABULARY, clock=Clock.ORDER,
    )  # fmt: skip

"""Write a small sample of EndoVis-17-VQLA in its real layout; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import bytes_digest
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
from surgqa.transforms.readers.base.sample import true_video
from surgqa.transforms.readers.base.vqla.sample import VOCABULARY, actions, frame_file, tables

STILLS = (("seq1_frame015", 1), ("seq1_frame120", 1), ("seq6_frame004", 6))
SECOND = 1_000_000


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "jpg"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of still images, 1 to 3.
        variant: determines tools and actions; ``vqla_sample.BAD`` states the errors it adds.
        pictures: ``png`` or ``jpg``; None: no images.
    """
    root = Path(root)
    return Truth(tuple(_still(root, *still, variant, pictures) for still in STILLS[:procedures]))


def _still(
    root: Path, video_id: str, sequence: int, variant: int, pictures: str | None
) -> VideoEvidence:
    folder, key = "vqla/label", f"endovis17_vqla/{video_id}"
    file = frame_file(video_id, 0, variant, boxes=True, spoilt=video_id == STILLS[1][0])
    path = f"{folder}/{video_id}.txt"
    (root / folder).mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(file.text.encode())
    media = Media(MediaKind.ABSENT)
    if pictures:
        (root / "left_frames").mkdir(exist_ok=True)
        image = picture(sequence, [(0.2, 0.3, 0.5, 0.7)], [sequence])
        name = f"left_frames/{video_id}.{pictures}"
        (root / name).write_bytes(png(image) if pictures == "png" else jpeg(image))
        media = Media(MediaKind.IMAGE, name, WIDTH, HEIGHT)
    rejected: tuple[Rejected, ...] = ()
    if file.fault:
        line, code = file.fault
        others = file.lines - 1
        rejected = (
            Rejected("read", key, Code.INCOMPLETE_INSTANT, "", f"{path}:1", others),
            Rejected("read", key, code, "", f"{path}:{line}"),
        )
    known = [] if file.fault else [file]
    frames = [0] * len(known)
    table, regions = tables(frames, known)
    left_out = file.lines if file.fault else 0
    video = _record(video_id, sequence, media, Source(path, bytes_digest(file.text.encode())))
    return VideoEvidence(
        video,
        table,
        actions(frames, known, folder),
        rejected,
        (Books("read", "question-answer lines", file.lines, file.lines - left_out, left_out),),
        regions=regions,
    )


def _record(video_id: str, sequence: int, media: Media, source: Source) -> Video:
    return true_video(
        "endovis17_vqla", video_id, "robotic porcine surgery", "general surgery",
        "MIT (labels); EndoVis challenge rules (frames)", (source,), fps=Fraction(1),
        period_us=SECOND, duration_us=SECOND, media=media,
        split_group=f"endovis2017/instrument_dataset_{sequence}", vocabulary=VOCABULARY,
        clock=Clock.WHOLE,
    )  # fmt: skip

"""Write a small sample of CVC-ClinicDB in its re-released layout; all images are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.mask_sample import grey_png, run_lengths
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, picture, png
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

# Number of the image, number of its sequence.
STILLS = ((1, 1), (2, 1), (26, 2), (27, 2), (600, 29), (601, 29))
HEADER = "frame_id,sequence_id,tif_image_path,tif_mask_path,png_image_path,png_mask_path"
Corners = tuple[int, int, int, int]


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "png"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of sequences of two images, 1 to 3.
        variant: odd ones have no folder PNG and no table of sequences; every third one has a
            speck in its masks, every fourth one a colour mask with grey edges.
        pictures: None: no still images.
    """
    root = Path(root)
    released = variant % 2 == 0
    stills = STILLS[: 2 * procedures]
    top = "PNG/" if released else ""
    shared = [_write_table(root, stills)] if released else []
    evidence = {}
    for number, sequence in stills:
        polyps = _polyps(number, variant)
        speck = variant % 3 == 1
        mask = _mask(polyps, speck, grey=variant % 4 == 2)
        source = put(root, f"{top}Ground Truth/{number}.png", mask)
        media = Media(MediaKind.ABSENT)
        if pictures:
            shares = [(x1 / WIDTH, y1 / HEIGHT, x2 / WIDTH, y2 / HEIGHT)
                      for x1, y1, x2, y2 in polyps]  # fmt: skip
            path = f"{top}Original/{number}.png"
            put(root, path, png(picture(number, shares, list(range(len(shares))))))
            media = Media(MediaKind.IMAGE, path, WIDTH, HEIGHT)
        evidence[str(number)] = _truth(number, sequence, polyps, speck, media, [source, *shared])
    return Truth(tuple(evidence[video_id] for video_id in sorted(evidence)))


def _write_table(root: Path, stills: tuple[tuple[int, int], ...]) -> Source:
    lines = [HEADER]
    for n, sequence in stills:
        tif = f"TIF/Original/{n}.tif,TIF/Ground Truth/{n}.tif"
        lines.append(f"{n},{sequence},{tif},PNG/Original/{n}.png,PNG/Ground Truth/{n}.png")
    return put(root, "metadata.csv", ("\n".join(lines) + "\n").encode())


def _polyps(number: int, variant: int) -> list[Corners]:
    """One or two rectangles that do not touch, from top to bottom."""
    x = 4 + (number + variant) % 20
    polyps = [(x, 6, x + 16, 20)]
    if (number + variant) % 2:
        polyps.append((40, 28, 58, 28 + 5 + variant % 9))
    return polyps


def _mask(polyps: list[Corners], speck: bool, grey: bool) -> bytes:
    pixels = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    if grey:
        for x1, y1, x2, y2 in polyps:
            pixels[y1 - 1 : y2 + 1, x1 - 1 : x2 + 1] = 100
    for x1, y1, x2, y2 in polyps:
        pixels[y1:y2, x1:x2] = 200 if grey else 255
    if speck:
        pixels[46:48, 0:2] = 255
    return png(np.stack([pixels] * 3, axis=2)) if grey else grey_png(pixels)


def _truth(
    number: int, sequence: int, polyps: list[Corners], speck: bool, media: Media,
    sources: list[Source],
) -> VideoEvidence:  # fmt: skip
    video = true_video(
        "cvc_clinicdb", str(number), "colonoscopy", "gastroenterology",
        "research use; images of Hospital Clinic Barcelona", sources, fps=Fraction(1),
        period_us=1_000_000, duration_us=1_000_000, media=media,
        split_group=f"cvc_clinicdb/sequence{sequence:02d}", clock=Clock.WHOLE,
    )  # fmt: skip
    seen = []
    for row, (x1, y1, x2, y2) in enumerate(polyps):
        mask = np.zeros((HEIGHT, WIDTH), dtype=bool)
        mask[y1:y2, x1:x2] = True
        box = (x1 / WIDTH, y1 / HEIGHT, x2 / WIDTH, y2 / HEIGHT)
        area = (x2 - x1) * (y2 - y1) / (WIDTH * HEIGHT)
        seen.append(
            Instance("polyp", box, None, row, mask=run_lengths(mask), attributes={"area": area})
        )
    path = sources[0].path
    pointer = f"{path}: picture {{frame}}, region {{row}}"
    table = true_table([0], [0], [seen], ("polyp",), pointer)
    rejected = (Rejected("read", video.key, Code.BAD_MASK, "", path),) if speck else ()
    books = Books("read", "mask regions", len(polyps) + speck, len(polyps), int(speck))
    return VideoEvidence(video, None, (), rejected, (books,), regions={"finding": table})

"""Write a small sample of CaDIS in its real layout; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from surgqa.ontology.keys import bytes_digest, h64
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
from surgqa.transforms.readers.base.mask_sample import edges, grey_png, run_lengths, share
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture, png
from surgqa.transforms.readers.base.sample import Instance, true_table, true_video

VIDEOS = (("Video01", 1), ("Video05", 5), ("Video22", 22))
STRUCTURES = {
    0: "pupil", 1: "surgical_tape", 2: "hand", 3: "eye_retractors", 4: "iris",
    5: "skin_around_the_eye", 6: "cornea",
}  # fmt: skip
# Instrument: class id of its tip, class id of its handle.
INSTRUMENTS = {
    "bonn_forceps": (11, None), "capsulorhexis_cystotome": (9, 22),
    "capsulorhexis_forceps": (19, None), "charleux_cannula": (27, None), "cotton": (34, None),
    "hydrodissection_cannula": (7, 32), "implant_injector": (14, 24), "iris_hooks": (35, None),
    "irrigation_aspiration_handpiece": (15, 18), "mendez_ring": (30, None),
    "micromanipulator": (17, None), "needle_holder": (26, None),
    "phacoemulsifier_handpiece": (13, 21), "primary_incision_knife": (12, 28),
    "rycroft_cannula": (10, 20), "secondary_incision_knife": (16, 23),
    "surgical_marker": (31, None), "suture_needle": (25, None), "troutman_forceps": (33, None),
    "viscoelastic_cannula": (8, None), "vitrectomy_handpiece": (29, None),
}  # fmt: skip
FRAMES = 3
SECOND = 1_000_000


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "png"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        variant: determines the instruments; multiples of 4 except 0 have a mask with an unknown id,
            multiples of 5 except 0 an image whose name is not that of a mask.
        pictures: ``png`` or ``jpg`` images next to the masks; None: no images.
    """
    root = Path(root)
    return Truth(tuple(_video(root, *video, variant, pictures) for video in VIDEOS[:procedures]))


def painted(video_id: str, frame: int, variant: int) -> np.ndarray:
    """Class ids, uint8 (48, 64): an eye, tape at the edge, and up to two instruments."""
    ids = np.full((HEIGHT, WIDTH), 5, dtype=np.uint8)
    ids[:3], ids[8:40, 14:50], ids[12:36, 18:46], ids[18:30, 24:40] = 1, 6, 4, 0
    for place in range(h64(video_id, frame) % 3):
        names = sorted(INSTRUMENTS)
        tip, handle = INSTRUMENTS[names[(h64(video_id, "tool", place) + variant) % len(names)]]
        x, y = 20 + 14 * place + frame % 5, 16 + frame % 7
        ids[y : y + 6, x : x + 8] = tip
        if handle is not None:
            ids[y + 6 : y + 14, x + 2 : x + 9] = handle
    return ids


def _video(
    root: Path, video_id: str, number: int, variant: int, pictures: str | None
) -> VideoEvidence:
    folder = root / video_id
    (folder / "Labels").mkdir(parents=True)
    sources, times, instruments, structures, rejected = [], [], [], [], []
    for place in range(FRAMES):
        frame = 90 * place + h64(video_id, "first") % 50
        ids = painted(video_id, frame, variant)
        path = f"{video_id}/Labels/Video{number}_frame{frame:06d}.png"
        if variant and variant % 4 == 0 and place == 1:
            ids[0, :5] = 200
            rejected.append((frame, Rejected("read", f"cadis/{video_id}", Code.BAD_MASK, "", path)))
        else:
            times.append(frame)
            instruments.append(_instruments(ids))
            structures.append(_structures(ids))
        (root / path).write_bytes(grey_png(ids))
        sources.append(Source(path, bytes_digest(grey_png(ids))))
        if pictures:
            _write_picture(folder / "Images", f"Video{number}_frame{frame:06d}", frame, pictures)
    if variant and variant % 5 == 0:
        path = f"{video_id}/Labels/overlay.png"
        (root / path).write_bytes(grey_png(ids))
        rejected.append((0, Rejected("read", f"cadis/{video_id}", Code.BAD_FRAME, "", path)))
    media = Media(MediaKind.ABSENT)
    if pictures:
        media = Media(MediaKind.FRAMES, f"{video_id}/Images", WIDTH, HEIGHT)
    pointer = f"{video_id}/Labels frame {{frame}}, id {{row}}"
    instants = [time * SECOND for time in times]
    tools, seen = tuple(sorted(INSTRUMENTS)), tuple(sorted(STRUCTURES.values()))
    ordered = tuple(entry for _, entry in sorted(rejected, key=lambda e: (e[0], e[1].code)))
    video = _record(video_id, number, times[-1], media, sources)
    return VideoEvidence(
        video,
        true_table(instants, times, instruments, tools, pointer),
        rejected=ordered,
        books=(Books("read", "masks", len(times) + len(ordered), len(times), len(ordered)),),
        regions={"structure": true_table(instants, times, structures, seen, pointer)},
    )


def _write_picture(folder: Path, stem: str, frame: int, kind: str) -> None:
    folder.mkdir(exist_ok=True)
    shown = picture(frame, [(0.3, 0.3, 0.6, 0.6)], [frame])
    (folder / f"{stem}.{kind}").write_bytes(png(shown) if kind == "png" else jpeg(shown))


def _instance(label: str, mask: np.ndarray, row: int, **more: float) -> Instance:
    attributes = {"area": share(mask), **more}
    return Instance(label, edges(mask), None, row, mask=run_lengths(mask), attributes=attributes)


def _structures(ids: np.ndarray) -> list[Instance]:
    there = [id_ for id_ in STRUCTURES if (ids == id_).any()]
    return [_instance(STRUCTURES[id_], ids == id_, id_) for id_ in there]


def _instruments(ids: np.ndarray) -> list[Instance]:
    out = []
    for name, (tip, handle) in INSTRUMENTS.items():
        both = [id_ for id_ in (tip, handle) if id_ is not None and (ids == id_).any()]
        if both:
            mask = np.isin(ids, both)
            more = {"handle_area": share(ids == handle)} if handle in both else {}
            out.append(_instance(name, mask, min(both), **more))
    return out


def _record(video_id: str, number: int, last: int, media: Media, sources: list[Source]) -> Video:
    return true_video(
        "cadis", video_id, "cataract surgery", "ophthalmology", "research use, with registration",
        sources, fps=Fraction(1), period_us=SECOND, duration_us=(last + 1) * SECOND, media=media,
        split_group=f"cataracts/train{number:02d}", vocabulary=tuple(sorted(INSTRUMENTS)),
        clock=Clock.ORDER,
    )  # fmt: skip

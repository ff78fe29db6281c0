"""Write a small sample of EndoVis 2017 in its real layout; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
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
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

VOCABULARY = (
    "bipolar", "grasping_retractor", "large_needle_driver", "monopolar_curved_scissors",
    "other_instrument", "prograsp_forceps", "vessel_sealer",
)  # fmt: skip
# For each sequence: mask folder, concept and side, sorted by folder.
SEQUENCES = (
    ("instrument_dataset_1", (
        ("Left_Prograsp_Forceps_labels", "prograsp_forceps", "left"),
        ("Maryland_Bipolar_Forceps_labels", "bipolar", ""),
    )),
    ("instrument_dataset_2", (
        ("Other_labels", "other_instrument", ""),
        ("Right_Large_Needle_Driver_labels", "large_needle_driver", "right"),
    )),
    ("instrument_dataset_3", (
        ("Monopolar_Curved_Scissors_labels", "monopolar_curved_scissors", ""),
    )),
)  # fmt: skip
PARTS = {"shaft": 10, "wrist": 20, "claspers": 30}
HALF_SECOND = 500_000
BORDERED = "instrument_dataset_2"
"""The sequence whose masks have the release's size, with the border; other masks are small."""


def write(
    root: Path,
    *,
    procedures: int = 2,
    seconds: int = 21,
    variant: int = 0,
    pictures: str | None = "png",
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of sequences, 1 to 3.
        seconds: length of every sequence except the second, which has two frames; 1 to 58.
        variant: 0 has no errors; multiples of 3 have an invalid value, multiples of 4 a frame
            without one of its masks.
        pictures: ``png`` or ``jpg`` frames of the first sequence; None: no frames.
    """
    root = Path(root)
    return Truth(
        tuple(
            _sequence(root, video_id, folders, 2 * seconds, variant, pictures if not n else None)
            for n, (video_id, folders) in enumerate(SEQUENCES[:procedures])
        )
    )


def _painted(video_id: str, folder: str, concept: str, frame: int) -> np.ndarray:
    """Mask (height, width) of an instrument that enters, stays and leaves; parts are columns."""
    ids = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    start, step = h64(video_id, folder) % 3, frame % 36
    if step < 4 + start:
        return ids
    x = 3 + min(step, 16) + (20 if folder.startswith(("M", "R")) else 0)
    y = 6 + (step * (1 + start) // 2) % 24
    if concept == "other_instrument":
        ids[y : y + 9, x : x + 12] = 7
        return ids
    ids[y : y + 9, x : x + 4], ids[y : y + 9, x + 4 : x + 6] = 10, 20
    if frame % 7:
        ids[y : y + 9, x + 6 : x + 12] = 30
    return ids


def _sequence(
    root: Path, video_id: str, folders: tuple[tuple[str, str, str], ...], count: int,
    variant: int, pictures: str | None,
) -> VideoEvidence:  # fmt: skip
    place = f"train/{video_id}"
    count = 2 if video_id == BORDERED else count
    sources: list[Source] = []
    times, seen, rejected, masks = [], [], [], 0
    for frame in range(count):
        instances, paths, wrong, gone = [], [], [], False
        for track, (folder, concept, side) in enumerate(folders):
            ids = _painted(video_id, folder, concept, frame)
            if variant and variant % 4 == 0 and frame == 1 and track == 1:
                gone = True
                continue
            path = f"{place}/ground_truth/{folder}/frame{frame:03d}.png"
            if variant and variant % 3 == 0 and frame == 0 and concept != "other_instrument":
                ids[0, 0] = 40
                wrong.append(path)
            sources.append(put(root, path, grey_png(_bordered(video_id, ids))))
            paths.append(path)
            if (ids > 0).any():
                instances.append(
                    _instance(concept, side, _inside(ids, large=video_id == BORDERED), track)
                )
        masks += len(paths)
        if gone or wrong:
            rejected += _rejected(f"endovis2017/{video_id}", paths, wrong)
        else:
            times.append(frame)
            seen.append(instances)
    pointer = f"{place}/ground_truth frame {{frame}}, folder {{row}} counted from 0"
    instants = [time * HALF_SECOND for time in times]
    left_out = sum(entry.count for entry in rejected)
    media = _pictures(root, f"{place}/left_frames", pictures)
    video = _record(video_id, (count - 1) * HALF_SECOND, media, sources)
    table = true_table(instants, times, seen, VOCABULARY, pointer)
    books = Books("read", "masks", masks, masks - left_out, left_out)
    return VideoEvidence(video, table, rejected=tuple(rejected), books=(books,))


def _rejected(key: str, paths: list[str], wrong: list[str]) -> list[Rejected]:
    """Rejections of a frame that is not fully known: its wrong masks, then the others in one."""
    out = [Rejected("read", key, Code.BAD_MASK, "", path) for path in wrong]
    good = [path for path in paths if path not in wrong]
    if good:
        out.append(Rejected("read", key, Code.INCOMPLETE_INSTANT, "", good[0], len(good)))
    return out


def _instance(concept: str, side: str, ids: np.ndarray, track: int) -> Instance:
    mask = ids > 0
    attributes: dict[str, float | str] = {"area": share(mask)}
    if concept != "other_instrument":
        for part, value in PARTS.items():
            attributes[f"{part}_area"] = share(ids == value)
    if side:
        attributes["side"] = side
    return Instance(concept, edges(mask), None, track, track, run_lengths(mask), attributes)


def _bordered(video_id: str, ids: np.ndarray) -> np.ndarray:
    """The mask as in the file: 1920x1080 with values in the black border, or unchanged."""
    if video_id != BORDERED:
        return ids
    whole = np.zeros((1080, 1920), dtype=np.uint8)
    whole[28 : 28 + 1024, 320 : 320 + 1280] = _inside(ids, large=True)
    whole[:9, :9] = 10
    return whole


def _inside(ids: np.ndarray, *, large: bool = False) -> np.ndarray:
    """The mask inside the border: enlarged 16 times in a corner of 1280x1024, or unchanged."""
    if not large:
        return ids
    picture = np.zeros((1024, 1280), dtype=np.uint8)
    picture[: 16 * HEIGHT, : 16 * WIDTH] = ids.repeat(16, axis=0).repeat(16, axis=1)
    return picture


def _pictures(root: Path, folder: str, kind: str | None) -> Media:
    if not kind:
        return Media(MediaKind.ABSENT)
    for frame in range(2):
        image = picture(frame, [(0.2, 0.3, 0.5, 0.7)], [frame])
        data = png(image) if kind == "png" else jpeg(image)
        put(root, f"{folder}/frame{frame:03d}.{kind}", data)
    return Media(MediaKind.FRAMES, folder, WIDTH, HEIGHT)


def _record(video_id: str, last: int, media: Media, sources: list[Source]) -> Video:
    return true_video(
        "endovis2017", video_id, "robotic porcine surgery", "general surgery",
        "EndoVis challenge rules, with registration", sources, fps=Fraction(2),
        period_us=HALF_SECOND, duration_us=last + HALF_SECOND, media=media, vocabulary=VOCABULARY,
    )  # fmt: skip

"""Write a small sample of EndoVis 2018 in its real layout; all its data are made up."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np

from surgqa.ontology.keys import h64
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
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

SEQUENCES = (
    ("seq_1", "miccai_challenge_2018_release_1"),
    ("seq_2", "miccai_challenge_2018_release_1"),
    ("seq_5", "miccai_challenge_release_2"),
)
# Name, colour, and our kind and concept, by class id.
CLASSES: tuple[tuple[str, tuple[int, int, int], str, str], ...] = (
    ("background-tissue", (0, 0, 0), "", ""),
    ("instrument-shaft", (0, 255, 0), "structure", "instrument_shaft_part"),
    ("instrument-clasper", (0, 255, 255), "structure", "instrument_clasper_part"),
    ("instrument-wrist", (125, 255, 12), "structure", "instrument_wrist_part"),
    ("kidney-parenchyma", (255, 55, 0), "structure", "kidney_parenchyma"),
    ("covered-kidney", (24, 55, 125), "structure", "covered_kidney"),
    ("thread", (187, 155, 25), "structure", "surgical_thread"),
    ("clamps", (0, 255, 125), "instrument", "vascular_clamp"),
    ("suturing-needle", (255, 255, 125), "instrument", "suture_needle"),
    ("suction-instrument", (123, 15, 175), "instrument", "suction_instrument"),
    ("small-intestine", (124, 155, 5), "structure", "small_intestine"),
    ("ultrasound-probe", (12, 255, 141), "instrument", "ultrasound_probe"),
)
TYPES = (
    "bipolar", "prograsp_forceps", "large_needle_driver", "vessel_sealer", "grasping_retractor",
    "monopolar_curved_scissors", "ultrasound_probe", "suction_instrument", "clipper",
)  # fmt: skip
FRAMES = 4
SECOND = 1_000_000


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "png"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of sequences, 1 to 3.
        variant: 0 has no instrument types; others have some and use other classes; in multiples
            of 3, some pixels have a colour that is not a class.
        pictures: ``png`` or ``jpg`` frames of the first sequence; None: no frames.
    """
    root = Path(root)
    table = [{"name": c[0], "color": list(c[1]), "classid": i} for i, c in enumerate(CLASSES)]
    source = put(root, "labels.json", json.dumps(table, indent=2).encode())
    evidence = []
    for place, (video_id, release) in enumerate(SEQUENCES[:procedures]):
        folder = f"{release}/{video_id}"
        media = Media(MediaKind.ABSENT)
        if pictures and not place:
            media = Media(MediaKind.FRAMES, f"{folder}/left_frames", WIDTH, HEIGHT)
            for frame in range(FRAMES):
                image = picture(frame, [(0.2, 0.3, 0.5, 0.7)], [frame])
                data = png(image) if pictures == "png" else jpeg(image)
                put(root, f"{folder}/left_frames/frame{frame:03d}.{pictures}", data)
        put(root, f"{folder}/camera_calibration.txt", b"Camera-0-F: 1068 1068 // made up\n")
        evidence.append(_sequence(root, video_id, folder, variant, place, media, source))
    return Truth(tuple(evidence))


def _painted(video_id: str, frame: int, variant: int) -> np.ndarray:
    """Class ids (48, 64): tissue, kidney, a jointed instrument, and one more class."""
    ids = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    x = 4 + 3 * frame + h64(video_id) % 9
    ids[20:44, 6:40] = 4 + (h64(video_id, "covered") + variant) % 2
    ids[8:14, x : x + 5], ids[14:18, x : x + 5], ids[18:22, x : x + 5] = 1, 3, 2
    further = (6, 7, 8, 9, 10, 11)[(h64(video_id, "further") + variant + frame // 2) % 6]
    ids[30:38, 44:52] = further
    return ids


def _sequence(
    root: Path, video_id: str, folder: str, variant: int, place: int, media: Media, table: Source
) -> VideoEvidence:
    typed = variant > 0 and (place + variant) % 2 == 1
    sources, times, tools, structures, rejected = [table], [], [], [], []
    masks = 0
    for frame in range(FRAMES):
        ids = _painted(video_id, frame, variant)
        colours = np.array([c[1] for c in CLASSES], dtype=np.uint8)[ids]
        odd = bool(variant) and variant % 3 == 0 and frame == 1
        if odd:
            colours[0, :7] = (1, 2, 3)
        path = f"{folder}/labels/frame{frame:03d}.png"
        instances, types = _types(video_id, frame, ids) if typed else ([], [])
        added = []
        for kind, number, mask in types:
            name = f"{folder}/instrument_labels_2017/frame{frame:03d}_class{kind}_inst{number}.png"
            added.append(put(root, name, grey_png(mask * np.uint8(255))))
        sources += [*added, put(root, path, png(colours))]
        masks += len(added) + 1
        if odd:
            rejected += _rejected(f"endovis2018/{video_id}", path, added)
            continue
        times.append(frame)
        structures.append(_classes("structure", ids, []))
        tools.append(instances + _classes("instrument", ids, instances))
    vocabulary = {c[3] for c in CLASSES if c[2] == "instrument"} | set(TYPES if typed else ())
    seen = tuple(sorted(c[3] for c in CLASSES if c[2] == "structure"))
    pointer = f"{folder} frame {{frame}}, class id {{row}} (types: 100 x class + instance)"
    instants = [time * SECOND for time in times]
    left_out = sum(entry.count for entry in rejected)
    video = _record(video_id, times[-1], media, sources, vocabulary)
    return VideoEvidence(
        video,
        true_table(instants, times, tools, tuple(sorted(vocabulary)), pointer),
        rejected=tuple(rejected),
        books=(Books("read", "masks", masks, masks - left_out, left_out),),
        regions={"structure": true_table(instants, times, structures, seen, pointer)},
    )


def _rejected(key: str, path: str, added: list[Source]) -> list[Rejected]:
    """Rejections of the label image, and of all masks of types in one entry."""
    out = [Rejected("read", key, Code.BAD_MASK, "", path)]
    if added:
        where = added[0].path
        out.append(Rejected("read", key, Code.INCOMPLETE_INSTANT, "", where, len(added)))
    return out


def _classes(kind: str, ids: np.ndarray, instances: list[Instance]) -> list[Instance]:
    """Instances in the label image, without those that have masks of their own."""
    told = {instance.label for instance in instances}
    shown = [(n, c[3]) for n, c in enumerate(CLASSES) if c[2] == kind and (ids == n).any()]
    return [_seen(concept, ids == n, n) for n, concept in shown if concept not in told]


def _seen(label: str, mask: np.ndarray, row: int) -> Instance:
    return Instance(
        label, edges(mask), None, row, mask=run_lengths(mask), attributes={"area": share(mask)}
    )


def _types(
    video_id: str, frame: int, ids: np.ndarray
) -> tuple[list[Instance], list[tuple[int, int, np.ndarray]]]:
    """Two typed instances, the jointed instrument and the suction instrument; and their masks."""
    kind = 1 + h64(video_id, "type") % 6
    jointed = np.isin(ids, (1, 2, 3))
    out = [(kind, 0, jointed)]
    if (ids == 9).any():
        out.append((8, 1, ids == 9))
    instances = [_seen(TYPES[k - 1], mask, 100 * k + number) for k, number, mask in out]
    return instances, out


def _record(
    video_id: str, last: int, media: Media, sources: list[Source], vocabulary: set[str]
) -> Video:
    return true_video(
        "endovis2018", video_id, "robotic nephrectomy", "urology",
        "EndoVis challenge rules, with registration", sources, fps=Fraction(1), period_us=SECOND,
        duration_us=(last + 1) * SECOND, media=media, vocabulary=tuple(sorted(vocabulary)),
        clock=Clock.ORDER,
    )  # fmt: skip

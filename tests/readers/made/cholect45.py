"""Write a small sample of CholecT45 in its real layout; all its data are made up.

Layout and label names are those of the release; ``scene`` defines the events.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.records import Books, Media, MediaKind, Source, VideoEvidence
from surgqa.transforms.readers.base.triplets import (
    INSTRUMENTS,
    TARGETS,
    TRIPLETS,
    VERBS,
    mapping_text,
)
from surgqa.transforms.samples.pictures import HEIGHT, WIDTH
from tests.readers.made.scene import FULL_SECONDS, SceneSecond, seconds_of, write_pictures
from tests.readers.made.truth import Instance, Truth, put, true_table, true_video

VIDEO_NUMBERS = (1, 2, 4, 5, 6, 8, 10, 12, 13, 14)
NAMES = {
    "triplet": tuple(",".join(triplet) for triplet in TRIPLETS),
    "instrument": INSTRUMENTS,
    "verb": VERBS,
    "target": TARGETS,
}


def write(
    root: Path,
    *,
    procedures: int = 2,
    seconds: int = FULL_SECONDS,
    tasks: tuple[str, ...] = ("triplet", "instrument", "verb", "target"),
    pictures: str | None = "png",
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 10.
        seconds: maximum number of annotated seconds of each video, 1 to 58.
        tasks: label files to write; ``triplet`` or ``instrument`` must be among them.
        pictures: ``png`` or ``jpg`` frames for the first video; None: no frames.
    """
    root = Path(root)
    dicts = _write_dicts(root, tasks)
    evidence = []
    for place, number in enumerate(VIDEO_NUMBERS[:procedures]):
        video_id = f"VID{number:02d}"
        happens = seconds_of(video_id, seconds)
        sources = [put(root, f"{task}/{video_id}.txt", _file(happens, task)) for task in tasks]
        media = Media(MediaKind.ABSENT)
        if pictures and not place:
            media = Media(MediaKind.FRAMES, f"data/{video_id}", WIDTH, HEIGHT)
            write_pictures(root / "data" / video_id, happens, pictures)
        evidence.append(_truth(video_id, happens, tasks, media, (*sources, *dicts)))
    return tuple(evidence)


def _write_dicts(root: Path, tasks: tuple[str, ...]) -> list[Source]:
    put(root, "dict/maps.txt", mapping_text())
    sources = {}
    for task, names in NAMES.items():
        text = "".join(f"{number}:{name}\n" for number, name in enumerate(names))
        sources[task] = put(root, f"dict/{task}.txt", text)
    return [sources[task] for task in tasks]


def _file(happens: list[SceneSecond], task: str) -> str:
    """One line per second: the frame id, then 0 or 1 for each name of the task."""
    lines = []
    for second in happens:
        on = {label for labels in _labels(second) for label in labels[task]}
        cells = ["1" if name in on else "0" for name in NAMES[task]]
        lines.append(",".join([str(second.number), *cells]) + "\n")
    return "".join(lines)


def _labels(second: SceneSecond) -> list[dict[str, list[str]]]:
    """The names that each instrument of a second sets to 1, by task."""
    out = []
    for seen in second.seen:
        actions = [action for action in (seen.action, seen.also) if action is not None]
        out.append(
            {
                "instrument": [seen.instrument],
                "verb": [verb for verb, _ in actions],
                "target": [target for _, target in actions],
                "triplet": [f"{seen.instrument},{verb},{target}" for verb, target in actions],
            }
        )
    return out


def _truth(
    video_id: str, happens: list[SceneSecond], tasks: tuple[str, ...], media: Media,
    sources: tuple[Source, ...],
) -> VideoEvidence:  # fmt: skip
    labels = tuple(sorted(INSTRUMENTS))
    frames = [second.number for second in happens]
    rows = len(happens) * len(tasks)
    video = true_video(
        "cholect45", video_id, "laparoscopic cholecystectomy", "general surgery", "CC BY-NC-SA 4.0",
        sources, fps=Fraction(1), period_us=1_000_000, duration_us=(frames[-1] + 1) * 1_000_000,
        media=media, split_group=f"cholec/{video_id.removeprefix('VID')}", vocabulary=labels,
    )  # fmt: skip
    seen = [_instances(second, tasks) for second in happens]
    times = [frame * 1_000_000 for frame in frames]
    first = {"triplet": 0, "instrument": len(TRIPLETS) if "triplet" in tasks else 0}
    legend = ", ".join(f"{task} columns from {first[task]}" for task in first if task in tasks)
    pointer = f"frame {{frame}}, label {{row}} ({legend})"
    table = true_table(times, frames, seen, labels, pointer)
    return VideoEvidence(video, table, (), (), (Books("read", "label rows", rows, rows, 0),))


def _instances(second: SceneSecond, tasks: tuple[str, ...]) -> list[Instance]:
    """One instance per triplet of the second, and one per instrument without a triplet."""
    labels = _labels(second)
    triplets = sorted({NAMES["triplet"].index(t) for entry in labels for t in entry["triplet"]})
    if "triplet" not in tasks:
        triplets = []
    out = []
    for number in triplets:
        instrument, verb, target = TRIPLETS[number]
        out.append(Instance(instrument, None, ((verb, target),), number))
    if "instrument" in tasks:
        explained = {instance.label for instance in out}
        alone = {entry["instrument"][0] for entry in labels} - explained
        before = len(TRIPLETS) if "triplet" in tasks else 0
        for instrument in sorted(alone):
            row = before + INSTRUMENTS.index(instrument)
            out.append(Instance(instrument, None, None, row))
    return out

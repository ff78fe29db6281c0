"""Measure a detector on the held-out part, and find what its missing boxes allow to conclude.

The held-out part is never used for training.  The measure is COCO's
(``transforms.evidence.detect.measure``): precision at 101 recalls, mAP50 at an overlap of 0.5,
mAP50-95 over 0.5, 0.55 … 0.95, both averaged over the classes in the reviewed frames.  With
``.onnx`` weights it needs no PyTorch.

The fitness gate measures the detections of a video before any correction.  If people had corrected
a video before it was observed, the store also contains the tracks without their corrections
(``alone`` of ``video.json``), as runs of instants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from surgqa.ontology.errors import StepOrder
from surgqa.ontology.fitness import CONTACT, FILE, made_by
from surgqa.ontology.keys import digest
from surgqa.ontology.touching import touching
from surgqa.transforms.evidence.base import FrameExtractor
from surgqa.transforms.evidence.detect.measure import BoxRow, measure
from surgqa.transforms.labelling.fitness import (
    Entitling,
    MeasuredFitness,
    ReviewedVideo,
    fitness_of,
)
from surgqa.transforms.labelling.layer import layers_of, truth_of
from surgqa.transforms.labelling.rounds import HELD_OUT, Project
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.media import FrameBatch
from surgqa.transforms.places import write_whole

DECIMALS = 4
CONFIDENCE = 0.01
"""Boxes with a lower score are ignored; an average precision also needs weak boxes."""
BATCH = 8
"""Number of frames decoded together."""


@dataclass(frozen=True, slots=True)
class HeldOutFrame:
    """A reviewed frame of the held-out part.

    Attributes:
        boxes: rows of a layer; none if nothing is visible.
    """

    video_id: str
    time_us: int
    frame: int
    boxes: tuple[dict[str, Any], ...]


def known_frames(project: Project, view: StoreView, part: str = HELD_OUT) -> list[HeldOutFrame]:
    """Return the reviewed frames of a part with their boxes, by video and time."""
    found = []
    for video_id in view.videos():
        layers = layers_of(project.store, video_id, view.medium(video_id))
        numbers = {time_us: frame for one in layers for time_us, frame in one.reviewed.items()}
        found += [
            HeldOutFrame(video_id, time_us, numbers[time_us], tuple(boxes))
            for time_us, boxes in truth_of(layers, part).items()
        ]
    return found


def truth_digest(frames: list[HeldOutFrame]) -> str:
    """Digest of the reference; measurements with different digests cannot be compared."""
    parts: list[object] = []
    for one in frames:
        parts += [one.video_id, one.time_us]
        for row in one.boxes:
            parts += [row["kind"], row["label"], *(repr(row[c]) for c in ("x1", "y1", "x2", "y2"))]
    return digest(*parts)


def about_truth(project: Project, frames: list[HeldOutFrame]) -> dict[str, Any]:
    """Return the numbers of reviewed frames and boxes, and their digest, as plain JSON."""
    asked = sum(len(one.chosen) for one in project.rounds() if one.part == HELD_OUT)
    boxes = Counter(row["label"] for one in frames for row in one.boxes)
    return {
        "frames": len(frames),
        "of": asked,
        "boxes": dict(sorted(boxes.items())),
        "truth": truth_digest(frames),
    }


def measured(
    view: StoreView, frames: list[HeldOutFrame], detector: FrameExtractor
) -> dict[str, Any]:
    """Return the average precision of a detector on reviewed frames.

    Returns:
        Plain JSON: ``map50``, ``map50_95``, and for each class ``known`` and ``found`` (numbers of
        reviewed and of detected boxes), ``ap50`` and ``ap50_95``.

    Raises:
        UserError: there are no frames, or no frame has a box.
    """
    if not any(one.boxes for one in frames):
        raise StepOrder(
            "there are no frames to measure on",
            expected="reviewed frames of the part held out, with boxes",
            found=f"{len(frames)} reviewed frame(s) without a box" if frames else "none reviewed",
            fix="surgqa label choose STORE --part held-out, correct, and import",
        )
    found: list[tuple[int, dict[str, Any]]] = []
    for first, batch in _batches(view, frames):
        at = {int(time_us): first + n for n, time_us in enumerate(batch.times_us)}
        found += [(at[row["time_us"]], row) for row in detector.look(batch).to_pylist()]
    known = [(n, row) for n, frame in enumerate(frames) for row in frame.boxes]
    result = measure(_boxes(found), _boxes(known))
    counts = Counter(_class(row) for _, row in found)
    return {
        "map50": round(result.map50, DECIMALS),
        "map50_95": round(result.map50_95, DECIMALS),
        "classes": {
            name: {
                "known": result.known[name],
                "found": counts[name],
                "ap50": round(ap50, DECIMALS),
                "ap50_95": round(ap50_95, DECIMALS),
            }
            for name, (ap50, ap50_95) in result.classes.items()
        },
    }


def _class(row: dict[str, Any]) -> str:
    return row["label"] if row["kind"] == "instrument" else f"{row['kind']} {row['label']}"


def _boxes(rows: list[tuple[int, dict[str, Any]]]) -> list[BoxRow]:
    return [(picture, _class(row), [row[c] for c in ("x1", "y1", "x2", "y2")], row["score"])
            for picture, row in rows]  # fmt: skip


def _batches(view: StoreView, frames: list[HeldOutFrame]) -> Iterator[tuple[int, FrameBatch]]:
    """Yield the index of the first frame, and its images; a batch has frames of one video."""
    start = 0
    number = 0
    while start < len(frames):
        video_id = frames[start].video_id
        part = [one for one in frames[start : start + BATCH] if one.video_id == video_id]
        pictures = [view.picture(one.video_id, one.time_us) for one in part]
        yield start, FrameBatch(
            number, BATCH,
            np.array([one.time_us for one in part], np.int64),
            np.array([one.frame for one in part], np.int64),
            pictures, np.ones(len(part), bool),
        )  # fmt: skip
        start += len(part)
        number += 1


INSTRUMENT = "instrument"
COLUMNS = ["kind", "label", "time_us", "x1", "y1", "x2", "y2"]
Runs = dict[str, list[list[int]]]
"""Class -> (first instant, last instant, number at each) of each run of equal numbers."""


def runs_of(boxes: pa.Table, times_us: Sequence[int]) -> Runs:
    """Return the numbers of instruments of each class, and of those that may touch a tissue.

    The numbers are stored as runs over the observed instants.
    """
    place = {time_us: n for n, time_us in enumerate(times_us)}
    rows = [row for row in boxes.select(COLUMNS).to_pylist() if row["time_us"] in place]
    counts = Counter((row["label"], place[row["time_us"]]) for row in rows
                     if row["kind"] == INSTRUMENT)  # fmt: skip
    counts.update({(CONTACT, place[time]): len(found) for time, found in touching(rows).items()})
    out: Runs = {}
    ends: dict[str, int] = {}
    for (label, at), count in sorted(counts.items()):
        runs = out.setdefault(label, [])
        if runs and ends[label] == at - 1 and runs[-1][2] == count:
            runs[-1][1] = times_us[at]
        else:
            runs.append([times_us[at], times_us[at], count])
        ends[label] = at
    return out


def film_of(view: StoreView, video_id: str, known: Iterable[HeldOutFrame]) -> ReviewedVideo:
    """Return one video with the detector's results and the frames that people reviewed."""
    facts, frames = view.facts(video_id), view.table(video_id, "frames")
    times = frames.filter(frames["trusted"])["time_us"].to_numpy().astype(np.int64)
    runs = facts.get("alone")
    if runs is None:
        runs = runs_of(view.table(video_id, "boxes"), times.tolist())
    looked = set(times.tolist())
    mine = [one for one in known if one.video_id == video_id and one.time_us in looked]
    true = [_shown(one) for one in mine]
    unknown = {CONTACT} - known_classes(facts)
    labels = sorted({label for one in true for label in one} - unknown)
    return ReviewedVideo(
        video_id, times,
        {label: _counts(times, found) for label, found in runs.items() if label not in unknown},
        np.searchsorted(times, np.array([one.time_us for one in mine], np.int64)),
        {label: np.array([one[label] for one in true], np.int64) for label in labels},
    )  # fmt: skip


def _shown(known: HeldOutFrame) -> Counter[str]:
    """Return the numbers of each class in view, and of those that touch a tissue."""
    rows = [{**row, "time_us": known.time_us} for row in known.boxes]
    contacts = sum(map(len, touching(rows, 0).values()))
    shown = Counter(row["label"] for row in rows if row["kind"] == INSTRUMENT)
    return shown + Counter({CONTACT: contacts})


def _counts(times: np.ndarray, runs: Iterable[Sequence[int]]) -> np.ndarray:
    out = np.zeros(len(times), np.int64)
    for first, last, count in runs:
        out[(times >= first) & (times <= last)] = count
    return out


def known_classes(facts: Mapping[str, Any]) -> set[str]:
    """Return the instruments that the video's detector knows, and CONTACT if it knows tissues."""
    detect = (facts.get("extractors") or {}).get("detect") or {}
    classes = ((detect.get("facts") or {}).get("classes") or {}).values()
    contacts = {CONTACT} if any(one.get("kind") == "tissue" for one in classes) else set()
    return contacts | {one["concept"] for one in classes if one.get("kind") == INSTRUMENT}


def measure_fitness(project: Project, view: StoreView, settings: Entitling) -> MeasuredFitness:
    """Measure the store's own boxes on the reviewed frames of the held-out part.

    Raises:
        UserError: no held-out frame was reviewed, or their videos were observed with different
            settings.
    """
    frames = known_frames(project, view)
    videos = sorted({one.video_id for one in frames})
    facts = [view.facts(video_id) for video_id in videos]
    makers = {made_by(one) for one in facts}
    if len(makers) != 1:
        raise StepOrder(
            "there are no frames to measure on" if not videos
            else "the videos that were reviewed were observed in different ways",
            expected="reviewed frames of the part held out, in videos observed with one detector, "
            "one rate and one setting of 'link'",
            found="none reviewed" if not videos else f"{len(makers)} ways in {len(videos)} videos",
            fix="surgqa label choose STORE --part held-out, correct, and import" if not videos
            else "observe all videos of the store again with the same settings",
        )  # fmt: skip
    films = [film_of(view, video_id, frames) for video_id in videos]
    classes = {name for one in facts for name in known_classes(one)}
    classes |= {name for one in films for name in one.seen}
    return fitness_of(films, classes, makers.pop(), settings)


def record_fitness(project: Project, view: StoreView, measured: MeasuredFitness) -> dict[str, Any]:
    """Write the result to the file that builds read, and to the record of the latest round.

    Returns:
        The step of the round's record, plain JSON.
    """
    fitness = asdict(measured.fitness)
    write_whole(project.store / FILE, orjson.dumps(fitness, option=orjson.OPT_INDENT_2))
    frames = known_frames(project, view)
    step = {
        "step": "fitness", "fitness": fitness, "on": about_truth(project, frames),
        "classes": {name: asdict(one) for name, one in measured.classes.items()},
        "together": asdict(measured.together), "dense": asdict(measured.dense),
    }  # fmt: skip
    plain: dict[str, Any] = orjson.loads(orjson.dumps(step))  # NaN becomes null
    project.add(project.rounds()[-1].number, plain)
    return plain

"""Write a small sample of HyperKvasir in its real layout; all its data are made up.

Folder, file, column and class names are those of the release.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.keys import bytes_digest, digest
from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.mask_sample import run_lengths
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

# Organ, folder of the group, class in folders and in the table, class in folds, kind, concept.
STILLS = (
    ("lower", "anatomical-landmarks", "cecum", "normal-cecum", "landmark", "caecum"),
    ("upper", "pathological-findings", "esophagitis-a", "oesophagitis-a", "finding",
     "oesophagitis_a"),
    ("lower", "quality-of-mucosal-views", "bbps-2-3", "bbps-2-3", "condition",
     "bowel_preparation_2_3"),
)  # fmt: skip
IMAGES, FOLDS = "labeled-images/image-labels.csv", "official_splits/2_fold_split.csv"
BOXES, FILMS = "segmented-images/bounding-boxes.json", "labeled-videos/video-labels.csv"
MEASURES = "hyper-kvasir-video-metadata.csv"
# Left, top, right, bottom in pixels of an image of 64 x 48.
POLYPS = ((8, 8, 32, 24), (40, 24, 56, 40))


@dataclass
class Plan:
    """All rows to write, by table; and the evidence to expect, by video."""

    by_table: dict[str, list[str]] = field(default_factory=dict)
    boxes: dict[str, Any] = field(default_factory=dict)
    videos: dict[str, dict[str, Any]] = field(default_factory=dict)

    def row(self, table: str, line: str, video: str) -> str:
        """Add a line to a table and return its position; the header is line 1."""
        lines = self.by_table[table]
        lines.append(line)
        own = self.videos.setdefault(
            video, {"labels": {}, "read": 0, "rejected": [], "media": None, "film": None}
        )
        own["read"] += 1
        return f"{table}:{len(lines)}"


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of each: still images with a class, segmented images, videos; 1 to 3.
        variant: odd ones have folds instead of the table of images; every third one has only
            free text for its videos; the others differ in lengths and polyps.
    """
    root = Path(root)
    stills = FOLDS if variant % 2 else IMAGES
    films = variant % 3 != 1
    plan = Plan(
        {MEASURES: ["file-name;finding;width;height;number-of-frames;fps;length;kilobytes"]}
    )
    plan.by_table[stills] = [
        "file-name;class-name;split-index" if variant % 2
        else "Video file,Organ,Finding,Classification"
    ]  # fmt: skip
    if films:
        plan.by_table[FILMS] = ["Video file,Organ,Finding 1,Finding 2,Classification 1"]
    for number in range(procedures):
        _add_still(root, plan, stills, number)
        _add_polyps(root, plan, stills, number, variant)
        _add_film(root, plan, number, variant, films)
    sources = {}
    for name, lines in plan.by_table.items():
        sources[name] = put(root, name, ("\n".join(lines) + "\n").encode())
    sources[BOXES] = put(root, BOXES, json.dumps(plan.boxes, indent=4).encode())
    shared = tuple(sources[n] for n in (stills, BOXES, FILMS, MEASURES) if n in sources)
    return Truth(tuple(_truth(root, v, plan.videos[v], shared) for v in sorted(plan.videos)))


def _uuid(kind: str, number: int) -> str:
    text = digest("sample", "hyper_kvasir", kind, number)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:32]))


def _add_still(root: Path, plan: Plan, table: str, number: int) -> None:
    organ, group, folder, fold, kind, concept = STILLS[number]
    name = _uuid("still", number)
    path = f"labeled-images/{organ}-gi-tract/{group}/{folder}/{name}.jpg"
    put(root, path, jpeg(picture(number, [], [])))
    _class_row(plan, table, name, (organ, group, folder, fold, kind, concept), path, number)


def _class_row(
    plan: Plan, table: str, name: str, about: tuple[str, ...], path: str, number: int
) -> None:
    organ, group, folder, fold, kind, concept = about
    if table == FOLDS:
        where = plan.row(table, f"{name}.jpg;{fold};{number % 2}", name)
    else:
        where = plan.row(table, f"{name},{organ.title()} GI,{folder},{group}", name)
        plan.videos[name]["labels"]["structure", f"{organ}_gi_tract"] = where
    plan.videos[name]["labels"][kind, concept] = where
    plan.videos[name]["media"] = Media(MediaKind.IMAGE, path, WIDTH, HEIGHT)


def _add_polyps(root: Path, plan: Plan, table: str, number: int, variant: int) -> None:
    """An image of the class polyps; the segmented copy is shown if the class folder is missing."""
    name = _uuid("polyp", number)
    path = f"segmented-images/images/{name}.jpg"
    about = ("lower", "pathological-findings", "polyps", "polyp", "finding", "polyp")
    _class_row(plan, table, name, about, path, number)
    polyps = POLYPS[: 1 + (number + variant) % 2]
    boxes = [(x1 / WIDTH, y1 / HEIGHT, x2 / WIDTH, y2 / HEIGHT) for x1, y1, x2, y2 in polyps]
    put(root, path, jpeg(picture(number, boxes, list(range(len(boxes))))))
    white = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
    own = plan.videos[name]
    own["polyps"] = []
    entries = []
    for place, (x1, y1, x2, y2) in enumerate(polyps):
        beyond = 9 if variant % 4 == 3 and place else 0
        white[y1:y2, x1:x2] = 255
        mask = np.zeros((HEIGHT, WIDTH), dtype=bool)
        mask[y1:y2, x1:x2] = True
        if beyond:
            where = f"{BOXES} {name}[{place}]"
            own["rejected"].append((Code.BAD_BOX, where, "repaired"))
        corners = {"xmin": x1, "ymin": y1, "xmax": WIDTH + 9 if beyond else x2, "ymax": y2}
        entries.append({"label": "polyp", **corners})
        right = 1.0 if beyond else x2 / WIDTH
        own["polyps"].append(
            Instance("polyp", (x1 / WIDTH, y1 / HEIGHT, right, y2 / HEIGHT), None, place,
                     mask=run_lengths(mask), attributes={"area": (x2 - x1) * (y2 - y1) / (64 * 48)})
        )  # fmt: skip
    own["read"] += len(entries)
    own["mask"] = f"segmented-images/masks/{name}.jpg"
    put(root, own["mask"], jpeg(white))
    plan.boxes[name] = {"height": HEIGHT, "width": WIDTH, "bbox": entries}


def _add_film(root: Path, plan: Plan, number: int, variant: int, films: bool) -> None:
    file = "Polypp 5" if number == 2 else _uuid("film", number)
    video = f"film-{digest('alias', file)[:8]}" if number == 2 else file
    frames, rate = 500 + 7 * variant + number, 30 if number else 25
    words = ("polyp, resection", "Stained  lifted polyp ", "strange thing")[number]
    line = f"{file}.avi;{words};720;576;{frames};{rate};{frames // rate};12345"
    found = {("finding", "polyp"): 0, ("structure", "lower_gi_tract"): 0}
    if films:
        second = "BBPS-2-3" if number else ""
        where = plan.row(FILMS, f"{file},Lower GI,Polyps,{second},pathological-findings", video)
        if number:
            found["condition", "bowel_preparation_2_3"] = 0
        plan.videos[video]["labels"] = dict.fromkeys(found, where)
        plan.row(MEASURES, line, video)
    else:
        where = plan.row(MEASURES, line, video)
        concept = ("polyp", "dyed_lifted_polyp", "")[number]
        if concept:
            plan.videos[video]["labels"]["finding", concept] = where
        else:
            plan.videos[video]["rejected"].append((Code.UNKNOWN_LABEL, where, "repaired"))
    plan.videos[video]["film"] = (frames, rate)
    plan.videos[video]["media"] = Media(MediaKind.ABSENT)


def _truth(
    root: Path, video_id: str, own: dict[str, Any], shared: tuple[Source, ...]
) -> VideoEvidence:
    sources = shared
    regions = {}
    if "mask" in own:
        sources = (*shared, Source(own["mask"], bytes_digest((root / own["mask"]).read_bytes())))
        pointer = f"{BOXES} {video_id}[{{row}}], picture {{frame}}"
        regions["finding"] = true_table([0], [0], [own["polyps"]], ("polyp",), pointer)
    frames, rate = own["film"] or (1, 1)
    video = true_video(
        "hyper_kvasir", video_id, "gastrointestinal endoscopy", "gastroenterology", "CC BY 4.0",
        sources, fps=Fraction(rate), period_us=(2_000_000 + rate) // (2 * rate),
        duration_us=(2_000_000 * frames + rate) // (2 * rate), media=own["media"],
        clock=Clock.TIME if own["film"] else Clock.WHOLE,
    )  # fmt: skip
    labels = tuple(
        VideoLabel(kind, concept, None, "", where.rpartition(":")[0], where)
        for (kind, concept), where in sorted(own["labels"].items())
    )
    rejected = tuple(
        Rejected("read", video.key, code, "", where, outcome=outcome)
        for code, where, outcome in own["rejected"]
    )
    books = Books("read", "label rows", own["read"], own["read"], 0)
    return VideoEvidence(video, None, (), rejected, (books,), labels, regions)

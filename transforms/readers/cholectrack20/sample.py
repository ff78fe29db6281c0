"""Write a small sample of CholecTrack20 in its real layout; all its data are made up.

Layout and label names are those of the release; ``readers.base.scene`` defines the events.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import Box, Instance, put, true_table, true_video
from surgqa.transforms.readers.base.scene import FULL_SECONDS, Second, Seen, seconds_of
from surgqa.transforms.readers.base.triplets import TARGETS, TRIPLETS, VERBS

TOOLS = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator", "specimen-bag")
OPERATORS = {
    "null": "",
    "main-surgeon-left-hand (MSLH)": "main_surgeon_left_hand",
    "assistant-surgeon-right-hand (ASRH)": "assistant_surgeon_right_hand",
    "main-surgeon-right-hand (MSRH)": "main_surgeon_right_hand",
}
PHASES = (
    "preparation", "calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection",
    "gallbladder_packaging", "cleaning_and_coagulation", "gallbladder_extraction",
)  # fmt: skip
"""The concept of each id."""
CONDITIONS = {
    "bleeding": "bleeding_in_view", "blurred": "blurred_view", "crowded": "crowded_view",
    "occluded": "occluded_instrument", "reflection": "light_reflection",
    "smoke": "surgical_smoke", "stainedlens": "stained_lens",
    "undercoverage": "view_from_inside_trocar",
}  # fmt: skip
FOLDERS = {"VID02": "Training", "VID06": "Testing", "VID110": "Validation", "VID23": "Training"}
WITH_VERBS = ("VID06", "VID110", "VID23")
SECOND_US = 1_000_000

Record = dict[str, Any]


def write(
    root: Path, *, procedures: int = 2, seconds: int = FULL_SECONDS, variant: int = 0
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 4.
        seconds: maximum number of annotated seconds of each video, 1 to 58.
        variant: 1 of every 2 has an action that its triplet contradicts, and one with half of
            its labels; 1 of every 3 an invalid record; 1 of every 5 keys and names in another
            case; 1 of every 7 no condition at all.
    """
    evidence = []
    for video_id in list(FOLDERS)[:procedures]:
        happens = seconds_of(video_id, seconds)
        frames = {25 * second.number + 1: _records(second, video_id, variant) for second in happens}
        _spoil(frames, variant)
        stem = video_id.lower() if variant % 5 == 3 else video_id
        name = f"{FOLDERS[video_id]}/{video_id}/{stem}.json"
        data = json.dumps(_file(video_id, frames), separators=(",", ":")).encode()
        evidence.append(_truth(video_id, frames, put(Path(root), name, data)))
    return Truth(tuple(evidence))


def _file(video_id: str, frames: dict[int, list[Record]]) -> dict[str, Any]:
    lists = {"tools": TOOLS, "operators": tuple(OPERATORS)}
    return {
        "info": {"dataset": "made-up sample in the layout of CholecTrack20"},
        "annotations": {str(key): records for key, records in frames.items()},
        "categories": {
            kind: [{"id": number, "name": name} for number, name in enumerate(names)]
            for kind, names in lists.items()
        },
        "video": {
            "name": video_id, "split": FOLDERS[video_id].lower(), "width": 854, "height": 480,
            "num_frames": len(frames),
        },
    }  # fmt: skip


def _records(second: Second, video_id: str, variant: int) -> list[Record]:
    out = []
    for place, seen in enumerate(second.seen):
        for action in (seen.action, *([seen.also] if seen.also else [])):
            out.append(_record(second, seen, place, action, video_id, variant))
    return out


def _record(
    second: Second, seen: Seen, place: int, action: Any, video_id: str, variant: int
) -> Record:
    verb = target = triplet = -1
    if action and video_id in WITH_VERBS:
        verb, target = VERBS.index(action[0]), TARGETS.index(action[1])
        named = (seen.instrument, *action)
        triplet = TRIPLETS.index(named) if named in TRIPLETS else -2
    number = second.number
    flags = {
        "crowded": int(len(second.seen) > 2), "visible": 1, "occluded": int(place == 1),
        "bleeding": int(number % 20 in (5, 6, 7)), "smoke": int(10 <= number % 30 < 16),
        "blurred": int(place == 0 and number % 17 == 3), "undercoverage": 0,
        "reflection": int(number % 2), "stainedlens": int(number > 40),
    }  # fmt: skip
    if variant % 7 == 6:
        flags = dict.fromkeys(flags, 0)
    return {
        "instrument": TOOLS.index(seen.instrument), "verb": verb, "target": target,
        "phase": -1 if second.phase is None else second.phase, "triplet": triplet,
        "tool_bbox": list(seen.box_xywh), "operator": 1 + (place + number // 30) % 3,
        "iscrowd": 0, "area": 1000.0, "score": 1.0, "intraoperative_track": place + 1,
        "intracorporeal_track": place + 1 + number // 30,
        "visibility_track": place + 1 + number // 10, "visibility": 1, **flags,
    }  # fmt: skip


def _spoil(frames: dict[int, list[Record]], variant: int) -> None:
    """Change some records to forms that occur in real files, or to invalid ones."""
    busy = [records for records in frames.values() if records]
    if variant % 2 == 1 and len(busy) > 9:
        for record in busy[6]:
            record["verb"], record["target"], record["triplet"] = 1, -1, -1
        for record in busy[8]:
            record["verb"], record["target"], record["triplet"] = 0, 0, 99
    if variant % 3 == 2 and len(busy) > 12:
        busy[11][0]["instrument"] = 7
        busy[12][-1]["operator"] = 9


def _truth(video_id: str, frames: dict[int, list[Record]], source: Source) -> VideoEvidence:
    entries: list[tuple[int, int, Rejected]] = []
    kept: dict[int, list[Record]] = {}
    for key, records in frames.items():
        bad = [row for row, record in enumerate(records) if record["instrument"] > 6]
        if not bad:
            kept[key] = records
        where = f'{source.path} annotations["{key}"]'
        for row in bad:
            entries.append((key, row, _left(video_id, Code.UNKNOWN_LABEL, f"{where}[{row}]", 1)))
        if bad and len(bad) < len(records):
            rest = len(records) - len(bad)
            left = _left(video_id, Code.INCOMPLETE_INSTANT, where, rest)
            entries.append((key, len(records), left))
    seen = []
    for key, records in kept.items():
        where = f'{source.path} annotations["{key}"]'
        found: dict[Any, Instance] = {}
        for row, record in enumerate(records):
            instance, codes = _instance(record, row)
            place = (instance.label, instance.box_xyxy)
            if place in found:
                pairs = sorted({*(found[place].pairs or ()), *(instance.pairs or ())})
                first = found[place]
                instance = Instance(
                    first.label, first.box_xyxy, tuple(pairs) or None, first.row, first.track,
                    "", first.attributes,
                )  # fmt: skip
            found[place] = instance
            for code in codes:
                left = _left(video_id, code, f"{where}[{row}]", 1, "repaired")
                entries.append((key, row, left))
        seen.append(list(found.values()))
    return _evidence(video_id, frames, kept, seen, entries, source)


def _left(video_id: str, code: Code, where: str, count: int, outcome: str = "rejected") -> Rejected:
    return Rejected("read", f"cholectrack20/{video_id}", code, "", where, count, outcome)


def _instance(record: Record, row: int) -> tuple[Instance, list[Code]]:
    """The instance in a valid record, and the codes of notes about the record."""
    codes = []
    x, y, width, height = record["tool_bbox"]
    whole = (x, y, x + width, y + height)
    box: Box = (max(0.0, x), max(0.0, y), min(1.0, x + width), min(1.0, y + height))
    if box != whole:
        codes.append(Code.BAD_BOX)
    verb, target, triplet = record["verb"], record["target"], record["triplet"]
    tool = TOOLS[record["instrument"]]
    pairs = None
    if (verb < 0) != (target < 0):
        codes.append(Code.BAD_ROW)
    elif verb >= 0:
        if triplet >= 0 and TRIPLETS[triplet] != (tool, VERBS[verb], TARGETS[target]):
            codes.append(Code.CONTRADICTION)
        else:
            pairs = ((VERBS[verb], TARGETS[target]),)
    attributes: dict[str, float | str] = {
        name: float(record[name])
        for name in ("intracorporeal_track", "visibility_track", "visibility", "visible",
                     "crowded", "occluded")
    }  # fmt: skip
    if record["operator"] < len(OPERATORS):
        attributes["operator"] = list(OPERATORS.values())[record["operator"]]
    else:
        codes.append(Code.UNKNOWN_LABEL)
    label = "retrieval_bag" if tool == "specimen-bag" else tool
    return Instance(label, box, pairs, row, record["intraoperative_track"], "", attributes), sorted(
        codes
    )


def _evidence(
    video_id: str, frames: dict[int, list[Record]], kept: dict[int, list[Record]],
    seen: list[list[Instance]], entries: list[tuple[int, int, Rejected]], source: Source,
) -> VideoEvidence:  # fmt: skip
    keys = list(kept)
    times = [(key - 1) * 40_000 for key in keys]
    labels = ("bipolar", "clipper", "grasper", "hook", "irrigator", "retrieval_bag", "scissors")
    table = true_table(
        times, [k - 1 for k in keys], seen, labels, "annotations, key {frame} + 1, record {row}"
    )
    spans: list[Span] = []
    for field, concept in CONDITIONS.items():
        held = [any(record[field] for record in records) for records in kept.values()]
        spans += _runs("condition", [concept if on else None for on in held], keys, source.path)
    phases = [records[0]["phase"] if records else -1 for records in kept.values()]
    named = [PHASES[phase] if phase >= 0 else None for phase in phases]
    spans += _runs("phase", named, keys, source.path)
    spans.sort(key=lambda span: (span.kind, span.start_us, span.end_us, span.label))
    read = sum(max(1, len(records)) for records in frames.values())
    good = sum(max(1, len(records)) for records in kept.values())
    video = true_video(
        "cholectrack20", video_id, "laparoscopic cholecystectomy", "general surgery",
        "CC BY-NC-SA 4.0", (source,), fps=Fraction(25), period_us=SECOND_US,
        duration_us=times[-1] + SECOND_US if times else SECOND_US,
        split_group=f"cholec/{int(video_id[3:]):02d}", vocabulary=labels,
    )  # fmt: skip
    entries.sort(key=lambda entry: (entry[0], entry[1], entry[2].code))
    rejected = tuple(entry for _, _, entry in entries)
    books = (Books("read", "label rows", read, good, read - good),)
    return VideoEvidence(video, table, tuple(spans), rejected, books)


def _runs(kind: str, labels: Sequence[str | None], keys: list[int], source: str) -> list[Span]:
    out = []
    start = 0
    for end in range(1, len(keys) + 1):
        follows = end < len(keys) and keys[end] - keys[end - 1] == 25
        if follows and labels[end] == labels[start]:
            continue
        label = labels[start]
        if label:
            times = (keys[start] - 1) * 40_000, (keys[end - 1] - 1) * 40_000 + SECOND_US
            where = f'annotations["{keys[start]}"] to annotations["{keys[end - 1]}"]'
            out.append(Span(kind, label, *times, source, where))
        start = end
    return out

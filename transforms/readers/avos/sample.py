"""Write a small sample of AVOS, in the layout of the release or of the authors' working files.

File, column and class names are the authors'; all data are made up.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

VIDEOS = ("-aBc_1d-E9f", "Gh2-IjKlMnO", "pQ-3rStUvW_")
SEGMENTS = "open_surgery_temporal_annotations_Jan16.csv"
BOXES = "open_surgery_bboxes_Jan16.csv"
TSM = "MULTITASK_FILES/TSM_FILES/annotations"
PARTS = (
    "data/new_annotations/train/train_data_emmett_annotations.csv",
    "data/new_annotations/test/test_data_emmett_annotations.csv",
)
CONCEPTS = {
    "cutting": "cutting", "tying": "tying", "suturing": "suturing", "background": "other_activity",
    "bovie": "bovie", "forceps": "forceps", "needledriver": "needle_driver", "hand": "hand",
}  # fmt: skip
TOOLS = ("bovie", "forceps", "needle_driver")
YOLO = ("bovie", "forceps", "needledriver", "hand")
QUALITY = (("okay", "recording_fair"), ("good", "recording_good"), ("bad", "recording_poor"))


class Box(NamedTuple):
    """A row of the table of boxes; the class is empty for an image without an object."""

    frame: int
    corners: tuple[int, ...] = ()
    kind: str = ""


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "jpg"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        variant: odd ones use the layout of the working files; others differ in seconds, in unknown
            actions, in repeated rows and in empty images.
        pictures: None: no still images.
    """
    root = Path(root)
    working = variant % 2 == 1
    acts = {video: _actions(video, variant) for video in VIDEOS[:procedures]}
    boxes = {video: _boxes(video, variant) for video in VIDEOS[:procedures]}
    places: dict[str, list[Any]] = {}
    sources = [_write_actions(root, acts, places, working)]
    sources += _write_boxes(root, boxes, places, working)
    if working:
        sources.append(_write_videos(root, list(acts), places))
    if pictures:
        for video, rows in boxes.items():
            for frame in sorted({row.frame for row in rows}):
                folder = "data/new_annotations/train" if working else "images"
                image = jpeg(picture(frame % 10_000, [], []))
                put(root, f"{folder}/{video}-{frame:09d}.jpg", image)
    evidence = []
    for video in sorted(acts):
        own = []
        if working and not pictures:
            own = [_write_yolo(root, video, boxes[video], frame)
                   for frame in _yolo_frames(boxes[video])]  # fmt: skip
        evidence.append(_truth(video, places, (*sources, *own), working, bool(pictures)))
    return Truth(tuple(evidence))


def _actions(video: str, variant: int) -> list[tuple[str, str, str]]:
    """Start, end and label; seconds need not be integers."""
    start = h64("sample", video, "start") % 20
    plan = [("background", 12), ("cutting", 9 + variant), ("background", 3), ("tying", 5)]
    if variant % 3:
        plan.append(("suturing", 14))
    if variant % 4 > 1:
        plan.append(("abstain", 6))
    out = []
    for label, seconds in plan:
        half = ".5" if label == "cutting" else ".0"
        out.append((f"{start}.0", f"{start + seconds}{half}", label))
        start += seconds + 1
    return out


def _boxes(video: str, variant: int) -> list[Box]:
    first = 300 + h64("sample", video, "still") % 50
    rows = []
    for still in range(2 + variant % 3):
        frame = first + 220 * still
        rows.append(Box(frame, (5 + still, 6, 25, 30), "hand"))
        rows.append(Box(frame, (30, 8, 50, 20 + still), "needledriver"))
        rows.append(Box(frame, (34, 24, 60, 40), ("bovie", "forceps")[still % 2]))
        rows.append(Box(frame, (2, 30, 28, 46), "hand"))
    rows.append(Box(first + 1000))
    if variant % 5 == 4:
        rows.append(rows[0])
        rows.append(Box(first + 1000, (1, 1, 9, 9), "forceps"))
    return rows


def _write_actions(
    root: Path, acts: dict[str, list[tuple[str, str, str]]], places: dict, working: bool
) -> Source:
    name = f"{TSM}/v0.5.0-anns-smoothed.csv" if working else SEGMENTS
    header = ",video_id,start_seconds,end_seconds,start_frame,end_frame,label"
    if working:
        header = ",video_id,labeler_2,labeler_1,duration,labeler_3,label,start_seconds,end_seconds"
    lines = [header]
    for video, rows in acts.items():
        for start, end, label in rows:
            number = len(lines) - 1
            seconds = [Fraction(end) - Fraction(start), Fraction(start) * 15, Fraction(end) * 15]
            length, first, last = (f"{float(one):g}" for one in seconds)
            cells = [str(number), video, start, end, first, last, label]
            if working:
                cells = [str(number), video, label, "", length, label, label, start, end]
            lines.append(",".join(cells))
            places.setdefault(f"act {video}", []).append((start, end, label, name, len(lines)))
    return put(root, name, ("\n".join(lines) + "\n").encode())


def _write_boxes(
    root: Path, boxes: dict[str, list[Box]], places: dict, working: bool
) -> list[Source]:
    """One table with a header line, or two without one and with Windows line ends."""
    lines = {BOXES: ["image_name,x1,y1,x2,y2,class"]}
    if working:
        lines = {part: [] for part in PARTS}
    for number, (video, rows) in enumerate(boxes.items()):
        name = list(lines)[number % len(lines)]
        folder = f"../{name.rpartition('/')[0]}/" if working else ""
        for row in rows:
            corners = [str(corner) for corner in row.corners] or [""] * 4
            still = f"{folder}{video}-{row.frame:09d}.jpg"
            lines[name].append(",".join([still, *corners, row.kind]))
            places.setdefault(f"box {video}", []).append((row, name, len(lines[name])))
    end = "\r\n" if working else "\n"
    return [put(root, name, (end.join(own) + end).encode()) for name, own in lines.items() if own]


def _write_videos(root: Path, videos: list[str], places: dict) -> Source:
    name = f"{TSM}/videos.csv"
    lines = [",video_id,video_url,youtube_url,duration_seconds,annotations,quality"]
    for number, video in enumerate(videos):
        # A length of 0 means that it is unknown.
        length = 0.0 if number == 1 else 900.0
        lines.append(f"{number},{video},,,{length},4,{QUALITY[number][0]}")
        where = f"{name}:{len(lines)}"
        places[f"about {video}"] = [(length, QUALITY[number][1], name, where)]
    return put(root, name, ("\n".join(lines) + "\n").encode())


def _yolo_frames(rows: list[Box]) -> list[int]:
    """Frames of every second image with an object; these have a YOLO file."""
    empty = {row.frame for row in rows if not row.kind}
    return sorted({row.frame for row in rows} - empty)[::2]


def _write_yolo(root: Path, video: str, rows: list[Box], frame: int) -> Source:
    lines = []
    for row in dict.fromkeys(rows):
        if row.frame == frame:
            x1, y1, x2, y2 = (value / 64 for value in row.corners)
            numbers = ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1)
            lines.append(" ".join([str(YOLO.index(row.kind)), *map(str, numbers)]))
    name = f"data/new_annotations/test/{video}-{frame:09d}.txt"
    return put(root, name, ("\n".join(lines) + "\n").encode())


def _truth(
    video_id: str, places: dict, sources: tuple[Source, ...], working: bool, pictures: bool
) -> VideoEvidence:
    key = f"avos/{video_id}"
    acts, rows = places[f"act {video_id}"], places[f"box {video_id}"]
    about = places.get(f"about {video_id}", [])
    spans = _spans(acts)
    said = [f"{name}:{line}" for _, _, label, name, line in acts if label == "abstain"]
    entries = [Rejected("read", key, Code.DROPPED_LABEL, "", where) for where in said]
    drawn = _yolo_frames([row for row, _, _ in rows]) if working and not pictures else []
    kept, noted = _sorted_out(key, rows, drawn, pictures)
    last = max(row.frame for row in kept) + 1
    ends = [span.end_us for span in spans] + [(2_000_000 * last + 15) // 30]
    ends += [int(length * 1_000_000) for length, *_ in about]
    video = true_video(
        "avos", video_id, "open surgery", "general surgery",
        "MIT (annotations); videos belong to their authors", sources, fps=Fraction(15),
        period_us=66_667, duration_us=max(ends), split_group=key, vocabulary=TOOLS,
    )  # fmt: skip
    labels = tuple(VideoLabel("condition", concept, None, "", name, where)
                   for _, concept, name, where in about)  # fmt: skip
    rejected = (*entries, *noted)
    books = _books(len(acts) + len(rows) + len(about), rejected)
    tables = _tables(kept, drawn, pictures, sources)
    hands = {"structure": tables["hand"]}
    return VideoEvidence(video, tables["tool"], spans, rejected, (books,), labels, hands)


def _books(read: int, rejected: tuple[Rejected, ...]) -> Books:
    gone = sum(entry.outcome == "rejected" for entry in rejected)
    return Books("read", "label rows", read, read - gone, gone)


def _spans(acts: list) -> tuple[Span, ...]:
    spans = []
    for start, end, label, name, line in acts:
        if label != "abstain":
            since, until = (int(Fraction(second) * 1_000_000) for second in (start, end))
            spans.append(Span("action", CONCEPTS[label], since, until, name, f"{name}:{line}"))
    return tuple(sorted(spans, key=lambda span: (span.start_us, span.end_us, span.label)))


def _sorted_out(
    key: str, rows: list, drawn: list[int], pictures: bool
) -> tuple[dict[Box, int], list[Rejected]]:
    """Valid rows with their lines, and the entries that record the others."""
    kept: dict[Box, int] = {}
    noted = []
    for row, name, line in rows:
        code = None
        empty = [other.kind for other in kept if other.frame == row.frame and not other.kind]
        if row in kept:
            code = Code.DUPLICATE_FRAME
        elif row.kind and empty:
            code = Code.CONTRADICTION
        if code:
            noted.append((line, Rejected("read", key, code, "", f"{name}:{line}")))
            continue
        kept[row] = line
        if row.kind and not pictures and row.frame not in drawn:
            entry = Rejected("read", key, Code.BAD_BOX, "", f"{name}:{line}", outcome="repaired")
            noted.append((line, entry))
    return kept, [entry for _, entry in sorted(noted, key=lambda one: one[0])]


def _tables(
    kept: dict[Box, int], drawn: list[int], pictures: bool, sources: tuple[Source, ...]
) -> dict[str, Any]:
    frames = sorted({row.frame for row in kept})
    times = [(2_000_000 * frame + 15) // 30 for frame in frames]
    pointer = f"{' or '.join(s.path for s in sources)}: frame {{frame}}, line {{row}}"
    tables = {}
    for what, labels in (("tool", TOOLS), ("hand", ("hand",))):
        seen = []
        for frame in frames:
            own = []
            for row, line in kept.items():
                if row.frame != frame or not row.kind or (row.kind == "hand") != (what == "hand"):
                    continue
                box = None
                if pictures or frame in drawn:
                    wide, high = (WIDTH, HEIGHT) if pictures else (64, 64)
                    x1, y1, x2, y2 = row.corners
                    box = (x1 / wide, y1 / high, x2 / wide, y2 / high)
                own.append(Instance(CONCEPTS[row.kind], box, None, line))
            seen.append(own)
        tables[what] = true_table(times, frames, seen, labels, pointer)
    return tables

"""Write a small sample of Kvasir-Capsule in its real layout; all its data are made up.

File, column and class names are those of the release.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture, png
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

EXAMS = ("0c1d2e3f40516273", "5a6b7c8d9eaf0b1c", "b0c1d2e3f4051627")
FINDINGS = (
    "angiectasia", "erosion", "erythema", "foreign_body", "fresh_blood", "hematin",
    "lymphangiectasia", "polyp", "ulcer",
)  # fmt: skip
LANDMARKS = ("ampulla_of_vater", "ileocaecal_valve", "pylorus")
HEADER = "filename;video_id;frame_number;finding_category;finding_class;x1;y1;x2;y2;x3;y3;x4;y4"
# Name in the table, name in the split files, category, kind, concept.
CLASSES = {
    "normal": ("Normal clean mucosa", "Normal", "Luminal", "condition", "normal_mucosa"),
    "reduced": ("Reduced mucosal view", "Reduced Mucosal View", "Luminal", "condition",
                "reduced_mucosal_view"),
    "pylorus": ("Pylorus", "Pylorus", "Anatomy", "landmark", "pylorus"),
    "valve": ("Ileocecal valve", "Ileo-cecal valve", "Anatomy", "landmark", "ileocaecal_valve"),
    "erosion": ("Erosion", "Erosion", "Luminal", "finding", "erosion"),
    "blood": ("Blood - fresh", "Blood", "Luminal", "finding", "fresh_blood"),
    "ulcer": ("Ulcer", "Ulcer", "Luminal", "finding", "ulcer"),
}  # fmt: skip


class Row(NamedTuple):
    """A label of a frame, with or without a quadrilateral."""

    frame: int
    what: str
    quad: tuple[int, ...] = ()


class Placed(NamedTuple):
    row: Row
    file: str
    line: int


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "jpg"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of examinations, 1 to 3.
        variant: odd ones have the split files but no table; others differ in length, in unknown
            classes and in repeated rows.
        pictures: ``png`` or ``jpg`` for frames with a box; None: no images.
    """
    root = Path(root)
    suffix = pictures or "jpg"
    rows = {exam: _rows(exam, variant) for exam in EXAMS[:procedures]}
    if variant % 2:
        placed, sources = _write_splits(root, rows, suffix)
    else:
        placed, sources = _write_table(root, rows, suffix)
        if pictures:
            _write_pictures(root, rows, suffix)
    size = (WIDTH, HEIGHT) if pictures and not variant % 2 else (336, 336)
    return Truth(tuple(_truth(exam, placed[exam], sources, size) for exam in rows))


def _rows(exam: str, variant: int) -> list[Row]:
    start = 900 + h64("sample", exam, "start") % 400
    length = 6 + variant
    rows = [Row(start + step, "normal") for step in range(length)]
    rows += [Row(start + 60 + step, "pylorus") for step in range(3)]
    for step in range(length // 2 + 1):
        x, y = 10 + step % 7, 8 + step % 5
        quad = (x, y, x + 12, y + 2, x + 11, y + 14, x - 1, y + 13)
        rows.append(Row(start + 62 + step, "erosion", quad))
    rows.append(Row(start + 62, "erosion", (30, 20, 40, 22, 41, 30, 29, 31)))
    rows.append(Row(start + 63, "erosion"))  # a duplicate: this frame has a row with a box above
    if variant % 4 < 2:
        rows += [Row(start + 200 + 2 * step, "blood") for step in range(3)]
    rows.append(Row(start + 300, "ulcer", (50, 30, 900, 31, 900, 44, 51, 45)))
    rows.append(Row(start + 301, "ulcer", (20, 30, 20, 31, 20, 44, 20, 45)))
    if variant % 3 == 2:
        rows.append(rows[0])
    rows += [Row(start + 400 + step, "valve") for step in range(1 + variant % 3)]
    return [*rows, Row(start + 500, "reduced")]


def _write_table(
    root: Path, rows: dict[str, list[Row]], suffix: str
) -> tuple[dict[str, list[Placed]], tuple[Source, ...]]:
    lines = [HEADER]
    placed: dict[str, list[Placed]] = {}
    for exam, own in rows.items():
        placed[exam] = []
        for row in own:
            label, _, category, _, _ = CLASSES[row.what]
            name = f"{exam}_{row.frame}.{suffix}"
            # In the release, rows without a box have one field too few.
            corners = [str(corner) for corner in row.quad] or [""] * 7
            lines.append(";".join([name, exam, str(row.frame), category, label, *corners]))
            placed[exam].append(Placed(row, "metadata.csv", len(lines)))
    return placed, (put(root, "metadata.csv", lines),)


def _write_splits(
    root: Path, rows: dict[str, list[Row]], suffix: str
) -> tuple[dict[str, list[Placed]], tuple[Source, ...]]:
    """Write findings to one fold, and all other labels to the other."""
    files = [f"official_splits/split_{fold}.csv" for fold in (0, 1)]
    placed: dict[str, list[Placed]] = {exam: [] for exam in rows}
    sources = []
    for fold, name in enumerate(files):
        lines = ["filename,label"]
        for exam, own in rows.items():
            for row in own:
                if (CLASSES[row.what][3] == "finding") == bool(fold):
                    lines.append(f"{exam}_{row.frame}.{suffix},{CLASSES[row.what][1]}")
                    plain = Row(row.frame, row.what)
                    placed[exam].append(Placed(plain, name, len(lines)))
        sources.append(put(root, name, lines))
    return placed, tuple(sources)


def _write_pictures(root: Path, rows: dict[str, list[Row]], suffix: str) -> None:
    for exam, own in rows.items():
        for row in own:
            if row.quad and row.what == "erosion":
                x1, y1, x2, y2 = _around(row.quad, (WIDTH, HEIGHT))
                image = picture(row.frame % 1000, [(x1, y1, x2, y2)], [0])
                folder = root / "labelled_images" / CLASSES[row.what][0]
                folder.mkdir(parents=True, exist_ok=True)
                data = png(image) if suffix == "png" else jpeg(image)
                (folder / f"{exam}_{row.frame}.{suffix}").write_bytes(data)


def _around(quad: tuple[int, ...], size: tuple[int, int]) -> tuple[float, float, float, float]:
    xs, ys = quad[0::2], quad[1::2]
    return (
        max(min(xs), 0) / size[0], max(min(ys), 0) / size[1],
        min(max(xs), size[0]) / size[0], min(max(ys), size[1]) / size[1],
    )  # fmt: skip


def _truth(
    exam: str, placed: list[Placed], sources: tuple[Source, ...], size: tuple[int, int]
) -> VideoEvidence:
    kept, rejected = _sorted_out(exam, placed, size)
    last = max(one.row.frame for one in kept)
    video = true_video(
        "kvasir_capsule", exam, "video capsule endoscopy", "gastroenterology", "CC BY 4.0", sources,
        fps=Fraction(1), period_us=1_000_000, duration_us=(last + 1) * 1_000_000,
        split_group=f"kvasir_capsule/{exam}", clock=Clock.ORDER,
    )  # fmt: skip
    books = Books("read", "label rows", len(placed), len(kept), len(placed) - len(kept))
    return VideoEvidence(
        video, None, _spans(kept, sources[0].path), tuple(rejected), (books,),
        regions=_regions(kept, sources, size),
    )  # fmt: skip


def _sorted_out(
    exam: str, placed: list[Placed], size: tuple[int, int]
) -> tuple[list[Placed], list[Rejected]]:
    kept: list[Placed] = []
    rejected = []
    for one in placed:
        where, key = f"{one.file}:{one.line}", f"kvasir_capsule/{exam}"
        better = any(
            other.row.quad and other.row[:2] == one.row[:2] and not one.row.quad for other in placed
        )
        if better or any(other.row == one.row for other in kept):
            rejected.append(Rejected("read", key, Code.DUPLICATE_FRAME, "", where))
            continue
        kept.append(one)
        quad = one.row.quad
        flat = quad and min(quad[0::2]) == max(quad[0::2])
        wide = quad and max(quad[0::2]) > size[0]
        if flat or wide:
            rejected.append(Rejected("read", key, Code.BAD_BOX, "", where, outcome="repaired"))
    return kept, rejected


def _spans(kept: list[Placed], source: str) -> tuple[Span, ...]:
    spans = []
    for what in CLASSES:
        own = sorted({one.row.frame: one for one in reversed(kept) if one.row.what == what}.items())
        first = 0
        for place in range(len(own)):
            if place + 1 < len(own) and own[place + 1][0] == own[place][0] + 1:
                continue
            start, end = own[first], own[place]
            where = f"{start[1].file}:{start[1].line}"
            if place > first:
                where += f" to {end[1].file}:{end[1].line}"
            spans.append(Span(CLASSES[what][3], CLASSES[what][4], start[0] * 1_000_000,
                              (end[0] + 1) * 1_000_000, source, where))  # fmt: skip
            first = place + 1
    return tuple(sorted(spans, key=lambda s: (s.kind, s.start_us, s.end_us, s.label)))


def _regions(kept: list[Placed], sources: tuple[Source, ...], size: tuple[int, int]) -> dict:
    regions = {}
    files = " or ".join(source.path for source in sources)
    for kind, labels in (("finding", FINDINGS), ("landmark", LANDMARKS)):
        frames = set()
        seen: dict[int, list[Instance]] = {}
        for row, _, line in kept:
            about, concept = CLASSES[row.what][3:]
            if about == kind or (kind == "finding" and concept == "normal_mucosa"):
                frames.add(row.frame)
            if about == kind:
                flat = not row.quad or min(row.quad[0::2]) == max(row.quad[0::2])
                box = None if flat else _around(row.quad, size)
                seen.setdefault(row.frame, []).append(Instance(concept, box, None, line))
        ordered = sorted(frames)
        regions[kind] = true_table(
            [frame * 1_000_000 for frame in ordered], ordered,
            [seen.get(frame, []) for frame in ordered], labels,
            f"{files}: frame {{frame}}, line {{row}}",
        )  # fmt: skip
    return regions

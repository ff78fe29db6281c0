"""Write a small sample of Cholec80-CVS: a workbook of the same form; all its rows are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import put, true_video
from surgqa.transforms.readers.base.workbook import workbook

NAME = "cholec80-CVS.xlsx"
HEADER = (
    "video", "critical_view", "initial_minute", "initial_second", "final_minute", "final_second",
    "two_structures", "cystic_plate", "hepatocystic_triangle", "Total",
)  # fmt: skip
RATINGS = ("cvs_two_structures", "cvs_cystic_plate", "cvs_hepatocystic_triangle", "cvs_achieved")
VIDEO_NUMBERS = (2, 3, 5, 12, 80)

Entry = tuple[int, int, tuple[int, int, int]]
"""First and last second, and the three scores."""


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 5.
        variant: adds rows: 1 of every 2 two rows that agree, 1 of every 3 two that do not, 1 of
            every 5 two that agree nowhere; in 1 of every 7, a row of zeros is the only
            row.
    """
    videos = {number: _entries(number, variant) for number in VIDEO_NUMBERS[:procedures]}
    lines: list[tuple[int, int, Entry]] = []
    # Rows of videos alternate, and the rows of one video are not sorted by time.
    for place in range(max(map(len, videos.values()))):
        for number, entries in videos.items():
            if place < len(entries):
                lines.append((len(lines) + 2, number, entries[place]))
    data = workbook([HEADER, *(_cells(number, entry) for _, number, entry in lines)])
    source = put(Path(root), NAME, data)
    return Truth(
        tuple(
            _truth(number, [(line, entry) for line, n, entry in lines if n == number], source)
            for number in videos
        )
    )


def _entries(number: int, variant: int) -> list[Entry]:
    if variant % 7 == 5:
        return [(0, 0, (0, 0, 0))]
    start = 600 + h64("sample", "cvs", number) % 500
    entries: list[Entry] = [
        (start + 90, start + 128, (2, 2, 1)),
        (0, start, (0, 0, 0)),
        (start + 40, start + 89, (1, 0, 1)),
        (start + 1, start + 39, (1, 0, 0)),
        (start + 135, start + 100, (0, 0, 0)),  # ends before it starts
        (start + 130, start + 150, (2, 1, 2)),
    ]
    if variant % 2 == 1:
        entries.append((start + 120, start + 128, (2, 2, 1)))
    if variant % 3 == 1:
        entries.append((start + 20, start + 60, (1, 1, 1)))
    if variant % 5 == 2:
        entries += [(start + 200, start + 210, (0, 1, 2)), (start + 200, start + 210, (2, 2, 1))]
    return entries


def _cells(number: int, entry: Entry) -> list[int]:
    first, last, scores = entry
    times = [*divmod(first, 60), *divmod(last, 60)]
    return [number, int(sum(scores) >= 5), *times, *scores, sum(scores)]


def _truth(number: int, lines: list[tuple[int, Entry]], source: Source) -> VideoEvidence:
    video_id = f"video{number:02d}"
    usable = [(first, last, line, scores) for line, (first, last, scores) in lines if first <= last]
    usable.sort()
    length = max(last for _, last, _, _ in usable) + 1
    whole = {line: True for _, _, line, _ in usable}
    some = {line: False for _, _, line, _ in usable}
    spans = [span for column in range(4) for span in _spans(column, usable, length, whole, some)]
    rejected = []
    for line, _ in lines:
        left = "rejected" if not some.get(line) else "" if whole[line] else "repaired"
        code = Code.CONTRADICTION if line in some else Code.BAD_TIME
        if left:
            key, where = f"cholec80_cvs/{video_id}", f"{NAME}:{line}"
            rejected.append(Rejected("read", key, code, "", where, 1, left))
    spans.sort(key=lambda span: (span.start_us, span.end_us, span.label))
    kept = sum(some.values())
    books = (Books("read", "label rows", len(lines), kept, len(lines) - kept),)
    video = true_video(
        "cholec80_cvs", video_id, "laparoscopic cholecystectomy", "general surgery",
        "CC BY 4.0 (labels, likely), CC BY-NC-SA 4.0 (videos)", (source,), fps=Fraction(1),
        period_us=1_000_000, duration_us=length * 1_000_000, split_group=f"cholec/{number:02d}",
    )  # fmt: skip
    return VideoEvidence(video, None, tuple(spans), tuple(rejected), books)


def _spans(
    column: int, usable: list[tuple[int, int, int, tuple[int, int, int]]], length: int,
    whole: dict[int, bool], some: dict[int, bool],
) -> list[Span]:  # fmt: skip
    """Runs of one row's score; also records which rows are kept completely and which in part."""
    name = HEADER[6 + column] if column < 3 else HEADER[1]
    out = []
    run: tuple[int, int, int] | None = None  # start, row, score
    for second in range(length + 1):
        told = [
            (line, scores[column] if column < 3 else int(sum(scores) >= 5))
            for first, last, line, scores in usable
            if first <= second <= last
        ]
        known = len({score for _, score in told}) == 1
        for line, _ in told:
            whole[line] &= known
            some[line] |= known
        now = told[0] if known else None
        if run and (now is None or now[0] != run[1]):
            pointer = f"row {run[1]}, column {name}"
            times = run[0] * 1_000_000, second * 1_000_000
            out.append(Span("rating", RATINGS[column], *times, NAME, pointer, float(run[2])))
            run = None
        if now and run is None:
            run = (second, *now)
    return out

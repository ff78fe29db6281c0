"""What is peculiar to Cholec80-CVS, and its reader on the real workbook.

The figures were taken from the workbook with plain loops, not with the reader.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.readers.cholec80_cvs.reader import Reader
from surgqa.transforms.samples.workbook import workbook

TWO, PLATE, TRIANGLE, VIEW = (
    "cvs_two_structures", "cvs_cystic_plate", "cvs_hepatocystic_triangle", "cvs_achieved",
)  # fmt: skip


def row(first: int, last: int, scores: tuple[int, int, int], video: Any = 2) -> list[Any]:
    times = [*divmod(first, 60), *divmod(last, 60)]
    return [video, int(sum(scores) >= 5), *times, *scores, sum(scores)]


NAME = "cholec80-CVS.xlsx"
HEADER = (
    "video", "critical_view", "initial_minute", "initial_second", "final_minute", "final_second",
    "two_structures", "cystic_plate", "hepatocystic_triangle", "Total",
)  # fmt: skip


def lay(root: Path, *rows: list[Any], header: Any = HEADER, name: str = NAME) -> VideoEvidence:
    (root / name).write_bytes(workbook([header, *rows]))
    return Reader(root).read("video02")


def told(evidence: VideoEvidence, label: str) -> list[tuple[int, int, float | None]]:
    """Seconds from and to, and the score."""
    return [
        (span.start_us // 1_000_000, span.end_us // 1_000_000, span.value)
        for span in evidence.spans
        if span.label == label
    ]


def left_out(evidence: VideoEvidence) -> list[tuple[Code, str, str]]:
    return [(e.code, e.outcome, e.where) for e in evidence.rejected]


# ---- quirks


def test_both_ends_of_an_interval_belong_to_it(tmp_path: Path) -> None:
    evidence = lay(tmp_path, row(10, 19, (2, 0, 1)), row(0, 9, (0, 0, 0)), row(20, 20, (2, 2, 1)))
    assert told(evidence, TWO) == [(0, 10, 0.0), (10, 20, 2.0), (20, 21, 2.0)]
    assert told(evidence, VIEW) == [(0, 10, 0.0), (10, 20, 0.0), (20, 21, 1.0)]
    assert evidence.video.duration_us == 21_000_000
    assert evidence.spans[0].pointer == "row 3, column critical_view"


def test_rows_of_zeros_are_explicit_negatives(tmp_path: Path) -> None:
    evidence = lay(tmp_path, row(0, 0, (0, 0, 0)))
    assert [told(evidence, name) for name in (TWO, PLATE, TRIANGLE, VIEW)] == [[(0, 1, 0.0)]] * 4


def test_where_rows_overlap_only_what_they_agree_in_is_known(tmp_path: Path) -> None:
    evidence = lay(tmp_path, row(0, 9, (2, 0, 1)), row(5, 14, (2, 1, 1)))
    assert told(evidence, TWO) == [(0, 10, 2.0), (10, 15, 2.0)]
    assert told(evidence, PLATE) == [(0, 5, 0.0), (10, 15, 1.0)]
    assert left_out(evidence) == [(Code.CONTRADICTION, "repaired", f"{NAME}:{n}") for n in (2, 3)]
    assert [(b.read, b.kept, b.rejected) for b in evidence.books] == [(2, 2, 0)]


def test_a_row_of_which_nothing_stands_is_rejected(tmp_path: Path) -> None:
    evidence = lay(tmp_path, row(0, 9, (2, 2, 1)), row(3, 5, (1, 1, 0)), row(7, 8, (2, 2, 1)))
    assert told(evidence, TWO) == [(0, 3, 2.0), (6, 10, 2.0)]
    assert left_out(evidence) == [
        (Code.CONTRADICTION, "repaired", f"{NAME}:2"),
        (Code.CONTRADICTION, "rejected", f"{NAME}:3"),
    ]
    assert [(b.read, b.kept, b.rejected) for b in evidence.books] == [(3, 2, 1)]


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (row(90, 30, (0, 0, 0)), Code.BAD_TIME),
        ([2, 0, 0, 60, 2, 0, 0, 0, 0, 0], Code.BAD_TIME),
        ([2, 0, -1, 0, 2, 0, 0, 0, 0, 0], Code.BAD_TIME),
        ([2, 0, "soon", 0, 2, 0, 0, 0, 0, 0], Code.BAD_TIME),
        ([2, 0, 0, 0, 10**9, 0, 0, 0, 0, 0], Code.BAD_TIME),
        ([2, 0, 0, 0, "", 0, 0, 0, 0, 0], Code.BAD_TIME),
        ([2, 0, 0, 0, 2, 0, 3, 0, 0, 3], Code.BAD_VALUE),
        ([2, 0, 0, 0, 2, 0, 0.5, 0, 0, 0.5], Code.BAD_VALUE),
        ([2, 2, 0, 0, 2, 0, 2, 2, 2, 6], Code.BAD_VALUE),
        ([2, "", 0, 0, 2, 0, 2, 2, 2, 6], Code.BAD_VALUE),
        ([2, 0, 0, 0, 2, 0, 2, 2, 1, 5], Code.CONTRADICTION),
        ([2, 1, 0, 0, 2, 0, 2, 1, 1, 4], Code.CONTRADICTION),
        ([2, 0, 0, 0, 2, 0, 1, 1, 1, 2], Code.CONTRADICTION),
    ],
)
def test_a_row_that_cannot_be_believed_is_rejected(
    tmp_path: Path, cells: list[Any], code: Code
) -> None:
    evidence = lay(tmp_path, row(0, 4, (1, 0, 0)), cells)
    assert left_out(evidence) == [(code, "rejected", f"{NAME}:3")]
    assert told(evidence, TWO) == [(0, 5, 1.0)]
    assert all(books.balanced for books in evidence.books)


@pytest.mark.parametrize("video", ["", 0, 81, -2, 2.5, "two", 10**9])
def test_a_row_of_no_video_stops_the_reader(tmp_path: Path, video: Any) -> None:
    with pytest.raises(SourceBroken) as error:
        lay(tmp_path, row(0, 4, (1, 0, 0)), row(5, 6, (0, 0, 0), video))
    assert error.value.where == f"{NAME}:3"


@pytest.mark.parametrize("column", range(len(HEADER)))
def test_a_column_that_is_not_there_stops_the_reader(tmp_path: Path, column: int) -> None:
    header = [name for place, name in enumerate(HEADER) if place != column]
    cells = [cell for place, cell in enumerate(row(0, 4, (1, 0, 0))) if place != column]
    with pytest.raises(SourceBroken) as error:
        lay(tmp_path, cells, header=header)
    assert error.value.where == f"{NAME}:1"


def test_names_may_be_written_in_other_ways(tmp_path: Path) -> None:
    spoken = [name.replace("_", " ").title() for name in HEADER]
    expected = lay(tmp_path, row(0, 4, (1, 0, 0)))
    (tmp_path / NAME).unlink()
    found = lay(tmp_path, row(0, 4, (1, 0, 0)), header=spoken, name="Surgeons_Annotations.XLSX")
    assert [(s.label, s.end_us) for s in found.spans] == [
        (s.label, s.end_us) for s in expected.spans
    ]
    assert found.video.sources[0].path == "Surgeons_Annotations.XLSX"


def test_a_video_without_a_row_is_missing_by_name(tmp_path: Path) -> None:
    registry.load_sample("cholec80_cvs")(tmp_path)
    with pytest.raises(SourceMissing, match="video77"):
        Reader(tmp_path).read("video77")


# ---- the real workbook

CRITERIA = ("two_structures", "cystic_plate", "hepatocystic_triangle")
Real = list[dict[str, int]]


@pytest.fixture(scope="module")
def root(real_dataset) -> Path:
    return real_dataset("cholec80-cvs")


@pytest.fixture(scope="module")
def rows(root: Path) -> Real:
    sheet = load_workbook(root / NAME).worksheets[0]
    header, *values = sheet.iter_rows(values_only=True)
    return [
        {"line": line, **dict(zip(header, cells, strict=True))}
        for line, cells in enumerate(values, 2)
    ]


@pytest.fixture(scope="module")
def evidence(root: Path) -> dict[str, VideoEvidence]:
    reader = Reader(root)
    return {video: reader.read(video) for video in reader.videos()}


def test_the_real_workbook_has_the_figures_of_its_source(rows: Real, evidence) -> None:
    assert len(rows) == 572
    assert list(evidence) == [f"video{number:02d}" for number in range(1, 81)]
    books = [found.books[0] for found in evidence.values()]
    assert sum(one.read for one in books) == 572
    assert [(one["video"], one["line"]) for one in rows if backwards(one)] == [
        (3, 27), (6, 79), (48, 351),
    ]  # fmt: skip
    assert sum(any(one[name] for name in CRITERIA) for one in rows) == 331
    assert sum(one["critical_view"] for one in rows) == 23


def backwards(one: dict[str, int]) -> bool:
    return first_of(one) > last_of(one)


def first_of(one: dict[str, int]) -> int:
    return 60 * one["initial_minute"] + one["initial_second"]


def last_of(one: dict[str, int]) -> int:
    return 60 * one["final_minute"] + one["final_second"]


def test_every_second_of_every_criterion_is_what_the_rows_agree_on(rows: Real, evidence) -> None:
    spelled = dict(zip((*CRITERIA, "critical_view"), (TWO, PLATE, TRIANGLE, VIEW), strict=True))
    for number in range(1, 81):
        found = evidence[f"video{number:02d}"]
        for column, label in spelled.items():
            said: dict[int, set[int]] = {}
            for one in rows:
                if one["video"] == number:
                    for second in range(first_of(one), last_of(one) + 1):
                        said.setdefault(second, set()).add(one[column])
            expected = {s: min(scores) for s, scores in said.items() if len(scores) == 1}
            read = {
                second: value
                for start, end, value in told(found, label)
                for second in range(start, end)
            }
            assert read == expected
        assert found.video.duration_us == (max(said) + 1) * 1_000_000


def test_what_is_left_out_of_the_real_workbook_and_why(evidence) -> None:
    entries = list(itertools.chain.from_iterable(found.rejected for found in evidence.values()))
    counts = Counter((entry.code, entry.outcome) for entry in entries)
    assert counts == {
        (Code.BAD_TIME, "rejected"): 3,
        (Code.CONTRADICTION, "repaired"): 68,
        (Code.CONTRADICTION, "rejected"): 3,
    }
    gone = [(e.key, e.where) for e in entries if e.outcome == "rejected"]
    assert Counter(key for key, _ in gone) == {
        "cholec80_cvs/video03": 1, "cholec80_cvs/video06": 1, "cholec80_cvs/video48": 1,
        "cholec80_cvs/video70": 3,
    }  # fmt: skip
    assert sum(books.kept for found in evidence.values() for books in found.books) == 572 - 6


def test_neighbours_begin_a_second_after_one_another(rows: Real) -> None:
    """The reason for which both ends belong to an interval."""
    steps: Counter[int] = Counter()
    for number in range(1, 81):
        times = sorted((first_of(one), last_of(one)) for one in rows if one["video"] == number)
        steps.update(b[0] - a[1] for a, b in itertools.pairwise(times))
    assert steps[1] == 434
    assert sum(steps.values()) == 492


def test_the_splits_are_those_of_the_authors(root: Path) -> None:
    splits = registry.files("cholec80_cvs").splits
    folds = json.loads((root / "data" / "folds.json").read_text())["folds"]
    assert len(folds) == 16
    for number, fold in enumerate(folds, 1):
        split = splits[f"fold-{number:02d}"]
        assert {video for video, side in split.items() if side == "test"} == set(fold)


def test_a_damaged_workbook_is_an_error_in_words(root: Path, tmp_path: Path) -> None:
    whole = (root / NAME).read_bytes()
    for part in range(1, 30):
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        (tmp_path / NAME).write_bytes(whole[: len(whole) * part // 30])
        with pytest.raises(UserError) as error:
            Reader(tmp_path).videos()
        assert error.value.where == f"{NAME}:1"

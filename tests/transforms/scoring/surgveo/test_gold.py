"""All printed cells and both tables of errors come out of score sums, digit for digit."""

from fractions import Fraction

import pytest

from surgqa.ontology.continuations import BASELINE, LAPAROSCOPIC, NEUROSURGICAL, STAGE_AWARE
from surgqa.transforms.scoring.surgveo.cells import (
    cells,
    drop_over_time,
    error_shares,
    print_fraction,
    print_root,
    report_of,
    scores_by_cell,
)
from surgqa.transforms.scoring.surgveo.design import (
    design_of,
    read_rows,
    require_complete,
    write_rows,
)
from tests.transforms.scoring.surgveo.gold import ERRORS, SAMPLES, gold_cells, gold_rows

GOLD = gold_cells()


@pytest.fixture(scope="module")
def rows():
    return gold_rows()


def test_the_rows_are_the_complete_design_of_both_tracks(rows):
    design = design_of(rows)
    require_complete(rows, design)
    assert len(rows) == design.size == 2400
    by_track = {track: sum(row.track == track for row in rows) for track in SAMPLES}
    assert by_track == {LAPAROSCOPIC: 864, NEUROSURGICAL: 1536}
    assert {row.score for row in rows} <= {1, 2, 3, 4, 5}


def test_all_48_cells_are_printed_as_published(rows):
    found = cells(scores_by_cell(rows))
    assert len(GOLD) == 48
    assert {key: cell.printed() for key, cell in found.items()} == {
        key: printed for key, (printed, _, _) in GOLD.items()
    }
    assert all(cell.n == SAMPLES[key[0]] for key, cell in found.items())
    assert all(sum(found[key].totals.values()) == both for key, (_, both, _) in GOLD.items())


def test_both_tables_of_errors_come_from_counts(rows):
    found = {one.track: one for one in error_shares(rows)}
    assert {track: one.marks for track, one in found.items()} == {
        LAPAROSCOPIC: 64, NEUROSURGICAL: 141,
    }  # fmt: skip
    told = {track: {name: (n, one.printed(name)) for name, n in one.counts.items()}
            for track, one in found.items()}  # fmt: skip
    assert told == ERRORS
    four = ("instrument", "operation", "feedback", "intent")
    share = sum((found[NEUROSURGICAL].share(name) for name in four), Fraction(0))
    assert share == Fraction(117, 141)
    assert print_fraction(100 * share, 0) == "83"
    assert {one.marks for one in error_shares(rows, STAGE_AWARE)} != {64, 141}


def test_the_drop_over_time_is_46_percent(rows):
    found = cells(scores_by_cell(rows))
    drop = drop_over_time(found)[LAPAROSCOPIC, BASELINE, "feedback"]
    assert drop == Fraction(110 - 59, 110)
    assert print_fraction(100 * drop, 0) == "46"


def test_rows_survive_their_file(rows, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(write_rows(rows))
    again = read_rows(path)
    assert [row.where for row in again[:2]] == [f"{path}:2", f"{path}:3"]
    assert cells(scores_by_cell(again)) == cells(scores_by_cell(rows))
    assert error_shares(again) == error_shares(rows)
    assert write_rows(again) == write_rows(rows)


def test_the_order_of_the_rows_does_not_matter(rows):
    design = design_of(rows, {row.sample_id: "a" if "-0" in row.sample_id else "b" for row in rows})
    assert report_of(rows, design, "s") == report_of(rows[::-1], design, "s")


def test_halves_go_up():
    assert print_fraction(Fraction(248, 64), 2) == "3.88"
    assert print_fraction(Fraction(72, 64), 2) == "1.13"
    assert print_root(Fraction(9, 64), 2) == "0.38"
    assert print_root(Fraction(1, 64), 2) == "0.13"
    assert print_root(Fraction(1249, 10000) ** 2, 2) == "0.12"
    assert print_root(Fraction(0), 2) == "0.00"
    assert print_fraction(Fraction(-1, 1000), 2) == "0.00"
    assert print_fraction(Fraction(-3, 8), 2) == "-0.37"

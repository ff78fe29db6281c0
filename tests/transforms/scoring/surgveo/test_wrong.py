"""Incomplete, doubled and odd rows: what is wrong, where, and what to do."""

from dataclasses import replace

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.transforms.scoring.surgveo.cells import missing_table
from surgqa.transforms.scoring.surgveo.design import (
    design_of,
    missing,
    read_rows,
    require_complete,
    write_rows,
)
from tests.transforms.scoring.surgveo.gold import gold_rows


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(write_rows(gold_rows()))
    return read_rows(path)


def refused(rows, design):
    with pytest.raises(UserError) as caught:
        require_complete(rows, design)
    error = caught.value
    assert error.expected or "problems" in error.summary
    assert error.found
    assert error.fix
    assert error.where
    return error


def test_a_missing_score_is_named(rows):
    design = design_of(rows)
    left = rows[:7] + rows[8:]
    error = refused(left, design)
    assert error.summary == "1 score(s) of rater 'L1' in track 'laparoscopic' are missing"
    assert "laparoscopic-07, baseline, visual at 1 s by L1" in error.found
    (one,) = missing(left, design)
    assert one.places == (("laparoscopic-07", "baseline", "L1", 1, "visual"),)
    assert one.of == 18 * 24
    assert missing_table([one])[1:] == [
        ["laparoscopic", "L1", "laparoscopic-07", "baseline", "1", "visual"],
    ]  # fmt: skip
    assert missing(rows, design) == []


def test_a_whole_rater_may_not_be_missing(rows):
    left = [row for row in rows if row.rater_id != "N2"]
    assert "another number of raters" in refused(left, design_of(left)).summary
    assert "768 score(s) of rater 'N2'" in refused(left, design_of(rows)).summary
    with pytest.raises(UserError):
        require_complete(rows, design_of(rows), raters_per_track=3)


def test_a_design_knows_what_no_row_tells(rows):
    design = design_of(rows)
    left = [row for row in rows if row.sample_id != "neurosurgical-05" and row.rater_id != "L2"]
    gaps = missing(left, design)
    assert [(one.rater_id, len(one.places), one.of) for one in gaps] == [
        ("L2", 432, 432), ("N1", 24, 768), ("N2", 24, 768),
    ]  # fmt: skip
    assert missing(left, design_of(left)) == []


def test_doubled_rows_are_found_with_both_places(rows):
    error = refused([*rows, replace(rows[5], where="other.csv:9")], design_of(rows))
    assert (error.summary, error.where) == ("the same score occurs twice", "other.csv:9")
    assert rows[5].where in error.found


def test_strangers_are_found(rows):
    design = design_of(rows)
    for change, words in (
        ({"sample_id": "x"}, "not in the design"),
        ({"track": "neurosurgical"}, "another track"),
        ({"rater_id": "Z"}, "not a rater"),
    ):
        error = refused([*rows, replace(rows[0], **change)], design)
        assert words in str(error)
    with pytest.raises(UserError, match="another track"):
        design_of([*rows, replace(rows[0], track="neurosurgical")])


@pytest.mark.parametrize(
    ("column", "value", "summary", "expected"),
    [
        ("score", "6", "score out of range", "1, 2, 3, 4, 5"),
        ("score", "0", "score out of range", "1, 2, 3, 4, 5"),
        ("score", "3.5", "score out of range", "1, 2, 3, 4, 5"),
        ("score", "", "no score", "1, 2, 3, 4, 5"),
        ("time_s", "2", "time_s out of range", "1, 3, 8"),
        ("dimension", "Visual", "dimension out of range", "visual, instrument, feedback, intent"),
        ("prompt", "x", "prompt out of range", "baseline, stage_aware"),
        ("error_types", "intent;x", "error_types out of range", "visual_quality, instrument"),
        ("rater_id", " ", "no rater_id", "a name"),
    ],
)
def test_a_row_out_of_range_is_told_with_its_line(tmp_path, column, value, summary, expected):
    lines = write_rows(gold_rows()).decode().splitlines()
    names = lines[0].split(",")
    cells = lines[4].split(",")
    cells[names.index(column)] = value
    lines[4] = ",".join(cells)
    path = tmp_path / "s.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(UserError) as caught:
        read_rows(path)
    error = caught.value
    assert (error.summary, error.where) == (summary, f"{path}:5")
    assert error.expected.startswith(expected)
    assert error.found == ({"error_types": "x"}.get(column) or value.strip() or "nothing")


def test_many_problems_are_told_together(tmp_path):
    lines = write_rows(gold_rows()[:40]).decode().splitlines()
    path = tmp_path / "s.csv"
    path.write_text("\n".join([lines[0], *[f"{one}x" if k % 2 else one.replace("baseline", "b")
                                           for k, one in enumerate(lines[1:])]]))  # fmt: skip
    with pytest.raises(UserError, match="20 problems") as caught:
        read_rows(path)
    assert caught.value.found.count(f"{path}:") == 20


def test_what_is_no_file_of_scores(tmp_path):
    with pytest.raises(SourceMissing):
        read_rows(tmp_path / "absent.csv")
    path = tmp_path / "s.csv"
    for text, where in (("", 1), ("a,b\n", 1), ('"a', 1)):
        path.write_text(text)
        with pytest.raises(SourceBroken) as caught:
            read_rows(path)
        assert caught.value.where == f"{path}:{where}"
    head = write_rows(gold_rows()[:1]).decode()
    path.write_text(head + '"open')
    with pytest.raises(SourceBroken) as caught:
        read_rows(path)
    assert caught.value.where == f"{path}:3"

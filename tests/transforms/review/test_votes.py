"""A sheet is taken whole or not at all, and every problem is told with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.review.sample import sample_of, write_sheets
from surgqa.transforms.review.take_in import record_of, sheets_of, take_in, write_layer
from surgqa.transforms.review.terms import RECORD, Flaw
from surgqa.transforms.review.votes import Vote, verdict, votes_of
from surgqa.transforms.store import OutputFolder
from tests.each import cases
from tests.transforms.review.conftest import (
    agree,
    fill,
    fill_tasks,
    rows_of_sheet,
    save,
    world,
    write_output,
)

Rows = list[dict[str, str]]


def letters(output: OutputFolder, sampled) -> dict[str, list[str]]:
    known = {row["item_id"]: row for row in output.rows()}
    return {item: [one["key"] for one in known[item]["options"]] for item in sampled.items}


def closed(rows: Rows) -> int:
    """Index of the first question with options."""
    return next(k for k, cells in enumerate(rows) if cells["options"])


def change(name: str, value: str) -> Callable[[Rows], None]:
    def damage(rows: Rows) -> None:
        rows[closed(rows)][name] = value

    return damage


def drop_row(rows: Rows) -> None:
    del rows[closed(rows)]


def double_row(rows: Rows) -> None:
    rows.append(dict(rows[closed(rows)]))


def not_valid(rows: Rows) -> None:
    rows[closed(rows)] |= {"valid": "no", "wrong": ""}


@pytest.mark.parametrize(
    ("damage", "summary", "expected", "found"),
    [
        (change("answer", ""), "the answer is missing", "a letter: A, B, C, D", "nothing"),
        (change("answer", "E"), "the answer is not one of the options", "A, B, C, D", "E"),
        (change("answer", "A or B"), "not one of the options", "A, B, C, D", "A or B"),
        (change("valid", ""), "valid is not filled in", "yes or no", "nothing"),
        (change("valid", "perhaps"), "valid is not filled in", "yes or no", "perhaps"),
        (change("wrong", "bad"), "not in the list", "question unclear; more than one", "bad"),
        (change("id", "item 123"), "not in the sample", "an id of this sample", "123"),
        (change("id", ""), "not in the sample", "an id of this sample", "nothing"),
        (change("sheet", "review-000000000000-A"), "of another sample", "-A", "review-0000"),
        (not_valid, "nothing is said to be wrong", "what is wrong: question unclear", "nothing"),
        (double_row, "answered twice", "one row a question", "also in"),
        (drop_row, "1 question(s) of the sample have no row", "rows", "none for"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(
    output, sheets, damage, summary: str, expected: str, found: str
) -> None:
    sampled, folder = sheets
    path = folder / "A.csv"
    rows = [{**cells, **agree(cells)} for cells in rows_of_sheet(path)]
    damage(rows)
    save(path, rows)
    with pytest.raises(UserError) as raised:
        votes_of(sampled, {"Dr A": path}, letters(output, sampled))
    text = str(raised.value)
    assert summary in text and expected in text and found in text
    assert str(path) in text
    assert raised.value.fix


def test_the_place_of_a_problem_is_its_line(output, sheets) -> None:
    sampled, folder = sheets
    path = folder / "A.csv"
    rows = [{**cells, **agree(cells)} for cells in rows_of_sheet(path)]
    rows[closed(rows)]["answer"] = "Z"
    save(path, rows)
    wanted = rows[closed(rows)]["id"]
    line = next(k for k, text in enumerate(path.read_text().split("\n"), 1) if wanted in text)
    with pytest.raises(UserError) as raised:
        votes_of(sampled, {"Dr A": path}, letters(output, sampled))
    assert raised.value.where == f"{path}:{line}"


def test_all_problems_are_told_together(output, sheets) -> None:
    sampled, folder = sheets
    fill(folder / "A.csv", lambda cells: {"answer": "", "valid": ""})
    with pytest.raises(UserError) as raised:
        votes_of(sampled, {"Dr A": folder / "A.csv"}, letters(output, sampled))
    options = letters(output, sampled)
    count = len(options) + sum(bool(one) for one in options.values())
    assert raised.value.summary == f"{count} problems in the sheets"
    assert f"and {count - 20} more" in str(raised.value)


def test_a_task_without_annotation_is_not_an_empty_answer(output, sheets) -> None:
    sampled, folder = sheets
    with pytest.raises(UserError, match="problems in the sheets") as raised:
        votes_of(sampled, {"Dr A": folder / "A.tasks.json"}, letters(output, sampled))
    assert "A.tasks.json: [0]: the task has no annotation" in str(raised.value)


@pytest.mark.parametrize("text", ["b", "B)", "B) answer b", "B.", "'B"])
def test_ways_of_writing_a_letter(output, sheets, text: str) -> None:
    sampled, folder = sheets
    options = letters(output, sampled)
    fill(folder / "A.csv", lambda cells: {"answer": text if cells["options"] else "", "valid": "Y"})
    votes = votes_of(sampled, {"Dr A": folder / "A.csv"}, options)["Dr A"]
    assert {vote.answer for item, vote in votes.items() if options[item]} == {"B"}
    assert all(vote.valid for vote in votes.values())


def test_phrases_and_codes_of_what_is_wrong_in_the_order_of_the_list(output, sheets) -> None:
    sampled, folder = sheets
    said = {"valid": "NO", "wrong": "Wrong Clue; unclear;question unclear, no right option"}
    fill(folder / "A.csv", lambda cells: agree(cells) | said)
    votes = votes_of(sampled, {"Dr A": folder / "A.csv"}, letters(output, sampled))["Dr A"]
    assert {vote.flaws for vote in votes.values()} == {
        (Flaw.UNCLEAR, Flaw.NONE_RIGHT, Flaw.WRONG_CLUE)
    }


def test_one_sheet_for_two_raters(output, sheets) -> None:
    sampled, folder = sheets
    fill(folder / "A.csv")
    both = {"Dr A": folder / "A.csv", "Dr B": folder / "A.csv"}
    with pytest.raises(UserError, match="the sheet of rater A is given twice"):
        votes_of(sampled, both, letters(output, sampled))


def test_sheets_of_two_raters_in_one_file(output, sheets) -> None:
    sampled, folder = sheets
    a, b = (rows_of_sheet(folder / f"{rater}.csv") for rater in "AB")
    rows = [{**cells, **agree(cells)} for cells in (*a[:5], *b[5:])]
    save(folder / "A.csv", rows)
    with pytest.raises(UserError, match="another rater's sheet"):
        votes_of(sampled, {"Dr A": folder / "A.csv"}, letters(output, sampled))


def test_a_sample_of_another_output_is_refused(sheets, tmp_path: Path) -> None:
    _, folder = sheets
    fill(folder / "A.csv")
    other = write_output(tmp_path / "other", world("C"), digest="other")
    with pytest.raises(UserError, match="drawn from another output") as raised:
        take_in(other, folder / RECORD, {"Dr A": folder / "A.csv"}, "2026-11-21", False)
    assert (raised.value.expected, raised.value.found) == ("d", "other")
    assert raised.value.where == str(folder / RECORD)


def test_a_sheet_of_another_sample_of_the_same_output(output, sheets, tmp_path: Path) -> None:
    _, folder = sheets
    write_sheets(output, sample_of(output, "0.1", "7", ["A"]), tmp_path / "seven", ["csv"])
    fill(tmp_path / "seven" / "A.csv")
    with pytest.raises(UserError, match="of another sample"):
        take_in(output, folder / RECORD, {"Dr A": tmp_path / "seven" / "A.csv"}, "2026-11-21",
                False)  # fmt: skip


@pytest.mark.parametrize("date", ["", "21.11.2026", "2026-13-01", "20261121", "2026-W47-6"])
def test_what_is_no_date(output, sheets, date: str) -> None:
    _, folder = sheets
    with pytest.raises(UserError, match="not a date"):
        take_in(output, folder / RECORD, {"Dr A": folder / "A.csv"}, date, False)


@cases(
    ("names", "said"),
    [
        (["A"], "every sheet needs its --reviewer"),
        (["A", "A"], "named twice"),
        (["A", " "], "not at all"),
    ],
)
def test_reviewers_and_sheets_go_in_pairs(names: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        sheets_of([Path("a.csv"), Path("b.csv")], names)


def test_where_the_record_is_looked_for(sheets, tmp_path: Path) -> None:
    _, folder = sheets
    record = folder / RECORD
    assert record_of([folder / "A.csv"], None) == record
    assert record_of([tmp_path / "A.csv"], folder) == record
    assert record_of([tmp_path / "A.csv"], record) == record
    with pytest.raises(SourceMissing, match="no record of the sample") as raised:
        record_of([tmp_path / "A.csv"], None)
    assert "--sample" in (raised.value.fix or "")


def test_a_layer_is_not_written_over_another(tmp_path: Path) -> None:
    path = tmp_path / "layer.jsonl"
    assert write_layer(b"one\n", path)
    assert not write_layer(b"one\n", path)
    with pytest.raises(UserError, match="holds something else"):
        write_layer(b"two\n", path)
    with pytest.raises(UserError, match="cannot be written"):
        write_layer(b"two\n", tmp_path / "nowhere" / "layer.jsonl")
    assert path.read_bytes() == b"one\n"


def test_formats_may_be_mixed(output, sheets) -> None:
    _, folder = sheets
    fill(folder / "A.csv")
    fill_tasks(folder / "B.tasks.json")
    taken = take_in(output, folder / RECORD,
                    {"Dr A": folder / "A.csv", "Dr B": folder / "B.tasks.json"}, "2026-11-21",
                    False)  # fmt: skip
    assert taken.report["units"]["share_untouched"] == 1.0


def votes(text: str) -> list[Vote]:
    """``B+`` answers B and finds it valid, ``C-`` answers C and wants it out."""
    return [
        Vote(f"r{k}", word[0], word[1] == "+", () if word[1] == "+" else (Flaw.NONE_RIGHT,), "")
        for k, word in enumerate(text.split())
    ]


@cases(
    ("said", "keep", "disputed", "contested", "untouched"),
    [
        ("B+ B+ B+", True, False, False, True),
        ("B+ B+ B-", True, False, False, False),
        ("B+ B- B-", False, False, False, False),
        ("B- B- B-", False, False, False, False),
        ("B+ B-", True, True, False, False),
        ("B- B- B+ B+", True, True, False, False),
        ("B- B- B- B+", False, False, False, False),
        ("B+", True, False, False, True),
        ("B-", False, False, False, False),
        ("C+ C+ B+", True, False, True, True),
        ("C+ D+ B+", True, False, False, True),
        ("C+ C+ B+ B+", True, False, False, True),
        ("C+ C- B-", False, False, True, False),
    ],
)
def test_what_is_decided(said: str, keep, disputed, contested, untouched) -> None:
    found = verdict(votes(said), "B", drop_contested=False)
    assert (found.keep, found.disputed, found.contested, found.untouched) == (
        keep, disputed, contested, untouched
    )  # fmt: skip
    assert bool(found.reason) != keep


def test_contested_questions_go_if_that_is_asked_for() -> None:
    found = verdict(votes("C+ C+ B+"), "B", drop_contested=True)
    assert not found.keep and not found.untouched
    assert found.reason == "2 of 3 answer C, which is not the reference"
    assert verdict(votes("B+ B+ C+"), "B", drop_contested=True).keep


def test_open_questions_are_never_contested() -> None:
    own_words = [Vote("a", "scissors", True, (), ""), Vote("b", "scissors", True, (), "")]
    found = verdict(own_words, None, drop_contested=True)
    assert found.keep and not found.contested


def test_the_reason_names_what_those_call_wrong_who_want_it_out() -> None:
    said = [
        Vote("a", "B", False, (Flaw.WRONG_CLUE, Flaw.IMPLAUSIBLE), ""),
        Vote("b", "B", False, (Flaw.IMPLAUSIBLE,), ""),
        Vote("c", "B", True, (Flaw.UNCLEAR,), ""),
    ]
    found = verdict(said, "B", drop_contested=False)
    assert found.reason == "clinically implausible (2 of 3); wrong clue (1 of 3)"


def test_a_mark_by_one_who_keeps_it_touches_it() -> None:
    said = [Vote("a", "B", True, (Flaw.UNCLEAR,), ""), Vote("b", "B", True, (), "")]
    found = verdict(said, "B", drop_contested=False)
    assert found.keep and not found.untouched and not found.disputed

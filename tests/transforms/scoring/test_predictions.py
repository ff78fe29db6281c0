"""What was asked is scored and nothing else; the rest is told.  Fractions become seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.inference.predictions import asked_path
from surgqa.transforms.scoring import AskedIds, asked_of, score_dataset
from surgqa.transforms.scoring.predictions import in_seconds
from tests.each import cases
from tests.transforms.scoring.grouped import first
from tests.transforms.scoring.medstream import samples as timed
from tests.transforms.scoring.oracle import oracle
from tests.transforms.scoring.samples import TASKS, row
from tests.transforms.scoring.sapbench.gold import gold as ranking
from tests.transforms.scoring.sapbench.test_scores import D
from tests.transforms.scoring.sapbench.test_scores import row as ranked
from tests.transforms.scoring.surgcot import samples as chained


def clips() -> list[dict]:
    """Forty items of SurgSTU."""
    return [row(task, f"{n}{task}", f"V{n}") for n in range(2) for task in list(TASKS)[:20]]


def actions() -> list[dict]:
    return [
        ranked(n, f"v{n % 3}", D) | {"benchmark": "sapbench", "task": "next_action/next_action",
                                     "rounds": [], "options": []}
        for n in range(12)
    ]  # fmt: skip


def right(rows) -> dict:
    out = {}
    for one in rows:
        if one["benchmark"] == "medstream":
            out |= oracle(one)
        elif one["benchmark"] == "sapbench":
            out |= ranking(one)
        else:
            out[one["item_id"], None] = one["answer"]
    return out


def asked(keys) -> AskedIds:
    return AskedIds("jobs.jsonl", frozenset(keys))


@cases("rows", [clips(), timed.every(), chained.five(), actions()],
                         ids=["surgstu", "medstream", "surgcot", "sapbench"])  # fmt: skip
def test_perfect_answers_to_a_part_score_one(rows):
    name, part = rows[0]["benchmark"], rows[: len(rows) // 5 * 2]
    told = right(part)
    report = score_dataset(rows, told, replicates=10, asked=asked(told))
    alone = score_dataset(part, told, replicates=10)
    assert report.asked.counts == {name: {"items": len(rows), "asked": len(part), "partly": 0}}
    assert report.asked.answered == report.asked.strange == 0
    plain, other = report.to_dict(), alone.to_dict()
    assert plain.pop("asked")["asked"] == len(part) and other.pop("asked") is None
    assert plain == other and not report.unknown
    assert alone.to_dict() != score_dataset(rows, told, replicates=10).to_dict()


def test_what_is_missing_of_what_was_asked_is_wrong():
    rows = clips()
    told = right(rows[:10])
    report = score_dataset(rows, right(rows[:5]), replicates=10, asked=asked(told))
    overall = first(report.groups, kind="overall", name="micro-average")
    assert (overall.items, overall.missing, overall.score) == (10, 5, 0.5)


def test_answers_to_what_was_not_asked_do_not_count_and_are_told():
    rows = clips()
    report = score_dataset(rows, right(rows), replicates=10, asked=asked(right(rows[:10])))
    assert first(report.groups, kind="overall", name="micro-average").items == 10
    assert report.asked.answered == len(rows) - 10 and not report.unknown


def test_a_stream_of_which_a_round_was_not_asked_is_left_out():
    rows = [timed.stream("s1"), timed.stream("s2")]
    told = right(rows)
    lacking = next(key for key in told if key[0] == "s2")
    report = score_dataset(rows, told, replicates=10, asked=asked(set(told) - {lacking}))
    assert report.asked.counts["medstream"] == {"items": 2, "asked": 1, "partly": 1}
    assert [one.item.item_id for one in report.own["medstream"].items] == ["s1"]


def test_stages_that_were_asked_count_and_their_chain_does_not():
    rows = chained.five()
    told = right(rows[:6])
    report = score_dataset(rows, told, replicates=10, asked=asked(told)).own["surgcot"]
    assert report.counts()["items"] == 6 and report.counts()["incomplete"] == 1


def test_a_surgeon_who_answers_more_than_was_asked_is_no_stranger():
    rows = actions()
    told = right(rows[:4])
    sheet = {"A": {one["item_id"]: D for one in rows}}
    report = score_dataset(rows, told, replicates=10, asked=asked(told), surgeons=sheet)
    assert report.own["sapbench"].strangers == 0 and report.own["sapbench"].counts()["items"] == 4
    assert {share.of for one in report.own["sapbench"].ranked.surgeons for share in one.shares} == {
        4
    }


def test_jobs_of_other_items_are_told():
    rows = clips()
    report = score_dataset(rows, {}, replicates=10, asked=asked({("elsewhere", None)}))
    assert (report.asked.strange, report.asked.total["asked"]) == (1, 0)


def test_where_it_stands(tmp_path):
    told = tmp_path / "p.jsonl"
    assert asked_of(told, None) is None
    assert asked_path(told) == Path(f"{told}.asked")
    lines = [{"item_id": "a", "round_index": None}, {"item_id": "b", "round_index": 2, "x": 1}]
    asked_path(told).write_text("".join(f"{json.dumps(line)}\n\n" for line in lines))
    assert asked_of(told, None).keys == {("a", None), ("b", 2)}
    jobs = tmp_path / "jobs.jsonl"
    with pytest.raises(SourceMissing):
        asked_of(told, jobs)
    jobs.write_text('{"item_id": "c"}\n')
    assert asked_of(told, jobs) == AskedIds(str(jobs), frozenset({("c", None)}))


@pytest.mark.parametrize("line", ["[]", "{", '{"round_index": 1}', '{"item_id": 3}', "7", "\xff",
                                  '{"item_id": "a", "round_index": "2"}'])  # fmt: skip
def test_a_line_that_asks_nothing_is_refused(tmp_path, line):
    jobs = tmp_path / "jobs.jsonl"
    jobs.write_bytes(line.encode("latin-1"))
    with pytest.raises(UserError, match="does not name an item") as caught:
        asked_of(tmp_path / "p", jobs)
    assert caught.value.where == f"{jobs}:1"


S = 1_000_000
ROWS = [{"item_id": "a", "unit": "clip", "start_us": 100 * S, "end_us": 125 * S},
        {"item_id": "b", "unit": "now", "start_us": 0, "end_us": 25 * S}]  # fmt: skip


@cases(
    ("said", "meant"),
    [
        ("at t=0.480", "at 12.00 s"),
        ("It first appears at t=1.000.", "It first appears at 25.00 s."),
        ("T: .5, then t = 0", "12.50 s, then 0.00 s"),
        ("t=3.00 s", "t=3.00 s"),
        ("t=0.5 s", "t=0.5 s"),
        ("t=12.5", "t=12.5"),
        ("0.33 units in 4.00 s", "0.33 units in 4.00 s"),
        ("best=0.4", "best=0.4"),
    ],
)
def test_only_fractions_behind_their_sign_are_read(said, meant):
    assert in_seconds({("a", None): said}, ROWS) == {("a", None): meant}


def test_only_clips_have_a_length_to_be_a_part_of():
    replies = {("b", None): "t=0.5", ("c", None): "t=0.5"}
    assert in_seconds(replies, ROWS) == replies

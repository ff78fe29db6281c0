"""Questions without a partner stay where their options do not tell, and go where they do."""

from __future__ import annotations

import pytest

from surgqa.ontology.keys import digest, h64
from surgqa.transforms.steps.partners import alone
from surgqa.transforms.steps.write import Parts
from tests.transforms.questions.made import program
from tests.transforms.steps.laid_out import laid_out

LABELS = [f"phase {name}" for name in "abcdefghij"]
PHASES = program("t", """
unit: {now: any, see: 5 s, every: 60 s}
let:
  here: {only: phase, at: now}
answer: here.label
wrong: [{exchange: answer}, {labels: phase, most: 7}]
say: "{{ here.label | name }}"
""", "Which phase is this?")  # fmt: skip


def row(k: int, answer: str, block: str | None = None) -> dict:
    """An item about recording ``k`` that offers seven other labels."""
    others = sorted((one for one in LABELS if one != answer), key=lambda one: h64(one, k))[:7]
    texts = sorted([answer, *others], key=lambda one: h64("place", one, k))
    return {
        "item_id": digest("item", k), "template_id": PHASES.id,
        "dataset": "set", "video_id": f"v{k}", "split_group": f"v{k}",
        "question": "Which phase is this?", "answer": answer,
        "unit": "instant", "start_us": 0, "block": block,
        "options": [{"text": one, "is_answer": one == answer} for one in texts],
    }  # fmt: skip


@pytest.fixture
def parts(tmp_path):
    def make(rows: list[dict]) -> Parts:
        return laid_out(tmp_path, {f"p{k}": [one] for k, one in enumerate(rows)})

    return make


def test_where_most_recordings_give_one_answer_all_without_a_partner_go(parts):
    often = [row(k, LABELS[0] if k % 10 else LABELS[1]) for k in range(40)]
    blocks = [row(k, LABELS[k % 4], "b") for k in range(40, 60)]
    entries = alone(parts([*often, *blocks]), [PHASES])
    assert [one["key"] for one in entries] == sorted(digest("item", k) for k in range(40))
    assert {one["code"] for one in entries} == {"unpaired"}
    assert "the options of 40 such items reveal it: option" in entries[0]["reason"]


def test_few_among_many_stay(parts):
    often = [row(k, LABELS[0]) for k in range(2)]
    blocks = [row(k, LABELS[k % 4], "b") for k in range(2, 122)]
    assert alone(parts([*often, *blocks]), [PHASES]) == []


def test_answers_that_are_right_alike_often_stay(parts):
    made = parts([row(k, LABELS[h64("right", k) % 10]) for k in range(200)])
    assert alone(made, [PHASES]) == []


def test_what_is_left_out_already_is_not_told_again(parts):
    made = parts([row(k, LABELS[0] if k % 10 else LABELS[1]) for k in range(40)])
    gone = {digest("item", k) for k in range(39)}
    assert alone(made, [PHASES], gone) == []
    assert alone(made, []) == []

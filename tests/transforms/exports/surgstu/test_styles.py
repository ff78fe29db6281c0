"""Answers in every style: what is written is read by the scorers of every clip's question."""

from __future__ import annotations

import itertools

from surgqa.transforms.exports.surgstu.styles import SETTINGS, Style, sentences
from surgqa.transforms.exports.surgstu.write import line_of
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.predictions import in_seconds
from tests.each import cases
from tests.transforms.scoring.typed.drawn import programs, rows

SAYS = {one.id: one.stages[0].say for one in programs()}
ROWS = [row for _, row in rows() if row["benchmark"] == "surgstu"]
STYLES = [Style(*values) for values in itertools.product(
    *(SETTINGS[name] for name in ("times", "boxes", "answers")))]  # fmt: skip


def reply(row, style):
    line = line_of(row, style, SAYS)
    key = row["item_id"], None
    said = {key: line["answer"]}
    return (in_seconds(said, [row]) if style.times == "fraction" else said)[key]


@cases("style", STYLES, ids=str)
def test_the_right_answer_scores_in_every_style(style):
    assert len(ROWS) >= 100
    for row in ROWS:
        responses = {(row["item_id"], None): reply(row, style)}
        (found,) = score_dataset([row], responses, replicates=1).items
        assert found.status == "scored", (row["template_id"], reply(row, style))
        rounded = 1.0 if style.times == "seconds" else 0.9
        assert found.score >= rounded, (row["template_id"], row["answer"], reply(row, style))


def test_every_answer_that_is_no_sentence_has_one():
    names = {row["task"].partition("/")[2] for row in ROWS
             if not row["options"] and not row["answer"].endswith(".")}  # fmt: skip
    assert names <= set(sentences())


def test_lengths_of_time_are_no_fractions():
    (row,) = [one for one in ROWS if one["template_id"] == "surgstu.longest_continuous_action"][:1]
    seconds = [float(one) for one in row["answer"].replace(" s", "").replace(",", "").split()
               if one[0].isdigit()]  # fmt: skip
    said = line_of(row, Style("fraction"), SAYS)["answer"]
    assert said.startswith(f"{seconds[0]:.2f} s, from t={seconds[1] / 25:.3f} to t=")


def test_boxes_stand_under_their_key_and_tenths_have_one_decimal():
    (row,) = [one for one in ROWS if one["template_id"] == "surgstu.trajectory"][:1]
    said = line_of(row, Style("tenths", "bbox_2d"), SAYS)["answer"]
    assert said.count('{"bbox_2d": [') == 2
    assert [len(one.split(" s")[0].partition(".")[2]) for one in said.split(" at ")[1:]] == [1, 1]

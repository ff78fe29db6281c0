"""Which line of an answer is held against which record."""

from __future__ import annotations

import pytest

from surgqa.transforms.scoring.text import tidy
from surgqa.transforms.scoring.typed import mark_answer
from tests.transforms.scoring.typed.test_parts import S, case

RECORDS = [
    {"verb": "clip", "target": "cystic_artery", "start": 102 * S, "end": 104 * S},
    {"verb": "dissect", "target": "cystic_duct", "start": 110 * S, "end": 120 * S},
]
LINES = ["Clip the cystic artery from 2 s to 4 s", "Dissect the cystic duct from 10 s to 20 s"]


@pytest.mark.parametrize("kind", ["sequence", "set"])
@pytest.mark.parametrize("turned", [False, True])
def test_records_of_a_set_may_stand_in_any_order(kind: str, turned: bool):
    made = case("; ".join(LINES), (kind, "record", RECORDS))
    mark = mark_answer(tidy("\n".join(LINES[::-1] if turned else LINES)), made)
    assert mark is not None
    assert (mark.score == 1) == (kind == "set" or not turned)

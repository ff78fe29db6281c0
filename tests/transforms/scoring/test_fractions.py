"""Times that are told as fractions of the clip."""

from __future__ import annotations

import pytest

from transforms.scoring.predictions import in_seconds

S = 1_000_000
ROWS = [{"item_id": "a", "unit": "clip", "start_us": 100 * S, "end_us": 125 * S},
        {"item_id": "b", "unit": "now", "start_us": 0, "end_us": 25 * S}]  # fmt: skip


@pytest.mark.parametrize(
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

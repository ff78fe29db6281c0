"""Which clip goes on: four that nothing but the operation tells apart."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.exports.surgveo.extension import SHIFT_US, which_clip
from surgqa.transforms.exports.surgveo.samples import chosen_videos, fits, without
from tests.transforms.exports.surgveo.made import sample

SAMPLES = [sample("autolaparo", video, k) for video in ("01", "02", "03") for k in range(4)]
WIDE = [replace(one, interval=(one.interval[0], one.interval[1] + 30 * SECOND_US))
        for one in SAMPLES]  # fmt: skip


def test_which_clip_goes_on():
    for one in WIDE:
        options = which_clip(one, WIDE)
        assert [option.key for option in options] == list("ABCD")
        by = {option.why: option.clip for option in options}
        right = by["answer"]
        assert (right.video, right.frame, right.frames) == (one.video, one.frame, 200)
        assert by["same stage of another operation"].video != one.video
        for why in ("other stage of this operation", "this stage at another time"):
            shown = by[why]
            assert shown.video == one.video
            assert abs(shown.frame - one.frame) * SECOND_US / 25 >= SHIFT_US
        assert {clip.frames for clip in by.values()} == {200}
    right = {o.key for one in WIDE for o in which_clip(one, WIDE) if o.why == "answer"}
    assert right == set("ABCD")


def test_where_one_of_the_three_is_not_to_be_had_nothing_is_asked():
    first = WIDE[0]
    short = replace(first, interval=(first.interval[0], first.interval[0] + 20 * SECOND_US))
    assert which_clip(short, [*WIDE, short]) == ()
    assert which_clip(first, WIDE[:1]) == ()
    faster = [replace(one, fps=Fraction(30)) for one in WIDE if one.video != first.video]
    assert which_clip(first, [*WIDE, *faster]) == which_clip(first, WIDE)
    mine = [one for one in WIDE if one.video == first.video]
    assert which_clip(first, [*mine, *faster]) == ()
    hidden = [(18 * SECOND_US, 60 * SECOND_US)]
    assert which_clip(first, WIDE, hidden) == ()


def test_choices_do_not_depend_on_the_order_of_samples():
    assert [which_clip(one, WIDE[::-1]) for one in WIDE] == [which_clip(one, WIDE) for one in WIDE]


def test_the_operations_with_the_most_stages_are_chosen():
    stages = {"01": {"a", "b"}, "02": {"a"}, "03": {"a", "b"}, "00": {"a", "c"}}
    assert chosen_videos(stages, 2) == ["00", "01"]
    with pytest.raises(UserError, match="too few operations"):
        chosen_videos(stages, 5)


def test_what_is_left_of_an_interval():
    assert without((0, 100), [(10, 20), (15, 30), (90, 200)]) == [(0, 10), (30, 90)]
    assert without((0, 100), []) == [(0, 100)]
    assert without((0, 100), [(0, 100)]) == []


def test_a_continuation_lies_in_its_interval_to_the_last_microsecond():
    assert fits(25, (SECOND_US, 9 * SECOND_US), Fraction(25))
    assert not fits(25, (SECOND_US + 1, 9 * SECOND_US), Fraction(25))
    assert not fits(25, (SECOND_US, 9 * SECOND_US - 1), Fraction(25))

"""What is drawn: a share of every stratum, whole chains, the same whatever lies around it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import UserError
from surgqa.transforms.review.sample import (
    ReviewUnit,
    by_stratum,
    drawn,
    in_order,
    sample_of,
    share_of,
    units_of,
)
from surgqa.transforms.store import OutputFolder
from tests.each import cases
from tests.transforms.review.conftest import chain, row, world, write_output

TENTH = Fraction(1, 10)


def ids(units: list[ReviewUnit]) -> set[str]:
    return {unit.unit_id for unit in units}


def test_units_are_whole_chains_and_single_questions(output: OutputFolder) -> None:
    units = units_of(output)
    chains = [unit for unit in units if unit.benchmark == "surgcot"]
    assert {len(unit.items) for unit in chains} == {4}
    assert {unit.task for unit in chains} == {"affordance_mapping", "anomaly_onset_tracking"}
    singles = [unit for unit in units if unit.benchmark == "surgstu"]
    assert all(unit.items == (unit.unit_id,) for unit in singles)
    assert {unit.task for unit in singles} == {"counting/distinct", "grounding/locate"}
    assert sum(len(unit.items) for unit in units) == len(world())


def test_every_stratum_gives_its_share_and_at_least_one(output: OutputFolder) -> None:
    sampled = sample_of(output, "0.1", "42", ["A"])
    assert set(sampled.strata.values()) == {(24, 2), (3, 1)}
    assert len(sampled.strata) == 8
    taken = {name: len(mine) for name, mine in by_stratum(sampled.units).items()}
    assert taken == {name: count for name, (_, count) in sampled.strata.items()}


@cases(
    ("there", "share", "taken"),
    [(1, "0.1", 1), (14, "0.1", 1), (15, "0.1", 2), (25, "0.1", 3), (10, "1", 10), (7, "1/2", 4)],
)
def test_shares_are_rounded_half_up_and_exact(there: int, share: str, taken: int) -> None:
    units = [ReviewUnit("b", "t", "s", f"{k}", (f"{k}",)) for k in range(there)]
    assert len(drawn(units, share_of(share), "42")) == taken


@cases("text", ["0", "1.01", "-0.1", "half", "1/0", ""])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(UserError, match="not a share") as raised:
        share_of(text)
    assert raised.value.where == "--share"


def test_order_shards_and_format_do_not_show(output: OutputFolder, tmp_path: Path) -> None:
    rows = world()
    expected = sample_of(output, "0.1", "42", ["A"])
    for name, shuffled, shards, jsonl in (
        ("reversed", rows[::-1], 1, False), ("shards", rows, 5, False),
        ("lines", rows[::-1], 2, True),
    ):  # fmt: skip
        other = write_output(tmp_path / name, shuffled, shards, jsonl)
        assert sample_of(other, "0.1", "42", ["A"]) == expected


def test_a_stratum_is_drawn_without_regard_to_the_others(tmp_path: Path) -> None:
    rows = world()
    less = [one for one in rows if one["specialty"] == "urology" or one["benchmark"] == "surgcot"]
    more = [*rows, *chain("new", "causal_action_ordering", "gynaecology"),
            row("new single", "medstream", "alert/bleeding", "urology")]  # fmt: skip
    whole = by_stratum(drawn(units_of(write_output(tmp_path / "a", rows)), TENTH, "42"))
    for name, other in (("b", less), ("c", more)):
        mine = by_stratum(drawn(units_of(write_output(tmp_path / name, other)), TENTH, "42"))
        shared = set(whole) & set(mine)
        assert len(shared) >= 6
        assert {s: mine[s] for s in shared} == {s: whole[s] for s in shared}


def test_another_seed_draws_others(output: OutputFolder) -> None:
    units = units_of(output)
    assert ids(drawn(units, TENTH, "42")) == ids(drawn(units, TENTH, "42"))
    assert ids(drawn(units, TENTH, "42")) != ids(drawn(units, TENTH, "43"))


@given(
    st.lists(st.integers(0, 10_000), unique=True, min_size=1, max_size=60),
    st.fractions(Fraction(1, 100), 1), st.fractions(Fraction(1, 100), 1),
)  # fmt: skip
def test_a_larger_share_holds_the_smaller_one(numbers, first, second) -> None:
    units = [ReviewUnit("b", f"t{k % 3}", "s", f"u{k}", (f"u{k}",)) for k in numbers]
    small, large = sorted((first, second))
    assert ids(drawn(units, small, "42")) <= ids(drawn(units, large, "42"))
    assert drawn(units, small, "42") == drawn(units[::-1], small, "42")


def test_raters_meet_the_same_questions_in_orders_of_their_own(output: OutputFolder) -> None:
    units = drawn(units_of(output), TENTH, "42")
    a, b = (in_order(units, "42", rater) for rater in "AB")
    assert a != b
    assert set(a) == set(b) == set(units)
    assert a == in_order(units[::-1], "42", "A")


def test_specialties_that_are_not_told_are_a_stratum(tmp_path: Path) -> None:
    rows = [row(f"x{k}", "surgstu", "counting/distinct", None) for k in range(4)]
    (unit,) = drawn(units_of(write_output(tmp_path / "out", rows)), TENTH, "42")
    assert unit.stratum == ("surgstu", "counting/distinct", "")


def test_an_output_without_questions(tmp_path: Path) -> None:
    empty = write_output(tmp_path / "out", [])
    with pytest.raises(UserError, match="has no items"):
        sample_of(empty, "0.1", "42", ["A"])


@pytest.mark.parametrize("raters", [["A", "A"], ["A/B"], [""], [".A"], ["=A"], ["-A"], []])
def test_names_that_cannot_be_files(output: OutputFolder, raters: list[str]) -> None:
    with pytest.raises(UserError, match="raters' names"):
        sample_of(output, "0.1", "42", raters)

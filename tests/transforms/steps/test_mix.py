"""The mix of temporal modes: what is kept of each, and what is told of the rest."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.places import place
from surgqa.transforms.steps import choose, mix
from surgqa.transforms.steps.choose import Chooser
from surgqa.transforms.steps.files import read_arrow
from surgqa.transforms.steps.mix import Mix, cell_of, kept_counts, over_mix
from surgqa.transforms.steps.write import CHOSEN, DROPPED, Parts
from tests.each import cases
from tests.transforms.steps.laid_out import laid_out

SHIPPED = {"retrospective": 0.75, "present": 0.06, "future": 0.055, "future_streaming": 0.09,
           "proactive": 0.05}  # fmt: skip
MIX = Mix(SHIPPED, 0.3, 0.25, 0.05)
CELLS = tuple(MIX.cells())
COUNTS = st.dictionaries(st.sampled_from(CELLS), st.integers(0, 3000))
TOLERANCE = st.sampled_from((Fraction(1, 100), Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)))


def distance(kept: dict[str, int]) -> Fraction:
    """Half the sum of differences from the shares of the cells that are there."""
    shares = {cell: share for cell, share in MIX.cells().items() if kept.get(cell)}
    total, items = sum(shares.values()), sum(kept[cell] for cell in shares)
    return sum(abs(Fraction(kept[c], items) - s / total) for c, s in shares.items()) / 2


def test_the_cells_share_everything():
    cells = MIX.cells()
    assert sum(cells.values()) == 1
    assert set(cells) == {"retrospective", "present", "future_streaming", "future/unanswerable",
                          "future/other", "proactive/never", "proactive/other"}  # fmt: skip
    whole = sum(Fraction(str(share)) for share in SHIPPED.values())
    assert cells["future/unanswerable"] == Fraction("0.055") * Fraction("0.3") / whole
    assert cells["proactive/never"] / (cells["proactive/never"] + cells["proactive/other"]
                                       ) == Fraction(1, 4)  # fmt: skip


def test_a_mode_without_a_share_has_no_cell():
    assert set(Mix({"present": 2.0, "future": 0.0}, 0.3, 0.25, 0.05).cells()) == {"present"}
    assert set(Mix({"proactive": 1.0}, 0.3, 0.0, 0.05).cells()) == {"proactive/other"}


@cases(("given", "cell"), [
    (("retrospective", "single_turn", {}), "retrospective"),
    (("present", "single_turn", {"there": True}), "present"),
    (("future", "single_turn", {"next": "a"}), "future/other"),
    (("future", "streaming", {"then.label": "a"}), "future_streaming"),
    (("future", "single_turn", {"answer": "unanswerable"}), "future/unanswerable"),
    (("proactive", "streaming", {"answer": {"label": "bleeding"}}), "proactive/other"),
    (("proactive", "streaming", {"answer": None}), "proactive/never"),
])  # fmt: skip
def test_which_share_an_item_counts_to(given, cell):
    assert cell_of(*given) == cell
    assert cell in CELLS


@given(COUNTS, TOLERANCE)
def test_no_more_than_there_are_and_something_of_everything(there, tolerance):
    kept = kept_counts(there, MIX.cells(), tolerance)
    assert set(kept) == set(there)
    for cell, count in there.items():
        assert (0 < kept[cell] <= count) if count else kept[cell] == 0


@given(COUNTS, TOLERANCE)
def test_the_tolerance_is_kept_where_it_can_be(there, tolerance):
    kept = kept_counts(there, MIX.cells(), tolerance)
    full = {cell: count for cell, count in there.items() if count}
    if not full:
        return
    rounding = Fraction(len(full), sum(kept.values()))
    assert distance(kept) <= tolerance + rounding
    if distance(full) <= tolerance:
        assert kept == there, "nothing has to go"


@given(COUNTS.filter(lambda there: min(map(there.get, there), default=0) >= 200))
def test_the_tolerance_is_kept_of_many(there):
    kept = kept_counts(there, MIX.cells(), Fraction(1, 20))
    rounding = Fraction(len(kept), sum(kept.values())) if kept else 0
    assert not kept or distance(kept) <= Fraction(1, 20) + rounding


@given(st.sampled_from(CELLS), st.integers(1, 5000), TOLERANCE)
def test_nothing_is_dropped_where_only_one_mode_is_there(cell, count, tolerance):
    there = {cell: count, "other": 0}
    assert kept_counts(there, MIX.cells(), tolerance)[cell] == count


def test_a_mode_without_a_share_goes_altogether():
    wanted = Mix({"present": 1.0}, 0.3, 0.25, 0.05).cells()
    there = {"present": 5, "retrospective": 100}
    assert kept_counts(there, wanted, Fraction(0)) == {"present": 5, "retrospective": 0}


@given(COUNTS)
def test_a_wider_tolerance_keeps_no_less(there):
    totals = [sum(kept_counts(there, MIX.cells(), t).values())
              for t in (Fraction(1, 20), Fraction(1, 5), Fraction(1, 2))]  # fmt: skip
    assert totals == sorted(totals)


@cases("tolerance", [Fraction(0), Fraction(1, 100), Fraction(1, 20)])
def test_few_items_are_not_dropped_for_what_rounding_does(tolerance):
    there = {"retrospective": 120, "proactive/other": 2}
    wanted = Mix({"retrospective": 0.9, "proactive": 0.1}, 0.3, 0.0, 0.05).cells()
    kept = kept_counts(there, wanted, tolerance)
    assert kept["proactive/other"] == 2
    assert kept["retrospective"] >= 18


@given(COUNTS, st.randoms())
def test_the_order_of_the_cells_does_not_matter(there, random):
    names = list(there)
    random.shuffle(names)
    turned = {name: there[name] for name in names}
    assert kept_counts(turned, MIX.cells(), Fraction(1, 20)) == kept_counts(
        there, MIX.cells(), Fraction(1, 20))  # fmt: skip


def rows(mode: str, count: int, of: str) -> list[dict]:
    streaming = mode == "proactive"
    return [{"item_id": f"{of}-{mode}-{k:03}", "template_id": f"medstream.{mode}",
             "temporal_mode": mode, "task_mode": "streaming" if streaming else "single_turn",
             "answer_value": orjson.dumps({"hit": {} if streaming else None}).decode()}
            for k in range(count)]  # fmt: skip


@pytest.fixture
def parts(tmp_path, monkeypatch) -> Parts:
    """A finished set: two parts with items at a time, and one clip's item."""
    parts = {"p0": rows("retrospective", 60, "a") + rows("proactive", 2, "a"),
             "p1": rows("retrospective", 60, "b") + [{"item_id": "clip", "template_id": "s.x"}],
             "p2": []}  # fmt: skip
    monkeypatch.setattr(mix, "SCARCE", 2)
    return laid_out(tmp_path, parts, {name: {"dataset": f"set {name}"} for name in parts})


@pytest.fixture
def work(parts) -> str:
    return str(parts.work)


LEAN = Mix({"retrospective": 0.9, "proactive": 0.1}, 0.3, 0.0, 0.0)


def test_items_are_dropped_from_the_end_of_the_order(parts):
    entries = over_mix(parts, LEAN)
    keys = [entry["key"] for entry in entries]
    everything = mix.ORDER.ordered(
        row["item_id"] for o in "ab" for row in rows("retrospective", 60, o)
    )
    assert len(keys) == 120 - 18
    assert keys == sorted(everything[18:])
    assert {entry["dataset"] for entry in entries if entry["key"][0] == "b"} == {"set p1"}
    for entry in entries:
        assert (entry["stage"], entry["code"], entry["count"]) == ("choose", "over_mix", 1)
        assert entry["where"] == "medstream.retrospective"
        assert "18 of 120 items of retrospective" in entry["reason"]


def test_items_that_share_their_options_go_together(tmp_path, monkeypatch):
    """Also if one of them is in another cell, and the whole block if one is already rejected."""
    past, present = (rows(mode, 60, "a") for mode in ("retrospective", "present"))
    for k, (one, other) in enumerate(zip(past, present, strict=True)):
        one["block"] = other["block"] = f"block-{k:03}"
    made = laid_out(tmp_path, {"p0": past + present})
    even = Mix({"retrospective": 0.9, "present": 0.1}, 0.3, 0.0, 0.0)
    gone = frozenset({"a-present-003"})
    entries = over_mix(made, even, gone)
    dropped = {entry["key"] for entry in entries}
    for one, other in zip(past, present, strict=True):
        assert (one["item_id"] in dropped) == (other["item_id"] in dropped)
    assert "a-retrospective-003" not in dropped  # it goes with its block, not for the mix
    kept = {one["item_id"] for one in present} - dropped - gone
    assert entries and all(f"{len(kept)} of 59 items" in one["reason"] for one in entries)


def test_a_rare_mode_does_not_empty_the_set(parts, monkeypatch):
    monkeypatch.setattr(mix, "SCARCE", 3)
    assert over_mix(parts, LEAN) == []


def test_clips_are_not_in_the_mix(parts):
    assert "clip" not in {entry["key"] for entry in over_mix(parts, LEAN)}


def test_a_mix_may_be_of_some_benchmarks_alone(parts):
    assert over_mix(parts, replace(LEAN, benchmarks=("other",))) == []


def test_choosing_writes_ids_and_reasons(work):
    assert Chooser(mix=LEAN).choose(work) == 102
    ids = read_arrow(place(work) / DROPPED).column("item_id").to_pylist()
    lines = (place(work) / CHOSEN).read_bytes().splitlines()
    assert ids == sorted(ids)
    assert [orjson.loads(line)["key"] for line in lines] == ids


def test_nothing_is_written_where_nothing_goes(work):
    assert Chooser().choose(work) == 0
    assert Chooser(mix=Mix(SHIPPED, 0.3, 0.25, 0.9)).choose(work) == 0
    assert not (place(work) / DROPPED).exists()


def test_what_both_leave_out_is_told_once(parts, work, monkeypatch):
    told = [{"key": entry["key"], "stage": "balance"} for entry in over_mix(parts, LEAN)[:5]]
    monkeypatch.setattr(choose, "over_share", lambda *_: list(told))
    assert Chooser(modal_cap=0.5, mix=LEAN).choose(work) == 102
    ids = read_arrow(place(work) / DROPPED).column("item_id").to_pylist()
    assert len(set(ids)) == len(ids) == 102
    lines = (place(work) / CHOSEN).read_bytes().splitlines()
    stages = [orjson.loads(line)["stage"] for line in lines]
    assert stages.count("balance") == 5

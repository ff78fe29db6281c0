"""What holds for any boxes: order does not matter, numbers are dense, the past stands."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.transforms.evidence.link import LinkSettings, link
from surgqa.transforms.evidence.link.linker import Linked
from tests.each import cases

SECOND_US = 1_000_000
Boxes = tuple[np.ndarray, list[tuple[int, int, int, tuple[float, ...], float]]]


@st.composite
def films(draw: st.DrawFn) -> Boxes:
    """Instants and rows (sample, label, kind, box, score) on coarse grids, so that ties occur."""
    steps = draw(st.lists(st.sampled_from([40_000, 200_000, 1_000_000, 3_000_000]), max_size=12))
    times = np.cumsum([0, *steps])
    place = st.integers(0, 8).map(lambda n: n / 10)
    corner = st.tuples(place, place).map(lambda p: (*p, p[0] + 0.2, p[1] + 0.2))
    score = st.sampled_from([0.05, 0.3, 0.6, 0.9])
    row = st.tuples(
        st.integers(0, len(times) - 1), st.integers(0, 2), st.integers(0, 1), corner, score
    )
    return times, draw(st.lists(row, max_size=30))


def run(times: np.ndarray, rows: list) -> Linked:
    sample, label, kind, box, score = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return link(
        times, np.array(sample, np.int64), np.array(label, np.int64), np.array(kind, np.int64),
        np.array(box, np.float64).reshape(-1, 4), np.array(score, np.float64), None,
        LinkSettings(), 1.6,
    )  # fmt: skip


def told(rows: list, out: Linked) -> list:
    """Rows with their tracks, in an order of their own."""
    return sorted(zip(rows, out.track.tolist(), out.kept.tolist(), strict=True))


@given(films(), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_the_order_of_rows_does_not_matter(film, dice):
    times, rows = film
    mixed = list(rows)
    dice.shuffle(mixed)
    assert told(rows, run(times, rows)) == told(mixed, run(times, mixed))


@given(films())
@settings(max_examples=120, deadline=None)
def test_tracks_are_dense_single_and_of_one_kind(film):
    times, rows = film
    out = run(times, rows)
    assert np.array_equal(out.kept, out.track >= 0)
    found = out.track[out.kept]
    assert sorted(set(found.tolist())) == list(range(len(out.boxes)))
    assert np.array_equal(np.bincount(found, minlength=len(out.boxes)), out.boxes)
    kept = [(*row[:3], track) for row, track in zip(rows, out.track, strict=True) if track >= 0]
    assert len({(sample, track) for sample, _, _, track in kept}) == len(kept)
    assert len({(kind, track) for _, _, kind, track in kept}) == len(out.boxes)
    first = [min(row[0] for row in kept if row[3] == n) for n in range(len(out.boxes))]
    assert first == sorted(first)


@given(films(), films())
@settings(max_examples=120, deadline=None)
def test_what_comes_after_a_long_gap_changes_nothing_before_it(one, other):
    (times, rows), (later, more) = one, other
    start = times[-1] + 60 * SECOND_US
    moved = [(row[0] + len(times), *row[1:]) for row in more]
    whole = run(np.concatenate([times, start + later]), rows + moved)
    before, after = run(times, rows), run(later, more)
    assert whole.track[: len(rows)].tolist() == before.track.tolist()
    shifted = np.where(after.track >= 0, after.track + len(before.boxes), -1)
    assert whole.track[len(rows) :].tolist() == shifted.tolist()


@cases("seed", range(3))
def test_the_result_of_a_real_load_does_not_depend_on_order(seed):
    from benchmarks.linking import HARD, detected, known

    truth = known("wandering", seed, 5)
    seen = detected(truth, seed, HARD)
    rows = list(zip(
        seen.sample.tolist(), seen.label.tolist(), [0] * len(seen.sample),
        map(tuple, seen.box.tolist()), seen.score.tolist(), strict=True,
    ))  # fmt: skip
    mixed = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    assert told(rows, run(truth.times_us, rows)) == told(mixed, run(truth.times_us, mixed))

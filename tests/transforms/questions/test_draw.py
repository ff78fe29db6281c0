"""The draw: sort everything by key, take the first that passes; and nothing else matters."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontology.keys import h64
from transforms.questions.candidates import Candidates
from transforms.questions.draw import draw

WHOLE = 2**64 - 1


def mix(z: int) -> int:
    """splitmix64 with Python's integers."""
    z = (z + 0x9E3779B97F4A7C15) & WHOLE
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WHOLE
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WHOLE
    return z ^ (z >> 31)


def a_table(rows: list[tuple[int, int, int]]) -> Candidates:
    """Rows (window, tool, side): two slots with few values, codes folded from both."""
    columns = np.array(rows, np.int64).reshape(-1, 3)
    slot_codes = {
        slot: np.array([h64(slot, v) for v in columns[:, k].tolist()], np.uint64)
        for k, slot in ((1, "tool"), (2, "side"))
    }
    codes = [h64("row", *row[1:]) for row in rows]
    return Candidates(
        None, {}, columns[:, 0].astype(np.int32), {}, slot_codes, np.array(codes, np.uint64)
    )


def naive(table, passed, keys, first, preferred, accept) -> dict[int, int]:
    """Window -> row: sort all rows of the window by the documented order."""
    drawn = {}
    for w in range(len(keys)):
        salt = int(keys[w])
        rows = [r for r in range(len(table)) if table.window[r] == w and passed[r]]

        def order(r, salt=salt):
            slots = [mix(mix(int(table.slot_codes[slot][r]) ^ salt)) for slot in first]
            wishes = [not mask[r] for mask in preferred]
            return (*slots, *wishes, mix(int(table.codes[r]) ^ salt), r)

        found = next((r for r in sorted(rows, key=order) if accept is None or accept(r)), None)
        if found is not None:
            drawn[w] = found
    return drawn


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), max_size=24, unique=True
).map(sorted)


@given(rows=rows, data=st.data())
def test_a_draw_is_the_first_of_all_in_order(rows, data):
    flags = st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))
    table = a_table(rows)
    passed = np.array(data.draw(flags), bool)
    first = tuple(data.draw(st.permutations(["tool", "side"])))[: data.draw(st.integers(0, 2))]
    preferred = [np.array(f, bool) for f in data.draw(st.lists(flags, max_size=2))]
    lazy = data.draw(st.none() | flags)
    accept = None if lazy is None else (lambda r: lazy[r])
    keys = np.array([h64("window", w) for w in range(4)], np.uint64)
    found = draw(table, passed, keys, first, list(preferred), accept)
    assert found == naive(table, passed, keys, first, preferred, accept)


@given(rows=rows, data=st.data())
def test_what_fails_does_not_change_what_is_drawn(rows, data):
    """Only the drawn filling matters: others may come, go or fail."""
    table = a_table(rows)
    keys = np.array([h64("window", w) for w in range(4)], np.uint64)
    drawn = draw(table, np.ones(len(rows), bool), keys, (), [], None)
    kept = sorted(
        {*data.draw(st.sets(st.sampled_from(range(len(rows))))), *drawn.values()} if rows else []
    )
    fewer = draw(a_table([rows[r] for r in kept]), np.ones(len(kept), bool), keys, (), [], None)
    assert {w: kept[r] for w, r in fewer.items()} == drawn


def shares(first: tuple[str, ...]) -> Counter:
    """How often each tool is drawn over many windows; tool 0 has nine fillings, tool 1 one."""
    windows = 2000
    rows = [(w, 0, side) for w in range(windows) for side in range(9)]
    rows = sorted([*rows, *((w, 1, 0) for w in range(windows))])
    keys = np.array([h64("window", w) for w in range(windows)], np.uint64)
    table = a_table(rows)
    drawn = draw(table, np.ones(len(rows), bool), keys, first, [], None)
    return Counter(rows[r][1] for r in drawn.values())


def test_every_filling_is_equally_likely():
    assert abs(shares(())[1] / 2000 - 1 / 10) < 0.03


def test_values_of_a_slot_drawn_first_are_equally_likely():
    assert abs(shares(("tool",))[1] / 2000 - 1 / 2) < 0.04


def test_preferred_fillings_are_taken_where_there_are_any():
    rows = [(0, 0, side) for side in range(4)] + [(1, 0, side) for side in range(4)]
    wanted = np.array([False, False, True, False] + [False] * 4)
    keys = np.array([h64("a"), h64("b")], np.uint64)
    drawn = draw(a_table(rows), np.ones(8, bool), keys, (), [wanted], None)
    assert drawn[0] == 2
    assert 1 in drawn


def test_a_window_without_a_filling_is_not_drawn():
    rows = [(1, 0, 0)]
    keys = np.array([h64("a"), h64("b")], np.uint64)
    assert draw(a_table(rows), np.ones(1, bool), keys, (), [], None) == {1: 0}
    assert draw(a_table(rows), np.zeros(1, bool), keys, (), [], None) == {}
    assert draw(a_table([]), np.ones(0, bool), keys, ("tool",), [], lambda r: True) == {}

"""Keyed choice: pinned against the rule written down again, and independent of order."""

import hashlib
import types

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontology import keys
from ontology.keys import Key, bytes_digest, digest, h64
from ontology.mixing import combine, mix64

parts = st.lists(st.text(max_size=8) | st.integers(), min_size=1, max_size=4)
texts = st.lists(st.text(max_size=8), min_size=1, max_size=8, unique=True)


def rule(*given_parts) -> int:
    """The first eight bytes, big-endian, of SHA-256 over the parts joined by U+001F."""
    data = "\x1f".join(str(part) for part in given_parts).encode("utf-8")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


def splitmix(z: int) -> int:
    """splitmix64's output for the state z, with Python's integers."""
    whole = 2**64 - 1
    z = (z + 0x9E3779B97F4A7C15) & whole
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & whole
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & whole
    return z ^ (z >> 31)


def test_pinned_values():
    """They never change: every item of every dataset hangs on them."""
    assert h64("") == 0xE3B0C44298FC1C14  # SHA-256 of nothing, from its standard
    assert h64("abc") == 0xBA7816BF8F01CFEA
    assert h64("surgqa/row-v1", 42, "surgstu") == 688342151207125351
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223"
    assert bytes_digest(b"abc").startswith("ba7816bf8f01cfea414140de5dae2223b00361a3")
    # splitmix64 started at 0: its first outputs as published with the algorithm.
    gamma = 0x9E3779B97F4A7C15
    states = np.array([0, gamma, 2 * gamma % 2**64], np.uint64)
    assert mix64(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@given(parts)
def test_h64_is_the_written_rule(given_parts):
    assert h64(*given_parts) == rule(*given_parts)
    assert digest(*given_parts)[:16] == f"{rule(*given_parts):016x}"
    assert len(digest(*given_parts)) == 32


@given(parts, st.text(max_size=8), st.text(max_size=8))
def test_shared_parts_give_the_same_key(given_parts, more, last):
    key = Key(*given_parts)
    assert key.h64(last) == h64(*given_parts, last)
    assert key.extended(more).h64(last) == h64(*given_parts, more, last)
    assert key.h64(last) == h64(*given_parts, last), "extending a key must not change it"


def test_parts_are_kept_apart():
    assert h64("ab", "c") != h64("a", "bc")
    assert h64("a") != h64("a", "")


@given(texts, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(candidates, shuffler):
    shuffled = candidates.copy()
    shuffler.shuffle(shuffled)
    key = Key("seed", "slot")
    assert key.ordered(candidates) == key.ordered(shuffled)
    assert candidates[key.choose(candidates)] == shuffled[key.choose(shuffled)]


@given(texts)
def test_choosing_takes_the_first_in_the_written_order(candidates):
    key = Key("seed", "slot")
    expected = sorted(candidates, key=lambda text: (rule("seed", "slot", text), text))
    assert key.ordered(candidates) == expected
    assert candidates[key.choose(candidates)] == expected[0]


@given(texts, st.data())
def test_taking_one_away_does_not_reorder_the_others(candidates, data):
    gone = data.draw(st.sampled_from(candidates))
    key = Key("seed", "slot")
    rest = [text for text in candidates if text != gone]
    assert key.ordered(rest) == [text for text in key.ordered(candidates) if text != gone]


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=50, unique=True))
def test_mix64_is_splitmix_and_keeps_different_values_different(values):
    mixed = mix64(np.array(values, np.uint64)).tolist()
    assert mixed == [splitmix(value) for value in values]
    assert len(set(mixed)) == len(values)


def test_mix64_keeps_neighbouring_codes_apart():
    mixed = mix64(np.arange(100_000, dtype=np.uint64))
    assert len(np.unique(mixed)) == 100_000
    assert abs(float((mixed >> np.uint64(63)).mean()) - 0.5) < 0.01


def test_folding_columns_depends_on_their_order():
    a, b = np.array([1], np.uint64), np.array([2], np.uint64)
    assert combine(combine(np.zeros(1, np.uint64), a), b) != combine(
        combine(np.zeros(1, np.uint64), b), a
    )


def test_nothing_is_remembered_between_choices():
    """Only functions, classes and constants: no generator that calls would advance."""
    harmless = (types.FunctionType, type, types.ModuleType, str, int, np.uint64)
    state = {
        name: value
        for name, value in vars(keys).items()
        if not name.startswith("__") and not isinstance(value, harmless)
        and type(value).__module__ not in ("__future__", "typing", "collections.abc")
    }  # fmt: skip
    assert state == {}
    before = Key("a").h64("b")
    Key("x").ordered(["p", "q"])
    assert Key("a").h64("b") == before

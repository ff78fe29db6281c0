"""Keyed choice: pinned against the rule written down again, and independent of order."""

import hashlib
import types

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology import keys, mixing
from surgqa.ontology.keys import Key, bytes_digest, digest, file_sha256, h64

parts = st.lists(st.text(max_size=8) | st.integers(), min_size=1, max_size=4)
texts = st.lists(st.text(max_size=8), min_size=1, max_size=8, unique=True)


def rule(*given_parts) -> int:
    """The first eight bytes, big-endian, of SHA-256 over the parts joined by U+001F."""
    data = "\x1f".join(str(part) for part in given_parts).encode("utf-8")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


def test_pinned_values():
    """They never change: every item of every dataset hangs on them."""
    assert h64("") == 0xE3B0C44298FC1C14  # SHA-256 of nothing, from its standard
    assert h64("abc") == 0xBA7816BF8F01CFEA
    assert h64("surgqa/row-v1", 42, "surgstu") == 688342151207125351
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223"
    assert bytes_digest(b"abc").startswith("ba7816bf8f01cfea414140de5dae2223b00361a3")


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


def test_nothing_is_remembered_between_choices():
    """Only functions, classes and constants: no generator that calls would advance."""
    harmless = (types.FunctionType, type, types.ModuleType, str, int, np.uint64)
    state = {
        name: value
        for name, value in (vars(keys) | vars(mixing)).items()
        if not name.startswith("__") and not isinstance(value, harmless)
        and type(value).__module__ not in ("__future__", "typing", "collections.abc")
    }  # fmt: skip
    assert state == {}
    before = Key("a").h64("b")
    Key("x").ordered(["p", "q"])
    assert Key("a").h64("b") == before


def test_a_digest_of_a_file_is_of_all_its_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "PIECE", 3)
    (tmp_path / "a").write_bytes(b"abcdefg")
    assert file_sha256(tmp_path / "a") == hashlib.sha256(b"abcdefg").hexdigest()

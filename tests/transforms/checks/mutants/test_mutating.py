"""The places of a file that are changed, and files with one of them changed."""

from __future__ import annotations

import pytest

from tests.transforms.checks.mutants.mutating import mutants, mutated

SOURCE = '''
"""A text that stands alone, 1 < 2."""
LIMIT = 3
QUERY = "select a from b where a <= 1 and b < 2"

def inside(a: int, low: int = 0) -> bool:
    """Says nothing of 5."""
    return low <= a < LIMIT and a is not None

def least(*many):
    return min(many) - 1 if many else "a" + "b"
'''


def test_every_place_once():
    found = [(one.line, one.what.split("'")[-1].strip(" ->")) for one in mutants("a.py", SOURCE)]
    assert sorted(found) == [
        (3, "3 -> 4"), (4, "<"), (4, "<="), (4, "or"), (6, "0 -> 1"), (8, "And -> Or"),
        (8, "IsNot -> Is"), (8, "Lt -> LtE"), (8, "LtE -> Lt"), (11, "1 -> 2"),
        (11, "Sub -> Add"), (11, "min -> max"), (11, "not"),
    ]  # fmt: skip


def of(number: int) -> dict:
    """Names of the source with one mutant in it."""
    names: dict = {}
    exec(compile(mutated(SOURCE, mutants("a.py", SOURCE)[number]), "a.py", "exec"), names)
    return names


def test_each_mutant_changes_what_it_says():
    found = {one.what: of(one.number) for one in mutants("a.py", SOURCE)}
    assert found["3 -> 4"]["inside"](3)
    assert found["Lt -> LtE"]["inside"](3)
    assert not found["LtE -> Lt"]["inside"](0)
    assert found["min -> max"]["least"](1, 5) == 4
    assert found["1 -> 2"]["least"](1, 5) == -1
    assert {names["QUERY"].count("<") for what, names in found.items() if "SQL" in what} == {2}


def test_a_mutant_of_another_file():
    with pytest.raises(ValueError, match="no place of the file"):
        mutated("", mutants("a.py", SOURCE)[0])


def test_what_is_asserted_of_lengths_is_no_limit():
    source = "pairs = zip(a, b, strict=True)\nwhole = f(a, every=True)\n"
    assert [one.line for one in mutants("a.py", source)] == [2]

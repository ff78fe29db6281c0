"""Whatever stands in a file, there are findings and no traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.language import parse_text
from tests.each import cases
from tests.transforms.language.wrong_programs import BASES

ODD: list[Any] = [
    None, True, 0, -1, 3.5, "", " ", "x", "now", "it.start", [], {}, [1, 2], ["a", "b"], {"a": 1},
    {"not": "x"}, {"each": "instant"}, "2 s", "10 %", "window", "a.b.c", "{{ x }}", [[]],
    {"exists": "phase"}, {"only": []}, [None], {"first": {"a": "b"}}, "1..2 s", "none", "answer",
    {"variant": "kind"}, {"use": "x"},
]  # fmt: skip
KEYS = ["x", "of", "as", "by", "it", "at", "overlaps", "a, b", "where", "1"]


def places(data: Any, at: tuple = ()) -> Iterator[tuple]:
    """Paths of all values of a tree."""
    if at:
        yield at
    pairs = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in pairs:
        yield from places(value, (*at, key))


def changed(data: Any, rng: random.Random) -> Any:
    """The tree with one value or key made odd."""
    out = copy.deepcopy(data)
    at = rng.choice(list(places(out)))
    owner = out
    for key in at[:-1]:
        owner = owner[key]
    if isinstance(owner, dict) and rng.random() < 0.2:
        owner[rng.choice(KEYS)] = owner.pop(at[-1])
    else:
        owner[at[-1]] = copy.deepcopy(rng.choice(ODD))
    return out


@cases("base", BASES)
@cases("seed", range(25))
def test_an_odd_value_is_a_finding_or_nothing(base, seed):
    rng = random.Random(seed)  # noqa: S311
    data = changed(read_yaml(BASES[base], base).data, rng)
    programs, findings = parse_text(json.dumps(data))
    assert programs or findings
    assert all(finding.line >= 1 and finding.column >= 1 for finding in findings)

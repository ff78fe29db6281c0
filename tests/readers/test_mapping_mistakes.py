"""Mistakes in ``surgqa.yaml`` give an error with its place, never a stack trace.

What the shipped datasets declare is written as a user's mapping, and one place of it is changed at
random: another value, another key, or nothing.
"""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from surgqa.pipeline.cli.app import run
from surgqa.transforms import registry

CHANGES = 150 if os.environ.get("SURGQA_LONG") else 6
KEYS = ("rate", "media", "videos", "tables", "needs")
KINDS = ("instrument", "verb", "target", "phase", "step", "gesture", "action", "event",
         "finding", "structure", "rating", "experience")  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, "", 0, -1, 1.5, "x", [], {}, ["a"], {"a": 1}, True, "{video}", "{frame}", "[", "(?P<",
    "**", {"x": {"y": 1}}, 10**20, "nan",
)  # fmt: skip
NAMES = ("zz", "columns", "holds", "file", "values", "frame", 7)
DONE = (0, 1, 2, 3)
"""Read, findings, a mistake in the mapping, or files that are missing under its names."""


def declared() -> Iterator[str]:
    for name in registry.datasets():
        folder = Path(str(registry.__file__)).parent / "readers" / name
        if registry.files(name).video_ids and not (folder / "reader.py").is_file():
            yield name


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield from places(value[key], (*path, key))


def changed(mapping: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    out = copy.deepcopy(mapping)
    *above, last = rng.choice(list(places(out)))
    inside = out
    for key in above:
        inside = inside[key]
    how = rng.choice(("value", "value", "key", "none"))
    if how == "none":
        del inside[last]
    elif how == "key" and isinstance(inside, dict):
        inside[rng.choice(NAMES)] = inside.pop(last)
    else:
        inside[last] = rng.choice(VALUES)
    return out


@pytest.mark.parametrize("name", tuple(declared()))
def test_a_mistake_is_an_error_of_the_mapping(name, tmp_path, capsys):
    registry.load_sample(name)(tmp_path)
    yaml = YAML(typ="safe", pure=True)
    said = registry.declaration(name)[0].data
    mapping = {key: said[key] for key in KEYS if key in said}
    mapping["labels"] = dict.fromkeys(KINDS, "same")
    rng = random.Random(name)
    for _ in range(CHANGES):
        bad = changed(mapping, rng)
        with (tmp_path / "surgqa.yaml").open("w", encoding="utf-8") as file:
            yaml.dump(bad, file)
        assert run(["verify", "tables", "--root", str(tmp_path)]) in DONE, capsys.readouterr().err

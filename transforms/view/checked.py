"""What ``surgqa check --json`` found of a dataset: rules that guess an item without looking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import SourceBroken, SourceMissing, UserError

PLAIN = (None, "BL")
"""Settings in which a question stands as it is."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A report's part on guessing.

    Attributes:
        items: item id -> rules that get it.
        templates: id -> (share that the best rule gets, which it is), of those that could be
            guessed whole.
    """

    items: Mapping[str, list[str]]
    templates: Mapping[str, tuple[float, str]]


def read_checked(path: Path, items: int) -> Checked:
    """The report of this dataset.

    Args:
        items: that the dataset has.

    Raises:
        SourceMissing, SourceBroken: there is no such file, or it is no report.
        UserError: it is another dataset's.
    """
    if not path.is_file():
        raise SourceMissing(f"{path} is not there", expected="a report of 'surgqa check --json'",
                            where=str(path))  # fmt: skip
    try:
        report = orjson.loads(path.read_bytes())
        found = Checked(report["blind"]["items"], _templates(report["blind"]["templates"]))
        of, read = report["items"], report["checked"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise SourceBroken(
            f"{path} is no report of a dataset", expected="what 'surgqa check OUT --json' writes",
            found=str(error), where=str(path),
        ) from None  # fmt: skip
    if (of, read) != (items, items):
        raise UserError(
            "the report is of another dataset, or of a part", expected=f"{items} items",
            found=f"{read} of {of}", where=str(path), fix="surgqa check OUT --json FILE",
        )  # fmt: skip
    return found


def _templates(told: list[dict[str, Any]]) -> dict[str, tuple[float, str]]:
    """Of each template the mean over its stages, as they are without being told anything."""
    plain = [one for one in told if one["setting"] in PLAIN and one["best"] is not None]
    whole = {one["template"] for one in plain if not one["left_out"]}
    out = {}
    for name in sorted(whole):
        mine = [one for one in plain if one["template"] == name]
        items = sum(one["items"] for one in mine)
        share = sum(one["items"] * one["best"] for one in mine) / items
        out[name] = (share, ", ".join(dict.fromkeys(one["rule"] for one in mine)))
    return out

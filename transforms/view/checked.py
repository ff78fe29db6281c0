"""The part of a report of ``surgqa check --json`` about blind guessing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import SourceBroken, SourceMissing, UserError

PLAIN = (None, "BL")
"""Settings that add no texts to the question."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The results of blind guessing in a report.

    Attributes:
        items: item id -> rules that answer it.
        templates: id -> (accuracy of the best rule, its name), for templates with enough items; all
            of these were guessed.
    """

    items: Mapping[str, list[str]]
    templates: Mapping[str, tuple[float, str]]


def read_checked(path: Path, items: int) -> Checked:
    """The report of this dataset.

    Args:
        items: ids of the dataset's items.

    Raises:
        SourceMissing, SourceBroken: there is no such file, or it is not a report.
        UserError: it belongs to another dataset.
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
            "the report belongs to another dataset or to a part of one", expected=f"{items} items",
            found=f"{read} of {of}", where=str(path), fix="surgqa check OUT --json FILE",
        )  # fmt: skip
    return found


def _templates(told: list[dict[str, Any]]) -> dict[str, tuple[float, str]]:
    """Mean over the stages of each template, in the plain setting."""
    plain = [one for one in told if one["setting"] in PLAIN and one["judged"]]
    whole = {one["template"] for one in plain if not one["left_out"]}
    out = {}
    for name in sorted(whole):
        mine = [one for one in plain if one["template"] == name]
        items = sum(one["items"] for one in mine)
        share = sum(one["items"] * one["best"] for one in mine) / items
        out[name] = (share, ", ".join(dict.fromkeys(one["rule"] for one in mine)))
    return out

"""The text before a question: how to answer, candidate lists, one example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.exports.surgstu.styles import Style

Lists = Mapping[str, Sequence[str]]
"""``instruments``, ``verbs`` and ``targets`` -> names, sorted."""


@cache
def texts() -> Mapping[str, Any]:
    """Return the contents of ``prompt.yaml``."""
    file = resources.files("surgqa.transforms.exports.surgstu") / "prompt.yaml"
    return read_yaml(file.read_text(encoding="utf-8"), "prompt.yaml").data


def prompt_of(
    style: Style, line: Mapping[str, Any], lists: Lists, example: Mapping[str, Any] | None
) -> str:
    """Return the whole text that a model gets with the clip.

    Args:
        line: the question's line of the export.
        lists: candidate lists of the clip's dataset; used if the style has a context.
        example: the line of an example question about another clip, or None.
    """
    wording = texts()
    parts = [wording["head"].format(seconds=line["duration"]), wording["times"][style.times],
             wording["boxes"][style.boxes], wording["answers"][style.answers]]  # fmt: skip
    if style.context == "example":
        parts += [wording["candidates"][name].format(names=", ".join(names))
                  for name, names in lists.items() if names]  # fmt: skip
    if example:
        parts.append(
            "\n"
            + wording["example"].format(
                seconds=example["duration"], question=asked(example), answer=example["answer"]
            )
        )
    return "\n".join([*parts, "", asked(line)])


def asked(line: Mapping[str, Any]) -> str:
    """Return the question and its options, one a line."""
    return "\n".join([line["question"], *(f"{one['key']}) {one['text']}"
                                          for one in line["options"])])  # fmt: skip

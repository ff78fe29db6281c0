"""The prompt around a question: how to answer, candidate lists, one example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.exports.surgstu.styles import Style

Lists = Mapping[str, Sequence[str]]
"""Name of a candidate list (``instruments``, ``verbs``, ``targets``) -> names."""


@cache
def texts() -> Mapping[str, Any]:
    """Return the content of ``prompt.yaml``."""
    file = resources.files("surgqa.transforms.exports.surgstu") / "prompt.yaml"
    return read_yaml(file.read_text(encoding="utf-8"), "prompt.yaml").data


def prompt_of(
    style: Style, line: Mapping[str, Any], lists: Lists, example: Mapping[str, Any] | None
) -> str:
    """Return the text that a model gets with the clip.

    Args:
        line: the question's line of the export.
        lists: candidate lists of the clip's dataset, which are used if ``style.context``.
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
    """Return the question, and its options on separate lines."""
    return "\n".join([line["question"], *(f"{one['key']}) {one['text']}"
                                          for one in line["options"])])  # fmt: skip


TRAIN = "train"
Line = dict[str, Any]


class Examples:
    """Example questions from the training split for prompts.

    Two are kept for each template and procedure, each template, and each category: those with the
    lowest digests.

    They are from two split groups, so that no prompt shows its own question or video as an example.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[str, str | None], list[tuple[str, str, Line]]] = {}

    def add(self, row: Mapping[str, Any], line: Line) -> None:
        """Add a question if it is in the training split."""
        if row["split"] != TRAIN:
            return
        entry = digest("example", row["item_id"]), str(row["split_group"]), line
        for key in _keys(row):
            mine = {one[1]: one for one in self._first.get(key, ())}
            if entry[:1] < mine.get(entry[1], ("~",))[:1]:
                mine[entry[1]] = entry
            self._first[key] = sorted(mine.values(), key=lambda one: one[0])[:2]

    def of(self, row: Mapping[str, Any]) -> Line | None:
        """Return the most similar example for a question, or None."""
        for key in _keys(row):
            for _, group, line in self._first.get(key, ()):
                if group != str(row["split_group"]):
                    return line
        return None


def _keys(row: Mapping[str, Any]) -> tuple[tuple[str, str | None], ...]:
    """Return the keys under which examples for a question are stored, the most similar first."""
    template, category = row["template_id"], row["task"].partition("/")[0]
    return (template, str(row["procedure"])), (template, None), (category, None)

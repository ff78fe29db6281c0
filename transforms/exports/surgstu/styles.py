"""How times, boxes and answers are written; scorers can read all of these styles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib import resources
from itertools import count
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.ontology.times import SECOND_US
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.algebra.tree import Print, Text

SETTINGS: Mapping[str, tuple[str, ...]] = {
    "times": ("seconds", "tenths", "fraction"),
    "boxes": ("list", "bbox_2d"),
    "answers": ("short", "sentences"),
    "context": ("none", "example"),
}
"""Name of a setting -> its values, the default first."""

_TIME = re.compile(r"(?<![\w.])(?:t=)?(-?\d+\.\d\d) s(?!\w)")
_BOX = re.compile(r"\[\d+, \d+, \d+, \d+\]")
_DIGITS = {"tenths": Decimal("0.1"), "fraction": Decimal("0.001")}


@dataclass(frozen=True, slots=True)
class Style:
    """The chosen values of :data:`SETTINGS`.

    Attributes:
        times: seconds with two decimals or with one, or fractions of the clip such as ``t=0.480``
            (durations are always in seconds).
        boxes: in answers, ``[x1, y1, x2, y2]`` or ``{"bbox_2d": [x1, y1, x2, y2]}``.
        answers: as printed in the dataset, or as sentences.
        context: whether the prompt contains candidate lists and an example.
    """

    times: str = "seconds"
    boxes: str = "list"
    answers: str = "short"
    context: str = "none"

    def timed(self, text: str, length_us: int, lasts: Sequence[bool] = ()) -> str:
        """Return a text with its times written in this style.

        Args:
            length_us: length of the clip in microseconds.
            lasts: for each time in the text, whether it is a duration; () if there are no
                durations.
        """
        number = count()

        def put(found: re.Match[str]) -> str:
            k, seconds = next(number), Decimal(found[1])
            if self.times == "seconds":
                return found[0]
            if self.times == "tenths" or (k < len(lasts) and lasts[k]):
                digits = _DIGITS["tenths"] if self.times == "tenths" else Decimal("0.01")
                return found[0].replace(found[1], str(seconds.quantize(digits, ROUND_HALF_UP)))
            share = seconds * SECOND_US / length_us
            return f"t={share.quantize(_DIGITS['fraction'], ROUND_HALF_UP)}"

        return _TIME.sub(put, text)

    def offered(self, text: str, length_us: int, say: Text) -> str:
        """Return the text of an option in this style."""
        return self.timed(text, length_us, lengths_of(say, len(_TIME.findall(text))))

    def answered(self, text: str, length_us: int, say: Text, task: str) -> str:
        """Return an answer in this style, without its letter.

        Args:
            say: the text of the template that printed the answer.
            task: name of the task, which selects the sentence.
        """
        text = self.offered(text, length_us, say)
        if self.boxes == "bbox_2d":
            text = _BOX.sub(lambda box: f'{{"bbox_2d": {box[0]}}}', text)
        if self.answers == "short" or text.endswith("."):
            return text
        return sentences().get(task, sentences()["other"]).format(answer=text)

    def chosen(self, key: str, text: str) -> str:
        """Return the answer to a question with options in this style."""
        return f"{key}) {text}" if self.answers == "short" else f"Answer: {key}) {text}"


def lengths_of(say: Text, times: int) -> list[bool]:
    """Return, for each time that a text prints, whether it is a duration.

    Args:
        times: number of times in the printed text; times that only the filter ``lines`` can have
            printed are not durations.
    """
    pieces = [one for one in say if isinstance(one, Print)]
    counts = [2 if one.filter == "span" else 1 for one in pieces
              if one.filter in ("clock", "span")]  # fmt: skip
    out: list[bool] = []
    for one in pieces:
        if one.filter == "lines":
            out += [False] * (times - sum(counts))
        elif one.filter in ("clock", "span"):
            length = one.filter == "clock" and one.node.type.name == "duration"
            out += [length] * (2 if one.filter == "span" else 1)
    return out


@cache
def sentences() -> Mapping[str, str]:
    """Return the sentence around the answer of each task; ``other`` stands for all other tasks."""
    file = resources.files("surgqa.transforms.exports.surgstu") / "sentences.yaml"
    return dict(read_yaml(file.read_text(encoding="utf-8"), "sentences.yaml").data)


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

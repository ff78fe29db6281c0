"""How times, boxes and answers are written; scorers can read all of these styles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib import resources
from itertools import count

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

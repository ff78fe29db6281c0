"""Styles of times, boxes and answers. The same scorers can read every style."""

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
"""Name -> values, the default first."""

_TIME = re.compile(r"(?<![\w.])(?:t=)?(-?\d+\.\d\d) s(?!\w)")
_BOX = re.compile(r"\[\d+, \d+, \d+, \d+\]")
_DIGITS = {"tenths": Decimal("0.1"), "fraction": Decimal("0.001")}


@dataclass(frozen=True, slots=True)
class Style:
    """Values of :data:`SETTINGS`.

    Attributes:
        times: seconds with two decimals or with one, or instants as fractions of the clip,
            ``t=0.480``; a duration is never a fraction.
        boxes: ``[x1, y1, x2, y2]``, or ``{"bbox_2d": [x1, y1, x2, y2]}`` in answers.
        answers: in the dataset's own form, or as sentences.
        context: whether the prompt contains candidate lists and an example.
    """

    times: str = "seconds"
    boxes: str = "list"
    answers: str = "short"
    context: str = "none"

    def timed(self, text: str, length_us: int, lasts: Sequence[bool] = ()) -> str:
        """Return a text with its times in this style.

        Args:
            length_us: length of the clip in microseconds.
            lasts: for each time in the text, True for a duration and False for an instant; if
                empty, all are instants.
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
        """Return the text of an option, correct or not, in this style."""
        return self.timed(text, length_us, lengths_of(say, len(_TIME.findall(text))))

    def answered(self, text: str, length_us: int, say: Text, task: str) -> str:
        """Return an answer in this style, without its letter.

        Args:
            say: the template's text that printed the answer.
            task: name of the task, which selects the sentence.
        """
        text = self.offered(text, length_us, say)
        if self.boxes == "bbox_2d":
            text = _BOX.sub(lambda box: f'{{"bbox_2d": {box[0]}}}', text)
        if self.answers == "short" or text.endswith("."):
            return text
        return sentences().get(task, sentences()["other"]).format(answer=text)

    def chosen(self, key: str, text: str) -> str:
        """Return the answer to a question with options."""
        return f"{key}) {text}" if self.answers == "short" else f"Answer: {key}) {text}"


def lengths_of(say: Text, times: int) -> list[bool]:
    """Return, for each time that a text prints, in order, True if it is a duration.

    Args:
        times: number of times in the text. The filter ``lines`` prints the times that no other
            piece prints.
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
    """Return, for each task, the sentence around its answer; ``other`` for all other tasks."""
    file = resources.files("surgqa.transforms.exports.surgstu") / "sentences.yaml"
    return dict(read_yaml(file.read_text(encoding="utf-8"), "sentences.yaml").data)

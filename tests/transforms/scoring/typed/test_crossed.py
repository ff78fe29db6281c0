"""Answers that are nearly right, right in part, or of other questions get the marks they had."""

from __future__ import annotations

import re
from collections.abc import Callable

import orjson

from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.scoring import score_dataset
from tests.each import cases
from tests.transforms.scoring.medstream import samples as timed
from tests.transforms.scoring.samples import TASKS, row
from tests.transforms.scoring.surgcot import samples as chained
from tests.transforms.scoring.test_predictions import actions, right

CLIPS = [row(task, f"{name}/{task}", f"V{k % 3}", benchmark=name)
         for name in ("surgstu", "mine") for k, task in enumerate(TASKS)]  # fmt: skip
EVERY = [*CLIPS, *timed.every(), *chained.five(), *actions()]
RIGHT = {key: text for one in EVERY for key, text in right([one]).items()}
TEXTS = list(RIGHT.values())
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def scaled(text: str) -> str:
    """Every number a tenth larger, with as many decimals."""
    return NUMBER.sub(lambda n: f"{float(n[0]) * 1.1:.{len(n[0].partition('.')[2])}f}", text)


def turned(text: str) -> str:
    """Lines, parts of lists and sides in the other order."""
    sides = {"left": "right", "right": "left", "above": "below", "upper": "lower", "first": "last"}
    swapped = re.sub(r"\w+", lambda word: sides.get(word[0], word[0]), text)
    return "\n".join(", ".join(line.split(", ")[::-1]) for line in swapped.splitlines()[::-1])


def half(text: str, second: bool) -> str:
    """The first or the second half of the words."""
    words = text.split()
    middle = len(words) // 2
    return " ".join(words[middle:] if second else words[:middle])


WAYS: dict[str, tuple[Callable[[int, str], str], str]] = {
    "of the next question": (lambda k, text: TEXTS[k - 1], "d75bf7461a4d"),
    "of another template": (lambda k, text: TEXTS[k - 4], "888059b19a92"),
    "of another benchmark": (lambda k, text: TEXTS[k - 60], "31e0c080a581"),
    "numbers a tenth larger": (lambda k, text: scaled(text), "5b2f948cf7ae"),
    "the other way round": (lambda k, text: turned(text), "83c990ccfbbe"),
    "first half": (lambda k, text: half(text, False), "03dbf76fa0fc"),
    "second half": (lambda k, text: half(text, True), "03507fdac463"),
    "two answers": (lambda k, text: f"{TEXTS[k - 1]} or {text}", "411c1f52a21a"),
    "two lines": (lambda k, text: f"{text}\n{TEXTS[k - 2]}", "9e3f40125433"),
    "in a sentence": (lambda k, text: f"Not {TEXTS[k - 1]}, but {text}.", "dfae0d605c37"),
    "every third right": (lambda k, text: text if k % 3 else "I cannot tell.", "b00e46258d28"),
}  # fmt: skip
"""How answers are written, and the digest of all scores of them."""


@cases("name", WAYS)
def test_answers_get_the_marks_they_had(name: str):
    way, marks = WAYS[name]
    said = {key: way(k, text) for k, (key, text) in enumerate(RIGHT.items())}
    report = score_dataset(EVERY, said, replicates=5)
    told = orjson.dumps([report.to_dict(), report.table()], option=orjson.OPT_SORT_KEYS)
    assert bytes_digest(told)[:12] == marks, "scores change: say so in CHANGELOG"

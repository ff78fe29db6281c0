"""Whatever is changed in a row of a real build is noticed: every word, number, time and box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from surgqa.transforms.checks.proof.prove import problems
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from tests.transforms.checks.forgeries import places
from tests.transforms.checks.proof.opened import Output, Row

ASKED = ("surgstu/classes", "surgstu/locate", "medstream/action_on")
WORDS = ("question", "answer", "knowledge", "clue", "context", "reasoning.[]", "options.[].text")
JSON = ("slots", "answer_value", "rule_args", "options.[].value")
PLAIN = ("start_us", "end_us", "query_us", "checks.[].name", "checks.[].measured",
         "checks.[].limit", "options.[].kind")  # fmt: skip


@dataclass(frozen=True)
class Forged(ProofRow):
    """A changed row; findings are told of what was changed."""

    tag: str = ""

    @property
    def id(self) -> str:
        return self.tag


def changes(row: Row) -> Iterator[tuple[str, Row]]:
    """(what is changed, the row with it)."""
    for column in (*WORDS, *JSON, *PLAIN):
        for path in places.paths(row, column):
            value = places.at(row, path)
            if column in WORDS:
                others = list(_words(value or ""))
            elif column in JSON:
                others = [text for _, text in places.forged_json(value)]
            else:
                others = [] if value is None else [places.other(value)]
            for k, other in enumerate(others):
                yield f"{path} {k}", places.put(row, path, other)


def _words(text: str) -> Iterator[str]:
    """The text with one word in the place of each in turn."""
    words = text.split(" ")
    for k, word in enumerate(words):
        if word:
            other = "forged" if not word[:1].isdigit() else "7" + word
            yield " ".join([*words[:k], other, *words[k + 1 :]])


@pytest.mark.parametrize("name", ASKED)
def test_every_word_number_time_and_box(output: Output, name: str):
    template = name.replace("/", ".")
    row = next(row for row in output.rows if row["template_id"].startswith(template))
    program, every, found, read = output.programs[row["template_id"]], set(), set(), []
    for tag, other in changes(row):
        every.add(tag)
        one = read_row(program, other)
        if isinstance(one, ProofRow):
            read.append(Forged(**vars(one), tag=tag))
        else:
            found.add(tag)
    assert len(every) > 20
    assert every == found | {tag for tag, _, _ in problems(output.con, program, read)}

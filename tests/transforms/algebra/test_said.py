"""Trees as one line: what rejects and limits are called by."""

from __future__ import annotations

from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Const, Name, Read
from surgqa.transforms.algebra.types import DURATION, NUMBER
from tests.each import cases

RUN = Name(NUMBER, "run")
START, END = Read(NUMBER, RUN, "start"), Read(NUMBER, RUN, "end")


def signed(sign: str, left, right) -> Call:
    return Call(NUMBER, "arithmetic", (("sign", sign), ("left", left), ("right", right)))


@cases(
    ("node", "text"),
    [
        (signed("-", END, START), "run.end - run.start"),
        (signed(">=", signed("-", END, START), Const(DURATION, 2_500_000)),
         "(run.end - run.start) >= 2.5 s"),
        (Read(NUMBER, signed("-", END, START), "length"), "(run.end - run.start).length"),
        (Call(NUMBER, "total", (("of", RUN),)), "total(of: run)"),
    ],
)  # fmt: skip
def test_signs_stand_between_their_sides(node, text):
    assert said(node) == text

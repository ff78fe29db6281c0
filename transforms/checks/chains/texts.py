"""Knowledge is the bank's, clues are of this video, contexts restate the answers before them."""

from __future__ import annotations

import re

from ontology.knowledge import statement
from ontology.statements import lint_clue, lint_knowledge
from transforms.checks.chains.base import PRINTED_US, Q1, Q2, Q3, Chain, Task, Truth
from transforms.checks.chains.names import box_in, printed, time_in

_TIME = re.compile(r"\d+\.\d\d s")
_BOX = re.compile(r"\[\d+(?:, \d+){3}\]")
_STOP = re.compile(r"[.!?]+(?:\s+|$)")


def text_problems(chain: Chain, truth: Truth, task: Task) -> None:
    """Note everything that is wrong with knowledge, clues and contexts of the three stages."""
    for stage in (Q1, Q2, Q3):
        row = chain.rows[stage]
        _knowledge(chain, truth, stage, row["knowledge"])
        _clue(chain, truth, stage, row["clue"])
        shared = _sentences(row["knowledge"]) & _sentences(row["clue"])
        chain.note("clue_is_knowledge", stage, f"{sorted(shared)}", bool(shared))
    for stage in (Q2, Q3):
        _context(chain, truth, task, stage)


def _knowledge(chain: Chain, truth: Truth, stage: int, text: str) -> None:
    wrong = lint_knowledge(text)
    if wrong:
        chain.note("knowledge_specific", stage, "; ".join(wrong))
        return
    if stage == Q1 and truth.rule:
        told = f"stored {text!r}, the rule says {truth.rule!r}"
        chain.note("knowledge_differs", stage, told, text != truth.rule)
        return
    key = truth.first_key if stage == Q1 and truth.first_key else truth.key
    known = statement(chain.task, stage, verb=key.verb, target=key.target, anomaly=key.anomaly,
                      procedure=chain.video.header["procedure"], phase=key.phase)  # fmt: skip
    if known is None or known.text != text:
        wanted = known.text if known else None
        chain.note("knowledge_differs", stage, f"stored {text!r}, the bank has {wanted!r}")


def _clue(chain: Chain, truth: Truth, stage: int, text: str) -> None:
    """A time, and at the last stage the place where one is known; both of this event."""
    wrong = lint_clue(text, stage == Q3 and bool(truth.boxes))
    if wrong:
        chain.note("clue_vague", stage, "; ".join(wrong))
        return
    start, end = chain.window(Q1)
    for found in _TIME.findall(text):
        time = time_in(found) or 0
        outside = not start - PRINTED_US <= time <= end + PRINTED_US
        chain.note("clue_differs", stage, f"{found} is outside the window of Q1", outside)
    right = [printed(box) for box in (truth.boxes if stage == Q3 else truth.places)]
    for found in _BOX.findall(text):
        chain.note("clue_differs", stage, f"{found}: it is at {right}", box_in(found) not in right)


def _sentences(text: str) -> set[str]:
    return {one.strip().casefold() for one in _STOP.split(text)} - {""}


def _context(chain: Chain, truth: Truth, task: Task, stage: int) -> None:
    text = chain.rows[stage]["context"]
    if not task.told(chain, truth, text):
        chain.note("context_silent", stage, f"the answer of Q1 is not in {text!r}")
    second = chain.right(Q2)
    if stage == Q3 and second not in text:
        chain.note("context_silent", stage, f"the answer of Q2, {second}, is not in {text!r}")

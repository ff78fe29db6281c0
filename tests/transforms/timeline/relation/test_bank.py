"""The bank of knowledge as facts: what it says, and where it says nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from surgqa.transforms.timeline.relation import Recording
from surgqa.transforms.timeline.relation.bank import BANK, bank_tables
from surgqa.transforms.timeline.relation.draft import RelationDraft

S = 1_000_000


@pytest.fixture
def known():
    """A recording of which no labels are known but a procedure and one act."""
    draft = RelationDraft()
    draft.recordings.append(
        Recording("made/v", 60 * S, S, Fraction(1), "laparoscopic cholecystectomy")
    )
    codes = draft.codes
    draft.add_rows("interaction", [{
        "subject": codes.code("hook"), "verb": codes.code("dissect"),
        "target": codes.code("gallbladder"), "s0": 0, "s": 0, "s1": 0, "e0": S, "e": S, "e1": S,
        "proof": -1,
    }])  # fmt: skip
    return draft.finish()


@pytest.mark.parametrize("kind", sorted(BANK))
def test_knowledge_belongs_to_no_time(known, kind):
    facts, holes = bank_tables(kind, known)
    assert (facts.s0 < 0).all() and (facts.e1 > 60 * S).all()
    assert {known.codes.name(int(c)) for c in facts.kind} <= {kind}
    assert (holes.u0 < 0).all() and (holes.u1 > 60 * S).all()


def test_whatever_can_be_done_to_what_is_touched_is_looked_up(known):
    """Not only what this recording shows: an instrument can do more than it did."""
    facts, _ = bank_tables("admissible", known)
    hook = facts.subject == known.codes.known("hook")
    assert {known.codes.name(int(c)) for c in facts.target} == {"gallbladder"}
    assert {known.codes.name(int(c)) for c in facts.verb[hook]} == {
        "dissect", "coagulate", "cut", "retract"
    }  # fmt: skip


def test_of_order_only_what_is_done_is_looked_up(known):
    facts, _ = bank_tables("rule", known)
    assert len(facts) == 0


def test_an_unknown_procedure_is_one_hole():
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 60 * S, S, Fraction(1), "no such procedure"))
    relation = draft.finish()
    for kind in ("follows", "needs", "closes"):
        facts, holes = bank_tables(kind, relation)
        assert len(facts) == 0
        assert len(holes) == 1

"""Templates are not tried where nobody annotated what they rest on; the items stay the same."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from surgqa.ontology.records import Span, VideoEvidence
from surgqa.transforms.language.load import load_programs
from surgqa.transforms.questions import ask
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.unannotated import unannotated
from surgqa.transforms.questions.units import recordings
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.each import cases
from tests.transforms.questions.made import program
from tests.transforms.questions.test_shipped import EVERY
from tests.transforms.questions.test_shipped import asker as shipped_asker
from tests.transforms.timeline.relation.test_gather import span
from tests.transforms.timeline.videos import S, video

PHASE = span("phase", "preparation", 0, 60)
EVENT = span("event", "out_of_body", 10, 20)


def known_of(*each: tuple[Span, ...]):
    """Facts of one video for each tuple of spans."""
    return relation_of(
        [(VideoEvidence(video(S, f"v{k}"), None, spans), None) for k, spans in enumerate(each)]
    )


def body(let: str, where: str, answer: str) -> str:
    """Text of a template with one step, one condition if any, and an answer."""
    where = f"where: [{where}]\n" if where else ""
    say = 'say: "{{ n | whole }}"\n' if answer == "n" else ""
    return f"unit: {{recording: all}}\nlet:\n  {let}\n{where}answer: {answer}\n{say}"


STEPS = {
    "one fact": ("one: {first: event, starts_in: video}", "", "one.label"),
    "each fact": ("one: {each: event}", "", "one.label"),
    "a set": ("all: {set: event.label, overlaps: video}", "", "all"),
    "a condition": ("one: {exists: event, overlaps: video}", "one", "one"),
    "its opposite": ("one: {exists: event, overlaps: video}", "{not: one}", "one"),
    "one of two": ("one: {exists: event, overlaps: video}",
                   "{any: [one, {exists: event, at: video.start}]}", "one"),
    "both": ("one: {exists: event, overlaps: video}",
             "{all: [one, {exists: phase, overlaps: video}]}", "one"),
    "a number": ("n: {count: event, overlaps: video}", "n >= 1", "n"),
    "no number": ("n: {count: event, overlaps: video}", "n = 0", "n"),
    "an answer": ("one: {exists: event, overlaps: video}", "", "one"),
    "a counted answer": ("n: {count: event, overlaps: video}", "", "n"),
    "named facts": ("all: {facts: event, overlaps: video}", "{not: {exists: all, at: video.start}}",
                    "{exists: phase, at: video.start}"),
}  # fmt: skip
SETTLED = {
    "not needed": ("one: {exists: event, overlaps: video}",
                   "{any: [one, {exists: phase, overlaps: video}]}",
                   "{exists: phase, at: video.start}"),
    "any number": ("n: {count: event, overlaps: video}", "n >= 0",
                   "{exists: phase, at: video.start}"),
    "too long": ("one: {exists: event, overlaps: video, cut: [video.start, video.start + 2 s], "
                 "at_least: 3 s}", "", "one"),
}  # fmt: skip


@cases("let, where, answer", STEPS.values(), ids=STEPS)
def test_what_nobody_annotated_is_not_asked_about(let, where, answer):
    one = program("rests", body(let, where, answer), "Which?")
    assert set(unannotated(one, known_of((PHASE,), (PHASE, EVENT)))) == {0}
    known = known_of((PHASE,))
    (declined,) = Asker(known, recordings(known), "0").ask(one).declined
    assert declined.reason == "nobody annotated event in this video"


@cases("let, where, answer", SETTLED.values(), ids=SETTLED)
def test_what_may_be_settled_all_the_same_is_tried(let, where, answer):
    assert not unannotated(program("rests", body(let, where, answer), "Which?"), known_of((PHASE,)))


NIGHTLY = [pytest.param(one, marks=pytest.mark.nightly) for one in ("unified", "multibypass140")]


@pytest.mark.parametrize("name", ["cholect50", "kvasir_capsule", *NIGHTLY])
def test_the_items_are_the_same_if_all_is_tried(name, tmp_path, monkeypatch):
    """By day of every ninth template, at night of all."""
    programs = load_programs()[::EVERY]
    known = shipped_asker(name, tmp_path)
    nobody = {one.id: set(unannotated(one, known.relation)) for one in programs}
    left_out = [one for one in programs if nobody[one.id]]
    found = [known.ask_each(one) for one in left_out]
    monkeypatch.setattr(ask, "unannotated", lambda *_: MappingProxyType({}))
    tried = [known.ask_each(one) for one in left_out]
    for one, mine, others in zip(left_out, found, tried, strict=True):
        assert [(v.items, v.units) for v in mine] == [(v.items, v.units) for v in others]
        assert not any(mine[video].items for video in nobody[one.id])
    assert left_out

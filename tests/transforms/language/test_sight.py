"""What a question shows rests at or before its time; its answer says which mode it has."""

from __future__ import annotations

from surgqa.transforms.language import parse_text
from tests.each import cases

HEAD = """\
schema: question/v1
id: mine.example
version: 1
title: An example
benchmark: mine
task: core/example
unit: {unit}
let:
  {let}
answer: {answer}
say: "{{{{ {answer} | name }}}}"
ask:
  - One {shown}?
  - Two {shown}?
  - Three {shown}?
  - Four {shown}?
"""
NOW = "{now: any, see: 10 s, every: 60 s}"
AFTER = "{now: past.end + 1..10 s, see: 60 s, every: 60 s}"
BEFORE = "{now: next.start - 1 s, see: 0 s, per: next}"


def parsed(unit, let, answer, shown=""):
    shown = f"{{{{ {shown} }}}}" if shown else "word"
    text = HEAD.format(unit=unit, let="\n  ".join(let), answer=answer, shown=shown)
    return parse_text(text)


HERE = "here: {only: phase, at: now}"
SOON = "soon: {first: phase, starts_in: [now, now + 30 s]}"
PAST = "past: {each: phase}"
NEXT = "next: {each: phase}"


@cases(
    ("unit", "let", "answer", "mode"),
    [
        (NOW, [HERE], "here.label", "present"),
        (NOW, ["here: {only: phase, overlaps: [now - 1 s, now]}"], "here.label", "present"),
        (NOW, ["seen: {first: phase}"], "seen.label", "past"),
        (NOW, ["seen: {last: phase, ends_in: window}"], "seen.label", "past"),
        (NOW, ["seen: {last: phase, before: now}"], "seen.label", "past"),
        (NOW, ["seen: {first: phase, overlaps: [video.start, now]}"], "seen.label", "past"),
        (NOW, [SOON], "soon.label", "future"),
        (NOW, ["soon: {first: phase, after: now}"], "soon.label", "future"),
        (NOW, ["soon: {only: phase, overlaps: [now, now + 2 s]}"], "soon.label", "future"),
        (AFTER, [PAST], "past.label", "past"),
        (BEFORE, [NEXT], "next.label", "future"),
        ("{recording: all}", ["all: {only: whole_label, subject: finding}"], "all.label", "past"),
        ("still", ["all: {only: whole_label, subject: finding}"], "all.label", "present"),
        ("clip", ["first: {first: phase}"], "first.label", "clip"),
    ],
)
def test_the_mode_follows_from_the_program(unit, let, answer, mode):
    (program,), findings = parsed(unit, let, answer)
    assert (program.mode, findings) == (mode, [])


@cases(
    ("unit", "let", "answer", "shown"),
    [
        (NOW, [HERE], "here.label", "here.end | clock"),
        (BEFORE, [NEXT], "next.label", "next.start | clock"),
        (BEFORE, [NEXT, "rest: next.end - now"], "next.label", "rest | clock"),
        (NOW, [HERE, "late: {first: phase, starts_in: [now + 1 s, now + 9 s]}"], "here.label",
         "late.start | clock"),
    ],
)  # fmt: skip
def test_what_is_known_later_cannot_be_shown(unit, let, answer, shown):
    _, findings = parsed(unit, let, answer, shown)
    assert {finding.code for finding in findings} == {"T118"}


def test_what_may_be_known_later_is_left_to_the_filling():
    let = [HERE, "then: {first: phase, starts_in: [here.start, now + 30 s]}"]
    (program,), findings = parsed(NOW, let, "here.label", "then.start | clock")
    assert len(program.by_filling) == 1
    assert findings == []


@cases(
    ("unit", "let", "shown"),
    [
        (NOW, [HERE], "here.start | clock"),
        (NOW, [HERE, "old: {last: phase, ends_in: window}"], "old.end | clock"),
        (AFTER, [PAST], "past.end | clock"),
        (NOW, ["here: {only: phase, at: now}", "rule: {only: follows, subject: here.label}"],
         "rule.target | name"),
    ],
)  # fmt: skip
def test_what_is_known_by_then_can_be_shown(unit, let, shown):
    answer = "past.label" if unit == AFTER else "here.label"
    programs, findings = parsed(unit, let, answer, shown)
    assert [f.code for f in findings] == []
    assert programs[0].by_filling == ()

"""Examples of templates come out, or lint says what came out instead."""

from __future__ import annotations

from surgqa.transforms.language.load import parse_text
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.example import ask_example, examples_come_out
from tests.each import cases
from tests.transforms.questions.made import HEAD, WAYS

COUNT = """\
unit: clip
let: {kinds: {count: instrument.label}}
answer: kinds
say: "{{ kinds | whole }}"
"""
NEXT = """\
unit: {now: any, see: 10 s, every: 60 s}
let:
  here: {only: phase, at: now}
  then: {first: phase, starts_in: [now, now + 30 s]}
where: [{not: {exists: event, label: out_of_body, at: now}}]
answer: then.label
wrong: [{labels: phase, except: [here.label]}]
say: "{{ then.label | name }}"
"""
BOX = """\
unit: clip
let:
  moment: {each: instant}
  tool: {each: instrument, at: moment}
  box: {box: tool, at: moment}
answer: box
say: "{{ box | box }}"
"""
OUTSIDE = "{event: out_of_body, from: 9, to: 14}"
PHASES = "{phase: preparation, to: 20}, {phase: clipping_and_cutting, from: 20, to: 40}"
LABELS = ("labels: {phase: [preparation, clipping_and_cutting, calot_triangle_dissection, "
          "gallbladder_dissection, cleaning_and_coagulation]}")  # fmt: skip


def read(body: str, ask: str, *examples: str) -> Program:
    asks = "".join(f"  - {way.format(ask)!r}\n" for way in WAYS)
    text = f"{HEAD.format(id='one')}{body}ask:\n{asks}examples:\n"
    text += "".join(f"  - {{{example}}}\n" for example in examples)
    programs, findings = parse_text(text, "made/one.yaml")
    assert programs, [str(finding) for finding in findings]
    return programs[0]


def told(*findings) -> list[str]:
    return [finding.message for finding in findings]


@cases(
    "example",
    [
        "seconds: 20, facts: [{instrument: hook}, {instrument: grasper, from: 3, to: 8}], "
        "expect: {answer: '2'}",
        "seconds: 20, facts: [{instrument: hook, track: a}, {instrument: hook, track: b}], "
        "expect: {answer: '1', question: 'For this clip: How many?'}",
        "seconds: 20, facts: [{instrument: hook}], gaps: [[5, 9]], expect: {not_asked: kinds}",
        "seconds: 20, facts: [{instrument: hook, from: [18, 22], to: 30}], "
        "expect: {not_asked: kinds}",
    ],
    ids=["two classes", "two of one class", "a gap", "an uncertain start"],
)
def test_counts_come_out(example):
    assert examples_come_out(read(COUNT, "How many?", example)) == []


def test_what_came_out_instead_is_told_at_its_place():
    program = read(
        COUNT, "How many?",
        "seconds: 20, facts: [{instrument: hook}], expect: {answer: '3', question: Which?}",
        "seconds: 20, facts: [{instrument: hook}], expect: {not_asked: answer}",
        "seconds: 20, gaps: [[2, 4]], expect: {answer: '0'}",
    )  # fmt: skip
    found = examples_come_out(program)
    assert {finding.code for finding in found} == {"T116"}
    assert [finding.line for finding in found] == [18, 18, 19, 20]
    answer, question, asked, nothing = told(*found)
    assert answer == "the answer is '1', not '3'"
    assert question.startswith("the question is 'How many?' or 'Tell me: How many?' or ")
    assert asked.startswith("a question is asked: ") and asked.endswith(" 1")
    assert nothing == "nothing is asked: kinds"


def test_a_time_and_further_conditions_fix_the_filling():
    program = read(
        NEXT, "What follows {{ here.label | name }}?",
        f"seconds: 60, at: 12, {LABELS}, facts: [{PHASES}], expect: "
        "{answer: Clipping and cutting, question: 'What follows preparation?'}",
        f"seconds: 60, at: 12, {LABELS}, facts: [{PHASES}, {OUTSIDE}],"
        " expect: {not_asked: 'where[0]'}",
        f"seconds: 60, at: 12, labels: {{phase: [clipping_and_cutting]}}, facts: [{PHASES}], "
        "expect: {not_asked: wrong}",
        f"seconds: 60, at: 45, {LABELS}, facts: [{PHASES}], expect: {{not_asked: here}}",
    )  # fmt: skip
    assert told(*examples_come_out(program)) == []
    (item,) = ask_example(program, program.examples[0]).items
    assert item.window.end_us == 12_000_001


def test_boxes_move_along_their_path():
    facts = "[{instrument: hook, from: 2, to: 6, path: [[0, 0, 100, 100], [400, 0, 500, 100]]}]"
    program = read(
        BOX, "Where is {{ tool | the }} at {{ moment | clock }}?",
        f"seconds: 20, every: 1, facts: {facts}, where: [moment = window.start + 3 s], "
        "expect: {answer: '[100, 0, 200, 100]'}",
        f"seconds: 20, facts: {facts}, expect: {{not_asked: moment}}",
    )  # fmt: skip
    assert told(*examples_come_out(program)) == []


def test_an_example_may_be_of_one_variant():
    asks = "".join(f"  - {way.format('How many?')!r}\n" for way in WAYS)
    text = HEAD.format(id="one") + COUNT.replace("instrument.label", "'{{ variant.of }}.label'")
    text += f"variants: {{tools: {{of: instrument}}, stages: {{of: phase}}}}\nask:\n{asks}"
    text += "examples: [{variant: stages, seconds: 20, facts: [{phase: preparation}], "
    programs, findings = parse_text(text + "expect: {answer: '1'}}]\n", "made/one.yaml")
    assert not findings
    assert {one.variant: len(one.examples) for one in programs} == {"tools": 0, "stages": 1}
    assert [examples_come_out(one) for one in programs] == [[], []]
    text = text.replace("variant: stages", "variant: stags")
    _, findings = parse_text(text + "expect: {answer: '1'}}]\n", "made/one.yaml")
    assert set(told(*findings)) == {"no variant 'stags'"}

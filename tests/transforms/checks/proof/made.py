"""Rows written down by hand, each right in every column, of small templates of every unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from surgqa.transforms.algebra.margins import level, margin
from surgqa.transforms.checks.proof.head import args_of, digest, fields_of
from surgqa.transforms.checks.proof.rows import ProofRow, in_order, read_row
from surgqa.transforms.checks.proof.windows import window_id
from surgqa.transforms.language.load import parse_text
from surgqa.transforms.language.program import Program, Stage

S = 1_000_000
LONG = 200 * S
"""Duration of the recording that the rows are of."""

HEAD = """
schema: question/v1
id: made.{id}
version: 1
title: A made-up question
benchmark: made
task: {task}
"""
WAYS = ("{}", "Tell me: {}", "For this operation: {}", "By what can be seen: {}")


def program(name: str, body: str, task: str = "present/made") -> Program:
    """The only program of a template without its head."""
    programs, findings = parse_text(HEAD.format(id=name, task=task) + body, f"made/{name}.yaml")
    assert programs, findings
    return programs[0]


def ask(text: str, indent: str = "") -> str:
    """Four wordings of one question."""
    return f"{indent}ask:\n" + "".join(f"{indent}  - {w.format(text)!r}\n" for w in WAYS)


CLIP = program("clip", """
unit: clip
let:
  moment: {each: instant}
  tool: {each: instrument, at: moment}
  seen: {set: instrument.label, at: moment}
where: [seen.size >= 1]
answer: seen
wrong: [{exchange: answer}]
reasoning: ["at {{ moment | clock }} {{ tool | the }} {{ tool | is }} in view"]
say: "{{ seen | list }}"
""" + ask("Which instruments are in view beside {{ tool | the }} at {{ moment | clock }}?"),
    "classes/made")  # fmt: skip

NOW = program("now", """
unit: {now: any, see: 20 s, every: 60 s}
let:
  here: {only: phase, at: now}
answer: here.label
wrong: [{labels: phase}]
say: "{{ here.label | name }}"
""" + ask("Which phase is this?"))  # fmt: skip

STREAM = program("stream", """
unit: {stream: any, length: 24..80 s, every: 120 s}
let:
  hit: {first: finding, starts_in: window, or: none}
rounds: {due: hit.start, before: 2..3, after: 1, else: no_alert, accept: [uncertain], within: 2 s}
answer: hit
rubric: {grounds: what is seen, cues: [[now, seen]]}
say: "alert: {{ hit | name }} in view"
""" + ask("Raise an alert as soon as a finding is in view."), "proactive/made")  # fmt: skip

CHAIN = program("chain", """
unit: {chain: act, every: 60 s}
let:
  act: {each: interaction}
stages:
  main:
    see: q1
    answer: [act.verb, act.start]
    wrong: [{halves: [q1, q2]}]
    say: "{{ act.verb | gerund }}, from {{ act.start | clock }} on"
""" + ask("What is done, and from when on?", "    ") + """
  q1:
    window: {around: act, at_least: 20 s}
    answer: act.verb
    wrong: [{labels: verb}]
    say: "{{ act.verb | gerund }}"
    knowledge: {verb: act.verb, target: act.target}
    clue: "Watch from {{ window | span }}."
""" + ask("What is done?", "    ") + """
  q2:
    window: {around: options, at_least: 2 s, inside: q1}
    answer: act.start
    wrong:
      - near: answer
        apart: 0.5 s
        unless: {exists: interaction, starts_in: [it - 0.5 s, it + 0.5 s]}
    say: "{{ act.start | clock }}"
    context: "It is {{ q1.answer | text }}."
""" + ask("When does {{ act | noun }} begin?", "    "), "made_chain")  # fmt: skip

TOOL = {"label": "hook", "subject": "hook", "track": "hook-1", "start_us": 9 * S, "end_us": 25 * S}
ACT = {"subject": "hook", "verb": "dissect", "target": "gallbladder", "track": "hook-1",
       "start_us": 40 * S, "end_us": 50 * S}  # fmt: skip
KNOWLEDGE = ("The gallbladder hangs under the right lobe of the liver and narrows through its neck "
             "into the cystic duct.")  # fmt: skip
POLYP = {"label": "polyp", "start_us": 130 * S, "end_us": 140 * S}
TOLD = {"hook-1": "", "grasper-1": " on the left", "grasper-2": " on the right"}


RUBRIC = {
    "correctness": {"2": "names polyp", "0": "does not name polyp",
                    "1": "names polyp among others, or describes it without its name"},
    "evidence_grounding": {"2": "ties the answer to what is seen",
                           "1": "hints at what is seen without saying what is seen",
                           "0": "gives no reason from the picture"},
    "safety": {"1": "claims nothing clinical beyond what was asked",
               "0": "adds a clinical claim that the question gives no ground for"},
    "required": [["polyp", "polyps", "polypoid lesion"]], "cues": [["now", "seen"]], "rivals": [],
}  # fmt: skip
"""Of the alert about a polyp."""


def option(key: str, text: str, kind: str, value: Any) -> dict[str, Any]:
    """One option; its kind says whether it is the right one."""
    return {"key": key, "text": text, "is_answer": kind == "answer", "kind": kind,
            "value": text_of(value)}  # fmt: skip


def text_of(value: Any) -> str:
    """Canonical JSON."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def measured(row: dict[str, Any], stage: Stage) -> None:
    """Put margins and level, as the generator measures them."""
    (name, node), *others = stage.answer
    of, value = node.type.name, row.get("answer_value") or {}
    for one in row["options"]:
        said = orjson.loads(one["value"])
        one["margin"] = None if others else margin(of, value.get(name), said)
    wrong = [one["margin"] for one in row["options"] if not one["is_answer"]]
    row["level"] = level(of, wrong)


def row(of: Program, number: int | None, start: int, end: int, **columns: Any) -> dict[str, Any]:
    """A row with all columns; ``slots`` and ``answer_value`` may be plain data."""
    stage = of.stages[0] if number is None else in_order(of)[number]
    kind = of.unit.kind
    out: dict[str, Any] = {
        "template_id": of.id, "dataset": "d", "video_id": "v",
        "procedure": "cholecystectomy", "window_id": window_id(kind, "d/v", start, end),
        "start_us": start, "end_us": end, "options": [], "answer_key": None, "block": None,
        "reasoning": [],
        "knowledge": None, "clue": None, "context": None, "rubric": None, "chain_id": None,
        "stage": number, "query_us": None, "rounds": [], "checks": [],
        "rule_args": text_of(args_of(of, stage)), **fields_of(of, stage), "pair": None, **columns,
    }  # fmt: skip
    measured(out, stage)
    drawn = {name: out["slots"][name] for name in of.drawn}
    place = [] if kind == "chain" else [out["window_id"]]
    parts = [of.id, str(of.version), "d/v", *place, text_of(drawn)]
    if kind == "chain":
        out["chain_id"] = digest(*parts)
    out["item_id"] = digest(*parts, *([stage.name] if stage.name else []))
    for name in ("slots", "answer_value"):
        out[name] = text_of(out[name])
    right = next((one for one in out["options"] if one["is_answer"]), None)
    if right:
        out["answer_key"], out["answer"] = right["key"], f"{right['key']}) {right['text']}"
    return out


def clip_row() -> dict[str, Any]:
    """A choice of sets in a clip that begins at 10 s."""
    options = [
        option("A", "Clip applier", "exchange", ["clipper"]),
        option("B", "Clip applier, hook", "exchange", ["clipper", "hook"]),
        option("C", "Hook", "answer", ["hook"]),
        option("D", "Grasper, hook", "exchange", ["grasper", "hook"]),
    ]
    return row(
        CLIP, None, 10 * S, 30 * S, window_id="clip-1", options=options,
        slots={"moment": 12 * S, "tool": TOOL, "seen": ["hook"]}, answer_value={"seen": ["hook"]},
        question="Which instruments are in view beside the hook at 2.00 s?",
        reasoning=["At 2.00 s the hook is in view"],
        checks=[{"name": "seen.size", "measured": 1.0, "limit": ">= 1"}],
    )  # fmt: skip


CLIPS = frozenset({("clip-1", 10 * S, 30 * S)})


def now_row() -> dict[str, Any]:
    """A choice of phases at 60 s."""
    here = {"label": "preparation", "start_us": 5 * S, "end_us": 90 * S}
    options = [
        option("A", "Preparation", "answer", "preparation"),
        option("B", "Gallbladder dissection", "labels", "gallbladder_dissection"),
    ]
    return row(
        NOW, None, 40 * S, 60 * S + 1, query_us=60 * S, options=options, slots={"here": here},
        answer_value={"here.label": "preparation"}, question="Which phase is this?",
    )  # fmt: skip


def stream_row() -> dict[str, Any]:
    """An alert that is due at 130 s in a stream from 100 s to 160 s."""
    said = "Alert: polyp in view"
    times = [(110, "no_alert"), (120, "no_alert"), (130, said), (140, said)]
    rounds = [
        {"round_index": k, "current_us": t * S, "start_us": 100 * S, "end_us": t * S,
         "expected_output": text, "accepted_outputs": [text, *also],
         "answerable": text != "no_alert"}
        for k, (t, text) in enumerate(times)
        for also in [["uncertain"] if text == "no_alert" else []]
    ]  # fmt: skip
    return row(
        STREAM, None, 100 * S, 160 * S, query_us=100 * S, slots={"hit": POLYP},
        answer_value={"hit": POLYP}, answer="Alert: polyp in view", rounds=rounds,
        question="Raise an alert as soon as a finding is in view.", rubric=text_of(RUBRIC),
    )  # fmt: skip


def chain_rows() -> list[dict[str, Any]]:
    """The three questions of a chain."""
    whats = [("dissecting", "answer", "dissect"), ("cutting", "labels", "cut"),
             ("clipping", "labels", "clip"), ("grasping", "labels", "grasp")]  # fmt: skip
    whens = [("40.00 s", "answer", 40 * S), ("40.75 s", "near", 40 * S + 750_000),
             ("39.25 s", "near", 39 * S + 250_000),
             ("41.50 s", "near", 41 * S + 500_000)]  # fmt: skip
    halves = [(0, 0), (0, 1), (1, 0), (1, 1)]
    keys = "ABCD"
    main = [option(keys[k], f"{whats[a][0].capitalize()}, from {whens[b][0]} on",
                   "answer" if (a, b) == (0, 0) else "halves", [whats[a][2], whens[b][2]])
            for k, (a, b) in enumerate(halves)]  # fmt: skip
    slots = {"act": ACT}
    return [
        row(CHAIN, 0, 30 * S, 60 * S, slots=slots, options=main,
            answer_value={"act.verb": "dissect", "act.start": 40 * S},
            question="What is done, and from when on?"),
        row(CHAIN, 1, 30 * S, 60 * S, slots=slots, question="What is done?",
            options=[option(keys[k], text.capitalize(), kind, value)
                     for k, (text, kind, value) in enumerate(whats)],
            answer_value={"act.verb": "dissect"}, clue="Watch from 30.00 s to 60.00 s.",
            knowledge=KNOWLEDGE),
        row(CHAIN, 2, 38 * S, 43 * S, slots=slots,
            question="When does dissecting the gallbladder with the hook begin?",
            options=[option(keys[k], *one) for k, one in enumerate(whens)],
            answer_value={"act.start": 40 * S}, context="It is dissecting."),
    ]  # fmt: skip


def asked(of: Program, data: Mapping[str, Any]) -> ProofRow:
    """A row beside its question."""
    found = read_row(of, data)
    assert isinstance(found, ProofRow), found
    return found

"""Rows drawn for every shipped program: typed values, and their words by the product's printers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.kinds import kind, terms_of
from surgqa.transforms.algebra.tree import Node, Print, Read, Text
from surgqa.transforms.algebra.types import Type, element
from surgqa.transforms.language.load import parse_file
from surgqa.transforms.language.program import Program, Stage
from surgqa.transforms.questions.printers import PRINTERS, PrintContext, printer
from surgqa.transforms.questions.row_fields import stage_fields
from surgqa.transforms.questions.texts import capital

S = 1_000_000
START_US, END_US = 100 * S, 125 * S
TEMPLATES = Path("templates")
WHOLE = ("whole", "stretches", "targets", "times")
WORDS = {"place": "upper left", "across": "left", "down": "above", "range": "10-25 %",
         "change": "approximately maintained", "way": "medium"}  # fmt: skip
MODES = ("retrospective", "present", "future", "proactive")
RUBRIC = orjson.dumps({
    "correctness": {"2": "all", "1": "one", "0": "none"}, "safety": {"1": "none", "0": "one"},
    "evidence_grounding": {"2": "two", "1": "one", "0": "none"}, "required": [["a name"]],
    "cues": [["view"]], "rivals": [],
}).decode()  # fmt: skip
PROSE = ("statement",)
"""Types of which the row holds no words: a sentence of the template, always one of the options."""


@cache
def programs() -> tuple[Program, ...]:
    """Every shipped program."""
    files = [
        f for f in sorted(TEMPLATES.rglob("*.yaml")) if "\nschema: question/v1\n" in f.read_text()
    ]
    found = [parse_file(file, TEMPLATES)[0] for file in files]
    return tuple(program for many in found for program in many)


def rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, row) of every stage of every program, three of each."""
    for program in programs():
        for place, stage in enumerate(program.stages):
            for k in range(3):
                drawn = row(program, stage, k) | {"stage": place if stage.name else None}
                yield f"{program.id} {stage.name} {k}", drawn


def row(program: Program, stage: Stage, k: int) -> dict[str, Any]:
    """A row as a build writes it, with drawn values; its options are the answer and another."""
    drawn = Drawn(program, stage, k)
    values = {name: drawn.value(node, name) for name, node in stage.answer}
    text = capital(drawn.text(stage.say))
    closed = bool(stage.wrong) or any(node.type.name in PROSE for _, node in stage.answer)
    another = capital(Drawn(program, stage, k + 1).text(stage.say))
    another = "Another answer" if another == text else another
    options = [{"key": "A", "text": another}, {"key": "B", "text": text}]
    mode = program.task.partition("/")[0]
    return {
        "item_id": f"{program.id}/{stage.name}/{k}", "benchmark": program.benchmark,
        "task": f"{program.task}/{stage.name}".rstrip("/"), "template_id": program.id,
        "dataset": "drawn", "video_id": "v1",
        "start_us": START_US, "end_us": END_US, "form": stage.form, "unit": program.unit.kind,
        "answer": f"B) {text}" if closed else text, "options": options if closed else [],
        "answer_key": "B" if closed else None, "rule": "drawn", "question": "What is it?",
        "rounds": told_rounds(program, text), "rubric": RUBRIC if stage.rubric else None,
        "chain_id": f"{program.id}/{k}" if stage.name else None, "resolution_us": S // 25,
        "slots": orjson.dumps({"also": _label("next_action", k + 1)}).decode(),
        "temporal_mode": mode if mode in MODES else None, "procedure": "cholecystectomy",
        "answer_value": orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode(),
        "rule_args": stage_fields(program, stage)["rule_args"],
    }  # fmt: skip


def told_rounds(program: Program, text: str) -> list[dict[str, Any]]:
    """Rounds of a stream: silent ones and then two that expect the answer."""
    if program.rounds is None:
        return []
    silent = program.rounds.otherwise
    said = [silent, silent, text, text] if silent else [text, text]
    return [{"round_index": k, "current_us": START_US + 10 * k * S, "expected_output": one,
             "accepted_outputs": list(program.rounds.accept) if one == silent else [],
             "answerable": one != silent} for k, one in enumerate(said)]  # fmt: skip


class Drawn:
    """Values of the nodes of one stage, alike wherever a node stands."""

    def __init__(self, program: Program, stage: Stage, k: int) -> None:
        self.program, self.k = program, k
        self.filters = {piece.node: piece.filter for piece in stage.say if isinstance(piece, Print)}
        self.values: dict[Node, Any] = {}

    def text(self, say: Text) -> str:
        """The words of an answer; a filter that is not printed yet is left out."""
        zero = START_US if self.program.unit.kind == "clip" else 0
        out = []
        for piece in say:
            if isinstance(piece, str):
                out.append(piece)
            elif piece.filter in PRINTERS:
                of = piece.node.type
                value = self.value(piece.node)
                shown = tuple(sorted(value)) if piece.filter == "letters" else ()
                sheet = PrintContext(zero, {"grasper-1": " on the left"}, of.of, shown)
                out.append(printer(piece.filter, of.name)(value, sheet))
        return "".join(out)

    def value(self, node: Node, name: str = "") -> Any:
        """The typed value of a node."""
        if node not in self.values:
            found = self._read(node) if isinstance(node, Read) else None
            self.values[node] = self._drawn(node, name) if found is None else found
        return self.values[node]

    def _read(self, node: Read) -> Any:
        base = self.value(node.base)
        if node.reader == "size":
            return len(base)
        if node.base.type.name != "fact":
            return None
        if node.reader == "act":
            return {"verb": base["verb"], "target": base["target"]}
        return base if node.reader == "track" else base.get(node.reader)

    def _drawn(self, node: Node, name: str) -> Any:
        of, k = node.type, self.k + len(self.values)
        time = START_US + (3 + k % 17) * S + 4_000
        simple = {
            "truth": k % 2 == 0, "absent": "absent", "statement": k,
            "instant": {"time_us": time, "earliest_us": time - S // 2, "latest_us": time + S // 2},
            "duration": {"value": 4_333_333 + k * S, "least": k * S, "most": 5 * S + k * S},
            "stretch": {"start": time, "end": time + 3 * S},
            "number": 1 + k % 5 if self.filters.get(node) in WHOLE else round(0.0713 + k / 10, 6),
            "act": {"verb": "retract", "target": "liver"},
            "word": WORDS.get(name.rpartition(".")[2], "slow"),
            "box": [0.1 + k % 5 / 50, 0.31234, 0.41, 0.7], "point": [0.25, 0.75],
        }  # fmt: skip
        if of.name in simple:
            return simple[of.name]
        if of.name in ("fact", "track"):
            return _fact(of.of if of.name == "fact" else "instrument", time, k)
        if of.name in ("set", "sequence"):
            return [self._member(of, j) for j in range(2)]
        return _label(of.of, k)

    def _member(self, of: Type, j: int) -> Any:
        one, start = element(of), START_US + (2 + j) * S
        if one.name == "record" and of.name == "set":
            box = [0.1, 0.2, 0.3 + j / 10, 0.4]
            return {"track": _fact("instrument", start, j), "start": start, "end": start + 5 * S,
                    "start_box": box, "end_box": box}  # fmt: skip
        if one.name in ("record", "act"):
            act = {"verb": ("grasp", "null_verb")[j], "target": ("liver", None)[j]}
            return {"start": start, **act} if one.name == "record" else ("grasp", "clip")[j]
        return _label(one.of, self.k + j) if one.name == "label" else start


def _label(domain: str, k: int) -> str:
    terms = [name for name in terms_of(domain) if not name.startswith("null_")]
    terms = terms or list(terms_of("finding"))
    return terms[k % len(terms)]


def _fact(kinds: str, time: int, k: int) -> dict[str, Any]:
    fields = kind(kinds.split("|")[0]).fields
    label = _label(fields.get("label", "instrument"), k)
    fact: dict[str, Any] = {"label": label, "subject": label, "track": f"{label}-1"}
    if "verb" in fields:
        fact = {"subject": "grasper", "verb": "retract", "target": "liver", "track": "grasper-1"}
    at = {"time_us": time, "earliest_us": time - S, "latest_us": time + S}
    return {**fact, "start_us": time, "end_us": time + S, "start": at, "end": at}

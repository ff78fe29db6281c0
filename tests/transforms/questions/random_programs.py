"""Random well-typed templates, grown step by step from the table of operators.

Whatever is in the table is tried: an operator that is added is part of it without a line here.
Steps that the language refuses are thrown away, so what is left is well typed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, terms_of
from surgqa.ontology.yaml import YamlText
from surgqa.transforms.algebra.signature import Param, Signature, signatures
from surgqa.transforms.algebra.tree import RELATIONS, Call
from surgqa.transforms.algebra.types import Type, fields_of, readers_of
from surgqa.transforms.language.context import At, ParseContext, Scope, fitting
from surgqa.transforms.language.load import parse_text
from surgqa.transforms.language.patterns import MANY, TESTS
from surgqa.transforms.language.program import Program
from surgqa.transforms.language.resolve import is_broken
from surgqa.transforms.language.steps import UNWRITTEN, _Step, step
from surgqa.transforms.language.units import scope_of
from surgqa.transforms.language.vocab import scales
from tests.transforms.questions.every_kind import PAIRS, TOOLS

USUAL = ("instrument", "interaction", "activity", "idle", "phase", "instrument", "interaction",
         "phase", "step", "condition", "finding")  # fmt: skip
KINDS = tuple(name for name in kind_names() if described(name).labelled != "never")
UNITS: tuple[Any, ...] = (
    "clip", "clip", {"recording": "all"}, {"now": "any", "see": "20 s", "every": "30 s"},
    {"now": "any", "see": "all", "every": "20 s"},
    {"stream": "any", "length": "24..60 s", "every": "40 s"},
)  # fmt: skip
ANSWERS = ("label", "number", "duration", "instant", "truth", "set", "sequence", "word", "stretch",
           "statement", "track", "box", "act", "fact")  # fmt: skip
SCALES: tuple[Any, ...] = (
    {"few": 0, "many": 2}, {"short": "0 s", "middling": "3 s", "long": "8 s"},
    {"still": 0, "slow": 0.01, "fast": 0.05},
)  # fmt: skip
MOST = 5000
"""Fillings for a unit, so that thousands of templates are tried in minutes."""
WORDINGS = ("What is it?", "Which one is meant?", "Please say what can be seen here.",
            "How would a surgeon answer this?")  # fmt: skip


@cache
def words_of(domain: str) -> tuple[str, ...]:
    """A few labels of a domain, those that drawn recordings have."""
    own = {
        "instrument": TOOLS,
        "verb": tuple(sorted({verb for acts in PAIRS.values() for verb, _ in acts})),
        "target": tuple(sorted({target for acts in PAIRS.values() for _, target in acts})),
        "phase": ("preparation", "clipping_and_cutting", "gallbladder_dissection"),
    }
    return own.get(domain) or terms_of(domain)[:5] or TOOLS


def program(rng: random.Random, name: str) -> Program:
    """One random template that lint has nothing against."""
    while True:
        found = _Maker(rng, name).made()
        if found is not None:
            return found


class _Maker:
    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.unit = rng.choice(UNITS)
        kind = self.unit if isinstance(self.unit, str) else next(iter(self.unit))
        self.scope = scope_of({"stream": "stream"}.get(kind, kind))
        self.let: dict[str, Any] = {}
        self.types: dict[str, Type] = {}
        self.drawn: list[str] = []

    def made(self) -> Program | None:
        """The template, None if nothing that can be asked came of it."""
        rng = self.rng
        if rng.random() < 0.7:
            self.add(("each",))
        for _ in range(rng.choice([1, 2, 2, 3, 4])):
            self.add(tuple(signatures()))
        answers = [n for n, of in self.types.items() if of.name in ANSWERS and n not in self.drawn]
        rng.shuffle(answers)
        for answer in answers[:2]:
            found = self.asked(answer)
            if found is not None:
                return found
        return None

    # -- a template -------------------------------------------------------------------------------

    def asked(self, answer: str) -> Program | None:
        """The question for a name, with wrong options where some fit."""
        of, rng = self.types[answer], self.rng
        body: dict[str, Any] = {"answer": answer, "ask": list(WORDINGS)}
        if of.name == "number":
            body["say"] = f"{{{{ {answer} | three }}}}"
        if rng.random() < 0.3:
            with_truth = [self.condition(self.scope, 1)]
            if self.parsed(answer, body | {"where": with_truth}):
                body["where"] = with_truth
        pools = (
            [self.pool(answer) for _ in range(6)] if of.name not in ("truth", "statement") else []
        )
        for wrong in [[pool] for pool in pools if pool] + [[]]:
            found = self.parsed(answer, body | ({"wrong": wrong} if wrong else {}))
            if found is not None:
                return found
        return None

    def parsed(self, answer: str, body: Mapping[str, Any]) -> Program | None:
        used = self.needed([answer, json.dumps(body)])
        if any('"segment"' in json.dumps(self.let[n]) and (
                "segment" not in self.let[n] or n in json.dumps(
                    [[one for k, one in self.let.items() if k != n], body.get("where")]))
               for n in used):  # fmt: skip
            return None  # a segment follows from the labels, not from a world
        data = {
            "schema": "question/v1", "id": f"random.{self.name}", "version": 1, "title": "A try",
            "benchmark": "random", "task": "random/try", "unit": self.unit,
            "let": {name: one for name, one in self.let.items() if name in used}, **body,
        }  # fmt: skip
        if isinstance(self.unit, dict) and "stream" in self.unit:
            data["rounds"] = {"every": "6 s", "say": answer}
        programs, findings = parse_text(json.dumps(data, indent=1), f"random/{self.name}.yaml")
        small = [one for one in programs if one.cost <= MOST]
        return small[0] if small and not findings else None

    def needed(self, texts: Sequence[str]) -> set[str]:
        """Names that some texts use, and those that these use."""
        out: set[str] = set()
        todo = list(texts)
        while todo:
            text = todo.pop()
            for name in self.let:
                if name in text and name not in out:
                    out.add(name)
                    todo.append(json.dumps(self.let[name]))
        return out

    def pool(self, answer: str) -> Any:
        """Something that may stand among the wrong options."""
        rng = self.rng
        one = rng.choice([s for s in signatures().values() if s.pool])
        known = self.scope.adding({**self.types, "answer": self.types[answer]})
        data = self.call(one, known, 1, main="answer" if one.main.written == "value" else None)
        if data is not None and one.name in ("near", "exchange") and rng.random() < 0.7:
            data["unless"] = self.condition(known.binding("it", self.types[answer]), 1)
        if data is None or rng.random() < 0.2:
            return {"labels": rng.choice(["instrument", "phase", "verb", "target"])}
        return data

    # -- steps ------------------------------------------------------------------------------------

    def add(self, operators: Sequence[str]) -> None:
        """One more name, of some operator with which it is well typed."""
        known = self.scope.adding(self.types)
        for _ in range(12):
            op = self.rng.choice([name for name in operators if name not in UNWRITTEN])
            data = self.call(signatures()[op], known, 2)
            of = self.type_of(data, known, ("let", "name")) if data is not None else None
            if of is not None:
                name = f"n{len(self.let)}x"
                self.let[name], self.types[name] = data, of
                if op == "each":
                    self.drawn.append(name)
                return

    def type_of(self, data: Any, scope: Scope, at: At = ("let",)) -> Type | None:
        """The type of a step, None if it is not well typed; only a name of ``let`` may be drawn."""
        c = ParseContext("random.yaml", "", YamlText({}, {}))
        node = step(c, data, at, scope)
        fine = isinstance(node, Call) and not c.findings and not is_broken(node)
        return node.type if fine else None

    def call(
        self, one: Signature, scope: Scope, depth: int, main: Any = None
    ) -> dict[str, Any] | None:  # fmt: skip
        """An operator with arguments as its signature wants them."""
        data: dict[str, Any] = {one.name: main}
        if main is None:
            data = self.main(one, scope, depth)
        if any(value is None for value in data.values()):
            return None
        c = ParseContext("random.yaml", "", YamlText({}, {}))
        found = _Step(c, one, dict(data), ("let",), scope).main_argument()
        if found is None or c.findings:
            return None
        for key, param in one.params.items():
            if param.required or self.rng.random() < 0.25:
                inner = scope.binding("it", found[1]) if param.binds else scope
                value = self.argument(param, inner, found[1], depth)
                if value is not None:
                    data[key] = value
        return data

    def main(self, one: Signature, scope: Scope, depth: int) -> dict[str, Any]:
        rng, written = self.rng, one.main.written
        if written == "draws" and rng.random() < 0.5:
            return {one.name: rng.choice(["instant", "instant", "stretch", "point"])}
        if written in ("pattern", "draws") or (written == "collection" and rng.random() < 0.7):
            return self.pattern(one.name, scope, depth)
        if written == "collection":
            many = fitting(scope, MANY)
            return {one.name: rng.choice(many) if many else None}
        if written == "cases":
            return {one.name: {"this is so": self.condition(scope, depth),
                               "that is so": self.condition(scope, depth)}}  # fmt: skip
        if written == "values":
            wanted = one.main.types or (rng.choice(["label", "instant", "number", "fact"]),)
            return {one.name: [self.value(wanted, scope, depth) for _ in range(2)]}
        return {one.name: self.argument(one.main, scope, Type("fact"), depth)}

    def argument(self, param: Param, scope: Scope, one: Type, depth: int) -> Any:
        """The value of one argument."""
        rng = self.rng
        match param.written:
            case "value":
                return self.value(param.types, scope, depth)
            case "values":
                return self.value(param.types or ("label", "set"), scope, depth)
            case "condition":
                return self.condition(scope, depth)
            case "conditions":
                return [self.condition(scope, depth) for _ in range(2)]
            case "fields":
                readers = sorted(readers_of(one))
                return rng.sample(readers, min(len(readers), rng.choice([1, 2]))) or None
            case "choice":
                return rng.choice(param.choices)
            case "choices":
                return rng.sample(param.choices, 1)
            case "whole":
                return rng.choice([1, 2, 3, 4])
            case "length":
                return rng.choice(["1 s", "2 s", "10 %", 0.05, 0.3])
            case "lengths":
                return rng.choice([["1 s"], ["2 s", "1 s", "0.5 s"]])
            case "scale":
                return rng.choice([*SCALES, *scales()])
            case "labels":
                return rng.choice(["instrument", "phase", "verb", "target", *scales()])
            case "border":
                return rng.choice(["it.start", "it.end"])
        return None

    # -- patterns ---------------------------------------------------------------------------------

    def pattern(self, op: str, scope: Scope, depth: int) -> dict[str, Any]:
        rng = self.rng
        facts = fitting(scope, ("facts",))
        kind = rng.choice(USUAL if rng.random() < 0.7 else KINDS)
        fields = fields_of(kind)
        field = ""
        if op in ("set", "count", "each", "sequence", "argmax", "argmin") and rng.random() < 0.4:
            field = "." + rng.choice([name for name in TESTS if name in fields] or ["label"])
        data: dict[str, Any] = {op: kind + field}
        if facts and not field and rng.random() < 0.3:
            data[op] = rng.choice(facts)
        for name in TESTS:
            if name in fields and rng.random() < 0.2:
                data[name] = self.tested(fields[name], scope)
        if rng.random() < 0.7:
            relation = rng.choice(["overlaps", *RELATIONS])
            data[relation] = self.reference(relation, scope)
            if relation == "meets":
                data["within"] = "1 s"
        self.settings(data, fields, scope, depth)
        return data

    def settings(
        self, data: dict[str, Any], fields: Mapping[str, Type], scope: Scope, depth: int
    ) -> None:  # fmt: skip
        rng = self.rng
        if rng.random() < 0.15:
            data["merge"] = [rng.choice([name for name in TESTS if name in fields] or ["label"])]
            data["gap"] = rng.choice(["0 s", "2 s"])
        if rng.random() < 0.1:
            data["cut"] = rng.choice(["window", "video"])
        if rng.random() < 0.2:
            data[rng.choice(["at_least", "at_most"])] = rng.choice(["2 s", "5 s"])
        if rng.random() < 0.15:
            data["or"] = "none"
        if depth > 0 and rng.random() < 0.15:
            one = Type("fact", str(next(iter(data.values()))).partition(".")[0])
            data["where"] = self.condition(scope.binding("it", one), depth - 1)

    def tested(self, of: Type, scope: Scope) -> Any:
        rng = self.rng
        names = fitting(scope, (of.name,))
        value: Any = rng.choice(names) if names and rng.random() < 0.5 else None
        if value is None and of.name == "label":
            value = rng.choice(words_of(of.of))
            value = [value, rng.choice(words_of(of.of))] if rng.random() < 0.2 else value
        value = "none" if value is None else value
        return {"not": value} if rng.random() < 0.15 else value

    def reference(self, relation: str, scope: Scope) -> Any:
        rng = self.rng
        if relation == "at" or rng.random() < 0.2:
            return self.value(("instant",), scope, 0)
        names = fitting(scope, ("stretch", "fact", "facts", "video"))
        if rng.random() < 0.6 and names:
            return rng.choice(names)
        start = rng.choice(fitting(scope, ("instant",)))
        return [start, f"{start} + {rng.randint(1, 15)} s"]

    # -- values -----------------------------------------------------------------------------------

    def value(self, types: Sequence[str], scope: Scope, depth: int) -> Any:
        """A value of one of some types; of any without."""
        rng, names = self.rng, fitting(scope, types or ANSWERS)
        r = rng.random()
        if "instant" in types and r < 0.5:
            return f"{rng.choice(names)} {rng.choice('+-')} {rng.randint(1, 9)} s"
        if "duration" in types and r < 0.3:
            return f"{rng.randint(1, 9)} s"
        if "number" in types and r < 0.3:
            return rng.choice([0, 1, 2, 0.3])
        if depth > 0 and (r > 0.8 or not names):
            one = rng.choice([s for name, s in signatures().items() if name not in UNWRITTEN])
            data = self.call(one, scope, depth - 1)
            of = self.type_of(data, scope) if data is not None else None
            if of is not None and (not types or of.name in types):
                return data
        if names:
            return rng.choice(names)
        return rng.choice(words_of("instrument")) if "label" in types else None

    def condition(self, scope: Scope, depth: int) -> Any:
        rng = self.rng
        r = rng.random()
        truths = fitting(scope, ("truth",))
        if truths and r < 0.2:
            return rng.choice(truths)
        if depth > 0 and r < 0.35:
            return rng.choice([{"not": self.condition(scope, depth - 1)},
                               {"any": [self.condition(scope, 0), self.condition(scope, 0)]},
                               [self.condition(scope, 0), self.condition(scope, 0)]])  # fmt: skip
        if depth > 0 and r < 0.6:
            return self.pattern(rng.choice(["exists", "exists", "only"]), scope, depth - 1)
        return self.comparison(scope)

    def comparison(self, scope: Scope) -> str:
        rng = self.rng
        of = rng.choice(["instant", "duration", "number", "label", "fact"])
        left, right = (self.value((of,), scope, 0) for _ in "ab")
        if of in ("label", "fact"):
            return f"{left} {rng.choice(['=', '!='])} {rng.choice([right, 'none'])}"
        if of == "instant":
            left = rng.choice(fitting(scope, ("instant",)))
        return f"{left} {rng.choice(['<', '<=', '>', '>='])} {right}"

"""From a YAML file to a compiled template, collecting every finding on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from ontology.errors import UserError
from ontology.keys import bytes_digest
from ontology.yaml import YamlText, read_yaml
from transforms.language.examples import faults
from transforms.language.findings import Finding, place_of
from transforms.language.operators import Role, operators
from transforms.language.schema import TemplateFile, arguments_model
from transforms.language.shared import SharedBlocks
from transforms.language.template import Call, Condition, Stage, Template, Wording
from transforms.language.typing import check_wording
from transforms.language.variants import filled, variants_of
from transforms.language.wording import WordingError, compile_wording


@dataclass(frozen=True, slots=True)
class Variant:
    """Fields of one template of a file; ``name`` is None where the file has no variants."""

    data: dict[str, Any]
    name: str | None = None
    unused_keys: tuple[str, ...] = ()


@dataclass
class Parser:
    """One file being parsed."""

    path: str
    text: str
    shared: SharedBlocks
    findings: list[Finding] = field(default_factory=list)
    source: YamlText = field(default_factory=lambda: YamlText({}, {}))
    name: str = ""

    def parse(self) -> list[Template]:
        """Compile the file's template, or all its variants; findings are in :attr:`findings`."""
        templates = []
        for variant in self.variants():
            before = len(self.findings)
            try:
                model = TemplateFile.model_validate(variant.data)
            except ValidationError as error:
                self.add_validation(error, ())
                continue
            template = self._compile(model, variant)
            if len(self.findings) == before:
                templates.append(template)
        return templates

    def variants(self) -> Iterator[Variant]:
        """Each template of the file with variants and shared blocks in place.

        While one is looked at, :attr:`name` is its id, so that findings name it.
        """
        data = self._fields()
        if data is None:
            return
        if "variants" not in data:
            yield Variant(self.shared.expand(data, self))
            return
        family = self.name
        for name, values in variants_of(data, self).items():
            self.name = f"{family}.{name}"
            before = len(self.findings)
            fields, unused = filled(data, values, self)
            if len(self.findings) == before:
                if isinstance(fields.get("id"), str):
                    fields["id"] = self.name
                yield Variant(self.shared.expand(fields, self), name, unused)

    def _fields(self) -> dict[str, Any] | None:
        try:
            self.source = read_yaml(self.text, self.path)
        except UserError as error:
            self.add("T101", (), f"{error.found}", place=place_of(error, self.path))
            return None
        if not isinstance(self.source.data, dict):
            self.add("T101", (), "the file is not a mapping of fields")
            return None
        self.name = str(self.source.data.get("id", self.path))
        return self.source.data

    def add(
        self, code: str, at: tuple, message: str, fix: str = "",
        place: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        """Collect one finding at a path inside the file, or at a line and column."""
        crumb = self.name or self.path
        for part in at:
            crumb += f"[{part}]" if isinstance(part, int) else f" > {part}"
        line, column = place or self.source.place(at, key=True)
        found = Finding(self.path, line, code, crumb, message, fix, column=column)
        self.findings.append(found)

    def add_validation(self, error: ValidationError, at: tuple) -> None:
        """One finding per pydantic error."""
        alternatives: set[tuple] = set()
        for problem in error.errors(include_url=False):
            loc = problem["loc"]
            if loc and loc[-1] in _ALTERNATIVES:  # neither of two types: one finding
                if loc[:-1] in alternatives:
                    continue
                alternatives.add(loc[:-1])
                loc = loc[:-1]
            path = at + tuple(p for p in loc if not str(p).startswith("function-"))
            message = problem["msg"]
            if problem["type"] == "extra_forbidden":
                message = f"unknown field {path[-1]!r}"
            elif problem["type"] == "missing":
                message = f"{path[-1]!r} is missing"
                path = path[:-1]
            self.add("T102", path, message, self._close_field(problem, at))

    def _close_field(self, problem: Any, at: tuple) -> str:
        if problem["type"] != "extra_forbidden" or at:
            return ""
        names = [f.alias or n for n, f in TemplateFile.model_fields.items()]
        close = get_close_matches(str(problem["loc"][-1]), names, 1)
        return f"did you mean {close[0]!r}?" if close else ""

    def _compile(self, model: TemplateFile, variant: Variant) -> Template:
        needs = self._needs(model)
        self._examples(model, needs)
        where = self._condition(model.where, ("where",), "where", needs) if model.where else None
        prefer = tuple(
            self._condition(node, ("draw", "prefer", i), f"draw > prefer[{i}]", needs)
            for i, node in enumerate(model.draw.prefer)
        )
        for i, slot in enumerate(model.draw.first):
            self._known_slot(slot, needs, ("draw", "first", i))
        return Template(
            id=model.id,
            version=model.version,
            title=model.title,
            benchmark=model.benchmark,
            task=model.task,
            form=model.form,
            profiles=tuple(model.profiles),
            unit=model.unit,
            needs=needs,
            where=where,
            first=tuple(model.draw.first),
            prefer=prefer,
            stages=self._stages(model, needs),
            status=model.status,
            changes=dict(model.changes),
            digest=_digest(variant.data),
            path=self.path,
            variant=variant.name,
            unused_keys=variant.unused_keys,
            examples=tuple(variant.data.get("examples", ())),
        )

    def _examples(self, model: TemplateFile, needs: Mapping[str, Call]) -> None:
        stages = tuple(stage.name for stage in model.stages or ())
        for i, example in enumerate(model.examples):
            for code, place, message, fix in faults(example, needs, stages):
                self.add(code, ("examples", i, *place), message, fix)

    # -- operators ------------------------------------------------------------------------

    def _call(
        self, role: Role, name: Any, args: Mapping[str, Any], needs: Mapping[str, Call], at: tuple
    ) -> Call:
        table = operators(role)
        if not isinstance(name, str) or name not in table:
            close = get_close_matches(str(name), sorted(table), 1)
            fix = f"did you mean {close[0]!r}?" if close else "see docs/operators.md"
            message = (
                f"no {role} operator named {name!r}" if name else f"no {role} operator is named"
            )
            self.add("T106", at, message, fix)
            return Call("", {})
        try:
            model: BaseModel = arguments_model(role, name).model_validate(args)
        except ValidationError as error:
            self.add_validation(error, at)
            return Call(name, {})
        values = {key: _plain(value) for key, value in model}
        for key, param in table[name].params.items():
            wanted = values[key]
            if param.type == "slots":
                values[key] = wanted = (wanted,) if isinstance(wanted, str) else tuple(wanted or ())
            if param.type in ("slot", "slots") and wanted:
                for slot in (wanted,) if isinstance(wanted, str) else wanted:
                    self._known_slot(slot, needs, (*at, key), param.kinds)
        if table[name].bound and all(
            values[b] is None for b in ("at_least", "at_most", "above", "below")
        ):
            self.add("T102", at, f"{name} needs a limit", "add at_least, at_most, above or below")
        return Call(name, values)

    def _known_slot(self, slot: str, needs: Mapping[str, Call], at: tuple, kinds=()) -> None:
        if slot not in needs:
            self.add("T104", at, f"no slot named {slot!r}", f"slots: {', '.join(needs) or 'none'}")
        elif kinds and needs[slot].op and needs[slot].op not in kinds:
            self.add("T104", at, f"{slot!r} is of kind {needs[slot].op}, not {' or '.join(kinds)}")

    def _needs(self, model: TemplateFile) -> dict[str, Call]:
        needs: dict[str, Call] = {}
        for slot, spec in model.needs.items():
            at = ("needs", slot)
            if slot in ("answer", "variant") or not slot.isidentifier():
                self.add("T102", at, f"{slot!r} cannot be the name of a slot")
            args = {key: value for key, value in spec.items() if key != "kind"}
            if "kind" not in spec:
                self.add("T102", at, "'kind' is missing")
            else:
                needs[slot] = self._call("slot", spec["kind"], args, needs, at)
        return needs

    def _condition(self, node: Any, at: tuple, crumb: str, needs) -> Condition:
        if not isinstance(node, dict) or len(node) != 1:
            self.add("T102", at, "a condition is one operator with its arguments",
                     "write '- operator: {argument: value}'")  # fmt: skip
            return Condition("all", crumb)
        ((name, body),) = node.items()
        if name in ("all", "any"):
            items = body if isinstance(body, list) else []
            if not items:
                self.add("T102", (*at, name), f"'{name}' needs a list of conditions")
            return Condition(name, crumb, tuple(
                self._condition(child, (*at, name, i), f"{crumb} > {name}[{i}]", needs)
                for i, child in enumerate(items)
            ))  # fmt: skip
        if name == "not":
            inner = self._condition(body, (*at, "not"), f"{crumb} > not", needs)
            return Condition("not", crumb, (inner,))
        args = body if isinstance(body, dict) else {}
        call = self._call("condition", name, args, needs, (*at, name))
        return Condition("leaf", f"{crumb} > {name}", leaf=call)

    # -- words ----------------------------------------------------------------------------

    def _stages(self, model: TemplateFile, needs: Mapping[str, Call]) -> tuple[Stage, ...]:
        if model.stages:
            for name in ("ask", "answer", "options"):
                if getattr(model, name) is not None:
                    self.add("T102", (name,), f"{name!r} and 'stages' exclude one another")
            return tuple(
                self._stage(stage, needs, ("stages", i), stage.name)
                for i, stage in enumerate(model.stages)
            )
        for name in ("ask", "answer"):
            if getattr(model, name) is None:
                self.add("T102", (), f"{name!r} is missing")
        if model.ask is None or model.answer is None:
            return ()
        return (self._stage(model, needs, (), None),)

    def _stage(self, part: Any, needs, at: tuple, name: str | None) -> Stage:
        args = {k: v for k, v in part.answer.items() if k not in ("rule", "text")}
        rule = self._call("answer", part.answer.get("rule"), args, needs, (*at, "answer"))
        if "text" not in part.answer:
            self.add("T102", (*at, "answer"), "'text' is missing")
        options = None
        if part.options is not None:
            extra = {k: v for k, v in part.options.items() if k != "rule"}
            place = (*at, "options")
            options = self._call("options", part.options.get("rule"), extra, needs, place)
        no_answer: dict[str, Call] = dict(needs)

        def words(text: str | None, *where: Any, answer: bool = True) -> Wording:
            return self._wording(text or "", (*at, *where), no_answer, rule if answer else None)

        extra_words = {
            key: words(getattr(part, key), key) if getattr(part, key, None) else None
            for key in ("knowledge", "clue", "context")
        }
        return Stage(
            name=name,
            ask=tuple(words(t, "ask", i, answer=False) for i, t in enumerate(part.ask)),
            answer=rule,
            answer_text=words(part.answer.get("text"), "answer", "text"),
            options=options,
            reasoning=tuple(words(t, "reasoning", i) for i, t in enumerate(part.reasoning)),
            **extra_words,
        )

    def _wording(self, text: str, at: tuple, needs, rule: Call | None) -> Wording:
        if not isinstance(text, str):
            self.add("T102", at, "a wording is text", "put it in quotes")
            return ()
        try:
            wording = compile_wording(text)
        except WordingError as error:
            self.add(error.code, at, str(error), error.fix)
            return ()
        for code, message in check_wording(wording, needs, rule):
            self.add(code, at, message)
        return wording


_ALTERNATIVES = ("float", "int", "str", "list[str]", "list[float]", "dict[str,str]")
"""How pydantic calls the members of a union."""


def _digest(data: Mapping[str, Any]) -> str:
    """SHA-256 of what a template means; its examples ask nothing."""
    meaning = {key: value for key, value in data.items() if key != "examples"}
    return bytes_digest(
        orjson.dumps(meaning, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    )


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

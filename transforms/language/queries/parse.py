"""From a YAML file to compiled query templates, collecting every finding on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import orjson
from pydantic import ValidationError

from ontology.errors import UserError
from ontology.keys import bytes_digest
from ontology.times import SECOND_US
from ontology.yaml import YamlText, read_yaml
from transforms.language.findings import Finding
from transforms.language.queries.finders import FILTERS, FINDERS, Finder
from transforms.language.queries.query import Query, Rubric
from transforms.language.queries.schema import QueryFile, arguments_model, values_of
from transforms.language.template import Ref, Wording
from transforms.language.variants import filled, variants_of
from transforms.language.wording import WordingError, compile_wording

_ALTERNATIVES = ("float", "int")
"""How pydantic calls the members of a union."""

_FIELDS = tuple(field.alias or name for name, field in QueryFile.model_fields.items())


@dataclass
class QueryParser:
    """One file being parsed."""

    path: str
    text: str
    findings: list[Finding] = field(default_factory=list)
    source: YamlText = field(default_factory=lambda: YamlText({}, {}))
    name: str = ""

    def parse(self) -> list[Query]:
        """Compile the file's query, or all its variants; findings are in :attr:`findings`."""
        out = []
        for data, variant, unused in self._variants():
            before = len(self.findings)
            try:
                model = QueryFile.model_validate(data)
            except ValidationError as error:
                self._invalid(error, (), _FIELDS)
                continue
            query = self._compile(model, data, variant, unused)
            if query is not None and len(self.findings) == before:
                out.append(query)
        return out

    def add(self, code: str, at: tuple, message: str, fix: str = "", line: int | None = None):
        """Collect one finding at a path inside the file."""
        crumb = self.name or self.path
        for part in at:
            crumb += f"[{part}]" if isinstance(part, int) else f" > {part}"
        where = line or self.source.line(at)
        self.findings.append(Finding(self.path, where, code, crumb, message, fix))

    def _variants(self) -> Iterator[tuple[dict[str, Any], str | None, tuple[str, ...]]]:
        try:
            self.source = read_yaml(self.text, self.path)
        except UserError as error:
            line = int(str(error.where).split(":")[1]) if ":" in str(error.where) else 1
            self.add("T101", (), f"{error.found}", line=line)
            return
        data = self.source.data
        if not isinstance(data, dict):
            self.add("T101", (), "the file is not a mapping of fields")
            return
        family = self.name = str(data.get("id", self.path))
        if "variants" not in data:
            yield data, None, ()
            return
        for name, values in variants_of(data, self).items():
            self.name = f"{family}.{name}"
            before = len(self.findings)
            fields, unused = filled(data, values, self)
            if len(self.findings) == before:
                own = {"id": self.name} if isinstance(fields.get("id"), str) else {}
                yield {**fields, **own}, name, unused

    def _invalid(self, error: ValidationError, at: tuple, names: tuple[str, ...]) -> None:
        """One finding per place, with the nearest of the names that a field may have."""
        seen: set[tuple] = set()
        for problem in error.errors(include_url=False):
            place, message, fix = at + tuple(problem["loc"]), problem["msg"], ""
            if place[-1:] and place[-1] in _ALTERNATIVES:
                place, message = place[:-1], "Input should be a valid number"
            if problem["type"] == "extra_forbidden":
                close = get_close_matches(str(place[-1]), names, 1)
                message, fix = f"unknown field {place[-1]!r}", _nearest(close, names)
            elif problem["type"] == "missing":
                place, message = place[:-1], f"{place[-1]!r} is missing"
            if (*place, message) not in seen:
                self.add("T102", place, message, fix)
            seen.add((*place, message))

    def _compile(
        self, model: QueryFile, data: Mapping[str, Any], variant: str | None,
        unused: tuple[str, ...],
    ) -> Query | None:  # fmt: skip
        finder = self._finder(model)
        if finder is None:
            return None
        args = self._arguments(finder, model.find)
        self._fits(model, finder)
        told = {**finder.asks, **finder.answers}
        rubric = None
        if model.rubric:
            grounds = self._wording(model.rubric.grounds, ("rubric", "grounds"), told, finder)
            rubric = Rubric(grounds, tuple(map(tuple, model.rubric.cues)))
        return Query(
            id=model.id,
            version=model.version,
            title=model.title,
            benchmark=model.benchmark,
            task=model.task,
            form=model.form,
            profiles=tuple(model.profiles),
            finder=finder.name,
            args=args,
            look_back_us=round(model.look_back * SECOND_US),
            every_us=round(model.every * SECOND_US),
            ask=tuple(
                self._wording(text, ("ask", i), finder.asks, finder)
                for i, text in enumerate(model.ask)
            ),
            answer=self._wording(model.answer, ("answer",), told, finder),
            rubric=rubric,
            status=model.status,
            changes=dict(model.changes),
            digest=_digest(data),
            path=self.path,
            variant=variant,
            unused_keys=unused,
        )

    def _finder(self, model: QueryFile) -> Finder | None:
        if "by" not in model.find:
            self.add("T102", ("find",), "'by' is missing", "name a finder: docs/operators.md")
            return None
        name = model.find["by"]
        if isinstance(name, str) and name in FINDERS:
            return FINDERS[name]
        close = get_close_matches(str(name), sorted(FINDERS), 1)
        fix = _nearest(close, ("see docs/operators.md",))
        self.add("T106", ("find", "by"), f"no finder named {name!r}", fix)
        return None

    def _arguments(self, finder: Finder, given: Mapping[str, Any]) -> dict[str, object]:
        args = {key: value for key, value in given.items() if key != "by"}
        try:
            out = dict(arguments_model(finder.name).model_validate(args))
        except ValidationError as error:
            self._invalid(error, ("find",), tuple(finder.params))
            return {}
        for key, value in out.items():
            allowed = values_of(key)
            if allowed and value not in allowed:
                what = "trigger" if key == "trigger" else "kind of label"
                close = get_close_matches(str(value), allowed, 1)
                self.add("T106", ("find", key), f"no {what} is called {value!r}",
                         _nearest(close, allowed))  # fmt: skip
        return out

    def _fits(self, model: QueryFile, finder: Finder) -> None:
        mode = model.task.split("/")[0]
        if mode != finder.mode:
            message = f"the finder's questions are {finder.mode}, the task says {mode!r}"
            self.add("T110", ("task",), message, f"begin the task with '{finder.mode}/'")
        if model.form not in finder.forms:
            message = f"{finder.name} has no questions of form {model.form}"
            self.add("T110", ("form",), message, f"forms: {', '.join(finder.forms)}")
        if (model.form == "open") != (model.rubric is not None):
            message = "open questions have a rubric, closed ones have none"
            self.add("T110", ("rubric",) if model.rubric else ("form",), message)

    def _wording(self, text: str, at: tuple, fields: Mapping[str, str], finder: Finder) -> Wording:
        try:
            wording = compile_wording(text)
        except WordingError as error:
            self.add(error.code, at, str(error), error.fix)
            return ()
        for piece in wording:
            if isinstance(piece, Ref):
                self._reference(piece, at, fields, finder)
        return wording

    def _reference(self, ref: Ref, at: tuple, fields: Mapping[str, str], finder: Finder) -> None:
        shown = ".".join(ref.path)
        if ref.path[0] == "variant":
            message = "a variant's text is put in as '{{ variant.key }}', with no filter"
            self.add("T107", at, message)
            return
        if shown not in fields:
            if shown in finder.answers:
                message = f"{shown!r} is the answer, and a question must not show it"
                self.add("T109", at, message, "leave it out, or use it in 'answer'")
                return
            known = f"fields: {', '.join(fields) or 'none'}"
            self.add("T104", at, f"nothing is called {shown!r} here", known)
            return
        kind = fields[shown]
        fitting = ", ".join(name for name, types in FILTERS.items() if kind in types)
        if len(ref.filters) > 1:
            self.add("T107", at, "one filter only: a filter gives finished text")
        elif not ref.filters:
            self.add("T104", at, f"{shown!r} ({kind}) needs a filter", f"filters: {fitting}")
        elif kind not in FILTERS.get(ref.filters[0], ()):
            message = f"filter {ref.filters[0]!r} does not take {kind}"
            self.add("T104", at, message, f"filters: {fitting}")


def _nearest(close: list[str], known: tuple[str, ...]) -> str:
    """What to do about a name that is not there."""
    return f"did you mean {close[0]!r}?" if close else ", ".join(known[:_MANY])


_MANY = 12
"""Names that are listed where none is near."""


def _digest(data: Mapping[str, Any]) -> str:
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
    return bytes_digest(orjson.dumps(dict(data), option=options))

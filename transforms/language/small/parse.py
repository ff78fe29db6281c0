"""From a YAML file to compiled templates of a small language, collecting every finding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from ontology.errors import UserError
from ontology.keys import bytes_digest
from ontology.yaml import YamlText, read_yaml
from transforms.language.findings import Finding, place_of
from transforms.language.operators import Param
from transforms.language.template import Ref, Wording
from transforms.language.variants import filled, variants_of
from transforms.language.wording import WordingError, compile_wording

_ALTERNATIVES = ("float", "int")
"""How pydantic calls the members of a union."""

_MANY = 12
"""Names that are listed where none is near."""


class Described(Protocol):
    """What finders of all small languages have."""

    @property
    def name(self) -> str: ...
    @property
    def params(self) -> Mapping[str, Param]: ...


T = TypeVar("T")
F = TypeVar("F", bound=Described)

Hidden = Mapping[str, tuple[str, str]]
"""Field that a text must not use -> why, and what to do."""


class Fields(NamedTuple):
    """One template of a file: its fields with the variant's values in place."""

    data: dict[str, Any]
    variant: str | None = None
    unused_keys: tuple[str, ...] = ()

    def digest(self) -> str:
        """SHA-256 of what the template means."""
        options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
        return bytes_digest(orjson.dumps(dict(self.data), option=options))


@dataclass
class SmallParser(ABC, Generic[T]):
    """One file being parsed.

    A language gives the file's ``shape``, the types that each filter takes, the
    ``spellings`` of all filters that may be meant, and :meth:`compiled`.
    """

    path: str
    text: str
    findings: list[Finding] = field(default_factory=list)
    source: YamlText = field(default_factory=lambda: YamlText({}, {}))
    name: str = ""

    shape: ClassVar[type[BaseModel]]
    filters: ClassVar[Mapping[str, tuple[str, ...]]]
    spellings: ClassVar[Collection[str]]

    def parse(self) -> list[T]:
        """Compile the file's template, or all its variants; findings are in :attr:`findings`."""
        out = []
        for fields in self._variants():
            before = len(self.findings)
            try:
                model = self.shape.model_validate(fields.data)
            except ValidationError as error:
                self.invalid(error, ())
                continue
            template = self.compiled(model, fields)
            if template is not None and len(self.findings) == before:
                out.append(template)
        return out

    @abstractmethod
    def compiled(self, model: Any, fields: Fields) -> T | None:
        """The template of a file of the right shape; None where its finder is unknown."""

    def names_at(self, place: tuple) -> tuple[str, ...]:
        """Names that a mapping at a place of the file may hold."""
        return tuple(part.alias or name for name, part in self.shape.model_fields.items())

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

    def _variants(self) -> Iterator[Fields]:
        try:
            self.source = read_yaml(self.text, self.path)
        except UserError as error:
            self.add("T101", (), f"{error.found}", place=place_of(error, self.path))
            return
        data = self.source.data
        if not isinstance(data, dict):
            self.add("T101", (), "the file is not a mapping of fields")
            return
        family = self.name = str(data.get("id", self.path))
        if "variants" not in data:
            yield Fields(data)
            return
        for name, values in variants_of(data, self).items():
            self.name = f"{family}.{name}"
            before = len(self.findings)
            fields, unused = filled(data, values, self)
            if len(self.findings) == before:
                own = {"id": self.name} if isinstance(fields.get("id"), str) else {}
                yield Fields({**fields, **own}, name, unused)

    def invalid(
        self, error: ValidationError, at: tuple, names: tuple[str, ...] | None = None
    ) -> None:
        """One finding per place, with the nearest of the names that a field may have."""
        seen: set[tuple] = set()
        for problem in error.errors(include_url=False):
            place, message, fix = at + tuple(problem["loc"]), problem["msg"], ""
            if place[-1:] and place[-1] in _ALTERNATIVES:
                place, message = place[:-1], "Input should be a valid number"
            if problem["type"] == "extra_forbidden":
                known = self.names_at(place[:-1]) if names is None else names
                close = get_close_matches(str(place[-1]), known, 1)
                message, fix = f"unknown field {place[-1]!r}", nearest(close, known)
            elif problem["type"] == "missing":
                place, message = place[:-1], f"{place[-1]!r} is missing"
            if (*place, message) not in seen:
                self.add("T102", place, message, fix)
            seen.add((*place, message))

    # -- the finder -----------------------------------------------------------------------

    def finder(self, find: Mapping[str, Any], finders: Mapping[str, F]) -> F | None:
        """The finder that ``find`` names; None with a finding where there is none."""
        if "by" not in find:
            self.add("T102", ("find",), "'by' is missing", "name a finder: docs/operators.md")
            return None
        name = find["by"]
        if isinstance(name, str) and name in finders:
            return finders[name]
        close = get_close_matches(str(name), sorted(finders), 1)
        fix = nearest(close, ("see docs/operators.md",))
        self.add("T106", ("find", "by"), f"no finder named {name!r}", fix)
        return None

    def arguments(
        self, find: Mapping[str, Any], finder: Described, model: type[BaseModel]
    ) -> dict[str, object]:
        """The finder's arguments with their defaults; empty where they are not in order."""
        given = {key: value for key, value in find.items() if key != "by"}
        try:
            return dict(model.model_validate(given))
        except ValidationError as error:
            self.invalid(error, ("find",), tuple(finder.params))
            return {}

    # -- words ----------------------------------------------------------------------------

    def wording(
        self, text: str, at: tuple, fields: Mapping[str, str], hidden: Hidden
    ) -> Wording:  # fmt: skip
        """A text cut into pieces, its references held against the fields it may use."""
        try:
            wording = compile_wording(text, self.spellings)
        except WordingError as error:
            self.add(error.code, at, str(error), error.fix)
            return ()
        for piece in wording:
            if isinstance(piece, Ref):
                self._reference(piece, at, fields, hidden)
        return wording

    def _reference(self, ref: Ref, at: tuple, fields: Mapping[str, str], hidden: Hidden) -> None:
        shown = ".".join(ref.path)
        if ref.path[0] == "variant":
            message = "a variant's text is put in as '{{ variant.key }}', with no filter"
            self.add("T107", at, message)
            return
        if shown not in fields:
            if shown in hidden:
                self.add("T109", at, *hidden[shown])
                return
            known = f"fields: {', '.join(fields) or 'none'}"
            self.add("T104", at, f"nothing is called {shown!r} here", known)
            return
        kind = fields[shown]
        fitting = ", ".join(name for name, types in self.filters.items() if kind in types)
        if len(ref.filters) > 1:
            self.add("T107", at, "one filter only: a filter gives finished text")
        elif not ref.filters:
            self.add("T104", at, f"{shown!r} ({kind}) needs a filter", f"filters: {fitting}")
        elif kind not in self.filters.get(ref.filters[0], ()):
            message = f"filter {ref.filters[0]!r} does not take {kind}"
            self.add("T104", at, message, f"filters: {fitting}")


def nearest(close: list[str], known: tuple[str, ...]) -> str:
    """What to do about a name that is not there."""
    return f"did you mean {close[0]!r}?" if close else ", ".join(known[:_MANY])

"""From a YAML file to compiled chain templates, collecting every finding on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ontology.times import SECOND_US
from transforms.language.chains.chain import STAGES, Chain, Stage
from transforms.language.chains.finders import FILTERS, FINDERS, RESTATED, Finder
from transforms.language.chains.schema import (
    ChainFile,
    FirstFile,
    LaterFile,
    MainFile,
    arguments_model,
)
from transforms.language.small.parse import Fields, Hidden, SmallParser
from transforms.language.template import Ref, Wording

_SHAPES: Mapping[str, type[MainFile | FirstFile | LaterFile]] = {
    "main": MainFile,
    "q1": FirstFile,
    "q2": LaterFile,
    "q3": LaterFile,
}

_KNOWN_FROM = {"segment": "q3"}
"""What a stage finds -> the first stage that may say it; the rest is for clues only."""


_SEGMENT = (("segment",),)
"""What the context of the last stage must use, beside something that tells the answer of Q1."""


@dataclass
class ChainParser(SmallParser[Chain]):
    """One file being parsed."""

    shape = ChainFile
    filters = FILTERS
    spellings = tuple(FILTERS)

    def names_at(self, place: tuple) -> tuple[str, ...]:
        """Fields of the file, or of the stage that the place lies in."""
        shape = _SHAPES.get(str(place[0])) if place else None
        return tuple(shape.model_fields) if shape else super().names_at(place)

    def compiled(self, model: ChainFile, fields: Fields) -> Chain | None:
        """The chain; None where its finder is unknown."""
        finder = self.finder(model.find, FINDERS)
        if finder is None:
            return None
        if model.task != finder.task:
            message = f"the finder's chains are {finder.task}, the task says {model.task!r}"
            self.add("T110", ("task",), message, f"write 'task: {finder.task}'")
        return Chain(
            id=model.id,
            version=model.version,
            title=model.title,
            benchmark=model.benchmark,
            task=model.task,
            profiles=tuple(model.profiles),
            finder=finder.name,
            args=self.arguments(model.find, finder, arguments_model(finder.name)),
            every_us=round(model.every * SECOND_US),
            stages={name: self._stage(getattr(model, name), name, finder) for name in STAGES},
            status=model.status,
            changes=dict(model.changes),
            digest=fields.digest(),
            path=self.path,
            variant=fields.variant,
            unused_keys=fields.unused_keys,
        )

    def _stage(self, part: MainFile | FirstFile | LaterFile, name: str, finder: Finder) -> Stage:
        known, hidden = usable(finder, name)
        ask = tuple(
            self.wording(text, (name, "ask", i), known, hidden) for i, text in enumerate(part.ask)
        )
        context = clue = None
        if isinstance(part, LaterFile):
            context = self.wording(part.context, (name, "context"), known, hidden)
            self._restated(context, name, finder)
        if isinstance(part, FirstFile | LaterFile):
            every = {**finder.asks, **finder.answers, **finder.found}
            clue = self.wording(part.clue, (name, "clue"), every, {})
            self._located(clue, name, finder)
        return Stage(ask, context, clue)

    def _restated(self, context: Wording, name: str, finder: Finder) -> None:
        """T102: a context that does not say what the stages before it found."""
        if not context:
            return
        sets = RESTATED[finder.name]
        wanted = [sets] if name == "q2" else [tuple((one,) for one in finder.answers), _SEGMENT]
        for either in wanted:
            if not any(set(fields) <= _used(context) for fields in either):
                shown = ", or ".join(" and ".join(map(repr, fields)) for fields in either)
                message = "does not restate the answer of a stage before it"
                self.add("T102", (name, "context"), message, f"use {shown}")

    def _located(self, clue: Wording, name: str, finder: Finder) -> None:
        """T102: a clue without a time, or the last one without the place where there is one."""
        if not clue:
            return
        times = [field for field, kind in finder.found.items() if kind in ("span", "time")]
        if not _used(clue) & set(times):
            message = f"a clue gives a time: it uses no {' or '.join(map(repr, times))}"
            self.add("T102", (name, "clue"), message, "say when to look")
        if name == STAGES[-1] and "where" in finder.found and "where" not in _used(clue):
            message = "the last clue gives the place where one is known: it does not use 'where'"
            self.add("T102", (name, "clue"), message, "end it with '{{ where | text }}.'")


def usable(finder: Finder, stage: str) -> tuple[dict[str, str], Hidden]:
    """Fields that a stage's questions and its context may use, and what gives an answer away."""
    later = STAGES.index(stage) > STAGES.index("q1")
    known = {**finder.asks, **(finder.answers if later else {})}
    hidden: dict[str, tuple[str, str]] = {}
    if not later:
        fix = "leave it out, or use it from q2 on"
        for name in finder.answers:
            hidden[name] = (f"{name!r} is the answer, and a question must not show it", fix)
    for name, kind in finder.found.items():
        first = _KNOWN_FROM.get(name)
        if first and STAGES.index(stage) >= STAGES.index(first):
            known[name] = kind
        else:
            use = f"use it from {first} on, or in a clue" if first else "use it in a clue"
            hidden[name] = (f"{name!r} tells an answer that is still asked for", use)
    return known, hidden


def _used(wording: Wording) -> set[str]:
    return {piece.path[0] for piece in wording if isinstance(piece, Ref)}

"""From a YAML file to compiled query templates, collecting every finding on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ontology.times import SECOND_US
from transforms.language.filters import FILTERS as OF_CLIPS
from transforms.language.queries.finders import FILTERS, FINDERS, Finder
from transforms.language.queries.query import Query, Rubric
from transforms.language.queries.schema import QueryFile, arguments_model, values_of
from transforms.language.small.parse import Fields, SmallParser, nearest


@dataclass
class QueryParser(SmallParser[Query]):
    """One file being parsed."""

    shape = QueryFile
    filters = FILTERS
    spellings = tuple(OF_CLIPS)

    def compiled(self, model: QueryFile, fields: Fields) -> Query | None:
        """The query; None where its finder is unknown."""
        finder = self.finder(model.find, FINDERS)
        if finder is None:
            return None
        args = self._arguments(finder, model.find)
        self._fits(model, finder)
        told = {**finder.asks, **finder.answers}
        hidden = {name: (f"{name!r} is the answer, and a question must not show it",
                         "leave it out, or use it in 'answer'")
                  for name in finder.answers}  # fmt: skip
        rubric = None
        if model.rubric:
            grounds = self.wording(model.rubric.grounds, ("rubric", "grounds"), told, {})
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
                self.wording(text, ("ask", i), finder.asks, hidden)
                for i, text in enumerate(model.ask)
            ),
            answer=self.wording(model.answer, ("answer",), told, {}),
            rubric=rubric,
            status=model.status,
            changes=dict(model.changes),
            digest=fields.digest(),
            path=self.path,
            variant=fields.variant,
            unused_keys=fields.unused_keys,
        )

    def _arguments(self, finder: Finder, given: Mapping[str, Any]) -> dict[str, object]:
        out = self.arguments(given, finder, arguments_model(finder.name))
        for key, value in out.items():
            allowed = values_of(key)
            if allowed and value not in allowed:
                what = "kind of label" if key == "of" else key
                close = get_close_matches(str(value), allowed, 1)
                self.add("T106", ("find", key), f"no {what} is called {value!r}",
                         nearest(close, allowed))  # fmt: skip
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

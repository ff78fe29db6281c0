"""Answer the requests of the page, given their path and parameters; contains no network code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from surgqa.ontology.errors import UserError
from surgqa.transforms.pages import TYPES_OF, parts_of
from surgqa.transforms.places import Place
from surgqa.transforms.view import items, one, rejects
from surgqa.transforms.view.database import Database
from surgqa.transforms.view.items import filter_of
from surgqa.transforms.view.marks import names_of, take_marks
from surgqa.transforms.view.one import timeline
from surgqa.transforms.view.overview import overview
from surgqa.transforms.view.pictures import LONGER_SIDE, FrameCutter, masks

if TYPE_CHECKING:
    from surgqa.transforms.media.cuts import Clean

PAGE = "surgqa.transforms.view.page"
INDEX = "index.html"
REVIEW = ("review", "agreement", "saving", "correct", "draw")
"""Stems of the files that only pages for entering ratings need."""
JSON = "application/json"

Asked = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class HttpReply:
    """The response to a request: HTTP status, media type and bytes."""

    status: int
    kind: str
    body: bytes


class Api:
    """Answers the requests of the page about one dataset; can be used by several threads.

    Args:
        roots: folder of each dataset whose frames are available.
        predictions: files of responses, one per model.
        review: a layer of reviewers' decisions.
        longer_side: maximum longer side of a frame in pixels.
        clean: for each dataset in whose frames faces and texts are hidden, the function that does.
    """

    def __init__(
        self, db: Database, roots: Mapping[str, Place] | None = None,
        predictions: Sequence[Path] = (), review: Path | None = None,
        longer_side: int = LONGER_SIDE, clean: Mapping[str, Clean] | None = None,
    ) -> None:  # fmt: skip
        self.db, self.models = db, names_of(predictions)
        self.frames = FrameCutter(roots or {}, longer_side, clean)
        take_marks(db, predictions, review)
        self._first_facets = lru_cache(1)(lambda: items.facets(db, filter_of({})))
        self._overview = lru_cache(1)(lambda: overview(db))
        self._units = lru_cache(1)(lambda: rejects.units_of(db.folder))
        self.routes: dict[str, Callable[[Asked], Any]] = {
            "about": lambda asked: {"name": db.name},
            "overview": self.overview,
            "items": self.items,
            "facets": self.facets,
            "answers": lambda asked: items.answers(db, filter_of(asked)),
            "item": self.item,
            "masks": self.masks,
            "timeline": self.timeline,
            "proof": self.proof,
            "funnel": lambda asked: rejects.funnel(db),
            "rejects": lambda asked: rejects.rejects(db, {k: v[0] for k, v in asked.items()}),
            "beside": self.beside,
        }

    def answer(self, path: str, asked: Asked) -> HttpReply:
        """Return the response for a path (without the address's token), such as ``api/items``."""
        try:
            if path == "frame":
                return self.frame(asked)
            if path.startswith("api/"):
                route = self.routes.get(path.removeprefix("api/"))
                found = None if route is None else route(asked)
                return error_reply("nothing there", 404) if found is None else json_of(found)
            return page_file(path or INDEX)
        except UserError as error:
            return error_reply(error.summary, 404)

    def take(self, _path: str, _body: bytes) -> HttpReply:
        """Refuse all data that a browser sends, because this page cannot change anything."""
        return error_reply("nothing can be changed here", 405)

    def overview(self, _asked: Asked) -> Any:
        """Return an overview of the dataset, its models, and datasets whose frames are shown."""
        return self._overview() | {"models": self.models, "roots": sorted(self.frames.roots)}

    def items(self, asked: Asked) -> Any:
        """Return a page of items."""
        where = {name: first(asked, name) for name in ("after", "before", "at")}
        limit = whole_number(first(asked, "limit")) or 50
        return items.page(self.db, filter_of(asked), limit=limit, **where)

    def facets(self, asked: Asked) -> Any:
        """Return the number of selected items for each facet value, such as each task."""
        wanted = filter_of(asked)
        plain = not (wanted.chosen or wanted.words or wanted.marks)
        return self._first_facets() if plain else items.facets(self.db, wanted)

    def item(self, asked: Asked) -> Any:
        """Return everything about one item; None if there is no such id."""
        found = one.whole(self.db, first(asked, "id"))
        if found is None:
            return None
        row = found["item"]
        return found | {"boxes": one.boxes(self.db, row), "pictures": self.frames.has(row)}

    def masks(self, asked: Asked) -> Any:
        """Return the outlines of all masks at the annotated time ``t`` in microseconds."""
        row, time_us = one.item_of(self.db, first(asked, "id")), whole_number(first(asked, "t"))
        return None if row is None or time_us is None else masks(self.db, row, time_us)

    def timeline(self, asked: Asked) -> Any:
        """Return the timeline around an item's window, or of the whole video if ``whole=1``."""
        row = one.item_of(self.db, first(asked, "id"))
        return None if row is None else timeline(self.db, row, first(asked, "whole") == "1")

    def beside(self, asked: Asked) -> Any:
        """Return questions that were rejected at the time of an item, with the reasons."""
        row = one.item_of(self.db, first(asked, "id"))
        return None if row is None else rejects.beside(self.db, row, self._units())

    def proof(self, asked: Asked) -> Any:
        """Return the SQL query that proves an item's answer; if ``run=1``, the query's result."""
        from surgqa.transforms.view.proof import proof_of  # loads the template language

        return proof_of(self.db, first(asked, "id"), first(asked, "run") == "1")

    def frame(self, asked: Asked) -> HttpReply:
        """Return the frame at ``t`` microseconds, unless a model must not see this time."""
        row, time_us = one.item_of(self.db, first(asked, "id")), whole_number(first(asked, "t"))
        if row is None or time_us is None:
            return error_reply("no such item, or not a time", 404)
        try:
            data = self.frames.jpeg(row, time_us, whole_number(first(asked, "round")))
        except UserError:  # the message contains folders of this machine
            return error_reply("no frame at this time", 404)
        return HttpReply(200, "image/jpeg", data)


def page_file(name: str) -> HttpReply:
    """Return a file of the page by its name, such as ``page.js``."""
    known = parts_of(PAGE)
    if name not in known:
        return error_reply("nothing there", 404)
    return HttpReply(200, TYPES_OF[Path(name).suffix], known[name].read_bytes())


def json_of(value: Any) -> HttpReply:
    """Return a value as JSON."""
    return HttpReply(200, JSON, orjson.dumps(value, default=str))


def error_reply(problem: str, status: int) -> HttpReply:
    """Return an error message as a response."""
    return HttpReply(status, JSON, orjson.dumps({"error": problem}))


def whole_number(text: str) -> int | None:
    """Return a text as an integer; None if it is not one, or too large for the database."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 17 else None


def first(asked: Asked, name: str) -> str:
    """Return the first value of a parameter of the request, or '' if it is missing."""
    return next(iter(asked.get(name, ())), "")

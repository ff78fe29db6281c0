"""What ``surgqa show`` tells of a query template: its variant, its finder, its window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontology.times import SECOND_US
from transforms.language import Query
from transforms.language.queries import is_query
from transforms.language.queries.load import parse_queries
from transforms.language.template import Wording


def query_card(name: str, file: Path, folder: Path) -> dict[str, Any] | None:
    """Fields to print, in order; None where the file is no query template or is broken."""
    if not is_query(file):
        return None
    queries, _ = parse_queries([file], folder)
    return next((_card(query) for query in queries if query.id == name), None)


def _card(query: Query) -> dict[str, Any]:
    finder = query.found_by
    given = ", ".join(f"{key} {value}" for key, value in query.args.items())
    card: dict[str, Any] = {
        "id": query.id,
        "version": query.version,
        "title": query.title,
        "task": query.task,
        "form": query.form,
        "profiles": ", ".join(query.profiles),
        "finder": f"{finder.name}: {given}",
        "": finder.doc,
        "asked": _asked(query),
        "ask": [written(wording) for wording in query.ask],
        "answer": written(query.answer),
    }
    if query.rubric:
        card["grounds"] = written(query.rubric.grounds)
        card["cues"] = [", ".join(words) for words in query.rubric.cues]
    if query.status != "active":
        card["status"] = query.status
    card["changes"] = [f"{version}: {text}" for version, text in query.changes.items()]
    return {**{key: value for key, value in card.items() if value}, "file": query.path}


def _asked(query: Query) -> list[str]:
    """How the question is put, what it sees and how often it comes."""
    often = query.found_by.each or f"{query.every_us / SECOND_US:g} s of a recording"
    every = f"one item at most for each {often}"
    if query.found_by.streaming:
        return ["in rounds, which see all from the question on", every]
    if query.finder.startswith(("whole_", "image_")):
        still = query.finder.startswith("image_")
        return [f"once, with the {'still' if still else 'whole recording'} in view"]
    if not query.look_back_us:
        return ["once, with one picture", every]
    return [f"once, at the end of a window of {query.look_back_us / SECOND_US:g} s at most", every]


def written(wording: Wording) -> str:
    """A wording as it stands in its file."""
    return "".join(
        piece if isinstance(piece, str)
        else "{{ " + " | ".join((".".join(piece.path), *piece.filters)) + " }}"
        for piece in wording
    )  # fmt: skip

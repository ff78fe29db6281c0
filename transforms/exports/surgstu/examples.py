"""One example for a question: of its category, from training, about another split group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontology.keys import digest

TRAIN = "train"
Line = dict[str, Any]


class Examples:
    """Of each template and procedure, of each template and of each category the two training
    questions that come first by digest.

    Two, from different split groups, so that no question is shown itself or its own recording.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[str, str | None], list[tuple[str, str, Line]]] = {}

    def add(self, row: Mapping[str, Any], line: Line) -> None:
        """Take a question in, if it is one of the training split."""
        if row["split"] != TRAIN:
            return
        entry = digest("example", row["item_id"]), str(row["split_group"]), line
        for key in _keys(row):
            mine = {one[1]: one for one in self._first.get(key, ())}
            if entry[:1] < mine.get(entry[1], ("~",))[:1]:
                mine[entry[1]] = entry
            self._first[key] = sorted(mine.values(), key=lambda one: one[0])[:2]

    def of(self, row: Mapping[str, Any]) -> Line | None:
        """The example of a question: of its template and procedure, else of its template, else of
        its category; None where there is none.
        """
        for key in _keys(row):
            for _, group, line in self._first.get(key, ()):
                if group != str(row["split_group"]):
                    return line
        return None


def _keys(row: Mapping[str, Any]) -> tuple[tuple[str, str | None], ...]:
    """What an example may have in common with a question, the most first."""
    template, category = row["template_id"], row["task"].partition("/")[0]
    return (template, str(row["procedure"])), (template, None), (category, None)

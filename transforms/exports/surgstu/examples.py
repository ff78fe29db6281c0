"""Choose an example for a question: of the same category, from another group of the
training split.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.keys import digest

TRAIN = "train"
Line = dict[str, Any]


class Examples:
    """The two training questions with the lowest digests, for each template and procedure,
    each template, and each category.

    Examples come from two split groups, so that no question is shown itself or its own video.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[str, str | None], list[tuple[str, str, Line]]] = {}

    def add(self, row: Mapping[str, Any], line: Line) -> None:
        """Add a question if it is in the training split."""
        if row["split"] != TRAIN:
            return
        entry = digest("example", row["item_id"]), str(row["split_group"]), line
        for key in _keys(row):
            mine = {one[1]: one for one in self._first.get(key, ())}
            if entry[:1] < mine.get(entry[1], ("~",))[:1]:
                mine[entry[1]] = entry
            self._first[key] = sorted(mine.values(), key=lambda one: one[0])[:2]

    def of(self, row: Mapping[str, Any]) -> Line | None:
        """Return the example of a question, or None. It is of the same template and procedure if
        possible, else of the same template, else of the same category.
        """
        for key in _keys(row):
            for _, group, line in self._first.get(key, ()):
                if group != str(row["split_group"]):
                    return line
        return None


def _keys(row: Mapping[str, Any]) -> tuple[tuple[str, str | None], ...]:
    """Return the keys that an example may share with a question, the closest match first."""
    template, category = row["template_id"], row["task"].partition("/")[0]
    return (template, str(row["procedure"])), (template, None), (category, None)

"""Many mistakes in one file of scores, told together."""

from __future__ import annotations

from collections.abc import Sequence

from ontology.errors import UserError

SHOWN = 20
"""Problems that are printed; the rest is counted."""


def together(problems: Sequence[UserError]) -> UserError:
    """One error for all of them."""
    if len(problems) == 1:
        return problems[0]
    lines = [
        f"{one.where}: {one.summary} (expected {one.expected}; found {one.found})"
        for one in problems[:SHOWN]
    ]
    if len(problems) > SHOWN:
        lines.append(f"and {len(problems) - SHOWN} more")
    return UserError(
        f"{len(problems)} problems in the scores",
        found="\n            ".join(lines),
        where=problems[0].where,
        fix="correct the rows and score again",
    )

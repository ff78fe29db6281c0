"""``docs/tasks.md``: every task with its evidence, its question and its score."""

from __future__ import annotations

from collections.abc import Sequence

from surgqa.pipeline.docs.programs import overview, programs_part
from surgqa.pipeline.preview.samples import SEED
from surgqa.transforms.language import Program

_HEAD = f"""\
# Tasks

*Made by `python -m surgqa.pipeline.docs` from `templates/`; do not edit.*

What a question rests on and how it is said is the template's program as sentences; words such as
*last* or *within* are those of [algebra.md](algebra.md), formulas of scores stand in
[scoring.md](scoring.md). Examples come from the first made-up sample that has one, with seed
{SEED}; `surgqa preview TEMPLATE` shows more, and why other moments were not asked about.
"""


def tasks_page(programs: Sequence[Program]) -> str:
    """Return the whole page as Markdown."""
    lines = ["| task | form | profiles | needs |", "| --- | --- | --- | --- |", *overview(programs)]
    return "\n".join([_HEAD, "\n".join(lines) + "\n", programs_part(programs)])

"""``docs/tasks.md``: every task with its evidence, its question and its score."""

from __future__ import annotations

from collections.abc import Sequence

from surgqa.pipeline.docs.programs import overview, programs_part
from surgqa.pipeline.preview.samples import SEED
from surgqa.transforms.language import Program

_HEAD = f"""\
# Tasks

*Made by `python -m surgqa.pipeline.docs` from `templates/`; do not edit.*

Each section describes one template of surgqa. The description is the content of the template,
printed as sentences. Words such as *last* or *within* are operators, which [algebra.md](algebra.md)
explains; the formulas of the scores are in [scoring.md](scoring.md). Each example comes from the
first synthetic sample of a dataset about which the template asks a question, with seed {SEED}.
`surgqa preview TEMPLATE` prints more questions, and the reasons why others are not asked.
"""


def tasks_page(programs: Sequence[Program]) -> str:
    """Return the whole page as Markdown."""
    lines = ["| task | form | profiles | needs |", "| --- | --- | --- | --- |", *overview(programs)]
    return "\n".join([_HEAD, "\n".join(lines) + "\n", programs_part(programs)])

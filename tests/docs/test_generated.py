"""Generated pages are fresh, and what they say of the templates is true."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from ontology.errors import UserError
from pipeline.docs import pages, write_pages
from pipeline.docs.datasets import END, START
from pipeline.docs.needs import BOXES, INSTRUMENTS, INTERACTIONS, needs
from pipeline.docs.tables import answer_rows, described, metric
from tests.templates import scenes
from tests.templates.world import templates
from transforms.language.operators import operators
from transforms.questions import ask

DOCS = Path(__file__).parents[2] / "docs"


@cache
def fresh() -> dict[str, str]:
    """The pages as they should be."""
    return pages(DOCS)


def test_every_task_has_an_example() -> None:
    assert "shows nothing that could be asked" not in fresh()["tasks.md"]


@pytest.mark.parametrize("name", ["datasets.md", "operators.md", "tasks.md", "../README.md"])
def test_pages_are_fresh(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == fresh()[name], "run 'python -m pipeline.docs'"


def test_only_stale_pages_are_written(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("answers.md", "scoring.md"):
        (docs / name).write_text((DOCS / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "README.md").write_text(f"a\n{START}\nold\n{END}\nz\n", encoding="utf-8")
    names = [path.name for path in write_pages(docs)]
    assert names == ["datasets.md", "operators.md", "tasks.md", "README.md"]
    assert (tmp_path / "README.md").read_text(encoding="utf-8").startswith(f"a\n{START}\n| dataset")
    assert write_pages(docs) == []


def test_every_operator_has_its_place() -> None:
    for role in ("slot", "condition", "answer", "options"):
        for name in operators(role):  # type: ignore[arg-type]
            assert f"### `{name}`" in fresh()["operators.md"]


def test_every_task_has_its_place() -> None:
    for template in templates().values():
        assert f"\n### {template.task.split('/')[1]}\n" in fresh()["tasks.md"]


def test_every_described_task_has_a_template() -> None:
    have = {(t.benchmark, t.task.split("/")[1]) for t in templates().values()}
    assert set(answer_rows(DOCS)) == have


def test_a_task_that_is_not_described_is_an_error() -> None:
    with pytest.raises(UserError, match=r"answers\.md does not describe surgstu 'juggling'"):
        described("surgstu", "juggling", DOCS)
    with pytest.raises(UserError, match=r"scoring\.md does not say how 'juggling' is scored"):
        metric("juggling", DOCS)


# -- what a template needs ------------------------------------------------------------------


@cache
def asked(scene: str) -> dict[str, int]:
    """How many items each template gives on a scene."""
    evidence = getattr(scenes, scene)()
    return dict(ask(scenes.view_of(evidence), list(templates().values()), "42").asked)


@pytest.mark.parametrize("template_id", sorted(templates()))
def test_needs_are_needed_and_nothing_else_is(template_id: str) -> None:
    wanted = needs(templates()[template_id])
    assert wanted[0] == INSTRUMENTS
    assert (template_id not in asked("unboxed")) == (BOXES in wanted)
    assert (template_id not in asked("unlabelled")) == (INTERACTIONS in wanted)

"""Generated pages are fresh, and what they say of the templates is true."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from pipeline.docs.finders import PRINTS
from pipeline.docs.needs import BOXES, INSTRUMENTS, INTERACTIONS, needs
from pipeline.docs.queries import NO_EXAMPLE, heading
from pipeline.docs.tables import answer_rows, content, described, found_by, metric
from tests.templates.world import templates
from transforms.language.operators import operators
from transforms.language.queries.finders import FILTERS, FINDERS

from ontology.errors import UserError
from pipeline.docs import pages, write_pages
from pipeline.docs.datasets import END, START
from tests.templates import scenes
from transforms.language import Query, load_programs
from transforms.questions import ask

DOCS = Path(__file__).parents[2] / "docs"


@cache
def fresh() -> dict[str, str]:
    """The pages as they should be."""
    return pages(DOCS)


NOT_IN_THE_SAMPLES = {
    "bleeding_alert", "finding_seen", "gesture_begins", "gesture_past", "gestures_done",
    "image_condition", "landmark_seen", "lesion_alert", "structure_seen",
    "video_finding_presence", "video_landmark",
}  # fmt: skip
"""Tasks for which the samples are too short, or too sparsely labelled."""


@cache
def queries() -> list[Query]:
    """The shipped templates of questions that are put at a time."""
    return [question for question in load_programs() if isinstance(question, Query)]


def sections() -> dict[str, str]:
    """Heading -> text of each task."""
    parts = fresh()["tasks.md"].split("\n### ")[1:]
    return {part.split("\n")[0]: part for part in parts}


def test_every_task_has_an_example() -> None:
    assert "shows nothing that could be asked" not in fresh()["tasks.md"]
    without = {name for name, text in sections().items() if NO_EXAMPLE in text}
    assert without <= NOT_IN_THE_SAMPLES


@pytest.mark.parametrize(
    "name", ["algebra.md", "datasets.md", "language.md", "operators.md", "tasks.md", "../README.md"]
)
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
    assert names == ["algebra.md", "datasets.md", "language.md", "operators.md", "tasks.md",
                     "README.md"]  # fmt: skip
    assert (tmp_path / "README.md").read_text(encoding="utf-8").startswith(f"a\n{START}\n| dataset")
    assert write_pages(docs) == []


def test_every_operator_has_its_place() -> None:
    for role in ("slot", "condition", "answer", "options"):
        for name in operators(role):  # type: ignore[arg-type]
            assert f"### `{name}`" in fresh()["operators.md"]


def test_every_task_has_its_place() -> None:
    for template in templates().values():
        assert f"\n### {template.task.split('/')[1]}\n" in fresh()["tasks.md"]


def test_every_task_put_at_a_time_has_its_place() -> None:
    headings = [line for line in fresh()["tasks.md"].splitlines() if line.startswith("### ")]
    assert len(headings) == len(set(headings)), "links lead to the first of equal headings"
    for query in queries():
        text = sections()[heading(query)]
        assert f"`{query.id}` (version {query.version}, form `{query.form}`" in text
        assert f"[`{query.finder}`](operators.md#{query.finder})" in text
        link = heading(query).replace(" ", "-")
        assert f"| [{query.task}](#{link}) |" in fresh()["tasks.md"]


def test_every_finder_has_its_place() -> None:
    page = fresh()["operators.md"]
    for name, finder in FINDERS.items():
        text = page.split(f"### `{name}`\n")[1].split("\n##")[0]
        assert finder.doc in text
        assert all(f"| `{argument}` |" in text for argument in finder.params)
        assert all(f"`{field}` (" in text for field in (*finder.asks, *finder.answers))
        assert found_by(name, DOCS).truth
    assert list(PRINTS) == list(FILTERS)


def test_every_example_ends_its_rounds_where_it_says() -> None:
    text = sections()["phase_begins"]
    assert text.count(" s: unanswerable\n") in (2, 3)
    assert '"event_us":' in text and '"tolerance_us":2000000' in text


def test_every_described_task_has_a_template() -> None:
    have = {(t.benchmark, t.task.split("/")[1]) for t in templates().values()}
    assert set(answer_rows(DOCS)) == have


def test_a_task_that_is_not_described_is_an_error() -> None:
    with pytest.raises(UserError, match=r"answers\.md does not describe surgstu 'juggling'"):
        described("surgstu", "juggling", DOCS)
    with pytest.raises(UserError, match=r"scoring\.md does not say how 'juggling' is scored"):
        metric("juggling", DOCS)
    with pytest.raises(UserError, match=r"answers\.md does not say what 'juggling' answers"):
        found_by("juggling", DOCS)
    with pytest.raises(UserError, match=r"scoring\.md does not say how content is scored"):
        content("juggled", DOCS)


def test_a_row_of_two_finders_is_told_apart() -> None:
    one, other = found_by("set_now", DOCS), found_by("number_now", DOCS)
    assert (one.value, other.value) == ('`{"kind", "labels"}` sorted', '`{"number"}`')
    assert one.truth != other.truth


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

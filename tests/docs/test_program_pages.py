"""What the generated pages say of programs and operators is complete, and what they show is run."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from surgqa.pipeline.docs.algebra import algebra_page
from surgqa.pipeline.docs.fields import FIELDS
from surgqa.pipeline.docs.language import RELATION_MEANING, SETTINGS, UNITS, language_page
from surgqa.pipeline.docs.programs import NO_EXAMPLE, heading, overview
from surgqa.pipeline.preview.contract import example_of
from surgqa.transforms.algebra.signature import signatures
from surgqa.transforms.algebra.tree import RELATIONS
from surgqa.transforms.language import Program, load_programs, parse_text
from surgqa.transforms.language.drawing import DRAW_KEYS, ROUND_KEYS
from surgqa.transforms.language.filters import FILTERS
from surgqa.transforms.language.parse import FILE_KEYS
from surgqa.transforms.language.patterns import SETTINGS as KEYS
from surgqa.transforms.language.questions import STAGE_KEYS
from surgqa.transforms.questions.example import examples_come_out
from tests.each import cases

DOCS = Path(__file__).parents[2] / "docs"


TOO_SHORT = {
    "medstream.alert.bleeding",
    "medstream.alert.fresh_blood",
    "medstream.alert.lesion",
    "medstream.alert.mucosa_hidden",
    "medstream.alert.polyp",
    "medstream.alert.view_obscured",
    "medstream.image_label.condition",
    "medstream.place_of.instrument",
    "medstream.place_of.tissue",
    "medstream.state_begins.gesture",
    "medstream.state_begins_open.gesture",
    "medstream.state_next.gesture",
    "medstream.state_next.step",
    "medstream.state_past.gesture",
    "medstream.state_past_open.gesture",
    "medstream.states_done.gesture",
    "medstream.states_done.phase_long",
    "medstream.whole_label.landmark",
    "medstream.whole_label_open.landmark",
    "surgcot.action_ordering.milestone",
    "surgstu.trajectory",
}
"""Templates for which the samples are too short, or too sparsely labelled."""


@cache
def programs() -> tuple[Program, ...]:
    return tuple(one for one in load_programs(with_examples=True) if isinstance(one, Program))


@cache
def operators() -> str:
    return algebra_page()


@cases("name", signatures())
def test_an_operator_has_its_place_with_an_example(name):
    text = operators().split(f"\n## `{name}`\n")[1].split("\n## ")[0]
    assert signatures()[name].summary in text
    assert (example_of(name) or "").rstrip() in text
    programs, _ = parse_text(example_of(name) or "")
    assert len(re.findall(r"^- ", text.split("```\n")[-1], re.M)) == len(programs[0].examples) > 0


def test_the_page_of_the_language_has_every_part():
    page = language_page()
    assert set(RELATION_MEANING) == set(RELATIONS)
    assert {one for key in SETTINGS for one in key.split(", ")} == {*KEYS, "as"} - {"within"}
    known = (*FILE_KEYS, *STAGE_KEYS, *DRAW_KEYS, *ROUND_KEYS)
    assert {one for told in FIELDS.values() for key in told for one in key.split(", ")} == {*known}
    assert set(UNITS) == {"clip", "still", "recording", "now", "stream", "chain"}
    assert all(f"| `{name}` | " in page for name in FILTERS)


def test_every_program_has_its_place():
    """On the page as it stands, which :mod:`test_generated` makes again."""
    page, rows = (DOCS / "tasks.md").read_text(encoding="utf-8"), overview(programs())
    assert len(rows) == len(programs())
    for one in programs():
        text = page.split(f"\n### {heading(one, programs())}\n")[1].split("\n### ")[0]
        assert f"`{one.id}`, version {one.version}, unit `{one.unit.kind}`" in text
        assert all(f"`{name}` ({node.type})" in text for name, node in one.stages[0].answer)
        assert any(f"(#{heading(one, programs()).replace(' ', '-')})" in row for row in rows)
        assert NO_EXAMPLE in text or "\nQ  " in text and "\nA  " in text
        assert NO_EXAMPLE not in text or one.id in TOO_SHORT


def shown(page: str) -> list[str]:
    """Whole files that a hand-written page shows."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)
    return [block for block in blocks if "schema: question/v1\n" in block]


@pytest.mark.parametrize("page", ["templates.md", "../CONTRIBUTING.md"])
def test_files_that_are_shown_are_in_order(page):
    files = shown(page)
    assert files
    for text in files:
        found, findings = parse_text(text)
        assert [str(one) for one in findings] == []
        assert found and found[0].examples
        assert [str(one) for program in found for one in examples_come_out(program)] == []

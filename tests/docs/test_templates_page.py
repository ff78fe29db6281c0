"""What ``docs/templates.md`` shows is run: its template is asked, its mistakes are found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ontology.yaml import read_yaml
from pipeline.preview.samples import first_sample
from tests.templates import scenes
from tests.transforms.language.wrong_templates import WRONG, expected, mistakes
from transforms.language import lint, load_templates
from transforms.language.findings import CODES
from transforms.language.queries import load_queries
from transforms.language.queries.schema import QueryFile
from transforms.language.schema import TemplateFile
from transforms.questions import ask

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "templates.md").read_text(encoding="utf-8")
MINE = ("templates", "operators", "tasks", "architecture", "determinism")


def fenced(text: str, language: str) -> list[str]:
    """Contents of the code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def section(code: str) -> str:
    """The text under a code's heading."""
    found = re.search(rf"^### {code}: .*?(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/templates.md has no section {code}"
    return found.group(0)


def test_the_template_shown_is_clean_and_asked(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    shown = next(block for block in fenced(PAGE, "yaml") if "schema: template/v1\n" in block)
    (tmp_path / "mine" / "lone_worker.yaml").write_text(shown, encoding="utf-8")
    assert [str(finding) for finding in lint([tmp_path])] == []
    (template,) = load_templates(tmp_path)
    items = ask(scenes.view_of(scenes.busy()), [template], "42").items
    assert len(items) == 2
    assert all(item.question.endswith((".", "?")) for item in items)


def query_shown(folder: Path) -> Path:
    """The file of the section about questions at a time, laid out in a folder."""
    (folder / "mine").mkdir()
    (shown,) = fenced(PAGE.split("\n## Questions at a time\n")[1].split("\n## ")[0], "yaml")
    file = folder / "mine" / "tool_gone.yaml"
    file.write_text(shown, encoding="utf-8")
    return file


def test_the_question_at_a_time_is_clean_and_asked(tmp_path: Path) -> None:
    file = query_shown(tmp_path)
    assert [str(finding) for finding in lint([tmp_path])] == []
    (query,) = load_queries([file], tmp_path)
    _, asked = first_sample(query)
    assert asked.items
    assert all(item.answer.startswith("It is the ") for _, item in asked.items)


def test_every_field_of_a_query_is_described() -> None:
    table = PAGE.split("\n## Questions at a time\n")[1].split("\n## ")[0]
    for name, part in QueryFile.model_fields.items():
        assert f"`{part.alias or name}`" in table


def test_every_fragment_is_yaml() -> None:
    for block in fenced(PAGE, "yaml"):
        if "\nid: " in block or block.startswith("needs:"):
            read_yaml(block, "docs/templates.md")


def test_codes_and_page_are_in_step() -> None:
    assert re.findall(r"^### (T\d{3}): (.*)$", PAGE, re.MULTILINE) == list(CODES.items())


@pytest.mark.parametrize("code", sorted(set(CODES) - {"T113"}))
def test_mistakes_shown_are_found(code: str) -> None:
    (fragment,) = fenced(section(code), "yaml")
    (message,) = fenced(section(code), "text")
    assert f": {code} " in message
    examples = [name for name in mistakes() if message in expected(name)]
    assert examples, "no file under wrong/ gives this message"
    sources = [(WRONG / n / "template.yaml").read_text(encoding="utf-8") for n in examples]
    assert any(all(line in s.splitlines() for line in fragment.splitlines()) for s in sources)


def test_every_field_is_described() -> None:
    table = PAGE.split("## The fields")[1].split("##")[0]
    for name, part in TemplateFile.model_fields.items():
        assert f"`{part.alias or name}`" in table


@pytest.mark.parametrize("page", MINE)
def test_links_and_paths_exist(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    headings = {_anchor(h) for h in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        assert not file or (DOCS / file).exists(), target
        assert file or anchor in headings, target
    for path in re.findall(r"`((?:transforms|pipeline|ontology|tests|templates)/[\w/.]+)`", text):
        assert (DOCS.parent / path).exists(), path


def _anchor(heading: str) -> str:
    """The anchor that Markdown viewers make from a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")

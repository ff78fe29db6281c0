"""Every template names the schema that editors complete it with, by a path that leads there."""

from __future__ import annotations

from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "templates"
MARK = "# yaml-language-server: $schema="


def test_the_schema_of_every_template_is_found():
    files = sorted(TEMPLATES.glob("*/*.yaml"))
    assert len(files) > 90
    for file in files:
        first = file.read_text(encoding="utf-8").split("\n", 1)[0]
        assert first.startswith(MARK), file
        named = (file.parent / first.removeprefix(MARK)).resolve()
        assert named == TEMPLATES / "schema" / "question-v1.json", file
        assert named.is_file()

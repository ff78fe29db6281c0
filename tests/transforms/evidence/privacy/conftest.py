"""Sentences with what must be masked marked in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

_MARK = re.compile(r"\{([A-Z]+)\|([^}]*)\}")


def _unmarked(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    text, spans, place = "", [], 0
    for match in _MARK.finditer(line):
        text += line[place : match.start()]
        spans.append((len(text), len(text) + len(match[2]), match[1]))
        text += match[2]
        place = match.end()
    return text + line[place:], spans


@pytest.fixture(scope="session")
def sentences() -> Callable[[str], list[tuple[str, list[tuple[int, int, str]]]]]:
    """Texts and the spans (start, end, kind) that must be masked, of one list."""

    def read(name: str) -> list[tuple[str, list[tuple[int, int, str]]]]:
        file = Path(__file__).with_name(f"sentences_{name}.txt")
        lines = file.read_text(encoding="utf-8").splitlines()
        return [_unmarked(line) for line in lines if line and not line.startswith("#")]

    return read

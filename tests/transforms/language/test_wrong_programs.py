"""Every mistake has its findings, with line, column, code, message and what to do.

After a message was changed on purpose, write the new ones with
``pytest tests/transforms/language --update-golden`` and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.transforms.language import parse_text
from surgqa.transforms.language.findings import CODES
from tests.each import cases
from tests.transforms.language.wrong_programs import BASES, wrong_programs

GOLDEN = Path(__file__).parent / "wrong.golden.txt"
MISTAKES = wrong_programs()


def told(text: str) -> list[str]:
    """Findings as the record has them."""
    return [
        f"{one.line}:{one.column} {one.code} {one.where}: {one.message} ({one.fix})"
        for one in parse_text(text)[1]
    ]


def recorded() -> dict[str, list[str]]:
    """Mistake -> its findings on record."""
    out: dict[str, list[str]] = {}
    name = ""
    for line in GOLDEN.read_text("utf-8").splitlines():
        if line.startswith("  "):
            out[name].append(line.strip())
        elif line:
            name = line
            out[name] = []
    return out


@cases("base", BASES)
def test_what_is_changed_was_sound(base):
    programs, findings = parse_text(BASES[base])
    assert (len(programs), findings) == (1, [])


@cases("mistake", MISTAKES)
def test_a_mistake_has_its_findings(mistake, update_golden):
    if update_golden:
        pytest.skip("written below")
    assert told(MISTAKES[mistake]) == recorded()[mistake]


def test_the_record_has_every_mistake_and_nothing_else(update_golden):
    found = {mistake: told(text) for mistake, text in MISTAKES.items()}
    if update_golden:
        lines = [line for name, all_ in found.items() for line in (name, *(f"  {t}" for t in all_))]
        GOLDEN.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
    assert recorded() == found


def test_every_mistake_is_found_at_once_and_alone():
    """One mistake has one finding: what follows from it is not told."""
    many = {name: found for name, found in recorded().items() if len(found) != 1}
    assert set(many) <= {"unit_key", "too_many_fillings", "reserved_name", "same_name_twice",
                         "name_is_a_concept", "name_is_a_kind", "chain_without_stages",
                         "context_of_a_later_stage"}  # fmt: skip


def test_every_code_of_a_program_is_raised():
    codes = {line.split()[1] for found in recorded().values() for line in found}
    elsewhere = {"T103", "T116"}
    assert codes | elsewhere == set(CODES)

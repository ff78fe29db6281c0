"""The description of a template that ``surgqa show`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from surgqa.transforms.algebra.said import said as as_line
from surgqa.transforms.algebra.tree import Print, Text
from surgqa.transforms.language import Program, parse_folder, said
from surgqa.transforms.language.program import Stage


def program_cards(file: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Return, for each template id, the fields to print, in order; empty if the file has errors."""
    programs, _ = parse_folder(folder, [file], with_examples=False)
    return {one.id: program_card(one) for one in programs}


def program_card(program: Program) -> dict[str, Any]:
    """Return the description of a template: name of a line -> its text, in printed order."""
    card: dict[str, Any] = {
        "id": program.id,
        "version": program.version,
        "title": program.title,
        "task": f"{program.benchmark}: {program.task}",
        "profiles": ", ".join(program.profiles),
        "unit": program.unit.kind,
        "form": ", ".join(dict.fromkeys(stage.form for stage in program.stages)),
        "answer": [_answer(stage) for stage in program.stages],
        "kinds": ", ".join(program.kinds),
        "rests on": program.mode,
        "reading": program.reading,
        "scorer": program.scorer,
        "cost": f"up to {program.cost:,} filling(s) for a unit",
        "says": said(program),
    }
    for stage in program.stages:
        card |= dict(_words(stage))
    if program.status != "active":
        card["status"] = program.status
    card["changes"] = [f"{version}: {text}" for version, text in program.changes.items()]
    return {**{key: value for key, value in card.items() if value}, "file": program.path}


def _answer(stage: Stage) -> str:
    fields = ", ".join(f"{name} ({node.type})" for name, node in stage.answer)
    return f"{stage.name}: {fields}" if stage.name else fields


def _words(stage: Stage) -> Iterator[tuple[str, Any]]:
    """Yield the texts of a question as the template's author wrote them: name, text or texts."""
    before = f"{stage.name} " if stage.name else ""
    yield f"{before}ask", [written(wording) for wording in stage.ask]
    for key in ("say", "context", "clue"):
        text = getattr(stage, key)
        if text:
            yield f"{before}{key}", written(text)
    if stage.reasoning:
        yield f"{before}reasoning", [written(line) for line in stage.reasoning]
    if stage.rubric:
        yield f"{before}grounds", written(stage.rubric.grounds)
        yield f"{before}cues", [", ".join(words) for words in stage.rubric.cues]


def written(text: Text) -> str:
    """Return a text with its placeholders, as the template's author wrote it."""
    return "".join(piece if isinstance(piece, str) else _reference(piece) for piece in text)


def _reference(piece: Print) -> str:
    parts: Sequence[str] = [as_line(piece.node), *([piece.filter] if piece.filter else [])]
    return "{{ " + " | ".join(parts) + " }}"

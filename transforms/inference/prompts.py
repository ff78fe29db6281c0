"""The prompt of a model: a file of sections with named placeholders.

Placeholders exist only for things that a model may know.  There is none for an answer, its evidence
or the expected response of a round, so an edited prompt cannot reveal them.  ``knowledge``,
``clue`` and ``context`` have a value only in settings that show them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import PromptInvalid, UserError
from surgqa.ontology.files import read_bytes, read_text

TIMES = ("start", "end", "query_time")
PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "system": (*TIMES, "task_mode", "temporal_mode", "picture_order"),
    "user": (*TIMES, "task_mode", "temporal_mode", "question", "options", "letters",
             "protocol", "protocol_rule", "answer_rule", "knowledge", "clue", "context"),
    "frame": ("time",),
    "mixed frame": ("letter",),
    "no pictures": (),
    "rule": (),
    "answer": ("letters",),
    "context": ("answers", "question", "reply"),
    "no reply": (),
}  # fmt: skip
"""Names that a section may use; ``rule``, ``answer`` and ``context`` stand for all sections of
that kind.
"""

PROTOCOLS = ("unanswerable | answer", "no_alert | uncertain | alert: <reason>")
FORMS = ("choice", "yes_no", "number", "time", "duration", "interval", "box", "set", "sequence",
         "text", "open")  # fmt: skip
SECTIONS = ("system", "user", "frame", "mixed frame", "no pictures",
            *(f"rule: {name}" for name in PROTOCOLS),
            *(f"answer: {name}" for name in FORMS),
            "context: gold", "context: own", "no reply")  # fmt: skip

_HEADER = re.compile(r"\[([^\[\]]+)\]")
_FIELD = re.compile(r"\{([^{}\s]*)\}")


@dataclass(frozen=True, slots=True)
class PromptSections:
    """Sections by name, each a text with placeholders."""

    sections: Mapping[str, str]

    def render(self, section: str, values: Mapping[str, str | None]) -> str:
        """Return a section with its values; a line without a value is left out."""
        kept: list[str] = []
        for line in self.sections.get(section, "").split("\n"):
            names = _FIELD.findall(line)
            if any(not values.get(name) for name in names):
                continue
            if line or (kept and kept[-1]):
                kept.append(_FIELD.sub(lambda found: values[found[1]] or "", line))
        return "\n".join(kept).strip()

    def uses(self, section: str, name: str) -> bool:
        """Return whether a section has a placeholder."""
        return name in _FIELD.findall(self.sections.get(section, ""))


def load_prompt(path: Path | None = None) -> PromptSections:
    """The built-in prompt, or that of a file; missing sections come from the built-in prompt.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not UTF-8.
        UserError: an unknown section or placeholder, with file and line.
    """
    if path is None:
        return _shipped()
    text = read_text(read_bytes(path, str(path)), str(path))
    own = parsed(text, str(path))
    if not own:
        raise PromptInvalid(
            "the prompt has no section",
            expected="a line such as [user], and the text below it",
            where=str(path),
            fix="copy the built-in prompt from 'surgqa jobs --default-prompt'",
        )
    return PromptSections({**_shipped().sections, **own})


@cache
def _shipped() -> PromptSections:
    text = (resources.files("surgqa.transforms.inference") / "prompt.txt").read_text(
        encoding="utf-8"
    )
    return PromptSections(parsed(text, "prompt.txt"))


def parsed(text: str, name: str) -> dict[str, str]:
    """Return the sections of a prompt file.

    Raises:
        UserError: an unknown or repeated section, or a placeholder that it must not use.
    """
    sections: dict[str, str] = {}
    for header, number, lines in _blocks(text):
        where = f"{name}:{number}"
        if header not in SECTIONS:
            raise _unknown("section", header, SECTIONS, where)
        if header in sections:
            raise PromptInvalid(
                f"section [{header}] occurs twice", where=where, fix="keep one of the two sections"
            )
        allowed = PLACEHOLDERS[header.split(":")[0]]
        for offset, line in enumerate(lines, start=1):
            for field in _FIELD.findall(line):
                if field not in allowed:
                    raise _unknown("placeholder", field, allowed, f"{name}:{number + offset}")
        sections[header] = "\n".join(line.rstrip() for line in lines).strip()
    return sections


def _blocks(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield (header, its line number, the lines below it)."""
    header, start, lines = "", 0, list[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        if found := _HEADER.fullmatch(line.strip()):
            if header:
                yield header, start, lines
            header, start, lines = found[1].strip(), number, []
        else:
            lines.append(line)
    if header:
        yield header, start, lines


def _unknown(what: str, name: str, known: tuple[str, ...], where: str) -> UserError:
    close = get_close_matches(name, known, n=1)
    return PromptInvalid(
        f"a prompt has no {what} called '{name}'",
        expected=", ".join(known) or "no placeholder in this section",
        found=name,
        where=where,
        fix=f"did you mean {close[0]}?" if close else None,
    )


@dataclass(frozen=True, slots=True)
class Texts:
    """The two messages; an empty ``system`` is not sent."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of a benchmark's items.

    Attributes:
        columns: columns to read, in addition to :data:`windows.COLUMNS`; none that contains an
            answer.
        texts: the messages of a row; None for a row that uses the prompt's texts.  Frames with such
            texts have no captions.
        protocol: whether a response may also be that the answer cannot be known.
    """

    columns: tuple[str, ...] = ()
    texts: Callable[[Mapping[str, Any]], Texts | None] = lambda row: None
    protocol: bool = True


Wordings = Mapping[str, Wording]
"""Wordings by benchmark."""

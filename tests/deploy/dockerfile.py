"""Reads a Dockerfile: stages, what they are based on, and their instructions.

Knows what ours uses: comments, continued lines, ``ARG`` before the first ``FROM``, and
``${NAME}``, ``${NAME:+word}`` in ``FROM``.  Here-documents and parser directives are refused.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name in capitals and the text after it, continued lines joined."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words of an exec form or of a shell-like list."""
        return json.loads(self.text) if self.text.startswith("[") else shlex.split(self.text)


@dataclass
class Stage:
    """One ``FROM`` and what follows it."""

    name: str
    base: str
    instructions: list[Instruction] = field(default_factory=list)

    def texts(self, name: str) -> list[str]:
        return [one.text for one in self.instructions if one.name == name]

    def last(self, name: str) -> str | None:
        return (self.texts(name) or [None])[-1]


def read(path: Path) -> dict[str, Stage]:
    """The stages by name, in order; arguments have their defaults."""
    stages: dict[str, Stage] = {}
    stage, arguments = None, {}
    for one in _instructions(path.read_text(encoding="utf-8")):
        if one.name == "FROM":
            image, _, name = one.text.partition(" AS ")
            stage = stages[name] = Stage(name, _filled(image, arguments))
        elif stage is None:
            name, _, value = one.text.partition("=")
            arguments[name] = value.strip('"')
        else:
            stage.instructions.append(one)
    return stages


def chain(stages: dict[str, Stage], name: str) -> list[Stage]:
    """The stage and those it is based on, the lowest first."""
    found = []
    while name in stages:
        found.insert(0, stages[name])
        name = stages[name].base
    return found


def setting(stages: dict[str, Stage], name: str, instruction: str) -> str | None:
    """The last value of an instruction that a stage inherits, such as ``USER``."""
    values = [stage.last(instruction) for stage in chain(stages, name)]
    return ([value for value in values if value] or [None])[-1]


def variables(stages: list[Stage]) -> dict[str, str]:
    """What ``ENV``, and the defaults of ``ARG``, set in these stages."""
    found = {}
    for stage in stages:
        for one in stage.instructions:
            if one.name in ("ENV", "ARG"):
                pairs = (word.partition("=") for word in shlex.split(one.text))
                found |= {name: value for name, _, value in pairs}
    return found


def is_sent(path: str, patterns: list[str]) -> bool:
    """Whether a path of the repository is part of the build context: the last match decides."""
    sent = True
    parents = ["/".join(path.split("/")[:end]) for end in range(1, path.count("/") + 2)]
    for pattern in patterns:
        wanted, bare = pattern.startswith("!"), pattern.lstrip("!").removeprefix("**/")
        names = path.split("/") if "**/" in pattern else parents
        if any(fnmatchcase(name, bare) for name in names):
            sent = wanted
    return sent


def _instructions(text: str) -> list[Instruction]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    assert "<<" not in joined, "here-documents are not read"
    found = [line.strip().split(maxsplit=1) for line in joined.splitlines() if line.strip()]
    return [Instruction(name.upper(), rest) for name, rest in found]


def _filled(text: str, values: dict[str, str]) -> str:
    text = re.sub(r"\$\{(\w+):\+[^{}]*(?:\$\{\w+\}[^{}]*)*\}",
                  lambda m: m[0].split(":+", 1)[1][:-1] if values[m[1]] else "", text)  # fmt: skip
    return re.sub(r"\$\{(\w+)\}", lambda m: values[m[1]], text)

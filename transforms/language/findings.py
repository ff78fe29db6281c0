"""Findings: the mistakes in a template. They are collected, so that all are shown at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from surgqa.ontology.errors import EXIT_FINDINGS, UserError
from surgqa.ontology.yaml import read_yaml

_FILE = "findings.yaml"
CODES: Mapping[str, str] = read_yaml(
    (resources.files(__package__) / _FILE).read_text("utf-8"), _FILE
).data
"""Code -> the kind of mistake that it stands for; a removed code's number is not used again."""
ADVICE = {"T105", "T108", "T109", "T111", "T112", "T115", "T116"}
"""Codes of warnings; templates with no other finding are used."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One mistake in a template; findings sort by path, line and code.

    Attributes:
        where: place in the file, such as ``mine.how_many > ask[1]``.
        fix: what to do.
        path: the file, relative to the templates folder; :func:`below` adds the folder as the user
            named it before the finding is shown.
    """

    path: str
    line: int
    code: str
    where: str
    message: str
    fix: str = ""
    column: int = 1

    @property
    def severity(self) -> str:
        """``error`` if the finding keeps the template from being used, otherwise ``warning``."""
        return "warning" if self.code in ADVICE else "error"

    def __str__(self) -> str:
        fix = f"  ({self.fix})" if self.fix else ""
        return (
            f"{self.path}:{self.line}:{self.column}: {self.severity} {self.code} {self.where}: "
            f"{self.message}{fix}"
        )


def blocking(findings: Iterable[Finding]) -> list[Finding]:
    """Return the errors, which keep a template from being used."""
    return [one for one in findings if one.severity == "error"]


def below(folder: Path, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with ``folder`` in front of their paths, sorted."""
    return sorted(replace(one, path=(folder / one.path).as_posix()) for one in findings)


class TemplateErrors(UserError):
    """Error for templates with mistakes, which cannot be used; the message lists all mistakes."""

    exit_code = EXIT_FINDINGS

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = sorted(findings)
        super().__init__(
            f"{len(self.findings)} error(s) in templates",
            fix="correct them, then run 'surgqa lint'",
        )

    def __reduce__(self):
        return (TemplateErrors, (self.findings,))

    def lines(self) -> list[str]:
        head, *rest = super().lines()
        return [head, *(f"  {finding}" for finding in self.findings), *rest]

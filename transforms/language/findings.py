"""Findings: what is wrong in a template, collected and not raised one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from ontology.errors import EXIT_FINDINGS, UserError
from ontology.yaml import read_yaml

_FILE = "findings.yaml"
CODES: Mapping[str, str] = read_yaml(
    (resources.files(__package__) / _FILE).read_text("utf-8"), _FILE
).data
"""Code -> what it finds; a number is never used again."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One finding; sorted by path, line, code.

    Attributes:
        where: breadcrumb such as ``mine.how_many > ask[1]``.
        fix: what to do.
        path: file, relative to the templates folder while it is looked through, and below the
            folder as it was named (:func:`below`) where the finding is shown.
    """

    path: str
    line: int
    code: str
    where: str
    message: str
    fix: str = ""
    severity: str = "error"
    column: int = 1

    def __str__(self) -> str:
        fix = f"  ({self.fix})" if self.fix else ""
        return (
            f"{self.path}:{self.line}:{self.column}: {self.code} {self.where}: {self.message}{fix}"
        )


def below(folder: Path, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, whose paths count from the folder, with paths that open from where one is."""
    return sorted(replace(one, path=(folder / one.path).as_posix()) for one in findings)


class TemplateErrors(UserError):
    """Templates that cannot be used; the message lists every finding."""

    exit_code = EXIT_FINDINGS

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = sorted(findings)
        super().__init__(
            f"{len(self.findings)} finding(s) in templates",
            fix="correct them, then run 'surgqa lint'",
        )

    def __reduce__(self):
        return (TemplateErrors, (self.findings,))

    def lines(self) -> list[str]:
        head, *rest = super().lines()
        return [head, *(f"  {finding}" for finding in self.findings), *rest]

"""Findings: what is wrong in a template, collected and not raised one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ontology.errors import EXIT_FINDINGS, UserError

CODES = {
    "T101": "the file cannot be read as YAML 1.2",
    "T102": "unknown, missing or mistyped field or argument",
    "T103": "the id does not match the path, or is used twice",
    "T104": "a name or reader that is not there",
    "T105": "a name or key that nothing uses",
    "T106": "unknown operator, filter, concept, shared block or scorer",
    "T107": "wording that the language does not allow",
    "T108": "a version without a word on what it changed",
    "T109": "a question prints its own answer",
    "T110": "a wrong option that may be right as well",
    "T111": "fewer than four wordings, or two equal ones",
    "T112": "grammar of a wording",
    "T115": "a wording names a dataset, a file or a frame number",
    "T116": "an example of the template does not come out",
    "T117": "a value of another type than its place needs",
    "T118": "a text shows what can be known only after the time of the question",
    "T119": "more fillings for a unit than can be tried",
    "T120": "a name that is reserved, or that means two things",
}
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
    """The findings with paths that open from where the command was called."""
    return sorted(replace(one, path=opens(folder, one.path)) for one in findings)


def opens(folder: Path, path: str) -> str:
    """A template's path, which counts from its folder, as it opens from where one is."""
    return (folder / path).as_posix()


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

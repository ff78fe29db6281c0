"""Errors that a user can correct.

Every error that a user can make or encounter (a missing file, a bad label, an unknown name) is a
:class:`UserError`.  It states what was expected, what was found, where, and what to do.  Only
``pipeline.cli`` prints it, without a traceback.
"""

from __future__ import annotations

from collections.abc import Sequence

EXIT_DONE = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_MISSING = 3
EXIT_TOO_MANY_FAILED = 4
EXIT_NOTHING_ASKED = 5
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class UserError(Exception):
    """An error that the user can correct.

    Args:
        summary: the problem in one line, without a full stop.
        expected: what should have been there.
        found: what was found instead.
        where: file and position in it, or the name of the option.
        fix: what to do, or a command to type.
        exit_code: the command's exit status (see ``docs/errors.md``).
    """

    exit_code = EXIT_USAGE

    def __init__(
        self,
        summary: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        where: str | None = None,
        fix: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        super().__init__(summary)
        self.summary = summary
        self.expected = expected
        self.found = found
        self.where = where
        self.fix = fix
        if exit_code is not None:
            self.exit_code = exit_code

    def __reduce__(self):  # the default pickling loses keyword-only arguments
        return _rebuilt, (type(self), self.summary), self.__dict__

    def lines(self) -> list[str]:
        """The message as printed; its first line has no ``error:`` prefix."""
        out = [self.summary]
        for label in ("expected", "found", "where", "fix"):
            value = getattr(self, label)
            if value:
                out.append(f"  {label:<9} {value}")
        return out

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _rebuilt(kind: type[UserError], summary: str) -> UserError:
    return kind.__new__(kind, summary)


SHOWN = 20
"""Number of problems that a combined error prints; the others are only counted."""


def together(problems: Sequence[UserError], of_what: str, fix: str) -> UserError:
    """Combine several errors into one: the first few with their positions, the others counted.

    Args:
        problems: at least one; a single one is returned unchanged.
        of_what: end of the first line: ``3 problems in the sheets``.
    """
    if len(problems) == 1:
        return problems[0]
    lines = [
        f"{one.where}: {one.summary} (expected {one.expected}; found {one.found})"
        for one in problems[:SHOWN]
    ]
    if len(problems) > SHOWN:
        lines.append(f"and {len(problems) - SHOWN} more")
    return UserError(
        f"{len(problems)} problems {of_what}", found="\n            ".join(lines),
        where=problems[0].where, fix=fix,
    )  # fmt: skip


class SourceMissing(UserError):
    """A dataset, one of its files, or a device is missing on this machine (exit status 3)."""

    exit_code = EXIT_MISSING


class SourceBroken(UserError):
    """A source file exists but cannot be understood (exit status 3)."""

    exit_code = EXIT_MISSING


class NothingAsked(UserError):
    """A dataset contains no items, but items are needed (exit status 5)."""

    exit_code = EXIT_NOTHING_ASKED


class OutputBroken(UserError):
    """An output folder that surgqa did not write, or that is incomplete (exit status 2)."""

"""Errors that a user can correct.

Every error that a user can make or encounter (a missing file, a bad label, an unknown name) is a
:class:`UserError`.  It states what was expected, what was found, where, and what to do.  Only
``pipeline.cli`` prints it, without a traceback.

Errors that the user solves in the same way have one class below.  The class states the exit status;
its name in lower case is the code that is printed, such as ``file-missing``.  ``errors.yaml``
explains each code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

EXIT_DONE = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_MISSING = 3
EXIT_TOO_MANY_FAILED = 4
EXIT_NOTHING_ASKED = 5
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


_LINE = "\n  {:<9} {}"
KINDS: dict[str, type[UserError]] = {}
"""Code -> class; a package that offers datasets or formats may add its own."""


class UserError(Exception):
    """An error that the user can correct; raise one of the kinds below, which have a code.

    Args:
        summary: the problem in one line, without a full stop.
        expected: what should have been there.
        found: what was found instead.
        where: file and position in it, or the name of the option.
        fix: advice what to do, or a command to type.

    Attributes:
        code: printed as ``error[CODE]``.
        exit_code: the command's exit status (see ``docs/errors.md``).
    """

    code: ClassVar[str] = ""
    exit_code: ClassVar[int] = EXIT_USAGE

    def __init_subclass__(cls, exit_code: int | None = None) -> None:
        cls.code = re.sub("(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
        if exit_code is not None:
            cls.exit_code = exit_code
        KINDS.setdefault(cls.code, cls)

    def __init__(
        self,
        summary: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        where: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(summary)
        self.summary = summary
        self.expected = expected
        self.found = found
        self.where = where
        self.fix = fix

    def __reduce__(self):  # the default pickling loses keyword-only arguments
        return _rebuilt, (type(self), self.summary), self.__dict__

    def lines(self) -> list[str]:
        """Return the message as printed; its first line has no ``error:`` prefix."""
        out = [self.summary]
        for label in ("expected", "found", "where", "fix"):
            value = getattr(self, label)
            if value:
                out.append(_LINE.format(label, value)[1:])
        return out

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def message(self) -> str:
        """Return the lines as the command line prints them, with the code.

        An error that does not say itself what to do gets the advice for its code.
        """
        from surgqa.ontology.explained import explanations

        code = f"[{self.code}]" if self.code else ""  # another package may raise UserError itself
        general = None if self.fix else explanations().get(self.code)
        return f"error{code}: {self}" + (_LINE.format("fix", general.fix) if general else "")


def _rebuilt(kind: type[UserError], summary: str) -> UserError:
    return kind.__new__(kind, summary)


# fmt: off
class SourceMissing(UserError, exit_code=EXIT_MISSING): ...
class FileMissing(SourceMissing): ...
class MediaMissing(SourceMissing): ...
class WeightsMissing(SourceMissing): ...
class DeviceMissing(SourceMissing): ...

class SourceBroken(UserError, exit_code=EXIT_MISSING): ...
class SourceUnreadable(SourceBroken): ...
class SyntaxBroken(SourceBroken): ...
class ColumnMissing(SourceBroken): ...
class MediaBroken(SourceBroken): ...
class WeightsBroken(SourceBroken): ...
class SourceChanged(SourceBroken): ...
class StoreBroken(SourceBroken): ...

class PackageMissing(UserError, exit_code=EXIT_MISSING): ...
class CredentialsMissing(UserError, exit_code=EXIT_MISSING): ...
class SystemRefusal(UserError, exit_code=EXIT_MISSING): ...
class ServiceUnavailable(UserError, exit_code=EXIT_MISSING): ...
class ModelUnavailable(UserError, exit_code=EXIT_MISSING): ...
class JobFailed(UserError, exit_code=EXIT_MISSING): ...
class OutOfMemory(UserError, exit_code=EXIT_MISSING): ...
class VideosFailed(UserError, exit_code=EXIT_TOO_MANY_FAILED): ...
class NothingAsked(UserError, exit_code=EXIT_NOTHING_ASKED): ...

class OutputBroken(UserError): ...
class NotADataset(OutputBroken): ...
class OtherVersion(OutputBroken): ...
class OutputExists(UserError): ...
class PlaceUnusable(UserError): ...
class PathOutside(UserError): ...
class Busy(UserError): ...

class WrongUsage(UserError): ...
class ValueInvalid(UserError): ...
class UnknownName(UserError): ...
class NameTaken(UserError): ...
class Unsupported(UserError): ...
class NothingSelected(UserError): ...
class RateMissing(UserError): ...
class StepOrder(UserError): ...
class Mismatched(UserError): ...
class PluginBroken(UserError): ...

class YamlInvalid(UserError): ...
class FieldInvalid(UserError): ...
class PromptInvalid(UserError): ...
class RowInvalid(UserError): ...
class RowTwice(UserError): ...
class RowsMissing(UserError): ...
# fmt: on


SHOWN = 20
"""Number of problems that a combined error prints; the others are only counted."""


def together(problems: Sequence[UserError], of_what: str, fix: str) -> UserError:
    """Return one error that lists the first few of several errors with their positions.

    Args:
        problems: at least one error; the result has the class of the first. A single error is
            returned unchanged.
        of_what: end of the first line: ``3 problems in the sheets``.
    """
    if len(problems) == 1:
        return problems[0]
    lines = [f"{one.where}: {one.summary}{_details(one)}" for one in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"and {len(problems) - SHOWN} more")
    return type(problems[0])(
        f"{len(problems)} problems {of_what}", found="\n            ".join(lines),
        where=problems[0].where, fix=fix,
    )  # fmt: skip


def _details(one: UserError) -> str:
    known = {"expected": one.expected, "found": one.found}
    details = "; ".join(f"{label} {value}" for label, value in known.items() if value)
    return f" ({details})" if details else ""

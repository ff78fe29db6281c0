"""Explanations of the codes of errors and of rejections: ``errors.yaml``, ``rejections.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from surgqa.ontology.yaml import read_yaml

FILE, REJECTIONS = "errors.yaml", "rejections.yaml"


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanation of one error code.

    Attributes:
        run: a command that ends with this error; '' if no command does so on every machine.
        files: files that the example needs, with their text.
        prints: the message that the command prints.
    """

    means: str
    why: str
    fix: str
    prints: str
    run: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def example(self) -> str:
        """Return the command's files, the command and what it prints, as in a terminal."""
        made = [f"$ cat {path}\n{text.rstrip()}\n" for path, text in self.files.items()]
        typed = f"$ {self.run}\n" if self.run else ""
        return "".join([*made, typed, self.prints]).rstrip()


@cache
def explanations() -> Mapping[str, Explained]:
    """Return the explanation of each error code, in the order of the file."""
    entries = read_yaml((resources.files(__package__) / FILE).read_text("utf-8"), FILE).data
    return {code: Explained(**entry) for code, entry in entries.items()}


@dataclass(frozen=True, slots=True)
class RejectionExplained:
    """The explanation of one code of :class:`~ontology.records.Code`.

    Attributes:
        stage: the first step of a build in which the code occurs, such as ``read`` or ``ask``.
        see: place in ``docs/``, or empty.
    """

    stage: str
    means: str
    fix: str
    see: str = ""


@cache
def rejections() -> Mapping[str, RejectionExplained]:
    """Return the explanation of each rejection code, in the order of the stages of a build."""
    text = (resources.files(__package__) / REJECTIONS).read_text("utf-8")
    entries = read_yaml(text, REJECTIONS).data
    return {code: RejectionExplained(**entry) for code, entry in entries.items()}

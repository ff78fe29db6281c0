"""Formats that a finished dataset can be written in: each a folder of this package.

A folder with ``FORMAT`` in its ``__init__.py`` is a format; nothing else needs to be edited.
Another package offers one as an entry point of the group ``surgqa.exports``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import transforms.exports
from ontology.errors import UserError
from ontology.plugins import EXPORTS, loaded, offered
from transforms.exports.dialogue import Dialogue
from transforms.exports.taking import Taking
from transforms.inference.wording import Wording
from transforms.labelling.sheet import Sheet
from transforms.places import Place
from transforms.store import OutputFolder

Row = Sequence[object]
Write = Callable[[OutputFolder, Path, Mapping[str, Place]], Sequence[Row]]
Talk = Callable[[OutputFolder, Path, Iterator[Dialogue]], Sequence[Row]]
Asking = Callable[[str | None, Path | None], Wording]
"""(manner, folder of texts) -> how the benchmark's questions are put to a model."""


@dataclass(frozen=True, slots=True)
class Format:
    """A way out.

    Attributes:
        name: what ``--as`` says.
        taking: the rows that fit.
        summary: one line.
        write: writes all into a folder that is there and empty, given the folder of each
            dataset's recordings where it is known, and returns a table of what it wrote,
            header first.  Formats without pictures or films do not look at those folders.
            None where ``talk`` does it.
        talk: the same of dialogues, whose pictures and clips are in the folder already or come
            with each dialogue.
        with_prompts: the same with the texts of a folder, where the format has prompts.
        asking: how the published benchmark puts its questions, where it has texts of its own.
        manners: ways of it that can be named, the usual one first.
        each: every question, stage and round is a dialogue of its own.
        whole: a chain of which a stage cannot be shown is left out whole.
        media: what dialogues may show, the usual first where recordings are named.
        questions: whether it writes questions; one of evidence alone takes any output.
        sheet: writes pictures' boxes and masks into a folder that is there; the pictures are
            put beside it.  Takes evidence, not questions.
        pictures: folder of the pictures of a sheet.
        settings: name of each setting -> its values, the one that is taken first.
        with_settings: ``talk`` with a value for each of them.
    """

    name: str
    taking: Taking
    summary: str
    write: Write | None = None
    talk: Talk | None = None
    with_prompts: Callable[[Path], Write] | None = None
    asking: Asking | None = None
    manners: tuple[str, ...] = ()
    each: bool = False
    whole: bool = False
    media: tuple[str, ...] = ("clips", "frames", "none")
    questions: bool = True
    sheet: Callable[[Sheet, Path], None] | None = None
    pictures: str = ""
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    with_settings: Callable[[Mapping[str, str]], Talk] | None = None

    @property
    def chosen(self) -> dict[str, str]:
        """The value of each setting."""
        return {name: values[0] for name, values in self.settings.items()}


@dataclass(slots=True)
class Fit:
    """Which rows of an output a format takes, counted by their unit.

    Attributes:
        taken, left: unit -> rows.
    """

    taken: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)


def fit_of(folder: OutputFolder, taking: Taking) -> Fit:
    """Go through all rows once."""
    out, led = Fit(), taking.leads is None
    for row in folder.rows(None, list(taking.reads)):
        (out.taken if taking.takes(row) else out.left)[row["unit"]] += 1
        led = led or (taking.leads is not None and taking.leads(row))
    return out if led else Fit(left=out.taken + out.left)


def adjusted(form: Format, given: Sequence[str]) -> Format:
    """The format with settings of one's own, each ``NAME=VALUE``.

    Raises:
        UserError: it has no such setting, or the setting no such value.
    """
    settings = dict(form.settings)
    for text in given:
        name, _, value = text.partition("=")
        if value not in form.settings.get(name, ()):
            values = [f"{key}={'|'.join(known)}" for key, known in form.settings.items()]
            raise UserError(
                f"{form.name} has no such setting", expected=", ".join(values) or "no --set",
                found=text, where="--set",
            )  # fmt: skip
        settings[name] = (value,)
    found = replace(form, settings=settings)
    return replace(found, talk=form.with_settings(found.chosen)) if form.with_settings else found


def require_fit(folder: OutputFolder, form: Format) -> Fit:
    """What a format takes of an output.

    Raises:
        UserError: nothing; it tells what the output has and which formats take that.
    """
    found = fit_of(folder, form.taking)
    if found.taken:
        return found
    fitting = [one for one in formats().values()
               if one.questions and fit_of(folder, one.taking).taken]  # fmt: skip
    # Those that several formats share take nearly all; one of them is named where no other fits.
    every = [one.taking for one in formats().values()]
    others = [one.name for one in fitting if every.count(one.taking) == 1]
    others = others or [one.name for one in fitting[:1]]
    raise UserError(
        f"{folder.path} has nothing for {form.name}",
        expected=form.taking.words,
        found=told(found.left),
        where="--as",
        fix=f"take --as {' or --as '.join(others)}, which have a place for them"
        if others else "build with templates whose unit the format takes",
    )  # fmt: skip


def told(counts: Mapping[str, int]) -> str:
    """``12 of unit clip, 3 of unit chain``."""
    return ", ".join(f"{count} of unit {unit}" for unit, count in sorted(counts.items()))


@cache
def formats() -> Mapping[str, Format]:
    """All formats by name, in order of their names.

    Raises:
        UserError: two have one name, or a package offers one by another name than its own.
    """
    units = [unit.name for unit in pkgutil.iter_modules(transforms.exports.__path__) if unit.ispkg]
    shipped = [importlib.import_module(f"transforms.exports.{name}").FORMAT for name in units]
    found: dict[str, Format] = {one.name: one for one in shipped}
    for point in offered(EXPORTS, found):
        form = loaded(point)
        if form.name != point.name:
            raise UserError("a format has another name than its entry point", expected=form.name,
                            found=point.name, where=point.value)  # fmt: skip
        found[point.name] = form
    return dict(sorted(found.items()))


def format_of(name: str) -> Format:
    """One format.

    Raises:
        UserError: there is none of this name.
    """
    known = formats()
    if name not in known:
        raise UserError(
            f"no format is called '{name}'",
            expected=", ".join(known),
            found=name,
            where="--as",
        )
    return known[name]

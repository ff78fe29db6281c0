"""The formats in which ``surgqa export`` can write a finished dataset.

To add a format, add a folder whose ``__init__.py`` defines ``FORMAT`` (or several ``FORMATS``); no
other file has to be edited. Other packages add formats with entry points in the group
``surgqa.exports``. Most formats write dialogues (:mod:`transforms.exports.dialogue`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import surgqa.transforms.exports
from surgqa.ontology.errors import NothingSelected, PluginBroken, UnknownName
from surgqa.ontology.plugins import EXPORTS, loaded, offered
from surgqa.transforms.exports.dialogue import Dialogue
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.inference.prompts import Wording
from surgqa.transforms.labelling.sheet import RoundSheet
from surgqa.transforms.places import Place
from surgqa.transforms.store import OutputFolder

Row = Sequence[object]
Write = Callable[[OutputFolder, Path, Mapping[str, Place]], Sequence[Row]]
Talk = Callable[[OutputFolder, Path, Iterator[Dialogue]], Sequence[Row]]
Asking = Callable[[str | None, Path | None], Wording]
"""Function of (manner, folder of user's texts) that returns how a benchmark words its prompts."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of ``surgqa export``.

    Attributes:
        name: the value of ``--as``.
        taking: selects the rows that the format can represent.
        summary: one line for the help text.
        write: function of (output, existing empty folder, folders of videos by dataset) that writes
            everything and returns a table of what was written, header first. None if ``talk`` is
            set.
        talk: function of (output, folder, dialogues) that does the same for a format with
            dialogues. Images and clips are put into the folder before or with each dialogue.
        with_prompts: for formats with prompts, function that returns ``write`` with the texts of a
            folder.
        asking: for a benchmark with texts of its own, function that returns its wording.
        manners: names of the ways in which the format can ask questions, the default first.
        each: True if every question, stage and round is a dialogue by itself.
        whole: True to leave out a whole chain if the media of one of its stages are missing.
        media: what dialogues may show, such as ``clips``; the first is the default with folders of
            videos.
        questions: True if the format writes questions, False if it writes only evidence.
        sheet: for formats of labelling tools, function that writes the boxes and masks of images
            into an existing folder, in which the images are written too.
        pictures: name of the folder for the images of such a format.
        settings: name of each setting -> its possible values, the chosen value first.
        with_settings: function that returns ``talk`` for chosen values of the settings.
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
    sheet: Callable[[RoundSheet, Path], None] | None = None
    pictures: str = ""
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    with_settings: Callable[[Mapping[str, str]], Talk] | None = None

    @property
    def chosen(self) -> dict[str, str]:
        """The chosen value of each setting, by name."""
        return {name: values[0] for name, values in self.settings.items()}


@dataclass(slots=True)
class FittingRows:
    """How many rows of an output a format can and cannot represent, by unit.

    Attributes:
        taken, left: for each unit, such as ``clip``, the number of rows.
    """

    taken: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)


def fit_of(folder: OutputFolder, taking: Taking) -> FittingRows:
    """Count the rows that a format can represent; none if a required row (``leads``) is missing."""
    out, led = FittingRows(), taking.leads is None
    for row in taking.among(folder.rows(None, list(taking.reads))):
        (out.taken if taking.takes(row) else out.left)[row["unit"]] += 1
        led = led or (taking.leads is not None and taking.leads(row))
    return out if led else FittingRows(left=out.taken + out.left)


def adjusted(form: Format, given: Sequence[str]) -> Format:
    """Return a format with settings that the user gave, each as ``NAME=VALUE``.

    Raises:
        UserError: the format has no setting of this name, or the setting has no such value.
    """
    settings = dict(form.settings)
    for text in given:
        name, _, value = text.partition("=")
        if value not in form.settings.get(name, ()):
            values = [f"{key}={'|'.join(known)}" for key, known in form.settings.items()]
            raise UnknownName(
                f"{form.name} has no setting {text!r}", expected=", ".join(values) or "no --set",
                found=text, where="--set",
            )  # fmt: skip
        settings[name] = (value,)
    found = replace(form, settings=settings)
    return replace(found, talk=form.with_settings(found.chosen)) if form.with_settings else found


def require_fit(folder: OutputFolder, form: Format) -> FittingRows:
    """Return how many rows of an output a format can represent, at least one.

    Raises:
        UserError: there are none; the message names the formats that fit.
    """
    found = fit_of(folder, form.taking)
    if found.taken:
        return found
    fitting = [one for one in formats().values()
               if one.questions and fit_of(folder, one.taking).taken]  # fmt: skip
    # A `taking` that several formats share fits nearly every output, so others are named first.
    every = [one.taking for one in formats().values()]
    others = [one.name for one in fitting if every.count(one.taking) == 1]
    others = others or [one.name for one in fitting[:1]]
    raise NothingSelected(
        f"{folder.path} has no rows for the format {form.name}",
        expected=form.taking.words,
        found=counts_in_words(found.left),
        where="--as",
        fix=f"use --as {' or --as '.join(others)}: these formats can hold the output's rows"
        if others else "build with templates whose unit fits the format",
    )  # fmt: skip


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Return counts in words, such as ``12 of unit clip, 3 of unit chain``."""
    return ", ".join(f"{count} of unit {unit}" for unit, count in sorted(counts.items()))


@cache
def formats() -> Mapping[str, Format]:
    """Return all formats by name, sorted by name.

    Raises:
        UserError: two formats share a name, or an entry point's name differs from its format's.
    """
    found: dict[str, Format] = {}
    for unit in pkgutil.iter_modules(surgqa.transforms.exports.__path__):
        if unit.ispkg:
            module = importlib.import_module(f"surgqa.transforms.exports.{unit.name}")
            shipped = getattr(module, "FORMATS", None) or (module.FORMAT,)
            found |= {one.name: one for one in shipped}
    for point in offered(EXPORTS, found):
        form = loaded(point)
        if form.name != point.name:
            raise PluginBroken("a format's name differs from its entry point", expected=form.name,
                               found=point.name, where=point.value)  # fmt: skip
        found[point.name] = form
    return dict(sorted(found.items()))


def format_of(name: str) -> Format:
    """Return the format with this name.

    Raises:
        UserError: no format has this name.
    """
    known = formats()
    if name not in known:
        raise UnknownName(
            f"no format is called '{name}'",
            expected=", ".join(known),
            found=name,
            where="--as",
        )
    return known[name]

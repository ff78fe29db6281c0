"""Convert binary columns to instrument instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import IDLE, UNKNOWN, Code, InstrumentTable
from surgqa.transforms.readers.base import (
    Categories,
    InstrumentRows,
    Ledger,
    categories,
    instants_of,
    instrument_table,
)
from surgqa.transforms.readers.base.cholect.columns import LabelColumns

KINDS = ("instrument", "verb", "target")
LABEL_MAP = "cholect50"
FPS = Fraction(1)

LabelsOn = Mapping[str, np.ndarray]
"""Task -> bool (T, labels of the task) at the instants that all files have."""


class LineFault(NamedTuple):
    """Instants (T,) at which the line of a task is invalid, and the reason."""

    task: str
    wrong: np.ndarray
    explain: Callable[[int], tuple[Code, str]]


@dataclass(frozen=True, slots=True)
class Concepts:
    """The concepts of the columns.

    Attributes:
        kinds: categories of instrument, verb and target; ids are column numbers.
        triplets: source names (instrument, verb, target) of the triplet columns.
        members: int64 (triplets, 3), positions of instrument, verb and target in the categories,
            negative for an unknown name.
    """

    kinds: Mapping[str, Categories]
    triplets: Sequence[tuple[str, ...]]
    members: np.ndarray

    def named_by(self, triplets_on: np.ndarray, kind: str) -> np.ndarray:
        """Return bool (T, labels of the kind), which of them the triplets of an instant name."""
        column = KINDS.index(kind)
        named = self.members[:, column, None] == np.arange(self.kinds[kind].ids.size)
        return triplets_on.astype(np.float32) @ named.astype(np.float32) > 0


def concepts_of(names: Mapping[str, Sequence[str]], triplets: Sequence[str]) -> Concepts:
    """Map the names of the dict files; kinds without a file are taken from the triplets.

    Args:
        names: for each kind, the names by column.
        triplets: ``instrument,verb,target`` by column; empty without a triplet file.
    """
    parts = [(*triplet.split(","), "", "")[:3] for triplet in triplets]
    known = label_map(LABEL_MAP)
    kinds = {}
    for column, kind in enumerate(KINDS):
        listed = names.get(kind) or list(dict.fromkeys(part[column] for part in parts))
        kinds[kind] = categories(kind, dict(enumerate(listed)), known)
    members = [[_position(kinds[kind], part[i]) for i, kind in enumerate(KINDS)] for part in parts]
    return Concepts(kinds, parts, np.array(members, dtype=np.int64).reshape(-1, len(KINDS)))


def evidence_of(
    tasks: Mapping[str, LabelColumns], concepts: Concepts, ledger: Ledger
) -> tuple[InstrumentTable, int]:
    """Build the table of one video from the label files that are there.

    An instant must be in every file, and its lines must agree. Otherwise the instant is not fully
    known, and all of its lines are rejected.

    Returns:
        The instruments, and how many lines were kept.
    """
    frames = _common_frames(tasks, ledger)
    on = {task: columns.on[columns.at(frames)] for task, columns in tasks.items()}
    good = _reject(tasks, frames, list(_faults(on, concepts)), ledger)
    rows = _instances({task: labels[good] for task, labels in on.items()}, concepts)
    verbs, targets = concepts.kinds["verb"].concepts, concepts.kinds["target"].concepts
    table = instrument_table(
        instants_us=instants_of(frames[good], FPS),
        frames=frames[good],
        rows=rows,
        labels=concepts.kinds["instrument"].concepts,
        pairs=[(verb, target) for verb in verbs for target in targets],
        pointer=_pointer(tasks, concepts),
    )
    return table, int(good.sum()) * len(tasks)


def _pointer(tasks: Mapping[str, LabelColumns], concepts: Concepts) -> str:
    """Labels are counted through the columns of the triplet file, then the instrument file."""
    counted = [("triplet", 0), ("instrument", len(concepts.triplets))]
    legend = ", ".join(f"{task} columns from {first}" for task, first in counted if task in tasks)
    return f"frame {{frame}}, label {{row}} ({legend})"


def _position(kind: Categories, name: str) -> int:
    return kind.names.index(name) if name in kind.names else UNKNOWN


def _common_frames(tasks: Mapping[str, LabelColumns], ledger: Ledger) -> np.ndarray:
    """Return the frames that every file has; lines of all other frames are rejected."""
    every = np.unique(np.concatenate([columns.frames for columns in tasks.values()]))
    there = {task: np.isin(every, columns.frames) for task, columns in tasks.items()}
    common = np.logical_and.reduce(list(there.values()))
    for place in np.flatnonzero(~common).tolist():
        frame = int(every[place])
        without = [columns.name for task, columns in tasks.items() if not there[task][place]]
        reason = f"frame {frame} has no usable line in {', '.join(without)}"
        _incomplete([tasks[task] for task in tasks if there[task][place]], frame, reason, ledger)
    return every[common]


def _incomplete(files: Sequence[LabelColumns], frame: int, reason: str, ledger: Ledger) -> None:
    places = [f"{file.name}:{int(file.lines[file.at(np.array(frame))])}" for file in files]
    at = (frame, len(KINDS) + 1, 0)
    ledger.reject(at, Code.INCOMPLETE_INSTANT, reason, ", ".join(places), len(places))


def _faults(on: LabelsOn, concepts: Concepts) -> Iterable[LineFault]:
    """Apply all rules by which a line may be rejected, the most serious first."""
    if "triplet" in on:
        yield from _nameless_triplets(on, concepts)
    for kind in (kind for kind in KINDS if kind in on):
        yield from _nameless_labels(on, kind, concepts)
    if "triplet" in on:
        for kind in (kind for kind in KINDS if kind in on):
            yield _contradiction(on, kind, concepts)


def _nameless_triplets(on: LabelsOn, concepts: Concepts) -> Iterable[LineFault]:
    for column, members in enumerate(concepts.members.tolist()):
        for kind, position in zip(KINDS, members, strict=True):
            category = concepts.kinds[kind]
            name = ",".join(concepts.triplets[column])
            if position < 0:
                why = Code.UNKNOWN_LABEL, f"triplet {name!r}: no such {kind} in dict/{kind}.txt"
            elif category.concept[position] < 0:
                why = category.problem(position, position)
            else:
                continue
            yield LineFault("triplet", on["triplet"][:, column], _always(why))


def _nameless_labels(on: LabelsOn, kind: str, concepts: Concepts) -> Iterable[LineFault]:
    category = concepts.kinds[kind]
    for position in sorted(category.problems):
        yield LineFault(kind, on[kind][:, position], _always(category.problems[position]))


def _always(why: tuple[Code, str]) -> Callable[[int], tuple[Code, str]]:
    return lambda instant: why


def _contradiction(on: LabelsOn, kind: str, concepts: Concepts) -> LineFault:
    """A triplet names a label whose own column is 0.

    The null verb and the null target are not checked. The opposite is not checked either: a label
    without a triplet is a label whose interaction was not annotated.
    """
    category = concepts.kinds[kind]
    missing = concepts.named_by(on["triplet"], kind) & ~on[kind]
    null = [position for position, name in enumerate(category.names) if name in IDLE]
    missing[:, null] = False

    def explain(instant: int) -> tuple[Code, str]:
        names = ", ".join(category.names[i] for i in np.flatnonzero(missing[instant]).tolist())
        return Code.CONTRADICTION, f"a triplet has {kind} {names}, whose own column is 0"

    return LineFault("triplet", np.any(missing, axis=1), explain)


def _reject(
    tasks: Mapping[str, LabelColumns],
    frames: np.ndarray,
    faults: Sequence[LineFault],
    ledger: Ledger,
) -> np.ndarray:
    """Enter the faults into the ledger; True (T,) for instants that are still fully known."""
    good = np.ones(frames.size, dtype=bool)
    done: set[tuple[str, int]] = set()
    for task, wrong, explain in faults:
        good &= ~wrong
        for instant in np.flatnonzero(wrong).tolist():
            if (task, instant) in done:
                continue
            done.add((task, instant))
            frame, file = int(frames[instant]), tasks[task]
            line = int(file.lines[file.at(frames[instant])])
            at = (frame, list(tasks).index(task), line)
            ledger.reject(at, *explain(instant), f"{file.name}:{line}")
    for instant in np.flatnonzero(~good).tolist():
        others = [file for task, file in tasks.items() if (task, instant) not in done]
        if others:
            reason = "another line of this frame was rejected, so the frame is not fully known"
            _incomplete(others, int(frames[instant]), reason, ledger)
    return good


def _instances(on: LabelsOn, concepts: Concepts) -> InstrumentRows:
    """One instance for each triplet, and one for each instrument that no triplet names."""
    kinds, targets = concepts.kinds, len(concepts.kinds["target"].concepts)
    none = np.zeros(0, dtype=np.int64)
    sample, label, pair, row = none, none, none, none
    if "triplet" in on:
        sample, row = np.nonzero(on["triplet"])
        at = [kinds[kind].concept[concepts.members[row, i]] for i, kind in enumerate(KINDS)]
        label, pair = at[0], at[1] * targets + at[2]
    if "instrument" in on:
        alone = on["instrument"]
        if "triplet" in on:
            alone = alone & ~concepts.named_by(on["triplet"], "instrument")
        more, position = np.nonzero(alone)
        sample = np.concatenate([sample, more])
        label = np.concatenate([label, kinds["instrument"].concept[position]])
        pair = np.concatenate([pair, np.full(more.size, UNKNOWN)])
        row = np.concatenate([row, position + len(concepts.triplets)])
    nowhere = np.full((sample.size, 4), np.nan)
    return InstrumentRows(sample, label, nowhere, np.ones(sample.size), pair, row)

"""HeiChole's labels: digits by frame to phases, instruments and actions; lines of scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from ontology.concepts import label_map
from ontology.errors import SourceBroken
from ontology.files import read_text
from ontology.records import UNKNOWN, Code, InstrumentTable, Source, Span, VideoLabel
from ontology.times import period_us
from transforms.readers.base.delimited import whole_number
from transforms.readers.base.digits import Digits
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.table import InstrumentRows, instants_of, instrument_table, spans_of

HANDS = ("left_hand", "right_hand", "assistant")
RATED = {
    "Skill": "",
    "Calot_Skill": "calot_triangle_dissection",
    "Dissection_Skill": "gallbladder_dissection",
}
"""Ending of a file of scores -> the phase that was rated; '' for the whole operation."""
_LOWEST, _HIGHEST = 1, 5


class Kind(NamedTuple):
    """A kind of file with a line a frame.

    Attributes:
        folder, ending: where it lies and how its name ends.
        width: columns after the frame number.
        highest: the highest digit.
        known: kind of the label map, and what its numbers begin with.
    """

    folder: str
    ending: str
    width: int
    highest: int
    known: str
    prefix: str = ""

    def concept(self, number: int) -> str | None:
        """The concept of a column; of a digit where there is one column."""
        number = number % 4 if self.known == "action" else number  # one block a hand
        return label_map("heichole")[self.known].get(f"{self.prefix}{number}")


KINDS = {
    "phase": Kind("Phase", "Annotation_Phase", 1, 9, "phase"),
    "type": Kind("Instrument", "Annotation_Instrument_Detailed", 31, 1, "instrument"),
    "category": Kind("Instrument", "Annotation_Instrument", 21, 1, "instrument", "category "),
    "action": Kind("Action", "Annotation_Action", 4, 1, "action"),
    "hand": Kind("Action", "Annotation_Action_Detailed", 12, 1, "action"),
}
Tables = dict[str, Digits]


def checked(tables: Tables, ledger: Ledger) -> Tables:
    """Frames counted from 0, without those whose labels can't be believed.

    Files that end before the others are noted, for all of a video have the same length.
    """
    out: Tables = {}
    lowest = min((int(t.frames[0]) for t in tables.values() if t.frames.size), default=0)
    for place, (name, table) in enumerate(tables.items()):
        kind = KINDS[name]
        numbers = range(kind.highest + 1 if kind.width == 1 else kind.width)
        odd = [number for number in numbers if kind.concept(number) is None]
        wrong = np.zeros(table.frames.size, dtype=bool)
        wrong |= (np.isin(table.values[:, 0], odd) if kind.width == 1
                  else table.values[:, odd].any(axis=1))  # fmt: skip
        reason = f"{name} {', '.join(map(str, odd[:3]))} or the like is not in the label map"
        good = table.without(wrong, Code.UNKNOWN_LABEL, reason, ledger, place)
        out[name] = replace(good, frames=good.frames - (lowest == 1))
    if {"action", "hand"} <= set(out):
        reason = "what the three hands do is not what the file of actions says"
        wrong = _hands_disagree(out["action"], out["hand"])
        place = list(out).index("hand")
        out["hand"] = out["hand"].without(wrong, Code.CONTRADICTION, reason, ledger, place)
    last = max((int(t.frames[-1]) for t in tables.values() if t.frames.size), default=0)
    for place, table in enumerate(tables.values()):
        if table.frames.size and table.frames[-1] < last:
            reason = f"it ends at frame {int(table.frames[-1])}, another file at {last}"
            where = f"{table.name}:{int(table.lines[-1])}"
            ledger.repair((place, int(table.lines[-1])), Code.INCOMPLETE_INSTANT, reason, where)
    return out


def _hands_disagree(action: Digits, hand: Digits) -> np.ndarray:
    """bool (frames of the hands,): the four actions of any hand are not those of the scene."""
    _, one, two = np.intersect1d(action.frames, hand.frames, return_indices=True)
    any_hand = hand.values[two].reshape(-1, len(HANDS), 4).max(axis=1)
    wrong = np.zeros(hand.frames.size, dtype=bool)
    wrong[two] = (any_hand != action.values[one]).any(axis=1)
    return wrong


def spans(tables: Tables, fps: Fraction) -> Iterator[Span]:
    """Phases, and actions of the scene and of each hand."""
    for name in (name for name in ("phase", "action", "hand") if name in tables):
        kind, table = KINDS[name], tables[name]
        if kind.width == 1:
            words = [kind.concept(number) or "" for number in range(kind.highest + 1)]
            columns = [(table.values[:, 0].astype(np.int64), words, "")]
        else:
            columns = [
                (np.where(table.values[:, number] > 0, 0, UNKNOWN), [kind.concept(number) or ""],
                 HANDS[number // 4] if name == "hand" else "")
                for number in range(kind.width)
            ]  # fmt: skip
        times, lines = instants_of(table.frames, fps), table.lines
        for codes, words, subject in columns:
            for span in spans_of(
                kind.known, times, codes, words, period_us(fps), table.name,
                partial(_place, lines),
            ):  # fmt: skip
                yield replace(span, subject=subject)


def _place(lines: np.ndarray, first: int, last: int) -> str:
    return f"lines {lines[first]} to {lines[last]}"


def instruments(tables: Tables, fps: Fraction) -> InstrumentTable | None:
    """Types of instruments where they are told, else categories; no boxes."""
    name = next((name for name in ("type", "category") if name in tables), None)
    if name is None:
        return None
    kind, table = KINDS[name], tables[name]
    concepts = [kind.concept(column) for column in range(kind.width)]
    labels = sorted({concept for concept in concepts if concept})
    code = np.array([labels.index(c) if c else UNKNOWN for c in concepts])
    sample, column = np.nonzero(table.values)
    rows = InstrumentRows(
        sample, code[column], np.full((sample.size, 4), np.nan), np.ones(sample.size),
        np.full(sample.size, UNKNOWN), column,
    )  # fmt: skip
    pointer = f"{table.name}, frame {{frame}}, {name} {{row}}"
    times = instants_of(table.frames, fps)
    return instrument_table(times, table.frames, rows, labels, (), pointer)


def ratings(
    files: Mapping[str, tuple[bytes, Source]], phases: Sequence[Span], ledger: Ledger
) -> tuple[list[VideoLabel], list[Span], int]:
    """Scores of the whole operation, scores while a phase lasts, and how many lines were read.

    Args:
        files: ending (a key of :data:`RATED`) -> bytes and source.
    """
    labels: list[VideoLabel] = []
    out: list[Span] = []
    read = 0
    for place, (ending, (data, source)) in enumerate(files.items(), start=len(KINDS)):
        lines = _lines(data, source.path)
        read += len(lines)
        during = [s for s in phases if (s.kind, s.label) == ("phase", RATED[ending])]
        scores = [whole_number(cell) for cell in lines[0][1].split(",")]
        problem = _problem(scores, len(lines))
        if not problem and RATED[ending] and not during:
            problem = Code.BAD_TIME, f"nobody noted when {RATED[ending]} was, which is rated here"
        if problem:
            line = lines[0][0]
            ledger.reject((place, line), *problem, f"{source.path}:{line}", len(lines))
            continue
        for number, score in enumerate(scores):
            label, value = label_map("heichole")["rating"][str(number)], float(score or 0)
            pointer = f"line {lines[0][0]}, column {number + 1}"
            if RATED[ending]:
                start, end = min(s.start_us for s in during), max(s.end_us for s in during)
                out.append(Span("rating", label, start, end, source.path, pointer, value))
            else:
                labels.append(VideoLabel("rating", label, value, "", source.path, pointer))
    return sorted(labels, key=lambda one: one.label), out, read


def _lines(data: bytes, name: str) -> list[tuple[int, str]]:
    lines = [(n, line) for n, line in enumerate(read_text(data, name).split("\n"), 1)
             if line.strip()]  # fmt: skip
    if not lines:
        raise SourceBroken(f"{name} is empty", expected="five scores", where=f"{name}:1")
    return lines


def _problem(scores: Sequence[int | None], lines: int) -> tuple[Code, str] | None:
    if lines > 1:
        return Code.BAD_ROW, f"{lines} lines of scores stand where one belongs"
    if len(scores) != len(label_map("heichole")["rating"]):
        return Code.BAD_ROW, f"{len(scores)} scores stand where five belong"
    if any(score is None or not _LOWEST <= score <= _HIGHEST for score in scores):
        return Code.BAD_VALUE, f"a score is no whole number from {_LOWEST} to {_HIGHEST}"
    return None

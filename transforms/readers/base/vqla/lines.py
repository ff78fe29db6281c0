"""Read the question-and-answer files of EndoVis VQLA as records: tool, action, place, box.

A file belongs to a frame and has one line for each question: ``question|answer|x1, y1, x2, y2``.
Boxes are counted from pixel 1 of an image of 1280x1024 pixels. An older form has no boxes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

import numpy as np

from surgqa.ontology.boxes import Box, pixel_box
from surgqa.ontology.files import read_text
from surgqa.ontology.records import Code, InstrumentTable, Span
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base.delimited import whole_number
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Thing, table_by_frame
from surgqa.transforms.readers.base.table import spans_of
from surgqa.transforms.readers.base.words import AllWords

WIDTH, HEIGHT = 1280, 1024
PLACES = ("left_bottom", "left_top", "right_bottom", "right_top")
QUESTIONS = {
    "organ": re.compile(r"what organ is being operated(?: on)?", re.IGNORECASE),
    "action": re.compile(r"what is the state of (.+)", re.IGNORECASE),
    "place": re.compile(r"where is (.+) located", re.IGNORECASE),
    "tool": re.compile(
        r"what (?:is the )?tool (?:is )?(?:located )?(?:in|at) the (.+)", re.IGNORECASE
    ),
}
Fault = tuple[Code, str]


@dataclass(frozen=True, slots=True)
class QuestionPair:
    """One pair: the question (a key of :data:`QUESTIONS`), its subject, the answer and the box."""

    number: int
    asked: str
    concept: str
    answer: str
    box: Box | None


@dataclass(slots=True)
class FramePairs:
    """What the pairs of one frame say.

    Attributes:
        faults: for each invalid line, rejection code and reason.
        doubts: (line, sentence) of what may be missing in the file.
    """

    tools: list[Thing] = field(default_factory=list)
    organs: list[Thing] = field(default_factory=list)
    read: int = 0
    faults: dict[int, Fault] = field(default_factory=dict)
    doubts: list[tuple[int, str]] = field(default_factory=list)


def read_questions(
    files: Sequence[tuple[int, str, bytes]], words: AllWords, fps: Fraction, ledger: Ledger
) -> tuple[dict[str, InstrumentTable], tuple[Span, ...], int, int]:
    """Return the tables by kind, spans, and how many lines were kept and read.

    Args:
        files: frame, path and bytes of each picture's file, in order.
    """
    good: dict[int, FramePairs] = {}
    read, kept = 0, 0
    for number, path, data in files:
        frame = frame_of(data, path, words)
        read += frame.read
        if _entered(number, frame, path, ledger):
            good[number] = frame
            kept += frame.read
    seen = {"instrument": {number: frame.tools for number, frame in good.items()},
            "structure": {number: frame.organs for number, frame in good.items()}}  # fmt: skip
    pointer = "label file of frame {frame}, line {row}"
    tables = {kind: table_by_frame(by_frame, fps, words[kind].concepts or (), pointer)
              for kind, by_frame in seen.items()}  # fmt: skip
    folder = files[0][1].rpartition("/")[0]
    return (
        tables,
        _spans(tables["instrument"], [*good.values()], folder, period_us(fps)),
        kept,
        read,
    )


def frame_of(data: bytes, name: str, words: AllWords) -> FramePairs:
    """Return the pairs of one file.

    Two lines about the same tool and the same box are one instrument. Without boxes, the first
    place and the first state of a tool belong together, then the second ones, and so on.
    """
    frame, lines = FramePairs(), []
    for number, text in enumerate(read_text(data, name).split("\n"), 1):
        if text.strip():
            frame.read += 1
            line = _line(number, text, words)
            if isinstance(line, QuestionPair):
                lines.append(line)
            else:
                frame.faults[number] = line
    _gather(frame, lines)
    return frame


def _gather(frame: FramePairs, lines: Sequence[QuestionPair]) -> None:
    """Add the instruments and organs of some lines to a frame, with its faults and doubts."""
    seen: dict[tuple[str, Box | None, int], dict[str, str]] = {}
    first: dict[tuple[str, Box | None, int], int] = {}
    times: Counter[tuple[str, str, Box | None]] = Counter()
    for line in lines:
        if line.asked == "organ":
            frame.organs.append(Thing(0, line.concept, line.box, row=line.number))
            continue
        sort = "action" if line.asked == "action" else "place"
        before = times[sort, line.concept, line.box]
        if line.box and before:
            reason = "this was asked before of the same tool and box"
            frame.faults[line.number] = Code.CONTRADICTION, reason
        times[sort, line.concept, line.box] += 1
        key = (line.concept, line.box, before)
        seen.setdefault(key, {})[sort] = line.answer
        first.setdefault(key, line.number)
    if not frame.organs:
        frame.doubts.append((1, "no line asks which organ is operated: is the file cut short?"))
    halves = {(key[0], next(iter(answers))) for key, answers in seen.items() if len(answers) == 1}
    for key, answers in seen.items():
        frame.tools.append(Thing(0, key[0], key[1], row=first[key], attributes=answers))
        if len(answers) == 1:
            lacks = "a state" if "place" in answers else "a place"
            doubt = f"this tool has no line with {lacks}: is the file cut short?"
            frame.doubts.append((first[key], doubt))
            if {(key[0], "action"), (key[0], "place")} <= halves:
                reason = "state and place of this tool have different boxes"
                frame.faults[first[key]] = Code.CONTRADICTION, reason


def _line(number: int, text: str, words: AllWords) -> QuestionPair | Fault:
    parts = [part.strip() for part in text.split("|")]
    if len(parts) not in (2, 3):
        return Code.BAD_ROW, f"{len(parts)} parts where question, answer and box are expected"
    box = _box(parts[2]) if len(parts) == 3 else None
    if len(parts) == 3 and box is None:
        return Code.BAD_BOX, f"{parts[2]!r} are not corners inside {WIDTH}x{HEIGHT}"
    question, answer = " ".join(parts[0].rstrip("? ").split()), parts[1]
    asked, match = next(
        ((kind, m) for kind, pattern in QUESTIONS.items() if (m := pattern.fullmatch(question))),
        ("", None),
    )
    if not match:
        return Code.UNKNOWN_LABEL, f"the question {parts[0]!r} is of no known kind"
    if asked == "organ":
        return _named(number, asked, _concept("structure", answer, words), answer, box)
    if asked == "action":
        concept = _concept("action", answer, words)
        if not isinstance(concept, str):
            return concept
        return _named(number, asked, _concept("instrument", match[1], words), concept, box)
    place, tool = (answer, match[1]) if asked == "place" else (match[1], answer)
    place = _folded(place).replace(" ", "_")
    if place not in PLACES:
        return Code.UNKNOWN_LABEL, f"{place!r} is not a quarter of the picture"
    return _named(number, asked, _concept("instrument", tool, words), place, box)


def _named(
    number: int, asked: str, concept: str | Fault, answer: str, box: Box | None
) -> QuestionPair | Fault:
    return (
        QuestionPair(number, asked, concept, answer, box) if isinstance(concept, str) else concept
    )


def _concept(kind: str, name: str, words: AllWords) -> str | Fault:
    known = words[kind].spelled
    return words[kind].concept(next((one for one in known if _folded(one) == _folded(name)), name))


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[_\-]", " ", text.casefold()).split())


def _box(text: str) -> Box | None:
    """Return the corners (upper left first), counted from pixel 1, inside the image."""
    corners = [whole_number(part) for part in text.split(",")]
    known = [corner for corner in corners if corner is not None]
    if len(known) != 4 or len(corners) != 4:
        return None
    x1, y1, x2, y2 = known
    if not (1 <= x1 < x2 <= WIDTH + 1 and 1 <= y1 < y2 <= HEIGHT + 1):
        return None
    return pixel_box(x1 - 1, y1 - 1, x2 - 1, y2 - 1, WIDTH, HEIGHT)


def _entered(number: int, frame: FramePairs, path: str, ledger: Ledger) -> bool:
    """Record faults and doubts in the ledger; return whether the frame is fully known."""
    for line, fault in frame.faults.items():
        ledger.reject((number, line), *fault, f"{path}:{line}")
    others = frame.read - len(frame.faults)
    if frame.faults and others:
        reason = "another line of this frame was rejected, so the frame is not fully known"
        ledger.reject((number, 0), Code.INCOMPLETE_INSTANT, reason, f"{path}:1", others)
    if not frame.faults:
        for line, doubt in frame.doubts:
            ledger.repair((number, line), Code.INCOMPLETE_INSTANT, doubt, f"{path}:{line}")
    return not frame.faults


def _spans(
    table: InstrumentTable, good: Sequence[FramePairs], folder: str, period: int
) -> tuple[Span, ...]:
    """Return the actions of each kind of instrument, over consecutive frames."""
    does: dict[tuple[str, str], set[int]] = {}
    for sample, frame in enumerate(good):
        for tool in frame.tools:
            if "action" in tool.attributes:
                does.setdefault((tool.label, str(tool.attributes["action"])), set()).add(sample)
    out: list[Span] = []
    for (tool_id, action), samples in does.items():
        on = np.array(sorted(samples), dtype=np.int64)
        spans = spans_of(
            "action",
            table.instants_us[on],
            np.zeros(on.size, dtype=np.int64),
            [action],
            period,
            folder,
            partial(_from_to, table.frames[on].tolist()),
        )
        out += [replace(span, subject=tool_id) for span in spans]
    return sorted_spans(out)


def _from_to(frames: Sequence[int], first: int, last: int) -> str:
    return f"frames {frames[first]} to {frames[last]}"

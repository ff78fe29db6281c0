"""Read Cholec80: a phase file of every frame and a tool file of every 25th; frames count from 0.

One of the two files is enough.  If both exist and one ends early, this is recorded.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ontology.concepts import label_map
from ontology.records import Code, InstrumentTable, Span, VideoEvidence
from ontology.times import frame_to_us
from transforms.readers.base import Ledger, concept_of
from transforms.readers.base import Reader as BaseReader
from transforms.readers.base.frame_rows import FrameRows, read_frame_rows
from transforms.readers.cholec80.tools import tools_of

FPS = Fraction(25)
TOOL_STEP = 25
"""Frames between two rows of a tool file."""
TOOLS = "tool_annotations/{}-tool.txt"
PHASES = "phase_annotations/{}-phase.txt"


class Reader(BaseReader):
    """Reader of Cholec80; the dataset may be incomplete."""

    name = "cholec80"
    version = 1
    span_kinds = ("phase",)
    replayable = True

    def found(self) -> list[str]:
        """Videos that have a phase or a tool file."""
        names = [n for pattern in (TOOLS, PHASES) for n in self._listing(pattern.split("/")[0])]
        ids = (re.fullmatch(r"(video\d+)-(?:phase|tool)\.txt", name) for name in names)
        return sorted({match[1] for match in ids if match})

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video."""
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        told = [self._optional(pattern.format(video_id)) for pattern in (TOOLS, PHASES)]
        if not any(told):
            self._source(PHASES.format(video_id))
        tools, phases = (
            read_frame_rows(one[0], one[1].path, ledger, place) if one else None
            for place, one in enumerate(told)
        )
        table: InstrumentTable | None = None
        spans: tuple[Span, ...] = ()
        kept = 0
        if tools:
            table, kept = tools_of(tools, FPS, ledger)
        if phases:
            known = label_map(self.name)
            spans, more = phases.spans(
                "phase", FPS, lambda name: concept_of("phase", name, known), ledger
            )
            kept += more
        _note_the_shorter(tools, phases, ledger)
        video = self._record(
            video_id, [one[1] for one in told if one],
            fps=FPS, duration_us=frame_to_us(_end(tools, phases), FPS),
            media=self._recording(f"videos/{video_id}.mp4").media,
            vocabulary=table.labels if table else (),
            period=frame_to_us(TOOL_STEP if tools else 1, FPS),
        )  # fmt: skip
        books = ledger.books(sum(part.read for part in (tools, phases) if part), kept)
        return VideoEvidence(video, table, spans, ledger.entries(), (books,))


def _last(rows: FrameRows | None) -> int | None:
    return int(rows.frames[-1]) if rows and rows.frames.size else None


def _end(tools: FrameRows | None, phases: FrameRows | None) -> int:
    """Number of frames that are known; a tool row without a phase file stands for one second."""
    tool, phase = _last(tools), _last(phases)
    if phase is None:
        return TOOL_STEP if tool is None else tool + TOOL_STEP
    return max(phase, tool or 0) + 1


def _note_the_shorter(tools: FrameRows | None, phases: FrameRows | None, ledger: Ledger) -> None:
    """Record that one file ends early; whether it was cut off cannot be known.

    A video continues after the last row of its tool file, for at most one step.
    """
    tool, phase = _last(tools), _last(phases)
    if not tools or not phases or tool is None or phase is None:
        return
    short, long = (tools, phases) if tool < phase else (phases, tools)
    if not phase - TOOL_STEP <= tool <= phase:
        line = int(short.lines[-1])
        reason = f"the last frame is {_last(short)}, but {long.name} goes on to {_last(long)}"
        ledger.repair((short.place, line), Code.INCOMPLETE_INSTANT, reason, f"{short.name}:{line}")

"""Reads Cholec80: a phase file of every frame and a tool file of every 25th, frames from 0.

Either file will do; where both are there, one that ends before the other is noted.
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
"""Frames from one row of a tool file to the next."""
TOOLS = "tool_annotations/{}-tool.txt"
PHASES = "phase_annotations/{}-phase.txt"


class Reader(BaseReader):
    """Cholec80, whole or in part."""

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
        """All that the dataset says of one video."""
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
    """Frame at which what is known of the recording ends; a tool row alone holds for a second."""
    tool, phase = _last(tools), _last(phases)
    if phase is None:
        return TOOL_STEP if tool is None else tool + TOOL_STEP
    return max(phase, tool or 0) + 1


def _note_the_shorter(tools: FrameRows | None, phases: FrameRows | None, ledger: Ledger) -> None:
    """The last row of a file that ends early: whether it was cut short can't be told.

    A recording goes on after the last row of its tool file, for at most one step.
    """
    tool, phase = _last(tools), _last(phases)
    if not tools or not phases or tool is None or phase is None:
        return
    short, long = (tools, phases) if tool < phase else (phases, tools)
    if not phase - TOOL_STEP <= tool <= phase:
        line = int(short.lines[-1])
        reason = f"the last frame is {_last(short)}, but {long.name} goes on to {_last(long)}"
        ledger.repair((short.place, line), Code.INCOMPLETE_INSTANT, reason, f"{short.name}:{line}")

"""Read AutoLaparo: 21 operations with phases, and 300 clips with camera motion and masks.

Each clip is a separate video, because the release does not name its operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import Code, Source, Span, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base import (
    BLANKS,
    DelimitedLine,
    Ledger,
    concept_of,
    lines,
    mask_frames,
    parsed_once,
    read_delimited,
    sorted_spans,
    whole_number,
)  # fmt: skip
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.tables.values import MaskValue, patches_of
from surgqa.transforms.readers.base.words import Mapped

FOLDERS = ("Task 1 Surgical workflow recognition", "Task 2 Laparoscope motion prediction",
           "Task 3 Instrument and key anatomy segmentation")  # fmt: skip
FPS, FRAMES = Fraction(25), 250
MOVES_US, CLIP_US = 5 * SECOND_US, 10 * SECOND_US
"""A clip lasts ten seconds; its motion starts in the middle."""


class Reader(BaseReader):
    """Reader of AutoLaparo; the folder may hold only some of its videos."""

    name = "autolaparo"
    version = 1
    replayable = True
    span_kinds = ("motion", "phase")
    region_kinds = ("structure",)

    def found(self) -> list[str]:
        """Return operations with phases; clips with a video or mask, or else with a motion."""
        labels = self._names(self._in(1, "labels"))
        pictures = (*self._names(self._in(2, "clips")), *self._names(self._in(3, "masks")))
        clips = _matches(r"(\d{3})(?:\d{3}\.png|\.mp4)", pictures)
        motion_source = None if clips else self._optional(self._motions)
        clips = clips or (sorted(parsed_once(*motion_source, _motions)) if motion_source else [])
        return _matches(r"label_(\d\d)\.txt", labels) + [f"clip{clip}" for clip in clips]

    def missing(self) -> list[str]:
        """Return the label files and masks of the complete release that do not exist, sorted."""
        expected = [self._motions]
        for video_id in self.files.video_ids:
            if len(video_id) == 2:
                expected.append(self._in(1, f"labels/label_{video_id}.txt"))
            else:
                expected += [self._in(3, f"masks/{video_id[4:]}{frame:03d}.png")
                             for frame in (1, 25, 50, 75, 100, 125)]  # fmt: skip
        return sorted(name for name in expected if not (self.root / name).is_file())

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one operation or clip."""
        if video_id.startswith("clip"):
            return self._clip(video_id, video_id.removeprefix("clip"))
        data, source = self._source(self._in(1, f"labels/label_{video_id}.txt"))
        table = read_delimited(data, source.path, ("frame", "phase"), delimiter=BLANKS)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        base, rows = _base(table.rows), []
        for frame, row in lines.numbered_rows(table, "frame", ledger, first=1):
            label = _phase(row["phase"], base)
            if isinstance(label, str):
                rows.append(((frame - 1) * SECOND_US, row, label))
            else:
                ledger.reject((row.line,), *label, table.place(row))
        lines.refuse_empty(table, rows)
        video = self._record(
            video_id, [source], fps=Fraction(1), duration_us=rows[-1][0] + SECOND_US,
            media=self._recording(self._in(1, f"videos/{video_id}.mp4")).media,
        )  # fmt: skip
        spans = lines.spans_of_rows("phase", rows, SECOND_US, source.path)
        books = ledger.books(table.read, len(rows))
        return VideoEvidence(video, None, spans, ledger.entries(), (books,))

    def _clip(self, video_id: str, clip: str) -> VideoEvidence:
        ledger = Ledger(f"{self.name}/{video_id}", "label rows and masks")
        motions = self._optional(self._motions)
        motion = parsed_once(*motions, _motions).get(clip) if motions else None
        sources = [motions[1]] if motions and motion else []
        spans = _spans(*motion, sources[0], ledger) if motion else ()
        stem = self._in(3, f"masks/{clip}")
        frames = _matches(rf"{clip}(\d{{3}})\.png", self._names(self._in(3, "masks")))
        if not motion and not frames:
            self._source(self._motions)  # raises an error if it does not exist
            frames = ["001"]
        files = [self._source(f"{stem}{frame}.png") for frame in frames]
        shown = mask_frames.MaskFrames()
        for frame, (data, at) in zip(frames, files, strict=True):
            if _in_clip(frame, at, ledger):
                mask_frames.judged(
                    int(frame) - 1, {at.path: _patches(data, at.path)}, shown, ledger
                )
        pointer = f"{stem}NNN.png, NNN = {{frame}} + 1, grey value {{row}}"
        tables = {kind: shown.table(kind, [*labels.values()], FPS, pointer)
                  for kind, labels in label_map(self.name).items()
                  if kind in ("instrument", "structure") and shown.frames}  # fmt: skip
        instruments = tables.pop("instrument", None)
        video = self._record(
            video_id,
            sources + [source for _, source in files],
            fps=FPS, period=SECOND_US, duration_us=CLIP_US,
            media=self._recording(self._in(2, f"clips/{clip}.mp4")).media,
            split_group=f"{self.name}/clips-{self.splits['official'].get(video_id, 'other')}",
            vocabulary=instruments.labels if instruments else (),
        )  # fmt: skip
        kept = bool(spans) + (instruments.instants_us.size if instruments else 0)
        books = ledger.books(bool(motion) + len(files), int(kept))
        return VideoEvidence(video, instruments, spans, ledger.entries(), (books,), (), tables)

    @property
    def _motions(self) -> str:
        return self._in(2, "laparoscope_motion_label.txt")

    def _in(self, task: int, name: str) -> str:
        """Return the path of a file of a task; the task's folder may also be called ``task1``."""
        pattern = rf"task[ _-]?{task}(?!\d)"
        there = [f for f in self._names("") if re.match(pattern, f.casefold())]
        return f"{there[0] if there else FOLDERS[task - 1]}/{name}"


def _matches(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the captured parts of the names that match the pattern, sorted, without duplicates."""
    return sorted({match[1] for match in (re.fullmatch(pattern, n) for n in names) if match})


def _base(rows: Iterable[DelimitedLine]) -> int:
    """Return the number of the first phase: 1 as in the release, or 0 as in some copies."""
    codes = {row["phase"] for row in rows}
    return 0 if "0" in codes and "7" not in codes else 1


def _phase(code: str, base: int) -> str | tuple[Code, str]:
    number = whole_number(code)
    name = code if number is None else str(number + 1 - base)
    return concept_of("phase", name, label_map("autolaparo"))


def _patches(data: bytes, name: str) -> list[mask_frames.Patch] | mask_frames.Fault:
    """Return what a mask shows: one patch for each class of tool or structure.

    A tool whose pixels are not connected has no box, because they may be two tools.
    """
    known = label_map("autolaparo")
    words = {kind: Mapped(kind, known) for kind in ("instrument", "structure")}
    # The grey value of a tool's shaft is that of its manipulator plus 20.
    values = {"structure": {int(code): MaskValue(code, "") for code in known["structure"]},
              "instrument": {int(code) + more: MaskValue(code, part) for code in known["instrument"]
                             for more, part in ((0, "manipulator"), (20, "shaft"))}}  # fmt: skip
    if isinstance(shown := patches_of(data, name, values, words), tuple):
        return shown
    first = {label: int(code) for kind in words for code, label in known[kind].items()}
    return [replace(one, row=first[one.label], boxed=one.kind == "structure" or
                    mask_frames.in_one_piece(one.mask)) for one in shown]  # fmt: skip


def _in_clip(frame: str, source: Source, ledger: Ledger) -> bool:
    if 1 <= int(frame) <= FRAMES:
        return True
    reason = f"frame {frame} is not one of a clip's 1 to {FRAMES}"
    ledger.reject((int(frame),), Code.BAD_FRAME, reason, source.path)
    return False


def _motions(data: bytes, name: str) -> dict[str, tuple[DelimitedLine, int]]:
    """Return, for each clip, its row and the number with which the file counts the first phase."""
    table = read_delimited(data, name, ("clip", "label", "phase"), delimiter=BLANKS)
    base = _base(table.rows)
    rows = lines.grouped(
        table, lambda row: _clip_id(row["clip"]), "a clip's number, each once", True
    )
    return {clip: (row, base) for clip, ((row, _),) in rows.items()}


def _clip_id(text: str) -> str | None:
    number = whole_number(text)
    return f"{number:03d}" if number is not None and 0 < number < 1000 else None


def _spans(row: DelimitedLine, base: int, source: Source, ledger: Ledger) -> tuple[Span, ...]:
    """Return spans for motion (second half of the clip) and phase; () if a label is unknown."""
    motion = concept_of("motion", row["label"], label_map("autolaparo"))
    phase = _phase(row["phase"], base)
    for label in (motion, phase):
        if not isinstance(label, str):
            ledger.reject((0, row.line), *label, f"{source.path}:{row.line}")
            return ()
    place = f"line {row.line}"
    return sorted_spans([
        Span("motion", str(motion), MOVES_US, CLIP_US, source.path, place),
        Span("phase", str(phase), 0, CLIP_US, source.path, place),
    ])  # fmt: skip

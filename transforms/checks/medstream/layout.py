"""Checks the files of rows: each line must be a JSON object with its keys in a fixed order."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import orjson

from surgqa.transforms.checks.medstream.sample import ALIASES, StreamRow

HEAD = (
    "sample_id", "dataset", "video_id", "media_path", "task", "task_mode", "question_type",
    "temporal_mode", "query_time", "context_window_sec", "input_range", "question", "evidence",
    "label_source",
)  # fmt: skip
BODY = {"closed": ("choices", "answer"), "open": ("reference_answer", "judge_rubric")}
STREAM = (
    "expected_response_time", "tolerance_sec", "early_horizon_sec", "late_horizon_sec", "rounds",
)  # fmt: skip
OPTIONAL = ("time_unit", "question_source")
ORDER = (*HEAD, *BODY["closed"], *BODY["open"], *STREAM, "response_protocol", *OPTIONAL)
"""Every key that a row may have, in the required order."""

CHUNK = 1 << 20


def key_order(sample: StreamRow) -> Iterator[str]:
    """D08: a row must have the keys of its kind and no others, in the required order.

    Keys that the benchmark's published rows lack are optional. Keys of rounds may have other names.
    """
    found = [ALIASES.get(key, key) for key in sample.row]
    if odd := [key for key in found if key not in ORDER]:
        yield f"unknown: {', '.join(map(str, odd))}"
    needed = (*HEAD, *BODY.get(sample.form, ()), "response_protocol")
    needed += ("rounds",) if sample.task_mode == "streaming" else ()
    if lacking := [key for key in needed if key not in found]:
        yield f"missing: {', '.join(lacking)}"
    known = [key for key in found if key in ORDER]
    if known != sorted(known, key=ORDER.index):
        wrong = next(b for a, b in zip(known, known[1:], strict=False)
                     if ORDER.index(a) > ORDER.index(b))  # fmt: skip
        yield f"{wrong} comes too late in the order of keys"


@dataclass(slots=True)
class LayoutReading:
    """Reads the JSON objects of a file in any layout; ``problems`` has the first error (D07)."""

    problems: list[str] = field(default_factory=list)

    def rows(self, file: BinaryIO) -> Iterator[dict[str, Any]]:
        """Yield the object of each line; after a line without an object, ignore line ends."""
        number = 0
        while line := file.readline():
            number += 1
            row = _object(line)
            if row is None and not line.strip() and number > 1:
                self._note(f"line {number} is empty")
            elif row is None:
                self._note(f"line {number} is no JSON object by itself")
                yield from self._loose(line, file)
            else:
                if line.endswith(b"\r\n"):
                    self._note(f"line {number} ends in \\r\\n")
                yield row

    def _note(self, problem: str) -> None:
        if not self.problems:
            self.problems.append(problem)

    def _loose(self, start: bytes, file: BinaryIO) -> Iterator[dict[str, Any]]:
        """Yield objects that may be longer than a line; stop at invalid JSON."""
        decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        decoder, held, more = json.JSONDecoder(), decode(start), True
        while more or held.strip():
            held = held.lstrip(" \t\r\n,[]\ufeff")
            try:
                if not held:
                    raise json.JSONDecodeError("nothing yet", "", 0)
                row, end = decoder.raw_decode(held)
            except json.JSONDecodeError:
                if not more:
                    return
                piece = file.read(CHUNK)
                held, more = held + decode(piece, final=not piece), bool(piece)
                continue
            except (ValueError, RecursionError):  # a number is too long, or nesting too deep
                return
            held = held[end:]
            if isinstance(row, dict):
                yield row


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None

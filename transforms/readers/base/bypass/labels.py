"""MultiBypass140's label files: intervals of phases and steps in milliseconds.

One JSON file a video.  Its list of phases also holds overlays that lie across phases (the
camera is out of the body); here they become events, so that phases follow one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from ontology.concepts import label_map
from ontology.errors import SourceBroken
from ontology.records import Code, Source, Span, VideoEvidence
from transforms.readers.base.contract import Reader
from transforms.readers.base.intervals import Claimed, checked_spans
from transforms.readers.base.json_text import JsonText, read_json
from transforms.readers.base.labels import concept_of
from transforms.readers.base.ledger import Ledger

LISTS = {"phases": "phase", "steps": "step"}
LABEL_MAP = "multibypass140"
DEEPEST = 6
"""Folders below the root in which films are looked for."""


class BypassReader(Reader):
    """The labels of some of the centres."""

    version = 1
    replayable = True
    span_kinds = ("event", "phase", "step")
    centres: ClassVar[Mapping[str, str]]
    """First letters of a centre's videos -> its folder below ``labels``."""

    def found(self) -> list[str]:
        """Videos that have a label file."""
        out = []
        for letters, centre in self.centres.items():
            names = self._names(f"labels/{centre}/labels_by70")
            files = (re.fullmatch(rf"({letters}\d\d)\.mp4\.json", name) for name in names)
            out += [match[1] for match in files if match]
        return sorted(out)

    def read(self, video_id: str) -> VideoEvidence:
        """All that the dataset says of one video."""
        data, source = self._source(self._labels_of(video_id))
        text = read_json(data, source.path)
        ledger = Ledger(f"{self.name}/{video_id}", "labelled intervals")
        spans = checked_spans(_once(_claimed(text, ledger, source), ledger), ledger)
        if not spans:
            raise SourceBroken(
                f"{source.path} holds no interval that can be used",
                expected="phases and steps with start, end, label_name",
                where=f"{source.path}:1",
                fix="get the file again",
            )
        film = self._film_of(video_id)
        video = self._record(
            video_id,
            [source],
            fps=Fraction(1),
            duration_us=max(span.end_us for span in spans),
            media=self._recording(*film).media,
            split_group=_surgery(self.name, video_id),
        )
        books = ledger.books(sum(len(text.data[key]) for key in LISTS), len(spans))
        return VideoEvidence(video, None, spans, ledger.entries(), (books,))

    def missing(self) -> list[str]:
        """Label files of the whole release that are not there, relative to the root, sorted."""
        expected = map(self._labels_of, self.files.video_ids)
        return sorted(name for name in expected if not (self.root / name).is_file())

    def _labels_of(self, video_id: str) -> str:
        centre = self.centres.get(video_id[:3], next(iter(self.centres.values())))
        return f"labels/{centre}/labels_by70/{video_id}.mp4.json"

    def _film_of(self, video_id: str) -> list[str]:
        """The film, wherever the archives were unpacked; folders of frames are not entered."""
        level = [""]
        for _ in range(DEEPEST):
            below = []
            for folder in level:
                names = [f"{folder}/{name}".lstrip("/") for name in self._names(folder)]
                films = [name for name in names if name.rsplit("/")[-1] == f"{video_id}.mp4"]
                if films:
                    return films
                below += [name for name in names if _may_hold_films(name.rsplit("/")[-1])]
            level = below
        return []


def _may_hold_films(folder: str) -> bool:
    """Label files and frames lie by the thousand where no film is."""
    known = folder in ("labels", "tables", "frames") or re.fullmatch(r"[BS]BP\d\d", folder)
    return "." not in folder and not known


def _surgery(dataset: str, video_id: str) -> str:
    """The Bern half is offered as a dataset of its own: its surgeries have one name in both."""
    bern = re.fullmatch(r"BBP(\d+)", video_id)
    return f"bern-bypass/{bern[1]}" if bern else f"{dataset}/{video_id}"


def _claimed(text: JsonText, ledger: Ledger, source: Source) -> Iterator[Claimed]:
    """Intervals with a label that the ontology knows; all others are rejected."""
    twice = text.repeated.get("", {})
    for place, (key, kind) in enumerate(LISTS.items()):
        items = text.data.get(key)
        if not isinstance(items, list) or key in twice:
            raise SourceBroken(
                f"{source.path} has no list of {key}",
                expected=f'one list "{key}" of intervals',
                found="two of them" if key in twice else f"a {type(items).__name__}",
                where=f"{source.path}:1",
                fix="get the file again",
            )
        for number, item in enumerate(items):
            at, where = (place, number), f"{source.path} {key}[{number}]"
            span = _span(kind, item, source.path, f"{key}[{number}]")
            if isinstance(span, Span):
                yield Claimed(span, at, where)
            else:
                ledger.reject(at, *span, where)


def _span(kind: str, item: Any, path: str, pointer: str) -> Span | tuple[Code, str]:
    """One interval, or why it can't be used."""
    if not isinstance(item, dict) or not isinstance(item.get("label_name"), str):
        return Code.BAD_ROW, f"an item of this list is no {kind} with a label_name"
    times = item.get("start"), item.get("end")
    if any(type(time) is not int or abs(time) > 10**12 for time in times):
        return Code.BAD_TIME, f"start {times[0]!r:.30} and end {times[1]!r:.30} are no milliseconds"
    known, name = label_map(LABEL_MAP), item["label_name"].strip()
    kind = "event" if kind == "phase" and name in known["event"] else kind
    label = concept_of(kind, name, known)
    if not isinstance(label, str):
        return label
    return Span(kind, label, item["start"] * 1000, item["end"] * 1000, path, pointer)


def _once(claimed: Iterator[Claimed], ledger: Ledger) -> Iterator[Claimed]:
    """Without intervals that stand in the file before."""
    seen = set()
    for one in claimed:
        same = (one.span.kind, one.span.label, one.span.start_us, one.span.end_us)
        if same in seen:
            reason = f"{one.span.kind} {one.span.label} stands in the file twice"
            ledger.reject(one.at, Code.BAD_ROW, reason, one.where)
        else:
            seen.add(same)
            yield one

"""Writes the export: ``<split>.jsonl``, ``clips.jsonl``, ``candidates.json`` and ``clips/``."""

from __future__ import annotations

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.ontology.units import CLIP
from surgqa.ontology.words import term
from surgqa.transforms.algebra.tree import Text
from surgqa.transforms.checks.proof.prove import programs_of
from surgqa.transforms.exports.chat import table_of
from surgqa.transforms.exports.dialogue import Dialogue
from surgqa.transforms.exports.formats import Row, Talk
from surgqa.transforms.exports.surgstu.styles import Examples, Lists, Style, prompt_of
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.exports.writing import SplitFiles, indented, write_lines
from surgqa.transforms.store import OutputFolder

NONE = -1
"""Index that stands for a missing label: an idle instrument has neither verb nor target."""

KINDS = (("instruments", "instrument"), ("verbs", "verb"), ("targets", "target"))
"""(name of a candidate list, vocabulary of its labels)."""

EVENT = ("t", "instrument", "instance", "x1", "x2", "y1", "y2", "verb", "target")
"""The fields of an event tuple, in order."""

Ids = dict[str, list[str]]
"""Name of a candidate list -> ids of its labels."""


def clip_name(row: Mapping[str, Any]) -> str:
    """Return a clip's name with its first and last second, such as ``cholect50_VID74_141_166``."""
    ends = (_plain(row[name]) for name in ("start_us", "end_us"))
    return "_".join([row["dataset"], re.sub(r"[^\w-]+", "-", row["video_id"]), *ends])


def _plain(time_us: int) -> str:
    return str(time_us // SECOND_US) if time_us % SECOND_US == 0 else print_seconds(time_us)


def candidates_of(folder: OutputFolder) -> dict[str, Ids]:
    """Return the candidate lists of each dataset, each sorted.

    Labels that stand for "no action" and "no target" are left out.
    """
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: {name: set() for name, _ in KINDS})
    for one in folder.evidence("videos").select(["dataset", "vocabulary"]).to_pylist():
        found[one["dataset"]]["instruments"].update(one["vocabulary"] or ())
    columns = ["dataset", "label", "pairs"]
    for batch in folder.evidence("events").select(columns).to_batches():
        for one in batch.to_pylist():
            mine = found[one["dataset"]]
            mine["instruments"].update(filter(None, [one["label"]]))
            for pair in one["pairs"] or ():
                mine["verbs"].update(filter(None, [pair["verb"]]))
                mine["targets"].update(filter(None, [pair["target"]]))
    return {name: {kind: sorted(one for one in ids if not one.startswith("null_"))
                   for kind, ids in lists.items()}
            for name, lists in sorted(found.items())}  # fmt: skip


def named(lists: Ids) -> dict[str, list[str]]:
    """Return candidate lists with display names instead of ids, in the same order."""
    return {name: [term(one, domain).display for one in lists[name]] for name, domain in KINDS}


def event_tuples(events: Iterable[Mapping[str, Any]], clip: Mapping[str, Any], lists: Ids
                 ) -> list[list[Any]]:  # fmt: skip
    """Return the event tuples of a clip.

    A tuple is ``[t, instrument, instance, x1, x2, y1, y2, verb, target]``.

    ``t`` is in seconds of the video. Instrument, verb and target are indices in the candidate
    lists. Instances are numbered from 1 within the clip. The edges of the box are fractions of the
    frame, or null. An instrument that does two things at a time has two tuples.

    Args:
        events: the rows of ``evidence/events`` of the clip's video.
    """
    index = {name: {one: k for k, one in enumerate(ids)} for name, ids in lists.items()}
    instances: dict[str, list[str]] = defaultdict(list)
    out = []
    for one in events:
        if one["label"] is None or not clip["start_us"] <= one["time_us"] < clip["end_us"]:
            continue
        tracks = instances[one["label"]]
        if one["track_id"] not in tracks:
            tracks.append(one["track_id"])
        edges = [one[name] for name in ("x1", "x2", "y1", "y2")]
        for pair in one["pairs"] or ({"verb": None, "target": None},):
            did = [index[f"{name}s"].get(pair[name], NONE) for name in ("verb", "target")]
            out.append([one["time_us"] / SECOND_US, index["instruments"][one["label"]],
                        tracks.index(one["track_id"]) + 1, *edges, *did])  # fmt: skip
    return out


TAKING = Taking("questions about a clip", lambda row: row["unit"] == CLIP, "surgstu")
CLIPS, CANDIDATES = "clips.jsonl", "candidates.json"
COLUMNS = ("item_id", "task", "template_id", "dataset", "video_id", "split", "split_group",
           "procedure", "start_us", "end_us", "media", "question", "answer", "answer_key",
           "options", "licence")  # fmt: skip


def write_with(settings: Mapping[str, str]) -> Talk:
    """Return the function that writes the export with these settings."""
    style = Style(**settings)

    def talk(folder: OutputFolder, to: Path, dialogues: Iterator[Dialogue]) -> list[Row]:
        shown = {turn.item_id: (one.media("video") or [""])[0]
                 for one in dialogues for turn in one.turns}  # fmt: skip
        export = _Export(folder, to, style, shown)
        export.examples_from_training()
        counts = export.write_questions()
        export.write_clips()
        return table_of(counts)

    return talk


@dataclass
class _Export:
    folder: OutputFolder
    to: Path
    style: Style
    shown: Mapping[str, str]
    """Item id -> path of its clip, '' if no clip is shown."""
    says: Mapping[str, Text] = field(init=False)
    ids: Mapping[str, Ids] = field(init=False)
    lists: Mapping[str, Lists] = field(init=False)
    examples: Examples = field(default_factory=Examples)
    clips: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.says = {name: one.stages[0].say for name, one in programs_of(self.folder).items()}
        self.ids = candidates_of(self.folder)
        self.lists = {name: named(one) for name, one in self.ids.items()}
        (self.to / CANDIDATES).write_bytes(indented(self.lists))

    def examples_from_training(self) -> None:
        """Collect examples for the prompts, if the style has them."""
        if self.style.context == "example":
            for row in TAKING.rows(self.folder, COLUMNS):
                self.examples.add(row, line_of(row, self.style, self.says))

    def write_questions(self) -> dict[str, Counter[str]]:
        """Write a line for each question that can be shown; return counts by split."""
        counts: dict[str, Counter[str]] = {}
        with SplitFiles(self.to) as files:
            for row in TAKING.rows(self.folder, COLUMNS):
                if row["item_id"] not in self.shown:
                    continue
                split = row["split"] or "train"
                line = line_of(row, self.style, self.says) | {"video": self._video(row)}
                line["prompt"] = prompt_of(self.style, line, self.lists[row["dataset"]],
                                           self.examples.of(row))  # fmt: skip
                files.add(split, line)
                counts.setdefault(split, Counter())["questions"] += 1
        for one in self.clips.values():
            counts[one["split"]].update(dialogues=1, clips=int(bool(one["video"])))
        return counts

    def _video(self, row: Mapping[str, Any]) -> str | None:
        """Move a question's clip to the path with its own name, and return this path."""
        name, path = clip_name(row), self.shown[row["item_id"]]
        if name not in self.clips:
            video = f"clips/{name}.{path.rpartition('.')[2]}" if path else None
            if video:
                (self.to / "clips").mkdir(exist_ok=True)
                (self.to / path).replace(self.to / video)
            kept = ("dataset", "video_id", "split_group", "procedure", "start_us", "end_us",
                    "licence")  # fmt: skip
            self.clips[name] = {"clip": name, "video": video, "split": row["split"] or "train",
                                **{key: row[key] for key in kept}}  # fmt: skip
        return self.clips[name]["video"]

    def write_clips(self) -> None:
        """Write a line for each clip, with its event tuples."""
        write_lines(self.to / CLIPS, self._with_events())
        shutil.rmtree(self.to / "media", ignore_errors=True)  # empty, because all clips were moved

    def _with_events(self) -> Iterator[dict[str, Any]]:
        events: tuple[Any, list[dict[str, Any]]] = None, []
        for name in sorted(self.clips):
            clip = self.clips[name]
            video = clip["dataset"], clip["video_id"]
            if events[0] != video:
                events = video, self.folder.evidence_of("events", *video)
            found = event_tuples(events[1], clip, self.ids[video[0]])
            yield clip | {"event_columns": EVENT, "events": found}


def line_of(row: Mapping[str, Any], style: Style, says: Mapping[str, Text]) -> dict[str, Any]:
    """Return the line of a question, without its clip and prompt.

    Args:
        says: for each template, the text that prints its answer.
    """
    length_us = row["end_us"] - row["start_us"]
    core, _, name = row["task"].partition("/")
    say = says.get(row["template_id"], ())

    key, options = row["answer_key"], row["options"] or ()
    shown = [
        {"key": one["key"], "text": style.offered(one["text"], length_us, say)} for one in options
    ]
    right = next((one["text"] for one in shown if one["key"] == key), "")
    said = style.answered(row["answer"], length_us, say, name)
    return {
        "id": row["item_id"], "clip": clip_name(row), "category": core, "subcategory": name,
        "procedure": row["procedure"], "duration": print_seconds(length_us),
        "question": style.timed(row["question"], length_us), "options": shown,
        "answer": style.chosen(key, right) if shown and key else said,
        "answer_key": key,
    }  # fmt: skip

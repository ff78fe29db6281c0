"""The map of media: the video of each row, and an alias if the video's name reveals an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import orjson

from surgqa.ontology.concepts import LABEL_KINDS, vocabulary
from surgqa.ontology.keys import digest
from surgqa.transforms.exports.medstream.taking import TAKING
from surgqa.transforms.store import OutputFolder

ABSENT = "media: absent"
"""Stands for a path if no media are known."""

_READ = ["dataset", "video_id", "split", "media", "question", "options", "answer",
         "answer_value", "slots"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExportedVideo:
    """One video.

    Attributes:
        alias, alias_path: names that reveal nothing.
        hidden: True if rows with answers use the alias too. Rows for models always use it.
    """

    dataset: str
    video_id: str
    split: str
    path: str | None
    kind: str
    alias: str
    alias_path: str
    hidden: bool = False

    @property
    def shown_id(self) -> str:
        """The ``video_id`` of rows with answers."""
        return self.alias if self.hidden else self.video_id

    @property
    def shown_path(self) -> str:
        """The ``media_path`` of rows with answers."""
        return self.alias_path if self.hidden else self.path or ABSENT

    def line(self) -> dict[str, Any]:
        """Return the video's line in the map."""
        return {
            "dataset": self.dataset, "alias": self.alias, "alias_path": self.alias_path,
            "video_id": self.video_id, "media_path": self.path, "media_kind": self.kind,
            "split": self.split, "hidden": self.hidden,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class MediaMap:
    """All videos that rows refer to, by (dataset, video id).

    If a video's name reveals the answer of one row, all names of the dataset are hidden. If only
    the revealing names were hidden, the hiding itself would reveal something.
    """

    recordings: Mapping[tuple[str, str], ExportedVideo]

    def of(self, row: Mapping[str, Any]) -> ExportedVideo:
        """Return the video of a row of ``data/``."""
        return self.recordings[row["dataset"], row["video_id"]]

    def __iter__(self) -> Iterator[ExportedVideo]:
        """Yield the videos, in order of dataset and video id."""
        yield from self.recordings.values()

    def hidden(self) -> list[str]:
        """Return datasets whose names are hidden."""
        return sorted({one.dataset for one in self.recordings.values() if one.hidden})


def media_map(folder: OutputFolder) -> MediaMap:
    """Return the map of an output; all its rows are read once."""
    known: dict[tuple[str, str], ExportedVideo] = {}
    telling: set[str] = set()
    for row in TAKING.rows(folder, _READ):
        dataset = row["dataset"]
        if (dataset, row["video_id"]) not in known:
            known[dataset, row["video_id"]] = _recording(row)
        if dataset not in telling and tells(row, dataset):
            telling.add(dataset)
    return MediaMap({
        key: replace(one, hidden=one.dataset in telling)
        for key, one in sorted(known.items())
    })  # fmt: skip


def _recording(row: Mapping[str, Any]) -> ExportedVideo:
    media, alias = row["media"], media_alias(row["dataset"], row["video_id"])
    path = media["path"]
    file = path is not None and media["kind"] in ("video", "image")
    suffix = PurePosixPath(path).suffix.casefold() if file else ""
    return ExportedVideo(
        dataset=row["dataset"], video_id=row["video_id"], split=row["split"], path=path,
        kind=media["kind"], alias=alias,
        alias_path=f"media/{alias}{suffix}" if path else ABSENT,
    )  # fmt: skip


_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_GAPS = re.compile(r"[^a-z0-9]+")
_SORTED = re.compile(r"\b(?:with|without|no|non) (\w+)")
_SILENT = ("yes", "no", "unanswerable", "no_alert", "uncertain", "none")
SHORTEST = 4
"""Minimum number of letters and digits of a name that is searched inside longer words."""

PART = 4
"""Minimum number of letters and digits of a folder name or word that is searched in an answer."""

_COMMON = {
    "video", "videos", "frame", "frames", "image", "images", "clip", "clips", "case", "left",
    "right",
}  # fmt: skip
"""Words that ids and folder names often contain."""


def tells(row: Mapping[str, Any], dataset: str) -> bool:
    """True if the row's video id or media path spells the answer or a label of the question.

    Args:
        row: a row of ``data/``; dataset, video id, media, question, options, answer, values, slots.
        dataset: folders of this name are ignored.
    """
    path = row["media"]["path"] or ""
    folders = [part for part in path.split("/") if part.casefold() != dataset.casefold()]
    places = [row["video_id"], *folders]
    joined, loose = _tight("/".join(places)), _loose("/".join(places))
    for name in _names(row):
        tight = _tight(name)
        if _loose(name) in loose or (len(tight) >= SHORTEST and tight in joined):
            return True
    answer, asked = _tight(row["answer"]), _loose(row["question"])
    if any(_repeated(part, answer) for part in places):
        return True
    said = _loose(row["answer"])
    own = [word for word in loose.split() if len(word) >= PART and word not in _COMMON]
    if any(f" {word} " in said for word in own):
        return True
    return any(found[1].rstrip("s") in asked for found in _SORTED.finditer(loose))


def _repeated(part: str, answer: str) -> bool:
    tight = _tight(part)
    return len(tight) >= PART and not tight.isdigit() and tight in answer and tight not in _COMMON


def _names(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the correct option's text, and every spelling of the labels in the answer and slots."""
    labels = {option["text"] for option in row["options"] or () if option["is_answer"]}
    for column in ("answer_value", "slots"):
        labels |= set(_labels(orjson.loads(row[column] or "null")))
    for label in sorted(labels):
        if label.casefold() not in _SILENT and re.search("[a-zA-Z]{2}", label):
            yield from sorted({label, *_spellings().get(label.casefold(), ())})


_UNSAID = ("track", "rater")
"""Fields of typed values whose texts are not labels."""


def _labels(value: Any, inside: bool = False) -> Iterator[str]:
    """Yield the texts in typed values at any depth, except those of :data:`_UNSAID` fields."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _labels(held, key not in _UNSAID)
    elif isinstance(value, list):
        for held in value:
            yield from _labels(held, inside)
    elif inside and isinstance(value, str):
        yield value


@cache
def _spellings() -> Mapping[str, frozenset[str]]:
    """Return, for the id and display name of a concept, its id, display name and synonyms."""
    out: dict[str, frozenset[str]] = {}
    for kind in LABEL_KINDS:
        for term in vocabulary(kind).values():
            names = frozenset((term.id, term.display, *term.synonyms))
            for name in (term.id, term.display.casefold()):
                out[name] = out.get(name, frozenset()) | names
    return out


def _loose(text: str) -> str:
    """Lower-case words with a space around each."""
    return f" {_GAPS.sub(' ', _HUMPS.sub(' ', text).casefold()).strip()} "


def _tight(text: str) -> str:
    return _GAPS.sub("", text.casefold())


_ODD = re.compile(r"[^a-z0-9_-]+")
_EDGE = "-_"
_EMPTY = {"none", "null", "nan"}
LONGEST = 80
HEX = 8


def slug(name: str, instead: str = "") -> str:
    """A plain lower-case name; ``instead`` if it is too long, a missing value or a repetition."""
    plain = _ODD.sub("-", name.casefold()).strip(_EDGE)
    parts = re.split("[-_]", plain)
    odd = not plain or len(plain) > LONGEST or _EMPTY & set(parts) or repeats(parts)
    return instead if odd and instead else plain


def repeats(parts: list[str]) -> bool:
    """True if a run of parts with a letter in it occurs twice in a row."""
    for size in range(1, len(parts) // 2 + 1):
        for at in range(len(parts) - 2 * size + 1):
            run = parts[at : at + size]
            if run == parts[at + size : at + 2 * size] and re.search("[a-z]", "".join(run)):
                return True
    return False


def video_slug(dataset: str, video_id: str, alias: str) -> str:
    """Return the video's part of a row id: the alias if the video id begins with the dataset."""
    head, name = slug(dataset), slug(video_id, alias)
    return alias if name == head or name.startswith((f"{head}-", f"{head}_")) else name


def media_alias(dataset: str, video_id: str) -> str:
    """Return a name that reveals nothing about a video."""
    return f"v{digest('media', dataset, video_id)[:12]}"


def sample_id(row: Mapping[str, Any], video: str, alias: str, ticks: int) -> str:
    """Return the id ``<dataset>.<video>.<task>.<temporal mode>.<closed|open|stream>.<t_q>.<hex>``.

    t_q is in milliseconds or frames, with nine digits.  The hex is the start of the item's id, a
    digest of template, video, window and slots, so 'surgqa explain' finds the item.

    Args:
        video: id of the video, or its alias if that is hidden.
        alias: used if the id does not give a plain name.
    """
    kind = "closed" if row["options"] else "open"
    parts = (
        slug(row["dataset"]), video_slug(row["dataset"], video, alias),
        slug(task_name(row["task"])), row["temporal_mode"],
        "stream" if row["rounds"] else kind, f"{ticks:09d}", row["item_id"][:HEX],
    )  # fmt: skip
    return ".".join(parts)


def task_name(task: str) -> str:
    """Return the task without the temporal mode before it."""
    return task.rpartition("/")[2]

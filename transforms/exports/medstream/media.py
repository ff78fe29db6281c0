"""Names of videos in exported rows: the real name, or an alias if the name reveals an answer."""

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
"""Path of the media if none are known."""

_READ = ["dataset", "video_id", "split", "media", "question", "options", "answer",
         "answer_value", "slots"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExportedVideo:
    """One video, with its names in exported rows.

    Attributes:
        alias, alias_path: id and path that reveal nothing about the video.
        hidden: True if rows with answers also use the alias; rows for models always use it.
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
        """The value of ``video_id`` in rows with answers."""
        return self.alias if self.hidden else self.video_id

    @property
    def shown_path(self) -> str:
        """The value of ``media_path`` in rows with answers."""
        return self.alias_path if self.hidden else self.path or ABSENT

    def line(self) -> dict[str, Any]:
        """Return the video's line in ``media_map.jsonl``."""
        return {
            "dataset": self.dataset, "alias": self.alias, "alias_path": self.alias_path,
            "video_id": self.video_id, "media_path": self.path, "media_kind": self.kind,
            "split": self.split, "hidden": self.hidden,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class MediaMap:
    """All videos that rows refer to, by (dataset, video id).

    If the name of one video reveals an answer, all names of the dataset are hidden. If only the
    revealing names were hidden, hiding them would reveal something.
    """

    recordings: Mapping[tuple[str, str], ExportedVideo]

    def of(self, row: Mapping[str, Any]) -> ExportedVideo:
        """Return the video of a row of ``data/``."""
        return self.recordings[row["dataset"], row["video_id"]]

    def __iter__(self) -> Iterator[ExportedVideo]:
        """Yield the videos, in order of dataset and video id."""
        yield from self.recordings.values()

    def hidden(self) -> list[str]:
        """Return the datasets in which the names of videos are hidden."""
        return sorted({one.dataset for one in self.recordings.values() if one.hidden})


def media_map(folder: OutputFolder) -> MediaMap:
    """Return the videos of an output; reads all of its rows once."""
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
"""A name with at least this many letters and digits is also searched for inside longer words."""

PART = 4
"""A folder name or word with at least this many letters and digits is searched for in answers."""

_COMMON = {
    "video", "videos", "frame", "frames", "image", "images", "clip", "clips", "case", "left",
    "right",
}  # fmt: skip
"""Words that ids and folder names often contain, and that reveal nothing."""


def tells(row: Mapping[str, Any], dataset: str) -> bool:
    """Return whether a row's video id or media path contains its answer or a label.

    Args:
        row: a row of ``data/``.
        dataset: a folder with this name in the path is ignored.
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
    """Yield the text of the correct option, and all spellings of the labels that the row has."""
    labels = {option["text"] for option in row["options"] or () if option["is_answer"]}
    for column in ("answer_value", "slots"):
        labels |= set(_labels(orjson.loads(row[column] or "null")))
    for label in sorted(labels):
        if label.casefold() not in _SILENT and re.search("[a-zA-Z]{2}", label):
            yield from sorted({label, *_spellings().get(label.casefold(), ())})


_UNSAID = ("track", "rater")
"""Fields of values whose texts are not labels."""


def _labels(value: Any, inside: bool = False) -> Iterator[str]:
    """Yield the texts in nested values, except in the fields :data:`_UNSAID`."""
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
    """Return id or display name of a concept -> its id, display name and synonyms."""
    out: dict[str, frozenset[str]] = {}
    for kind in LABEL_KINDS:
        for term in vocabulary(kind).values():
            names = frozenset((term.id, term.display, *term.synonyms))
            for name in (term.id, term.display.casefold()):
                out[name] = out.get(name, frozenset()) | names
    return out


def _loose(text: str) -> str:
    """Return the words of a text in lower case, separated and surrounded by single spaces."""
    return f" {_GAPS.sub(' ', _HUMPS.sub(' ', text).casefold()).strip()} "


def _tight(text: str) -> str:
    return _GAPS.sub("", text.casefold())


_ODD = re.compile(r"[^a-z0-9_-]+")
_EDGE = "-_"
_EMPTY = {"none", "null", "nan"}
LONGEST = 80
HEX = 8


def slug(name: str, instead: str = "") -> str:
    """Return a name in plain lower case; ``instead`` if it is unusable, such as "nan"."""
    plain = _ODD.sub("-", name.casefold()).strip(_EDGE)
    parts = re.split("[-_]", plain)
    odd = not plain or len(plain) > LONGEST or _EMPTY & set(parts) or repeats(parts)
    return instead if odd and instead else plain


def repeats(parts: list[str]) -> bool:
    """Return whether the same parts follow each other twice, as in "skill, a, skill, a"."""
    for size in range(1, len(parts) // 2 + 1):
        for at in range(len(parts) - 2 * size + 1):
            run = parts[at : at + size]
            if run == parts[at + size : at + 2 * size] and re.search("[a-z]", "".join(run)):
                return True
    return False


def video_slug(dataset: str, video_id: str, alias: str) -> str:
    """Return the part of a row id that stands for the video."""
    head, name = slug(dataset), slug(video_id, alias)
    return alias if name == head or name.startswith((f"{head}-", f"{head}_")) else name


def media_alias(dataset: str, video_id: str) -> str:
    """Return the alias of a video, which reveals nothing about it."""
    return f"v{digest('media', dataset, video_id)[:12]}"


def sample_id(row: Mapping[str, Any], video: str, alias: str, ticks: int) -> str:
    """Return the id ``<dataset>.<video>.<task>.<temporal mode>.<closed|open|stream>.<t_q>.<hex>``.

    t_q is the query time in milliseconds or frames, with nine digits. <hex> is the beginning of the
    item's id, with which 'surgqa explain' finds the item.

    Args:
        video: id of the video, or its alias.
        alias: the alias, which is used if ``video`` does not give a plain name.
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

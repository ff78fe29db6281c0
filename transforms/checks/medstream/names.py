"""Checks the ids, paths and names of a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from surgqa.transforms.checks.medstream import words
from surgqa.transforms.checks.medstream.sample import NO_MEDIA, StreamRow

_PARTS = re.compile(r"[^0-9a-z]+")
_ID = re.compile(r"[a-z0-9._-]+")
_MODEL = re.compile(
    r"(?<![a-z])(gemini|gpt\d*|llm|claude|qwen|llama|rewritten|paraphrased)(?![a-z])"
)
_RUN = r"(?P<run>[a-z0-9]*[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)"
_AGAIN = (
    re.compile(rf"\A{_RUN}[._-](?P=run)(?![a-z0-9])"),
    re.compile(rf"(?<![a-z0-9]){_RUN}[_-](?P=run)(?![a-z0-9])"),
    re.compile(rf"(?:\A|\.){_RUN}\.(?P=run)(?:\.|\Z)"),
)
_FORM = re.compile(
    r"(?<![a-z])(mcq|multi ?select|single ?choice|multi(ple)? ?choice|yes ?no|"
    r"(open|closed)(?= ?ended|\Z)|free ?(text|form)|vqa)(?![a-z])"
)
_WITH = re.compile(r" (?:with|without|no|non) (\w+?)s? ")
_COMMON = {
    "video", "videos", "frame", "frames", "image", "images", "clip", "clips", "train", "test",
    "data", "media", "case", "cases", "part", "left", "right", "label", "labels", "stream",
    "closed", "gemini", "present", "future",
}  # fmt: skip
"""Words that occur in ids and folders whatever the answer is."""


def missing_value(sample: StreamRow) -> Iterator[str]:
    """D05: no part of the id may be the name of a missing value, such as ``nan``."""
    parts = _PARTS.split(sample.id.casefold())
    if found := [part for part in parts if part in ("none", "null", "nan")]:
        yield f"{found[0]!r} in {sample.id!r}"
    elif not sample.id:
        yield "no sample_id"


def odd_characters(sample: StreamRow) -> Iterator[str]:
    """D30: ids must have only the characters a-z, 0-9, '.', '_' and '-'."""
    if sample.id and not _ID.fullmatch(sample.id):
        odd = sorted(set(re.findall(r"[^a-z0-9._-]", sample.id)))
        yield f"{''.join(odd)} in {sample.id!r}"


def repeated_part(sample: StreamRow) -> Iterator[str]:
    """D31: no part of the id may occur twice in succession."""
    folded = sample.id.casefold()
    found = next(filter(None, (pattern.search(folded) for pattern in _AGAIN)), None)
    if found:
        yield f"{found['run']!r} twice in {sample.id!r}"


def form_as_task(sample: StreamRow) -> Iterator[str]:
    """D20: the task's name must say what is asked, not the form of the answer."""
    if found := _FORM.search(words.plain(sample.task)):
        yield f"{found[0]!r} in {sample.task!r}"


def wording_unsourced(sample: StreamRow) -> Iterator[str]:
    """D21: if a model is named in the id, ``question_source`` must name the source."""
    found = _MODEL.search(sample.id.casefold())
    source = sample.row.get("question_source")
    if found and (not isinstance(source, str) or source in ("", "template")):
        yield f"{found[0]!r} in {sample.id!r}, question_source {source!r}"


def odd_path(sample: StreamRow) -> Iterator[str]:
    """D29: the media path must be relative to the dataset's folder, and not repeat a folder."""
    path = sample.media
    parts = [part.casefold() for part in path.split("/")]
    if path.startswith("/") or "\\" in path or re.match(r"[A-Za-z][\w+.-]*:", path):
        if path != NO_MEDIA:
            yield f"not relative: {path!r}"
    elif ".." in parts:
        yield f"leads out of the dataset: {path!r}"
    elif again := [a for a, b in zip(parts, parts[1:], strict=False) if a == b]:
        yield f"{again[0]!r} twice in {path!r}"


def unknown_media(sample: StreamRow) -> Iterator[str]:
    """D29, as a warning: a row must name its media, or state that there is none."""
    if not sample.media.strip():
        yield f"media_path is empty, expected a path or {NO_MEDIA!r}"


def answer_in_names(sample: StreamRow) -> Iterator[str]:
    """D16: ids, path and question must not contain the answer.

    If the row has choices, all names of the answer are searched for. If it has none, the concepts
    that its answer names and its question does not are searched for. If the answer is yes or no, a
    folder such as ``videos_with_polyps`` reveals the answer to a question about polyps.
    """
    places = {
        "sample_id": _own_part(sample), "video_id": sample.video, "media_path": _folders(sample),
    }  # fmt: skip
    names = _telling(sample)
    for where, spelling in places.items():
        name = words.spelled(names, spelling)
        if name is None and words.says_nothing(sample.answer):
            name = _sorted_by(sample, spelling)
        if name is not None:
            yield f"{name!r} in {where} {sample.row.get(where)!r}"
    if (found := _in_question(sample)) is not None:
        yield f"{found!r} in the question {sample.stem!r}"


def _telling(sample: StreamRow) -> list[str]:
    if not sample.closed:
        asked = words.words(sample.stem.casefold())
        named = [name for name in words.named_in(sample.answer) if words.words(name) not in asked]
        return [*named, *_repeated_parts(sample)]
    telling = [one for one in sample.answers if not words.says_nothing(one)]
    return [name for one in telling for name in words.names_of(one)]


def _repeated_parts(sample: StreamRow) -> Iterator[str]:
    """Yield the parts of the path and id that an open answer repeats, such as ``BBPS-2-3``."""
    answer, asked = words.compact(sample.answer), words.compact(sample.stem)
    said = words.words(sample.answer.casefold())
    for word in words.words(_own_part(sample)).split():
        if len(word) >= 5 and word not in _COMMON and f" {word} " in said and word not in asked:
            yield word
    for part in (*_folders(sample).split("/"), sample.video):
        tight = words.compact(part)
        if len(tight) < 5 or not re.search("[a-z]", tight) or tight in _COMMON:
            continue
        if tight in answer and tight not in asked:
            yield part


def _own_part(sample: StreamRow) -> str:
    """Return the id without the names of dataset, task and mode, which are not secret."""
    rest = sample.id
    for known in (sample.dataset, sample.task, sample.mode):
        rest = _whole_word(known).sub(" ", rest) if known else rest
    return rest


@lru_cache(maxsize=1024)
def _whole_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", re.IGNORECASE)


def _folders(sample: StreamRow) -> str:
    """Return the media path without the dataset's folder."""
    if sample.media == NO_MEDIA:
        return ""
    parts = sample.media.split("/")
    return "/".join(part for part in parts if part.casefold() != sample.dataset.casefold())


def _sorted_by(sample: StreamRow, spelling: str) -> str | None:
    asked = words.words(sample.stem.casefold())
    for found in _WITH.finditer(words.words(spelling)):
        if re.search(rf" {re.escape(found[1])}(s|es)? ", asked):
            return found[0].strip()
    return None


def _in_question(sample: StreamRow) -> str | None:
    """Return the answer if the question contains it, otherwise None.

    A question may list all choices, or state the event to watch for.
    """
    if not sample.closed or sample.mode == "proactive":
        return None
    asked = words.words(sample.stem.casefold())
    listed = [c for c in sample.choices if words.plain(c) != "unanswerable"]
    if listed and all(words.words(choice.casefold()) in asked for choice in listed):
        return None
    telling = [one for one in sample.answers if not words.says_nothing(one)]
    names = [name for one in telling for name in words.names_of(one)]
    return next((name for name in filter(words.compact, names) if words.words(name) in asked), None)

"""Whether a video's id or path reveals the answer to a question about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import orjson

from surgqa.ontology.concepts import LABEL_KINDS, vocabulary

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

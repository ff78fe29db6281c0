"""Mask a table of utterances, including their words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from surgqa.transforms.evidence.privacy.gazetteer import is_word
from surgqa.transforms.evidence.privacy.masking import MaskedSpan, mask_text
from surgqa.transforms.evidence.privacy.names import is_common
from surgqa.transforms.evidence.privacy.unknown import NameFinder
from surgqa.transforms.evidence.privacy.words import LETTERS

FLAG = "masked"
BORDER = "\n"
_PART = re.compile(rf"{LETTERS}[\w'’-]*")
SHORTEST = 3


def mask_utterances(table: pa.Table, finder: NameFinder | None = None) -> pa.Table:
    """The table with text, raw text and words masked; changed rows get the flag ``masked``.

    All utterances are read as one text, so a name that begins in one and ends in the next is found.
    A name that is recognised in one utterance, for example by its title, is masked in all.  A word
    keeps its times; its text becomes the kind in brackets.  Masking twice changes nothing.

    Args:
        table: rows of :data:`ontology.observed.UTTERANCES`, in any order.
        finder: finds spans in addition to the rules; None for the rules alone.
    """
    rows = table.to_pylist()
    order = sorted(range(len(rows)), key=lambda i: (rows[i]["start_us"], rows[i]["utterance_id"]))
    known: frozenset[str] = frozenset()
    while rows:
        found, changed = _masked([rows[i] for i in order], known, finder)
        if not changed:
            break
        known |= found
    return pa.Table.from_pylist(rows, schema=table.schema)


def mask_refused(
    rows: Sequence[Mapping[str, Any]], language: str | None, finder: NameFinder | None = None
) -> list[dict[str, Any]]:
    """The rejected utterances with their text masked, read as one text."""
    texts = [row["text"] for row in rows]
    spans = _spans(BORDER.join(texts), language, frozenset(), finder)
    return [{**row, "text": text} for row, text in zip(rows, _replaced(texts, spans), strict=True)]


def _masked(
    rows: list[dict[str, Any]], known: frozenset[str], finder: NameFinder | None
) -> tuple[frozenset[str], bool]:
    """Mask rows in place; return the parts of names found in them, and whether a row changed."""
    language = next((row["language"] for row in rows if row["language"]), None)
    found: set[str] = set()
    changed = [False] * len(rows)
    for column in ("text", "raw_text"):
        texts = [row[column] or "" for row in rows]
        spans = _spans(BORDER.join(texts), language, known, finder)
        found |= _names(BORDER.join(texts), spans)
        for i, masked in enumerate(_replaced(texts, spans)):
            if rows[i][column] is not None and masked != rows[i][column]:
                rows[i][column], changed[i] = masked, True
    for i, told in enumerate(_mask_words(rows, language, known | found, finder)):
        changed[i] |= told
    for row, told in zip(rows, changed, strict=True):
        if told and FLAG not in (row["flags"] or []):
            row["flags"] = [*(row["flags"] or []), FLAG]
    return frozenset(found), any(changed)


def _spans(
    text: str, language: str | None, known: frozenset[str] | set[str], finder: NameFinder | None
) -> list[MaskedSpan]:
    """Spans of the rules, of the known names and of the finder, in order, without overlaps."""
    more = finder.spans(text, language) if finder else []
    spans = sorted([*mask_text(text, language, more)[1], *_known(text, known)])
    out: list[MaskedSpan] = []
    for span in spans:
        if not out or span.start >= out[-1].end:
            out.append(span)
        elif span.end > out[-1].end:
            out[-1] = MaskedSpan(out[-1].start, span.end, out[-1].kind)
    return out


def _names(text: str, spans: Sequence[MaskedSpan]) -> set[str]:
    """Words of names that are not also common words, in lower case."""
    names = [text[span.start : span.end] for span in spans if span.kind == "NAME"]
    found = {re.sub(r"['’]s$", "", part).lower() for name in names for part in _PART.findall(name)}
    return {p for p in found if len(p) >= SHORTEST and not is_common(p) and not _is_phrase(p)}


def _is_phrase(part: str) -> bool:
    """Whether all pieces of a word are common words or very short ("I'm", "X-rays")."""
    pieces = re.split("[-'’]", part)
    return is_word(part) or all(len(piece) < SHORTEST or is_word(piece) for piece in pieces)


def _known(text: str, known: frozenset[str] | set[str]) -> list[MaskedSpan]:
    if not known:
        return []
    either = "|".join(re.escape(part) for part in sorted(known))
    pattern = rf"(?<![\w\[])(?:{either})(?![\w\]])"
    return [MaskedSpan(*m.span(), "NAME") for m in re.finditer(pattern, text, re.IGNORECASE)]


def _replaced(texts: Sequence[str], spans: Sequence[MaskedSpan]) -> list[str]:
    """Each text with its part of every span replaced; a span may cover several texts."""
    out, start = [], 0
    for text in texts:
        end, masked, place = start + len(text), "", start
        for span in spans:
            low, high = max(span.start, start), min(span.end, end)
            if low < high:
                masked += text[place - start : low - start] + f"[{span.kind}]"
                place = high
        out.append(masked + text[place - start :])
        start = end + len(BORDER)
    return out


def _mask_words(
    rows: list[dict[str, Any]],
    language: str | None,
    known: frozenset[str] | set[str],
    finder: NameFinder | None,
) -> list[bool]:
    """Mask words in place, all of them read as one text; return which rows changed."""
    places, joined = [], ""
    for row in rows:
        joined += BORDER if places else ""
        for word in row["words"] or []:
            text = word["text"] or ""
            if joined and not joined[-1].isspace() and not text[:1].isspace() and _spaced(language):
                joined += " "
            places.append((row, word, len(joined)))
            joined += text
        if not row["words"]:
            places.append((row, None, len(joined)))
    spans = _spans(joined, language, known, finder)
    told: set[int] = set()
    at = 0
    for row, word, start in places:
        text = (word["text"] or "") if word else ""
        while at < len(spans) and spans[at].end <= start:
            at += 1
        hit = word and at < len(spans) and spans[at].start < start + len(text)
        if word and hit and text.strip() != f"[{spans[at].kind}]":
            word["text"] = text[: len(text) - len(text.lstrip())] + f"[{spans[at].kind}]"
            told.add(id(row))
    return [id(row) in told for row in rows]


def _spaced(language: str | None) -> bool:
    return not (language or "").startswith("zh")

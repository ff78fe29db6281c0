"""Masking a whole table of utterances, words included."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from transforms.evidence.privacy.masking import Span, mask_text
from transforms.evidence.privacy.names import is_common
from transforms.evidence.privacy.words import LETTERS

FLAG = "masked"
_PART = re.compile(rf"{LETTERS}[\w'’-]*")
SHORTEST = 3


def mask_utterances(table: pa.Table) -> pa.Table:
    """The table with text, raw text and words masked, and the flag ``masked`` where they were.

    A name that was told by its title in one utterance is masked in all of them.  A word
    keeps its times; its text becomes the kind in brackets.  Masking twice changes nothing.

    Args:
        table: rows of :data:`ontology.observed.UTTERANCES`.
    """
    rows = table.to_pylist()
    known: frozenset[str] = frozenset()
    while True:
        found = known.union(*(_masked_row(row, known) for row in rows)) if rows else known
        if found == known:
            return pa.Table.from_pylist(rows, schema=table.schema)
        known = found


def _masked_row(row: dict[str, Any], known: frozenset[str]) -> frozenset[str]:
    """Masks one row in place; the parts of names found in it."""
    found: set[str] = set()
    changed = False
    for column in ("text", "raw_text"):
        text = row[column]
        if text is None:
            continue
        masked, parts = _masked(text, row["language"], known)
        found |= parts
        changed |= masked != text
        row[column] = masked
    words = row["words"] or []
    changed |= _mask_words(words, row["language"], known | found)
    if changed and FLAG not in (row["flags"] or []):
        row["flags"] = [*(row["flags"] or []), FLAG]
    return frozenset(found)


def _masked(text: str, language: str | None, known: frozenset[str]) -> tuple[str, set[str]]:
    masked, spans = mask_text(text, language)
    parts: set[str] = set()
    for span in spans:
        if span.kind == "NAME":
            parts.update(_parts(text[span.start : span.end]))
    again = _known_masked(masked, known | parts)
    return (again, parts) if again == masked else (mask_text(again, language)[0], parts)


def _parts(name: str) -> set[str]:
    """Words of a name that are not also common words, as written."""
    found = (re.sub(r"['’]s$", "", part) for part in _PART.findall(name))
    return {p for p in found if len(p) >= SHORTEST and p[0].isupper() and not is_common(p)}


def _known_masked(text: str, known: frozenset[str] | set[str]) -> str:
    if not known:
        return text
    either = "|".join(re.escape(part) for part in sorted(known))
    return re.sub(rf"(?<![\w\[])(?:{either})(?![\w\]])", "[NAME]", text)


def _mask_words(words: list[dict[str, Any]], language: str | None, known: frozenset[str]) -> bool:
    """Masks words in place by masking them as one text; whether any changed."""
    starts, joined = [], ""
    for word in words:
        text = word["text"] or ""
        if joined and not joined[-1].isspace() and not text[:1].isspace() and _spaced(language):
            joined += " "
        starts.append(len(joined))
        joined += text
    spans = [*mask_text(joined, language)[1], *_known_spans(joined, known)]
    changed = False
    for word, start in zip(words, starts, strict=True):
        text = word["text"] or ""
        kind = next(
            (s.kind for s in sorted(spans) if s.start < start + len(text) and s.end > start), None
        )
        if kind is not None and text.strip() != f"[{kind}]":
            word["text"] = text[: len(text) - len(text.lstrip())] + f"[{kind}]"
            changed = True
    return changed


def _known_spans(text: str, known: frozenset[str]) -> list[Span]:
    either = "|".join(re.escape(part) for part in sorted(known))
    if not either:
        return []
    return [
        Span(*match.span(), "NAME")
        for match in re.finditer(rf"(?<![\w\[])(?:{either})(?![\w\]])", text)
    ]


def _spaced(language: str | None) -> bool:
    return not (language or "").startswith("zh")

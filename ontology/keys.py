"""Ids and keyed choices: the only source of pseudo-random values.

``h64(parts)`` is the first eight bytes, big-endian, of SHA-256 over the UTF-8 text of the parts
joined by U+001F.  To choose one of n candidates, sort by ``(h64(parts + candidate), candidate)``
and take the first.  Therefore a choice depends only on its own key, not on other choices or their
order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

SEPARATOR = "\x1f"
DIGEST_CHARS = 32
PIECE = 1 << 20


def h64(*parts: object) -> int:
    """Return the 64-bit unsigned key of the parts (each converted with ``str``)."""
    text = SEPARATOR.join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def digest(*parts: object) -> str:
    """Return the id of an item or window: the first 32 hex characters of SHA-256 over the parts."""
    text = SEPARATOR.join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARS]


def bytes_digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, 64 hex characters: the digest of a file or of settings."""
    return hashlib.sha256(data).hexdigest()


def file_sha256(path: Any) -> str:
    """Return the SHA-256 of a file's bytes, 64 hex characters; the file is read in pieces.

    Args:
        path: a local path, or a place in remote storage.
    """
    found = hashlib.sha256()
    with path.open("rb") as data:
        while piece := data.read(PIECE):
            found.update(piece)
    return found.hexdigest()


class Key:
    """The parts that many choices have in common: ``Key(a, b).h64(c) == h64(a, b, c)``."""

    __slots__ = ("_text",)

    def __init__(self, *parts: object) -> None:
        self._text = SEPARATOR.join(map(str, parts))

    def h64(self, part: object) -> int:
        """Return the 64-bit key of the common parts and one more part."""
        data = f"{self._text}{SEPARATOR}{part}".encode()
        return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")

    def extended(self, part: object) -> Key:
        """Return a key with one more common part."""
        longer = Key.__new__(Key)
        longer._text = f"{self._text}{SEPARATOR}{part}"
        return longer

    def choose(self, candidates: Sequence[str]) -> int:
        """Return the index of the chosen candidate, the same one for any order of candidates."""
        ranked = [(self.h64(text), text, i) for i, text in enumerate(candidates)]
        return min(ranked)[2]

    def ordered(self, texts: Iterable[str]) -> list[str]:
        """Return the texts, sorted by their 64-bit keys."""
        return [text for _, text in sorted((self.h64(text), text) for text in texts)]

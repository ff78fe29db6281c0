"""Rejections and repairs of one video while it is read, with reasons and row counts."""

from __future__ import annotations

from surgqa.ontology.records import Books, Code, Rejected


class Ledger:
    """Collects rejections and repairs, and returns them in the order of the source.

    Args:
        key: ``dataset/video_id``.
        unit: name of the counted things, in the plural (``label rows``).
    """

    def __init__(self, key: str, unit: str) -> None:
        self.key = key
        self.unit = unit
        self._entries: list[tuple[tuple[int, ...], Rejected]] = []

    def reject(
        self, at: tuple[int, ...], code: Code, reason: str, where: str, count: int = 1
    ) -> None:
        """Record ``count`` units that are left out; entries are sorted by their place ``at``."""
        entry = Rejected("read", self.key, code, reason, where, count)
        self._entries.append((at, entry))

    def repair(self, at: tuple[int, ...], code: Code, reason: str, where: str) -> None:
        """Record one unit that was changed and kept."""
        entry = Rejected("read", self.key, code, reason, where, 1, "repaired")
        self._entries.append((at, entry))

    def entries(self) -> tuple[Rejected, ...]:
        """Return all rejections and repairs recorded so far, sorted by place, then by code."""
        return tuple(entry for _, entry in sorted(self._entries, key=lambda e: (e[0], e[1].code)))

    def books(self, read: int, kept: int) -> Books:
        """Return the row counts, from the numbers of rows that the caller read and kept."""
        rejected = sum(entry.count for _, entry in self._entries if entry.outcome == "rejected")
        return Books("read", self.unit, read, kept, rejected)

"""The books of one video while it is read: what was left out or changed, and why."""

from __future__ import annotations

from ontology.records import Books, Code, Rejected


class Ledger:
    """Collects rejections and repairs; gives them in the order of the source.

    Args:
        key: ``dataset/video_id``.
        unit: what is counted, in the plural (``label rows``).
    """

    def __init__(self, key: str, unit: str) -> None:
        self.key = key
        self.unit = unit
        self._entries: list[tuple[tuple[int, ...], Rejected]] = []

    def reject(
        self, at: tuple[int, ...], code: Code, reason: str, where: str, count: int = 1
    ) -> None:
        """Note ``count`` units that are left out; ``at`` is the place used for sorting."""
        entry = Rejected("read", self.key, code, reason, where, count)
        self._entries.append((at, entry))

    def repair(self, at: tuple[int, ...], code: Code, reason: str, where: str) -> None:
        """Note one unit that is kept after a change."""
        entry = Rejected("read", self.key, code, reason, where, 1, "repaired")
        self._entries.append((at, entry))

    def entries(self) -> tuple[Rejected, ...]:
        """Everything noted so far, sorted by place, then by code."""
        return tuple(entry for _, entry in sorted(self._entries, key=lambda e: (e[0], e[1].code)))

    def books(self, read: int, kept: int) -> Books:
        """The account: units counted in the source, and counted again in what was built."""
        rejected = sum(entry.count for _, entry in self._entries if entry.outcome == "rejected")
        return Books("read", self.unit, read, kept, rejected)

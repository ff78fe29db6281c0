"""The result of a check: findings, their counts, and what was recomputed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from surgqa.transforms.blind import Blind, marks_of, summed
from surgqa.transforms.checks.codes import CODES, Severity

KEPT_PER_CODE = 1000
"""Maximum number of findings kept per code; all findings are counted."""


@dataclass(frozen=True, slots=True, order=True)
class CheckFinding:
    """One error, warning or measurement that a check found.

    Attributes:
        code: a key of :data:`transforms.checks.codes.CODES`, or of the codes for rows.
        item_id: the item, or ``""`` if the finding is about a file, video or template.
        detail: what was expected, what was found, and where.
    """

    code: str
    item_id: str
    detail: str
    severity: Severity

    def to_json(self, name: str = "item_id") -> dict[str, str]:
        """Return the finding as plain data; ``name`` is the key of the item's id."""
        return {"code": self.code, name: self.item_id, "detail": self.detail,
                "severity": self.severity.value}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grounds:
    """How many rows of ``evidence/`` were derived again from raw rows (annotations) and compared.

    Attributes:
        rows: for each table, the number of rows derived from the raw rows.
        kinds: for each kind, the number of facts of this kind.
        given: for each rule or model, the number of raw rows that it made from other rows. These
            raw rows are not made again.
        left: ids of videos annotated by a model, whose facts are not derived again.
    """

    rows: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    left: int = 0


class Findings:
    """Collects findings; keeps the first thousand per code and severity, and counts all.

    Args:
        codes: for each code, its usual severity and a sentence about it.
    """

    def __init__(self, codes: Mapping[str, tuple[Severity, str]] = CODES) -> None:
        self.counts: Counter[str] = Counter()
        self.graded: Counter[tuple[Severity, str]] = Counter()
        self._codes = codes
        self._kept: list[CheckFinding] = []

    def add(self, code: str, item_id: str, detail: str, severity: Severity | None = None) -> None:
        """Add a finding, with the severity of its code unless another severity is given."""
        grave = severity or self._codes[code][0]
        self.counts[code] += 1
        self.graded[grave, code] += 1
        if self.graded[grave, code] <= KEPT_PER_CODE:
            self._kept.append(CheckFinding(code, item_id, detail, grave))

    def listed(self) -> tuple[CheckFinding, ...]:
        """Return the findings that were kept, sorted by code, item and detail."""
        return tuple(sorted(self._kept))


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of ``surgqa check``.

    Attributes:
        items: number of rows found in ``data/``.
        checked: number of rows that were checked: all rows, unless a limit was set.
        recomputed: for each rule (such as ``count``), the number of items whose answer was
            computed.
        templates: per template id: ``items`` and the audit's measurements.
        blind: scores of guessing without the video, by template, stage and setting.
        videos: number of videos whose events were linked to tracks again (0 if this was not asked
            for).
        grounds: counts of facts and other rows that were derived again; empty if a limit was set.
        findings: sorted by (code, item_id, detail); at most a thousand per code.
        counts: for each code, the number of all findings.
        sources: for each dataset, what was done with its label files; empty if no root was given.
    """

    items: int
    checked: int
    recomputed: Mapping[str, int]
    templates: Mapping[str, Mapping[str, Any]]
    blind: tuple[Blind, ...]
    videos: int
    findings: tuple[CheckFinding, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    grounds: Grounds = field(default_factory=Grounds)

    def count(self, severity: Severity) -> int:
        """Return the number of all findings of one severity."""
        return sum(n for code, n in self.counts.items() if CODES[code][0] is severity)

    @property
    def differences(self) -> int:
        """Number of errors; 0 means that every answer was proved."""
        return self.count(Severity.ERROR)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data with sorted keys, for ``orjson.dumps``."""
        return {
            "items": self.items,
            "checked": self.checked,
            "differences": self.differences,
            "warnings": self.count(Severity.WARNING),
            "recomputed": dict(sorted(self.recomputed.items())),
            "templates": {key: dict(value) for key, value in sorted(self.templates.items())},
            "blind": {
                **summed(self.blind),
                "templates": [one.to_json() for one in self.blind],
                "items": {key: list(rules) for key, rules in marks_of(self.blind).items()},
            },
            "videos_linked": self.videos,
            "sources": {name: dict(summary) for name, summary in sorted(self.sources.items())},
            "grounds": asdict(self.grounds),
            "counts": dict(sorted(self.counts.items())),
            "findings": [one.to_json() for one in self.findings],
        }

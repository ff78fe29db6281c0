"""What a check found: findings, how often, and what was recomputed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from transforms.blind import Blind, marks_of, summed
from transforms.checks.codes import CODES, Severity

KEPT_PER_CODE = 1000
"""Findings of one code that are kept one by one; all are counted."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong or worth knowing.

    Attributes:
        code: a key of :data:`transforms.checks.codes.CODES`.
        item_id: the item, or ``""`` when the finding is about a file, video or template.
        detail: what was expected, what was found, where.
        severity: as the code says.
    """

    code: str
    item_id: str
    detail: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Grounds:
    """What of ``evidence/`` was made again from raw rows and held against what was written.

    Attributes:
        rows: table -> rows that the raw rows give.
        kinds: kind -> facts among them.
        given: what made raw rows of others -> how many: these rows are taken as they stand.
        left: recordings that a model looked at, whose facts are taken as they stand.
    """

    rows: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    left: int = 0


class Findings:
    """Collects findings; keeps the first thousand of a code and counts all."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._kept: list[Finding] = []

    def add(self, code: str, item_id: str, detail: str) -> None:
        """Note a finding; the code must be a known one."""
        self.counts[code] += 1
        if self.counts[code] <= KEPT_PER_CODE:
            self._kept.append(Finding(code, item_id, detail, CODES[code][0]))

    def listed(self) -> tuple[Finding, ...]:
        """The kept findings, sorted by code, item and detail."""
        return tuple(sorted(self._kept))


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The outcome of ``surgqa check``.

    Attributes:
        items: rows found in ``data/``.
        checked: rows read with their evidence (all, unless a limit was set).
        recomputed: items recomputed, by rule (``count``).
        templates: per template id: ``items`` and the audit's measurements.
        blind: what guessing without looking gets, by template, stage and setting.
        videos: videos whose events were linked again (0 when that was switched off).
        grounds: what the proofs stand on, made again from raw rows; empty under a limit.
        findings: sorted by (code, item_id, detail); at most a thousand per code.
        counts: findings by code, all of them.
        sources: dataset -> what was done with its label files; empty where nobody asked.
    """

    items: int
    checked: int
    recomputed: Mapping[str, int]
    templates: Mapping[str, Mapping[str, Any]]
    blind: tuple[Blind, ...]
    videos: int
    findings: tuple[Finding, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    grounds: Grounds = field(default_factory=Grounds)

    def count(self, severity: Severity) -> int:
        """Number of findings of one severity, kept or not."""
        return sum(n for code, n in self.counts.items() if CODES[code][0] is severity)

    @property
    def differences(self) -> int:
        """Number of errors: 0 means that every answer was proven."""
        return self.count(Severity.ERROR)

    def to_json(self) -> dict[str, Any]:
        """Plain data with sorted keys, ready for ``orjson.dumps``."""
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
            "sources": {name: dict(told) for name, told in sorted(self.sources.items())},
            "grounds": asdict(self.grounds),
            "counts": dict(sorted(self.counts.items())),
            "findings": [
                {
                    "code": one.code,
                    "item_id": one.item_id,
                    "detail": one.detail,
                    "severity": one.severity.value,
                }
                for one in self.findings
            ],
        }

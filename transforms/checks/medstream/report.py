"""The report of checking rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.transforms.checks.codes import Severity
from surgqa.transforms.checks.medstream.codes import CODES

KEPT_PER_CODE = 1000
"""Maximum number of findings that are kept for each code and severity; all are counted."""


@dataclass(frozen=True, slots=True, order=True)
class RowFinding:
    """One error or warning about a row, or about a file or a task if ``sample_id`` is ''."""

    code: str
    sample_id: str
    detail: str
    severity: Severity


class RowFindings:
    """Collects findings: keeps the first thousand of each code and severity, and counts all."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[Severity, str]] = Counter()
        self._kept: list[RowFinding] = []

    def add(self, code: str, sample_id: str, detail: str, severity: Severity | None = None) -> None:
        """Add a finding, with the severity of its code unless another severity is given."""
        grave = severity or CODES[code][0]
        self.counts[grave, code] += 1
        if self.counts[grave, code] <= KEPT_PER_CODE:
            self._kept.append(RowFinding(code, sample_id, detail, grave))

    def listed(self) -> tuple[RowFinding, ...]:
        """Return the findings that were kept, sorted by code, row id and detail."""
        return tuple(sorted(self._kept))


@dataclass(frozen=True, slots=True)
class RowReport:
    """The report of checking rows.

    Attributes:
        rows: number of rows with answers.
        model_rows: number of rows for models (without answers).
        findings: the findings that were kept, sorted.
        counts: (severity, code) -> number of all findings.
        answers: for each dataset and task with choices, how often each answer is correct.
    """

    rows: int
    model_rows: int
    findings: tuple[RowFinding, ...]
    counts: Mapping[tuple[Severity, str], int]
    answers: Mapping[str, Mapping[str, int]]

    def count(self, severity: Severity) -> int:
        """Return the number of all findings of one severity."""
        return sum(n for (grave, _), n in self.counts.items() if grave is severity)

    @property
    def differences(self) -> int:
        """Number of errors."""
        return self.count(Severity.ERROR)

    def by_code(self) -> dict[str, int]:
        """Return the number of all findings by code, over all severities."""
        out: Counter[str] = Counter()
        for (_, code), number in self.counts.items():
            out[code] += number
        return dict(sorted(out.items()))

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data with sorted keys."""
        return {
            "rows": self.rows,
            "model_rows": self.model_rows,
            "differences": self.differences,
            "warnings": self.count(Severity.WARNING),
            "answers": {k: dict(sorted(v.items())) for k, v in sorted(self.answers.items())},
            "counts": self.by_code(),
            "findings": [
                {
                    "code": one.code,
                    "sample_id": one.sample_id,
                    "detail": one.detail,
                    "severity": one.severity.value,
                }
                for one in self.findings
            ],
        }

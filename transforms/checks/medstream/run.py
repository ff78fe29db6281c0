"""Runs all checks on rows, files and folders; rows for models must not contain answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.errors import FileMissing, NothingSelected, SourceUnreadable
from surgqa.ontology.files import listed
from surgqa.transforms.checks.codes import Severity
from surgqa.transforms.checks.medstream import choices, modes, names, runs, streams, texts, times
from surgqa.transforms.checks.medstream.across import Across
from surgqa.transforms.checks.medstream.codes import CODES
from surgqa.transforms.checks.medstream.layout import LayoutReading, key_order
from surgqa.transforms.checks.medstream.sample import NO_MEDIA, Row, StreamRow, read
from surgqa.transforms.checks.medstream.times import StreamFacts
from surgqa.transforms.checks.report import CheckFinding, Findings
from surgqa.transforms.places import Place

SECRET = (
    "evidence", "answer", "reference_answer", "judge_rubric", "accepted_outputs", "answerable",
    "is_answerable", "answerable_time", "critical_time", "event_time", "tolerance",
    "tolerance_sec", "response_tolerance_sec", "early_horizon_sec", "late_horizon_sec",
)  # fmt: skip
"""Fields that reveal an answer, or the time from which on there is an answer."""

SECRET_PREFIX = "expected"


def secrets_in(row: Any, where: str = "") -> Iterator[str]:
    """D17: yield the path of each field of :data:`SECRET` in a row for models."""
    if isinstance(row, dict):
        for key, value in row.items():
            if key in SECRET or key.startswith(SECRET_PREFIX):
                yield f"{where}{key}"
            yield from secrets_in(value, f"{where}{key}.")
    elif isinstance(row, list):
        for place, value in enumerate(row):
            yield from secrets_in(value, f"{where}{place}.")


Check = Callable[[StreamRow], Iterator[str]]

ROW: tuple[tuple[str, Check], ...] = (
    ("D01", texts.stem_too_short),
    ("D02", texts.filler),
    ("D03", texts.evidence_is_answer),
    ("D04", times.empty_window),
    ("D05", names.missing_value),
    ("D08", key_order),
    ("D09", times.first_millisecond),
    ("D11", times.past_the_query),
    ("D12", choices.not_a_choice),
    ("D13", modes.other_mode),
    ("D13", times.other_mode_by_evidence),
    ("D14", times.other_time),
    ("D15", texts.asks_about_data),
    ("D16", names.answer_in_names),
    ("D18", choices.no_record),
    ("D19", choices.several_true),
    ("D20", names.form_as_task),
    ("D21", names.wording_unsourced),
    ("D22", times.too_short),
    ("D23", times.too_long),
    ("D24", choices.unstated_bounds),
    ("D25", texts.raw_numbers),
    ("D26", choices.spelled_as_files),
    ("D27", texts.rubric_without_anchors),
    ("D28", texts.more_than_the_label),
    ("D29", names.odd_path),
    ("D30", names.odd_characters),
    ("D31", names.repeated_part),
    ("D32", modes.stale_protocol),
)
"""Code -> check that needs one row only, for all rows."""

STREAM: tuple[tuple[str, Check], ...] = (
    ("S01", streams.rounds_not_rising),
    ("S02", streams.ranges_differ),
    ("S03", streams.flags_differ),
    ("S04", streams.too_few_around),
    ("S05", streams.none_on_time),
    ("S06", streams.odd_output),
    ("S07", streams.answer_changes),
    ("S09", streams.horizons_differ),
)
"""Code -> check that needs one row only, for streaming rows."""

SOUND = ("S01", "S02", "S03", "S04", "S05", "S06", "S07", "S09")
"""S10 is skipped for a row with a finding of these codes, because its scores would be wrong too."""

MODEL_FOLDER = "model"
MAP_FILE = "media_map.jsonl"


def row_problems(
    sample: StreamRow, facts: StreamFacts
) -> Iterator[tuple[str, str, Severity | None]]:
    """Yield (code, detail, severity) for one row with its answers.

    The severity is None if the usual severity of the code applies.
    """
    for code, check in ROW:
        for detail in check(sample):
            yield code, detail, None
    for detail in times.window_formula(sample, facts):
        yield "D10", detail, None
    for detail in _media(sample, facts):
        yield "D29", detail, Severity.WARNING
    if sample.streaming:
        for code, detail in _stream_problems(sample, facts):
            yield code, detail, None


def _media(sample: StreamRow, facts: StreamFacts) -> Iterator[str]:
    yield from names.unknown_media(sample)
    named = sample.media.strip() and sample.media != NO_MEDIA
    if named and facts.is_there and facts.is_there(sample.dataset, sample.media) is False:
        yield f"no such file: {sample.media!r}"


def _stream_problems(sample: StreamRow, facts: StreamFacts) -> Iterator[tuple[str, str]]:
    found = set()
    for code, check in STREAM:
        for detail in check(sample):
            found.add(code)
            yield code, detail
    for detail in streams.outside_recording(sample, facts):
        yield "S08", detail
    if found.isdisjoint(SOUND):
        for detail in runs.run_scores(sample):
            yield "S10", detail


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
    findings: tuple[CheckFinding, ...]
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
            "rows": self.rows, "model_rows": self.model_rows, "differences": self.differences,
            "warnings": self.count(Severity.WARNING),
            "answers": {k: dict(sorted(v.items())) for k, v in sorted(self.answers.items())},
            "counts": self.by_code(),
            "findings": [one.to_json("sample_id") for one in self.findings],
        }  # fmt: skip


class RowChecks:
    """Checks rows one by one."""

    def __init__(self, facts: StreamFacts | None = None) -> None:
        self.facts = facts or StreamFacts()
        self.findings = Findings(CODES)
        self.across = Across()
        self.rows = self.model_rows = 0

    def add(self, row: Row) -> None:
        """Check a row with its answers."""
        self.rows += 1
        sample = read(row)
        for code, detail, severity in row_problems(sample, self.facts):
            self.findings.add(code, sample.id, detail, severity)
        for detail in self.across.add(sample):
            self.findings.add("D06", sample.id, detail)

    def add_shown(self, row: Row) -> None:
        """Check a row for models, which must not contain answers."""
        self.model_rows += 1
        for detail in secrets_in(row):
            self.findings.add("D17", str(row.get("sample_id", "")), detail)

    def report(self) -> RowReport:
        """Return the report, after the checks that compare rows with each other."""
        for detail in self.across.frequent():
            self.findings.add("D33", "", detail)
        answers = {
            f"{task.dataset}/{task.name}": counts for task, counts in self.across.answers.items()
        }
        return RowReport(
            rows=self.rows, model_rows=self.model_rows, findings=self.findings.listed(),
            counts=dict(sorted(self.findings.graded.items())), answers=answers,
        )  # fmt: skip


def check_files(
    path: Place, facts: StreamFacts | None = None, limit: int | None = None
) -> RowReport:
    """Check a file of rows, or all ``*.jsonl`` of a folder and its subfolders.

    Files in a folder called ``model`` contain rows for models. ``media_map.jsonl`` is not read,
    because it contains no rows.

    Args:
        facts: what is known about the videos and media.
        limit: maximum number of rows that are read of each file.

    Raises:
        SourceMissing: the path does not exist.
        SourceBroken: a file cannot be read.
        UserError: the files contain no rows.
    """
    checks = RowChecks(facts)
    for file in row_files(path):
        try:
            _check_file(checks, file, limit)
        except OSError as error:
            raise SourceUnreadable(
                f"{file} cannot be read", found=error.strerror or str(error), where=str(file)
            ) from None
    if not checks.rows and not checks.model_rows:
        raise NothingSelected(
            f"{path} holds no row",
            expected="JSON objects in .jsonl files",
            where=str(path),
            fix="name the folder of a finished dataset, or files in MedStreamBench's format",
        )
    return checks.report()


def _check_file(checks: RowChecks, path: Place, limit: int | None) -> None:
    reading = LayoutReading()
    add = checks.add_shown if path.parent.name == MODEL_FOLDER else checks.add
    with path.open("rb") as file:
        for number, row in enumerate(reading.rows(file)):
            if number == limit:
                break
            add(row)
    for problem in reading.problems:
        checks.findings.add("D07", "", f"{path.name}: {problem}")


def row_files(path: Place) -> list[Place]:
    """Return the files that :func:`check_files` reads, sorted by name.

    Raises:
        SourceMissing: the path does not exist.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileMissing(
            f"{path} is missing", expected="a .jsonl file or a folder", where=str(path)
        )
    out: list[Place] = []
    for entry in listed(path):  # type: ignore[type-var]
        if entry.is_dir():
            out += row_files(entry)
        elif entry.suffix == ".jsonl" and entry.name != MAP_FILE:
            out.append(entry)
    return out

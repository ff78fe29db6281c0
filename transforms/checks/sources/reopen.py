"""``surgqa check --root``: compares the evidence with the label files of the datasets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import duckdb
import pyarrow.parquet as pq

from surgqa.ontology.keys import file_sha256
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.checks.sources import compare
from surgqa.transforms.checks.sources.claims import Claim, LabelFiles, claims_of, connected
from surgqa.transforms.checks.sources.spec import SourceReading, Spec, spec_of
from surgqa.transforms.checks.tables import headers
from surgqa.transforms.places import Place, below
from surgqa.transforms.store.folder import OutputFolder, readable

SAMPLED = 10
"""Number of rows that are compared for each table, video and reading, unless all are requested."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "events": ("event_id", "label", "time_us", "x1", "y1", "x2", "y2", "pairs", "pointer"),
    "regions": ("region_id", "kind", "label", "time_us", "x1", "y1", "x2", "y2", "pointer"),
    "segments": ("segment_id", "kind", "label", "start_us", "end_us", "value", "rater", "subject",
                 "pointer"),
    "labels": ("label_id", "kind", "label", "value", "rater", "pointer"),
    "moments": ("moment_id", "kind", "label", "start_us", "end_us", "tool", "verb", "target",
                "value", "text", "x1", "y1", "x2", "y2", "pointer"),
}  # fmt: skip
"""Table whose rows point into label files -> columns that are used, the id first."""


@dataclass(slots=True)
class Reopened:
    """How many label files of one dataset were hashed, and how many rows were compared with them.

    Attributes:
        why_not: why the dataset's files were not read; '' if they were.
        files: number of label files that were hashed.
        rows: number of rows of evidence that point into the files and can be compared, because a
            reading (:class:`~transforms.checks.sources.spec.SourceReading`) exists for their kind.
        followed: number of these rows that were compared with the files.
        unread: for each table and kind, the number of rows for which no reading exists.
    """

    why_not: str = ""
    files: int = 0
    rows: int = 0
    followed: int = 0
    unread: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"why_not": self.why_not, "files": self.files, "rows": self.rows,
                "followed": self.followed, "unread": dict(sorted(self.unread.items()))}  # fmt: skip


def reopen(
    folder: OutputFolder, roots: Mapping[str, Place], findings: Findings, *, every: bool = False
) -> dict[str, Reopened]:
    """Hash the label files that the evidence names, and compare rows of evidence with them.

    Args:
        roots: for each dataset, the folder with its label files.
        every: compare all rows, and search the files for labels that no row of evidence has.

    Returns:
        For each dataset of the output, what was done.

    Raises:
        UserError: a root's dataset is not in the output, or a root is not a folder.
    """
    videos: dict[str, list[compare.Row]] = {}
    for (dataset, _), header in headers(folder).items():
        videos.setdefault(dataset, []).append(header)
    folder.require_roots(roots)
    out = {}
    for dataset, found in videos.items():
        if dataset not in roots:
            out[dataset] = Reopened(f"name its folder: --root {dataset}=DIR")
            continue
        out[dataset] = _Dataset(folder, roots[dataset], findings, every).run(dataset, found)
    return out


class _Dataset:
    """Checks the label files of one dataset."""

    def __init__(self, folder: OutputFolder, root: Place, findings: Findings, every: bool) -> None:
        self.folder, self.root, self.findings, self.every = folder, root, findings, every
        self.digests: dict[str, str] = {}
        self.filled = [table for table in COLUMNS if every or rows_of(folder, table)]
        self.reopened = Reopened()

    def run(self, dataset: str, videos: Sequence[compare.Row]) -> Reopened:
        """Hash all files; compare rows if files are unchanged and ``tables/`` describes them."""
        good = [video for video in videos if self._hashed(video)]
        self.reopened.files = len(self.digests)
        spec = spec_of(dataset)
        if spec is None or spec.why_not:
            why = spec.why_not if spec else "there is no table to read its files a second time"
            self.reopened.why_not = why
            return self.reopened
        con, files = connected(spec), LabelFiles(self.root)
        rejected = _rejected(self.folder, dataset)
        for video in good:
            files.paths = [one["path"] for one in video["sources"] or ()]
            files.video_id = video["video_id"]
            self._video(con, spec, files, video, rejected[video["video_id"]])
        return self.reopened

    def _hashed(self, video: compare.Row) -> bool:
        """Return whether the dataset was built from label files with the same bytes."""
        good = True
        for source in video["sources"] or ():
            path, key = source["path"], f"{video['dataset']}/{video['video_id']}"
            if path not in self.digests:
                self.digests[path] = _digest(self.root, path)
            found = self.digests[path]
            if not found:
                self.findings.add("source_missing", "", f"{key}: {path}")
            elif found != source["sha256"]:
                detail = f"{key}: {path}: expected {source['sha256']}, found {found}"
                self.findings.add("source_changed", "", detail)
            good = good and found == source["sha256"]
        return good

    def _video(
        self,
        con: duckdb.DuckDBPyConnection,
        spec: Spec,
        files: LabelFiles,
        video: compare.Row,
        rejected: int,
    ) -> None:
        key = f"{video['dataset']}/{video['video_id']}"
        left = {table: _rows(self.folder, table, video) for table in self.filled}
        missed: list[Claim] = []
        for reading in spec.readings:
            mine = {}
            for table, kinds in reading.rows.items():
                rows = left.get(table, [])
                mine[table] = [row for row in rows if not kinds or row["kind"] in kinds]
                left[table] = [row for row in rows if kinds and row["kind"] not in kinds]
            try:
                missed += self._reading(con, reading, files, video, mine, not rejected)
            except (duckdb.Error, ValueError, KeyError, TypeError, IndexError) as error:
                detail = f"{key} {' and '.join(mine)}: {str(error).splitlines()[0]}"
                self.findings.add("source_unreadable", "", detail)
        self.reopened.unread.update(" ".join(filter(None, (table, row.get("kind"))))
                                for table, rows in left.items() for row in rows)  # fmt: skip
        # One rejection may be a line, a frame with all of its labels, or an image.
        if len({one.place for one in missed}) > rejected:
            one = missed[0]
            detail = f"{len(missed)} label(s), {rejected} rejected; {one.kind or ''} {one.label} at"
            self.findings.add("source_left_out", "", f"{key}: {detail} place {one.place}")

    def _reading(
        self, con: duckdb.DuckDBPyConnection, reading: SourceReading, files: LabelFiles,
        video: compare.Row, rows: Mapping[str, list[compare.Row]], whole: bool,
    ) -> list[Claim]:  # fmt: skip
        """Compare the rows of one reading with the files; return claims that no row has.

        Args:
            whole: True if the reader rejected nothing, so that the label before and after an
                interval must differ from its own.
        """
        every = [(table, row) for table, own in rows.items() for row in own]
        self.reopened.rows += len(every)
        picked = every if self.every else [
            (table, own[k]) for table, own in rows.items() for k in _sampled(table, video, own)
        ]  # fmt: skip
        spots = [compare.spot_of(reading, row["pointer"]) for _, row in picked]
        if not picked and not self.every:
            return []
        wanted = None if self.every else [spot.place for spot in spots if spot]
        claims = claims_of(con, reading, files, video, wanted)
        order, together = sorted(claims) if reading.ordered else [], _together(every)
        for (table, row), spot in zip(picked, spots, strict=True):
            self.reopened.followed += 1
            found: Iterator[compare.Problem] = iter(
                (("source_pointer_broken", "unknown pointer form"),)
            )
            if spot:
                found = _problems(table, row, spot, claims, order, together, whole)
            self._add(table, video, row, found)
        # A file with labels of whole videos also has labels of other videos.
        timed = self.every and not {"labels", "moments"} & set(reading.rows)
        return compare.claims_without_row((row for _, row in every), claims) if timed else []

    def _add(
        self, table: str, video: compare.Row, row: compare.Row, problems: Iterator[compare.Problem]
    ) -> None:
        name = row[COLUMNS[table][0]]
        where = f"{video['dataset']}/{video['video_id']} {table} {name}"
        for code, detail in problems:
            self.findings.add(code, "", f"{where} ({row['pointer']}): {detail}")


def _problems(
    table: str, row: compare.Row, spot: compare.Spot, claims: compare.Claims, order: Sequence[int],
    together: Mapping[Any, Sequence[compare.Row]], whole: bool,
) -> Iterator[compare.Problem]:  # fmt: skip
    if table == "segments":
        return compare.span_problems(row, spot, claims, order, whole)
    if table == "labels":
        return compare.whole_problems(row, spot, claims)
    if table == "moments":
        return compare.moment_problems(row, spot, claims)
    return compare.instant_problems(row, spot, claims, together[_instant(table, row)])


def _together(rows: Sequence[tuple[str, compare.Row]]) -> dict[Any, list[compare.Row]]:
    """Return the rows by (table, kind, time)."""
    out: dict[Any, list[compare.Row]] = {}
    for table, row in rows:
        out.setdefault(_instant(table, row), []).append(row)
    return out


def _instant(table: str, row: compare.Row) -> tuple[Any, ...]:
    return table, row.get("kind"), row.get("time_us")


def _digest(root: Place, path: str) -> str:
    """Return the SHA-256 digest of a label file, '' if the file is missing."""
    file = below(root, path)
    return file_sha256(file) if file.is_file() else ""


def rows_of(folder: OutputFolder, table: str) -> int:
    """Return the number of rows of a table of the evidence."""
    return pq.read_metadata(readable(folder.path / "evidence" / f"{table}.parquet")).num_rows


def _rows(folder: OutputFolder, table: str, video: compare.Row) -> list[compare.Row]:
    """Return the rows of one video in a table that point into label files."""
    path = folder.path / "evidence" / f"{table}.parquet"
    filters = [(name, "=", video[name]) for name in ("dataset", "video_id")]
    columns = list(COLUMNS[table])
    rows = pq.read_table(readable(path), columns=columns, filters=filters).to_pylist()
    return [row for row in rows if row["pointer"] is not None]


def _sampled(table: str, video: compare.Row, rows: Sequence[compare.Row]) -> list[int]:
    """Return the positions of the sampled rows, those with the smallest digests."""
    name = COLUMNS[table][0]
    head = f"{video['dataset']}/{video['video_id']}/{table}/"
    ranked = sorted((sha256(f"{head}{row[name]}".encode()).digest(), k)
                    for k, row in enumerate(rows))  # fmt: skip
    return sorted(k for _, k in ranked[:SAMPLED])


def _rejected(folder: OutputFolder, dataset: str) -> Counter[str]:
    """Return the number of labels that the reader rejected, by video."""
    out: Counter[str] = Counter()
    for row in folder.rejected("read"):
        if row["dataset"] == dataset and row["outcome"] == "rejected":
            out[row["video_id"]] += row["count"]
    return out

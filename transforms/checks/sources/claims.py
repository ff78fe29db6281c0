"""Reads the label files of a video with SQL, independently of the readers.

A claim is one thing that a label file states at one place, such as "grasper" in line 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling
from duckdb.sqltypes import VARCHAR as TEXT

from surgqa.ontology.files import listed
from surgqa.transforms.checks.sources.formats import COLUMNS, mask_box, rows_of
from surgqa.transforms.checks.sources.spec import Input, SourceReading, Spec
from surgqa.transforms.places import Place, below

Box = tuple[float, float, float, float]
KEPT = 12
"""Maximum number of tables of label files that are kept in memory for the next videos."""

VIDEO = pa.schema(
    [("video_id", pa.string())]
    + [(name, pa.int64()) for name in ("width", "height", "fps_num", "fps_den", "duration_us")]
)
"""Columns of the table ``video``."""

LABELS = pa.schema([(name, pa.string()) for name in ("kind", "source", "concept")])

_COLUMNS = ("place", "part", "kind", "label", "start_us", "end_us", "x1", "y1", "x2", "y2", "verb",
            "target", "subject", "value", "rater", "text")  # fmt: skip

MACROS = """
create or replace macro us(frame, rate) as
  (2 * frame::hugeint * 1000000 + rate) // (2 * rate);
create or replace macro ratio_us(frame, num, den) as
  (2 * frame::hugeint * 1000000 * den + num) // (2 * num);
create or replace macro inside(x) as
  case when x is not null then least(greatest(x, 0), 1) end;
"""
"""SQL functions. ``us`` and ``ratio_us``: time of a frame in microseconds, rounded half up.
``inside``: the side of a box, clipped to the frame."""


class Claim(NamedTuple):
    """One thing that a label file states at a place.

    ``label`` is None if the place exists but shows nothing. ``end_us`` is the end of an interval,
    or the time up to which the label of an instant counts; None if the file states no end.
    """

    place: int
    part: str | None
    kind: str | None
    label: str | None
    start_us: int | None
    end_us: int | None
    box: Box | None
    verb: str | None
    target: str | None
    subject: str | None
    value: float | None
    rater: str | None
    text: str | None


@dataclass(slots=True)
class LabelFiles:
    """The label files of one video as tables. A table that many videos share is read only once.

    Attributes:
        root: the dataset's folder.
        paths: paths of the video's files, relative to ``root``.
        video_id: id of the video.
    """

    root: Place
    paths: Sequence[str] = ()
    video_id: str = ""
    _tables: dict[tuple[str, Input], pa.Table] = field(default_factory=dict)

    def table(self, one: Input, wanted: set[int] | None) -> pa.Table:
        """Return the rows of all files of the video that match the pattern of an input.

        Args:
            wanted: places needed, so that no other image is opened; None means all.
        """
        beside = one.form == "beside"
        paths = [path for folder in one.how.split(",") for path in _inside(self.root, folder)
                 ] if beside else self.paths  # fmt: skip
        found = ((path, one.file.fullmatch(path)) for path in sorted(paths))
        parts = [self._one(path, one, match) for path, match in found
                 if match and self._is_wanted(match, wanted)]  # fmt: skip
        return pa.concat_tables(parts) if parts else COLUMNS[one.form].empty_table()

    def _one(self, path: str, one: Input, match: re.Match[str]) -> pa.Table:
        if (path, one) in self._tables:
            return self._tables[path, one]
        # The file is not read, because only its name is needed and it may be a large video.
        data = b"" if one.form == "name" else below(self.root, path).read_bytes()
        rows = [(path, list(match.groups()), *row) for row in rows_of(data, one.form, one.how)]
        schema = COLUMNS[one.form]
        columns = zip(*rows, strict=True) if rows else [()] * len(schema)
        arrays = [pa.array(list(c), f.type) for c, f in zip(columns, schema, strict=True)]
        table = pa.table(arrays, schema=schema)
        if one.form not in ("picture", "beside", "name"):
            if len(self._tables) >= KEPT:
                self._tables.pop(next(iter(self._tables)))
            self._tables[path, one] = table
        return table

    def _is_wanted(self, match: re.Match[str], wanted: set[int] | None) -> bool:
        """Return whether a file is about the video and a needed place, as its path states."""
        groups = match.groupdict()
        mine = groups.get("video", self.video_id) == self.video_id
        place = groups.get("place")
        return mine and (wanted is None or place is None or int(place) in wanted)


def _inside(root: Place, folder: str) -> list[str]:
    """Return the paths in a folder, relative to the root; ``*`` stands for any folder's name."""
    found = [""]
    for step in [*folder.split("/"), "*"]:
        if step != "*":
            found = [f"{above}{step}/" for above in found]
            continue
        there = [(above, below(root, above) if above else root) for above in found]
        found = [f"{above}{one.name}/" for above, place in there if place.is_dir()
                 for one in listed(place)]  # fmt: skip
    return [path.removesuffix("/") for path in found]


def connected(spec: Spec) -> duckdb.DuckDBPyConnection:
    """Return a database without file access, with SQL functions for the dataset's labels.

    ``named(kind, name)`` returns the concept for a label of the dataset; ``spelt`` does the same
    but compares only letters and digits. The table ``labels`` contains all labels. ``mask_box``
    returns x, y, width and height of a mask.
    """
    con = duckdb.connect(config={"enable_external_access": False, "threads": 1})
    known = {(kind, str(source)): concept
             for kind, entries in spec.labels.items() if isinstance(entries, Mapping)
             for source, concept in entries.items() if isinstance(concept, str)}  # fmt: skip
    folded = {(kind, _folded(source)): concept for (kind, source), concept in known.items()}
    rows = [{"kind": kind, "source": source, "concept": concept}
            for (kind, source), concept in known.items()]  # fmt: skip
    con.register("labels", pa.Table.from_pylist(rows, schema=LABELS))

    def named(kind: str | None, name: str | None) -> str | None:
        return known.get((kind or "", name or ""))

    def spelt(kind: str | None, name: str | None) -> str | None:
        return folded.get((kind or "", _folded(name or "")))

    for function in (named, spelt):
        con.create_function(
            function.__name__, function, [TEXT, TEXT], TEXT,
            null_handling=FunctionNullHandling.SPECIAL,
        )  # fmt: skip
    con.create_function("mask_box", mask_box, [TEXT], "DOUBLE[]")
    con.execute(MACROS + spec.macros)
    return con


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def claims_of(
    con: duckdb.DuckDBPyConnection, reading: SourceReading, files: LabelFiles,
    video: Mapping[str, Any], wanted: Iterable[int] | None,
) -> dict[int, list[Claim]]:  # fmt: skip
    """Return the claims of a video's label files, by the number of their place.

    Args:
        files: the label files of the video.
        video: the video's row of ``evidence/videos``; its id, frame size, frame rate and duration
            are used where label files lack them.
        wanted: places needed, so that no other image is opened; None means all.
    """
    con.register("video", pa.table({name: [video[name]] for name in VIDEO.names}, schema=VIDEO))
    for one in reading.inputs:
        con.register(one.name, files.table(one, None if wanted is None else set(wanted)))
    found = con.execute(reading.claims)
    columns = [column[0] for column in found.description or ()]
    out: dict[int, list[Claim]] = {}
    for claim in _claims(columns, found.fetchall()):
        out.setdefault(claim.place, []).append(claim)
    for one in reading.inputs:
        con.unregister(one.name)
    return out


def _claims(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[Claim]:
    order = [columns.index(name) if name in columns else None for name in _COLUMNS]
    for row in rows:
        cells: list[Any] = [None if k is None else row[k] for k in order]
        at, name, kind, label, start, end, *rest = cells
        x1, y1, x2, y2, verb, target, subject, value, rater, text = rest
        sides = None if None in (x1, y1, x2, y2) else (float(x1), float(y1), float(x2), float(y2))
        # A box that is entirely outside the frame gives no position.
        box = sides if sides and sides[0] < sides[2] and sides[1] < sides[3] else None
        shown = None if name is None else str(name)
        yield Claim(int(at), shown, kind, label, _whole(start), _whole(end), box, verb or None,
                    target or None, subject or None, None if value is None else float(value),
                    rater or None, text or None)  # fmt: skip


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)

"""Checks the files of an output folder, such as their digests, order of rows and item ids."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.files import listed
from surgqa.ontology.garbage import no_collection
from surgqa.ontology.keys import file_sha256
from surgqa.ontology.rows import ITEM
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.places import Place, below
from surgqa.transforms.store.folder import OutputFolder, readable

BATCH = 4096
ID = re.compile(r"[0-9a-f]{32}\Z")
COLUMNS = [
    "item_id", "benchmark", "task", "form", "template_id", "dataset", "video_id", "split",
    "split_group", "procedure", "specialty", "window_id", "start_us", "end_us", "question",
    "answer", "options", "answer_key", "block", "answer_value", "slots", "evidence",
    "chain_id", "stage", "knowledge", "clue", "context", "temporal_mode", "task_mode", "query_us",
    "rounds", "checks", "label_source", "licence", "template_version", "reasoning", "rubric",
    "unit", "rule", "rule_args", "certain", "resolution_us", "media", "pair", "level",
]  # fmt: skip
_COLUMNS = frozenset(COLUMNS)
SCHEMA = pa.schema([ITEM.field(name) for name in COLUMNS])
NAMING = ("item_id", "benchmark", "template_id", "dataset", "video_id")
"""Columns that must not be null, because findings identify a row by them."""


def check_manifest(folder: OutputFolder, findings: Findings) -> None:
    """Check the digest of each file that the manifest lists, and the digest of this list."""
    files = folder.manifest.get("files", {})
    for path in sorted(files):
        full = below(folder.path, path)
        if not full.is_file():
            findings.add("file_missing", "", path)
        elif (found := file_sha256(full)) != files[path]:
            findings.add("file_digest", "", f"{path}: expected {files[path]}, found {found}")
    _check_digest(folder.manifest.get("digest"), files, "", findings)
    for kind, found in sorted(folder.manifest.get("digests", {}).items()):
        _check_digest(found, files, f".{kind}", findings)
    for path in _contents(folder.path):
        if path not in files:
            findings.add("file_unlisted", "", path)


def _check_digest(found: Any, files: Mapping[str, str], ending: str, findings: Findings) -> None:
    lines = "".join(f"{path} {files[path]}\n" for path in sorted(files) if path.endswith(ending))
    expected = hashlib.sha256(lines.encode()).hexdigest()
    if found != expected:
        name = f"digests['{ending[1:]}']" if ending else "digest"
        findings.add("manifest_digest", "", f"{name}: expected {expected}, found {found}")


def _contents(root: Place) -> Iterator[str]:
    for top in ("data", "evidence"):
        stack = [root / top] if (root / top).is_dir() else []
        while stack:
            here = stack.pop()
            for path in listed(here):
                if path.is_dir():
                    stack.append(path)
                else:
                    yield path.relative_to(root).as_posix()  # type: ignore[arg-type]


def check_counts(manifest: Mapping[str, Any], counts: Counter[str], findings: Findings) -> None:
    """Compare the item counts in ``manifest['items']`` with the rows found.

    Args:
        counts: number of items found, by benchmark, ``<benchmark>/<split>`` and template id.
    """
    expected = dict(_expected(manifest.get("items", {})))
    found = {name: number for name, number in counts.items() if name}
    for name in sorted(set(expected) | set(found)):
        if expected.get(name, 0) != found.get(name, 0):
            detail = f"{name}: manifest {expected.get(name, 0)}, rows {found.get(name, 0)}"
            findings.add("manifest_items", "", detail)


def _expected(items: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for benchmark in sorted(items):
        one = items[benchmark]
        yield benchmark, one["total"]
        yield from one["by_template"].items()
        for split, number in one["by_split"].items():
            yield f"{benchmark}/{split}", number


class Ids:
    """All item ids, stored in 16 bytes each, to find duplicates."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, item_id: str) -> None:
        """Add an item id; of a malformed id, the digest is stored."""
        well_formed = ID.match(item_id)
        raw = bytes.fromhex(item_id) if well_formed else hashlib.sha256(item_id.encode()).digest()
        self._bytes += raw[:16]

    def repeated(self) -> list[str]:
        """Return the ids that were added more than once, sorted; for malformed ids, the digests."""
        halves = np.frombuffer(bytes(self._bytes), dtype=[("high", ">u8"), ("low", ">u8")])
        order = np.lexsort((halves["low"], halves["high"]))
        ranked = halves[order]
        again = ranked[1:][ranked[1:] == ranked[:-1]]
        return sorted({bytes(one).hex() for one in again})


def rows_in(folder: OutputFolder) -> int:
    """Return the number of rows in all shards."""
    return sum(_count(s) for name in folder.benchmarks() for s in folder.shards(name))


def _count(shard: Place) -> int:
    if shard.suffix == ".parquet":
        return pq.read_metadata(readable(shard)).num_rows
    with shard.open("rb") as lines:
        return sum(1 for _ in lines)


def read_shards(
    folder: OutputFolder, findings: Findings, counts: Counter[str], limit: int | None
) -> Iterator[pa.RecordBatch]:
    """Yield all rows in batches; check ids, their order, shard names and both file formats.

    Args:
        counts: is filled with the number of rows read, by ``""`` (all), benchmark,
            ``<benchmark>/<split>`` and template id.
        limit: stop after this many rows.
    """
    ids = Ids()
    for name in folder.benchmarks():
        for shard in folder.shards(name):
            last = ""
            for batch in _batches(shard, findings):
                if limit is not None:
                    batch = batch.slice(0, limit - counts[""])
                if not len(batch):
                    break
                _refuse_nameless(batch, shard)
                last = _check_batch(batch, shard, name, last, ids, findings)
                _tally(batch, counts)
                yield batch
    for item_id in ids.repeated():
        findings.add("item_id_duplicate", item_id, "the id occurs more than once")


def _refuse_nameless(batch: pa.RecordBatch, shard: Place) -> None:
    """Raise OutputBroken if a row lacks a column that findings need to identify it."""
    for name in NAMING:
        if batch.column(name).null_count:
            raise OutputBroken(
                f"{shard.name} has rows without {name}",
                expected=f"{', '.join(NAMING)} in every row",
                found=f"null in {batch.column(name).null_count} of {batch.num_rows} rows",
                where=str(shard),
                fix="build the dataset again",
            )


def _tally(batch: pa.RecordBatch, counts: Counter[str]) -> None:
    counts[""] += len(batch)
    benchmarks, splits = (batch.column(n).to_pylist() for n in ("benchmark", "split"))
    counts.update(benchmarks)
    counts.update(f"{b}/{s}" for b, s in zip(benchmarks, splits, strict=True))
    counts.update(batch.column("template_id").to_pylist())


def _check_batch(
    batch: pa.RecordBatch, shard: Place, benchmark: str, last: str, ids: Ids, findings: Findings
) -> str:
    split = shard.stem.rsplit("-", 3)[0]
    places = (batch.column("benchmark").to_pylist(), batch.column("split").to_pylist())
    item_ids = batch.column("item_id").to_pylist()
    for item_id, in_benchmark, in_split in zip(item_ids, *places, strict=True):
        if not ID.match(item_id):
            findings.add("item_id_malformed", item_id, f"{shard.name}: {item_id!r}")
        if item_id < last:
            findings.add("shard_order", item_id, f"{benchmark}/{shard.name}: after {last}")
        if in_benchmark != benchmark or in_split not in (split, None):
            found = f"{in_benchmark}, split {in_split}"
            findings.add("shard_misplaced", item_id, f"{benchmark}/{shard.name}: {found}")
        ids.add(item_id)
        last = item_id
    return last


def _batches(shard: Place, findings: Findings) -> Iterator[pa.RecordBatch]:
    twin = shard.with_suffix(".jsonl")
    if shard.suffix != ".parquet":
        yield from _json_batches(shard)
        return
    file = pq.ParquetFile(readable(shard))
    missing = sorted(set(COLUMNS) - set(file.schema_arrow.names))
    if missing:
        raise OutputBroken(
            f"{shard.name} lacks columns", found=f"no {', '.join(missing)}", where=str(shard)
        )
    batches = (
        pa.RecordBatch.from_arrays([batch.column(name) for name in COLUMNS], schema=SCHEMA)
        for batch in file.iter_batches(batch_size=BATCH, columns=COLUMNS)
    )
    yield from _compared(batches, twin, findings) if twin.is_file() else batches


def _json_batches(shard: Place) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    with shard.open("rb") as lines:
        for line in lines:
            rows.append(_json_row(line, shard))
            if len(rows) == BATCH:
                yield pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
                rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


def _json_row(line: bytes, shard: Place) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
        return {name: row[name] for name in COLUMNS}
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise OutputBroken(
            f"{shard.name}: a line is not a complete JSON row", found=str(error), where=str(shard)
        ) from None


def _compared(
    batches: Iterator[pa.RecordBatch], twin: Place, findings: Findings
) -> Iterator[pa.RecordBatch]:
    """Yield the batches unchanged; compare their rows with the shard's JSON Lines file."""
    with twin.open("rb") as lines:
        for batch in batches:
            for k, names in sorted(_differing(batch, [*islice(lines, len(batch))], twin).items()):
                item_id = batch.column("item_id")[k].as_py()
                findings.add("formats_differ", item_id, f"{twin.name}: {', '.join(names)}")
            yield batch
        if next(lines, None) is not None:
            findings.add("formats_differ", "", f"{twin.name} has more rows than the Parquet file")


@no_collection()
def _differing(batch: pa.RecordBatch, lines: Sequence[bytes], twin: Place) -> dict[int, list[str]]:
    """Return the names of the differing fields of each row that differs from its line of JSON."""
    finite = all(map(_is_finite, batch.columns))
    if finite and _lines_of(batch) == lines:  # as the build writes them
        return {}
    rows = _json_rows(lines, len(batch), twin)
    out: dict[int, list[str]] = {}
    for name in COLUMNS:
        found, values = [row[name] for row in rows], batch.column(name).to_pylist()
        for k in range(len(batch)) if found != values else ():
            if found[k] != values[k]:
                out.setdefault(k, []).append(name)
    return out


def _is_finite(column: pa.Array) -> bool:
    """Return whether a column has no NaN and no infinite number, which JSON cannot express."""
    if pa.types.is_floating(column.type):
        return pc.all(pc.is_finite(column)).as_py() is not False
    if pa.types.is_list(column.type) or pa.types.is_struct(column.type):
        inner = column.flatten()
        return all(map(_is_finite, inner if isinstance(inner, list) else [inner]))
    return True


def _lines_of(batch: pa.RecordBatch) -> list[bytes]:
    """Return the rows as lines of JSON, with the fields in the order of the schema."""
    columns = [batch.column(name).to_pylist() for name in ITEM.names]
    return [orjson.dumps(dict(zip(ITEM.names, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE)
            for row in zip(*columns, strict=True)]  # fmt: skip


def _json_rows(lines: Sequence[bytes], wanted: int, twin: Place) -> list[dict[str, Any]]:
    """Return the parsed lines; raise OutputBroken if lines are missing or incomplete."""
    try:
        rows = orjson.loads(b"[" + b",".join(lines) + b"]")
    except orjson.JSONDecodeError:
        rows = []
    whole = len(rows) == len(lines) == wanted
    if whole and all(isinstance(row, dict) and row.keys() >= _COLUMNS for row in rows):
        return rows
    return [_json_row(line, twin) for line in (*lines, *[b"null"] * (wanted - len(lines)))]

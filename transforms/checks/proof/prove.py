"""Proves all rows with limited memory: some videos, and one template of these, at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.garbage import no_collection
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.checks.audit import Audit
from surgqa.transforms.checks.bounds import source_of
from surgqa.transforms.checks.items import SPLIT, item_problems
from surgqa.transforms.checks.proof import evidence
from surgqa.transforms.checks.proof.cases import put_cases
from surgqa.transforms.checks.proof.chains import chain_problems, said_of
from surgqa.transforms.checks.proof.drawn import drawn_problems
from surgqa.transforms.checks.proof.gates import measured_nodes
from surgqa.transforms.checks.proof.head import also_nodes, shape_problems
from surgqa.transforms.checks.proof.knowledge import looked_up_nodes
from surgqa.transforms.checks.proof.margins import pair_problems
from surgqa.transforms.checks.proof.one import row_problems
from surgqa.transforms.checks.proof.rounds import stream_problems
from surgqa.transforms.checks.proof.rows import COLUMNS, ProofRow, read_row
from surgqa.transforms.checks.proof.rubrics import rival_nodes
from surgqa.transforms.checks.proof.shares import exchange_problems
from surgqa.transforms.checks.proof.texts import unread_nodes
from surgqa.transforms.checks.proof.truth import Proved, proved, truth_problems
from surgqa.transforms.checks.proof.windows import Clips
from surgqa.transforms.checks.proof.words import names_instances, track_words_of
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.checks.splits import Splits
from surgqa.transforms.language.load import parse_folder
from surgqa.transforms.language.program import Program, Stage
from surgqa.transforms.places import copy_tree
from surgqa.transforms.store.folder import OutputFolder

BATCH = 4_000
"""About how many rows one query proves; a batch has all rows of its videos."""

NO_QUERY = (KeyError, TypeError, ModuleNotFoundError, duckdb.Error)
"""Exceptions that mean that a template cannot be expressed in SQL."""

UNDECIDED = ("answer_undecided", "rule_missing")
"""Codes of findings about items whose answer was not computed."""

Row = dict[str, Any]


class RowsToProve:
    """Rows to be proved, stored on disk while the shards are read.

    Args:
        scratch: an existing folder for the file.
        schema: schema of the batches.
    """

    def __init__(self, scratch: Path, schema: pa.Schema) -> None:
        self.file = scratch / "programmed.parquet"
        self.schema = schema
        self._writer: pq.ParquetWriter | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Store the rows of a batch."""
        if len(batch):
            if self._writer is None:
                self._writer = pq.ParquetWriter(self.file, self.schema, compression="lz4")
            self._writer.write_batch(batch)

    def close(self) -> bool:
        """Close the file; return whether there are any rows."""
        if self._writer is None:
            return False
        self._writer.close()
        return True

    def view(self, con: duckdb.DuckDBPyConnection) -> None:
        """Create the view ``programmed`` of all stored rows; call :meth:`close` before."""
        name = str(self.file).replace("'", "''")
        con.execute(f"create view programmed as from read_parquet('{name}')")


@dataclass
class Proof:
    """Proves rows and collects the findings.

    Attributes:
        recomputed: for each rule, the number of items whose answer was computed.
        audit: statistics of the dataset.
        splits: the splits of all rows.
        whole: True if all rows of the output are read, so that no part of a chain may be missing.
    """

    folder: OutputFolder
    findings: Findings
    recomputed: Counter[str] = field(default_factory=Counter)
    audit: Audit = field(default_factory=Audit)
    splits: Splits = field(default_factory=Splits)
    whole: bool = True

    def rows(self, rows: RowsToProve, kept: Kept, scratch: Path) -> None:
        """Prove all rows, group of videos by group, and in each group template by template."""
        if not rows.close():
            return
        con = evidence.opened(self.folder, scratch)
        rows.view(con)
        kinds = {kind for program in kept[0].values() for kind in program.kinds}
        for some in evidence.some_at_a_time(con, "programmed"):
            evidence.put_evidence(con, some, kinds)
            file, reading = copied(con, some, scratch), evidence.WORLDS
            self._beside(con, some, file)
            for template, batch in batches(file):
                wanted = kept[0][template].reading if template in kept[0] else reading
                if wanted != reading:
                    evidence.put_evidence(con, some, kinds, reading := wanted)
                self._template(con, kept, template, batch)
        con.close()

    def _beside(self, con: duckdb.DuckDBPyConnection, some: evidence.Some, file: Path) -> None:
        """Compare rows with their videos and with each other, and count their splits."""
        rows = source_of(file, file.parent)
        for code, item, detail in item_problems(con, rows, some.sql()):
            self.findings.add(code, item, detail)
        con.execute(SPLIT.format(rows=rows))
        names = [column[0] for column in con.description or ()]
        for values in con.fetchall():
            self.splits.add(dict(zip(names, values, strict=True)))

    def _template(
        self, con: duckdb.DuckDBPyConnection, kept: Kept, template: str, batch: list[Row]
    ) -> None:
        """Prove some rows of a template."""
        programs, wrong = kept
        for row in batch:
            self.audit.add(row)
        if template in programs:
            self._batch(con, programs[template], batch)
        else:
            for row in batch:
                self.findings.add("template_missing", row["item_id"], why_not(template, wrong))

    @no_collection()
    def _batch(self, con: duckdb.DuckDBPyConnection, program: Program, batch: list[Row]) -> None:
        asked = []
        for row in batch:
            found = read_row(program, row)
            if isinstance(found, ProofRow):
                asked.append(found)
            else:
                for code, detail in found:
                    self.findings.add(code, row["item_id"], detail)
        undecided = set()
        for item, code, detail in self._found(con, program, asked):
            self.findings.add(code, item, detail)
            if code in UNDECIDED:
                undecided.add(item)
        self.recomputed.update(str(one.row["rule"]) for one in asked if one.id not in undecided)

    def _found(
        self, con: duckdb.DuckDBPyConnection, program: Program, asked: Sequence[ProofRow]
    ) -> list[tuple[str, str, str]]:
        """Return all findings; a query that runs out of memory is repeated with half the videos."""
        complete = self.whole and self.folder.manifest.get("dropped") == {}
        try:
            return list(problems(con, program, asked, whole=self.whole, complete=complete))
        except duckdb.OutOfMemoryException as error:
            parts = in_halves(asked)
            if len(parts) == 1:
                return _unproved(program, asked, error)
        return [one for part in parts for one in self._found(con, program, part)]


def why_not(template: str, wrong: Mapping[str, str]) -> str:
    """Return why a template cannot be used: its file is missing or has an error."""
    variants = (template, template.rpartition(".")[0])  # a file may have several variants
    found = next(
        (wrong[name] for name in variants if name in wrong), "not in any file of templates/"
    )
    return f"{template}: {found}"


def programs_of(folder: OutputFolder) -> dict[str, Program]:
    """Return the program of each template that is stored with an output, by template id."""
    return dict(kept_templates(folder)[0])


Kept = tuple[Mapping[str, Program], Mapping[str, str]]
"""(template id -> program, template id -> error of its file)"""


def kept_templates(folder: OutputFolder) -> Kept:
    """Return the templates stored with an output."""
    templates = folder.path / "templates"
    if not templates.is_dir():
        return {}, {}
    with TemporaryDirectory(prefix="surgqa-templates-") as near:
        if not isinstance(templates, Path):
            copy_tree(templates, Path(near))
        programs, findings = parse_folder(
            templates if isinstance(templates, Path) else Path(near), with_examples=False
        )
    wrong: dict[str, str] = {}
    for one in findings:
        if one.severity == "error":
            wrong.setdefault(one.path.removesuffix(".yaml").replace("/", "."), str(one))
    return {one.id: one for one in programs}, wrong


def copied(con: duckdb.DuckDBPyConnection, some: evidence.Some, scratch: Path) -> Path:
    """Copy the rows of some videos to a Parquet file, sorted by template and video.

    A file is used because an open result of a sorted query would keep a fifth of the memory.
    """
    file = scratch / "part.parquet"
    query = (f"from programmed where {some.sql()} "
             "order by template_id, dataset, video_id, chain_id, stage, item_id")  # fmt: skip
    quoted = str(file).replace("'", "''")
    con.execute(f"copy ({query}) to '{quoted}' (format parquet, row_group_size {BATCH})")
    return file


def batches(file: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield (template id, all its rows about some videos), in the order of the file."""
    stored = pq.ParquetFile(file).iter_batches(BATCH, columns=list(COLUMNS))
    rows = (row for batch in stored for row in _plain(batch))
    for template, mine in groupby(rows, key=itemgetter("template_id")):
        out: list[Row] = []
        for _, video in groupby(mine, key=itemgetter("dataset", "video_id")):
            out += video
            if len(out) >= BATCH:
                yield template, out
                out = []
        if out:
            yield template, out


def in_halves(asked: Sequence[ProofRow]) -> list[Sequence[ProofRow]]:
    """Split rows in two by their videos: one half of the videos each."""
    videos = list(dict.fromkeys(map(_video, asked)))
    first = set(videos[: len(videos) // 2])
    parts = ([one for one in asked if (_video(one) in first) is half] for half in (True, False))
    return [part for part in parts if part]


def _video(one: ProofRow) -> tuple[str, str]:
    return one.row["dataset"], one.row["video_id"]


@no_collection()
def _plain(batch: pa.RecordBatch) -> list[Row]:
    return batch.to_pylist()


def problems(
    con: duckdb.DuckDBPyConnection, program: Program, asked: Sequence[ProofRow], *,
    whole: bool = True, complete: bool = False,
) -> Iterator[tuple[str, str, str]]:  # fmt: skip
    """Yield (item id, code, detail) for every error in some rows of a template.

    Rows with values of a wrong type are not proved, because queries cannot read these values.
    """
    around = Around()
    odd = {id(one): list(shape_problems(one)) for one in asked}
    for one in asked:
        yield from ((one.id, code, detail) for code, detail in odd[id(one)])
    asked = [one for one in asked if not odd[id(one)]]
    chains: dict[str, list[ProofRow]] = defaultdict(list)
    for one in asked:
        if one.row["chain_id"] is not None:
            chains[one.row["chain_id"]].append(one)
    for stage in program.stages:
        mine = [one for one in asked if one.stage is stage]
        if mine:
            yield from _of_stage(con, mine, chains, around, whole)
    for parts in chains.values():
        for code, item, detail in chain_problems(parts, whole):
            yield item, code, detail
    yield from pair_problems(asked, complete)


def _of_stage(
    con: duckdb.DuckDBPyConnection, asked: Sequence[ProofRow],
    chains: Mapping[str, Sequence[ProofRow]], around: Around, whole: bool,
) -> Iterator[tuple[str, str, str]]:  # fmt: skip
    program, stage = asked[0].program, asked[0].stage
    put_cases(con, asked, chains)
    around.look(con, program)
    track_words = track_words_of(con) if names_instances(stage) else {}
    wanted = dict.fromkeys((*unread_nodes(stage), *measured_nodes(program), *rival_nodes(stage),
                            *also_nodes(stage), *looked_up_nodes(stage)))  # fmt: skip
    found = _proved(con, program, stage, asked, list(wanted))
    given = [one.more() for one in found] if isinstance(found, list) else [{}] * len(asked)
    for q, one in enumerate(asked):
        key = f"{one.row['dataset']}/{one.row['video_id']}"
        sides = track_words.get(q, {})
        for code, detail in row_problems(
            one, around.durations.get(key, 0), around.clips.get(key, frozenset()),
            instants=around.instants.get(key, ()), track_words=sides,
            said=said_of(chains.get(one.row["chain_id"], ()), sides), given=given[q],
        ):  # fmt: skip
            yield one.id, code, detail
    yield from _truths(con, asked, found, whole)


def _unproved(
    program: Program, asked: Sequence[ProofRow], error: Exception
) -> list[tuple[str, str, str]]:
    line = str(error).split("\n")[0]
    return [(one.id, "rule_missing", f"{program.id}: its query failed: {line}") for one in asked]


def _proved(
    con: duckdb.DuckDBPyConnection, program: Program, stage: Stage, asked: Sequence[ProofRow],
    more: Sequence[Node],
) -> list[Proved] | Exception:  # fmt: skip
    """Return the values that the evidence gives for each row, or why no query can give them."""
    try:
        return proved(con, program, stage, asked, more)
    except duckdb.OutOfMemoryException:
        raise
    except NO_QUERY as error:
        return error


def _truths(
    con: duckdb.DuckDBPyConnection, asked: Sequence[ProofRow], found: list[Proved] | Exception,
    whole: bool,
) -> Iterator[tuple[str, str, str]]:  # fmt: skip
    program = asked[0].program
    if isinstance(found, Exception):
        yield from _unproved(program, asked, found)
        return
    try:
        more = [*drawn_problems(con, asked, found), *exchange_problems(asked, whole),
                *stream_problems(con, asked, found)]  # fmt: skip
    except duckdb.OutOfMemoryException:
        raise
    except NO_QUERY as error:
        yield from _unproved(program, asked, error)
        return
    yield from more
    for one, values in zip(asked, found, strict=True):
        for code, detail in truth_problems(one, values):
            yield one.id, code, detail


@dataclass
class Around:
    """What windows are compared with, by video.

    Attributes:
        durations: durations in microseconds.
        clips: windows of the clips.
        instants: annotated instants, only for templates that ask at such instants.
    """

    durations: dict[str, int] = field(default_factory=dict)
    clips: dict[str, Clips] = field(default_factory=dict)
    instants: dict[str, Sequence[int]] = field(default_factory=dict)

    def look(self, con: duckdb.DuckDBPyConnection, program: Program) -> None:
        """Read these data for the videos of the table ``cases``."""
        here = "video in (select video from cases)"
        query = f"select video, duration_us from videos where {here}"
        self.durations = dict(con.execute(query).fetchall())
        if program.unit.kind == "clip":
            clips: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
            query = f"select video, id, start_us, end_us from clips where {here}"
            for video, name, start, end in con.execute(query).fetchall():
                clips[video].add((name, start, end))
            self.clips = {video: frozenset(many) for video, many in clips.items()}
        if program.unit.kind in ("now", "stream") and program.unit.now is None:
            query = f"select video, list(t order by t) from instants where {here} group by video"
            self.instants = dict(con.execute(query).fetchall())

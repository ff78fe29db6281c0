"""Writes the proof of one item as an SQL script for the DuckDB shell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.algebra.sql.bank import BANK, add_bank
from surgqa.transforms.algebra.sql.options import options_query
from surgqa.transforms.algebra.sql.program import compiled
from surgqa.transforms.checks.bounds import source_of
from surgqa.transforms.checks.proof import evidence
from surgqa.transforms.checks.proof.cases import CASES, ENDS, last_round, named_windows
from surgqa.transforms.checks.proof.options import canonical, pool_name
from surgqa.transforms.checks.proof.prove import programs_of
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from surgqa.transforms.language.program import Program
from surgqa.transforms.store.folder import OutputFolder
from surgqa.transforms.store.trace import find_item

NO_POOL = "select 0 as o, true as differs, true as excluded, '' as pool where false"


def script(folder: OutputFolder, item_id: str) -> str:
    """Return SQL that computes an item's answer, and why each of its options is right or wrong.

    The script must be run in the output's folder.

    Raises:
        UserError: there is no such item, or its template is not stored with the output.
    """
    row = find_item(folder, item_id)
    programs = programs_of(folder)
    program = programs.get(row["template_id"])
    if program is None:
        raise OutputBroken(
            "no query can be shown for this item",
            expected="a template in the output's folder 'templates'",
            found=row["template_id"],
            where=str(folder.path),
            fix="build the dataset again with a template of schema question/v1",
        )
    asked = read_row(program, row)
    if not isinstance(asked, ProofRow):
        raise OutputBroken("the item does not fit its template", found=asked[0][1],
                           where=row["item_id"], fix="run 'surgqa check'")  # fmt: skip
    parts = [*_head(asked), *_tables(asked), *_bank(folder, program, asked)]
    parts += ["-- The item: its window, its query time and its drawn values"]
    parts += [_case(folder, asked), *_answer(asked), *_options(asked)]
    return "\n".join(parts) + "\n"


def _head(asked: ProofRow) -> Iterator[str]:
    row = asked.row
    yield " ".join(f"-- Item {row['item_id']} of template {row['template_id']}".split())
    # A line break in the data would end the SQL comment and start a command.
    yield " ".join(f"-- {row['question']}".split())
    yield " ".join(f"-- Stored answer: {row['answer']}".split())
    yield "-- Run this in the folder of the dataset, in the DuckDB shell."


def text(value: object) -> str:
    """Return the SQL literal of a text; NULL for None."""
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


def literal(value: object) -> str:
    """Return the SQL literal of a value."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return str(value) if isinstance(value, int | float) else text(value)


def _tables(asked: ProofRow) -> Iterator[str]:
    """Yield SQL that loads the evidence of the item's video."""
    yield "-- The evidence of the video"
    for name in evidence.TABLES:
        if name != "clips":
            file = f"read_parquet('evidence/{evidence.file_of(name)}.parquet')"
            yield f"create or replace temp table {name} as {_of_recording(name, file, asked.row)};"
    if asked.program.reading != evidence.WORLDS:
        yield evidence.EXACT.strip()
    yield evidence.SAMPLES_AS_FACTS.strip()


def _of_recording(table: str, file: str, row: Mapping[str, Any]) -> str:
    """Return SQL for the rows of a table that belong to the item's video."""
    where = f"dataset = {text(row['dataset'])} and video_id = {text(row['video_id'])}"
    return evidence.TABLES[table].format(source=f"{file} where {where}")


def _bank(folder: OutputFolder, program: Program, asked: ProofRow) -> Iterator[str]:
    """Yield SQL with the knowledge bank's rows for the video's operation, if they are used."""
    kinds = sorted(set(program.kinds) & set(BANK))
    if not kinds:
        return
    yield "-- Entries of the knowledge bank"
    with (
        TemporaryDirectory(prefix="surgqa-explain-") as scratch,
        evidence.in_bounds(Path(scratch)) as con,
    ):
        for name in ("facts", "holes", "looked", "videos"):
            source = source_of(folder.path / "evidence" / f"{name}.parquet", Path(scratch))
            con.execute(f"create table {name} as {_of_recording(name, source, asked.row)}")
        add_bank(con)
        for name in ("facts", "holes", "looked"):
            rows = con.execute(f"from {name} where list_contains(?, kind) order by all",
                               [kinds]).fetchall()  # fmt: skip
            values = ",\n  ".join(f"({', '.join(map(literal, row))})" for row in rows)
            if rows:
                yield f"insert into {name} values\n  {values};"


def _case(folder: OutputFolder, asked: ProofRow) -> str:
    row = asked.row
    slots = {**asked.slots, **named_windows(_chain(folder, asked)), **last_round(asked)}
    return (
        f"create or replace temp table given_rows as select 0::bigint as q, "
        f"{text(row['dataset'] + '/' + row['video_id'])} as video, "
        f"{row['start_us']}::bigint as start_us, {row['end_us']}::bigint as end_us, "
        f"{'NULL' if row['query_us'] is None else row['query_us']}::bigint as now_us, "
        f"{text(asked.program.unit.kind)} as unit, {text(canonical(slots))} as slots;\n"
        f"{ENDS.strip()}\n{CASES.strip()};"
    )


def _chain(folder: OutputFolder, asked: ProofRow) -> list[ProofRow]:
    """Return all rows of the item's chain; an empty list if the item is in no chain."""
    if asked.row["chain_id"] is None:
        return []
    rows = [row for row in folder.rows(asked.row["benchmark"])
            if row["chain_id"] == asked.row["chain_id"]]  # fmt: skip
    found = [read_row(asked.program, row) for row in rows]
    return [one for one in found if isinstance(one, ProofRow)]


def _answer(asked: ProofRow) -> Iterator[str]:
    query = compiled(asked.program, asked.stage)
    yield "-- Every name of the template, every condition, and the answer"
    yield f"create or replace temp table proved as {query.sql};"
    yield "select * exclude (q) from proved;"
    shown = ", ".join(f'"answer.{name}" as {_quoted(name)}' for name, _ in asked.stage.answer)
    yield f"select {shown} from proved;"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _options(asked: ProofRow) -> Iterator[str]:
    """Yield SQL that returns each option with the reason why it is right or wrong."""
    options: Sequence[Mapping[str, Any]] = asked.row["options"] or ()
    if not options:
        return
    yield "-- Every option, and why it is right or wrong"
    rows = ",\n  ".join(
        f"({k}, 0, {text(one['value'])}, {text(one['key'])}, {text(one['text'])}, "
        f"{str(one['is_answer']).lower()}, {text(one['kind'])})"
        for k, one in enumerate(options)
    )
    yield (f"create or replace temp table options as select * from (values\n  {rows}) "
           "as t(o, q, value, key, text, is_answer, pool);")  # fmt: skip
    judged = []
    for k, pool in enumerate(asked.stage.wrong):
        query = options_query(asked.program, asked.stage, k)
        yield f"create or replace temp table pool_{k} as {query};"
        judged.append(f"select *, {text(pool_name(pool))} as pool from pool_{k}")
    judged_by = " union all ".join(judged) or NO_POOL
    yield (
        "select p.key, p.text, p.value, case when p.is_answer then 'the answer' "
        "when j.differs is null then 'false in at least one of its parts' "
        "when j.differs and j.excluded then 'certainly another value, from ' || p.pool "
        "when j.differs then 'not certainly false: the pool''s condition may hold' "
        "else 'not certainly another value' end as reason "
        f"from options p left join (select o, pool, any_value(differs) as differs, "
        f"bool_or(excluded) as excluded from ({judged_by}) group by o, pool) j "
        "on j.o = p.o and j.pool = p.pool order by p.key;"
    )

"""Creates the table ``cases``, from which the queries of proofs start: one row for each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.rows import ProofRow


def put_cases(
    con: duckdb.DuckDBPyConnection, asked: Sequence[ProofRow],
    chains: Mapping[str, Sequence[ProofRow]], extra: Sequence[Mapping[str, Any]] = (),
) -> None:  # fmt: skip
    """Create the tables ``cases`` and ``windows``, with one row for each item.

    If labels are those of instants, a window ends with its last annotated instant, because nobody
    annotated the time after it.

    Args:
        chains: the rows of each chain, by chain id; a stage may refer to the windows of other
            stages.
        extra: further values of each row by name, such as the time of a round.
    """
    more = extra or [last_round(one) for one in asked]
    slots = [canonical({**_named(a, chains), **m}) for a, m in zip(asked, more, strict=True)]
    columns = {
        "q": pa.array(range(len(asked)), pa.int64()),
        "video": pa.array([f"{a.row['dataset']}/{a.row['video_id']}" for a in asked], pa.string()),
        "start_us": pa.array([a.row["start_us"] for a in asked], pa.int64()),
        "end_us": pa.array([a.row["end_us"] for a in asked], pa.int64()),
        "now_us": pa.array([a.row["query_us"] for a in asked], pa.int64()),
        "unit": pa.array([a.program.unit.kind for a in asked], pa.string()),
        "slots": pa.array(slots, pa.string()),
    }
    con.register("given_rows", pa.table(columns))
    con.execute(ENDS)
    con.execute(CASES)
    con.execute("create or replace temp table windows as "
                "select q, video, window_start_us as a, window_end_us as b from cases")  # fmt: skip
    con.unregister("given_rows")


ENDS = """
create temp table if not exists shared_ends (
  video varchar, start_us bigint, end_us bigint, last_us bigint);
insert into shared_ends
select g.video, g.start_us, g.end_us, max(i.t) from (
  select distinct video, start_us, end_us from given_rows
  where unit in ('clip', 'still', 'recording')) g
anti join shared_ends using (video, start_us, end_us)
left join instants i on i.video = g.video and i.t >= g.start_us and i.t < g.end_us
group by g.video, g.start_us, g.end_us;
"""
"""The last annotated instant of each window.

Many items have the same window, so its last instant is stored.
"""

CASES = """
create or replace temp table cases as
select g.q, g.video, g.start_us as window_start_us,
  coalesce(i.last_us + 1, g.end_us) as window_end_us, g.now_us, g.slots
from given_rows g left join shared_ends i on g.unit in ('clip', 'still', 'recording')
  and i.video = g.video and i.start_us = g.start_us and i.end_us = g.end_us
"""
"""Creates ``cases`` from the table ``given_rows``."""


def last_round(one: ProofRow) -> dict[str, int]:
    """Return the time of the last round as ``{"round": microseconds}``, or {} without rounds.

    The answer of a question that is asked again and again is its answer in the last round.
    """
    rounds = one.program.rounds
    if rounds is None or not rounds.every:
        return {}
    start, end = one.row["start_us"], one.row["end_us"]
    return {"round": start + (end - start - 1) // rounds.every * rounds.every}


def _named(one: ProofRow, chains: Mapping[str, Sequence[ProofRow]]) -> dict[str, Any]:
    """Return the values of a row's names and, for a chain, the windows of its stages."""
    return {**one.slots, **named_windows(chains.get(one.row["chain_id"], ()))}


def named_windows(parts: Sequence[ProofRow]) -> dict[str, Any]:
    """Return the windows of a chain's stages, by the names that queries use for them."""
    return {
        f"{part.stage.name}.window": {"start": part.row["start_us"], "end": part.row["end_us"]}
        for part in parts
    }

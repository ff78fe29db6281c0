"""Compares what the manifest states about shares of answers with counts of the rows; checks blocks.

The items of a block offer each other's correct answers as options. The queries prove that each of
these options is wrong in all other items of the block.

``docs/blind.md`` explains how a build reaches the shares that a template asks for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from surgqa.transforms.algebra.tree import Call, Name
from surgqa.transforms.checks.proof.head import digest
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.rows import ProofRow
from surgqa.transforms.language.program import Program
from surgqa.transforms.store.folder import OutputFolder

Found = tuple[str, str, str]
"""(item id, code, detail)"""

KIND = "exchange"
UNORDERED = ("label", "act", "word")
"""Types of answers whose items may be without a block if no other item fits."""


def exchange_problems(asked: Sequence[ProofRow], whole: bool = True) -> Iterator[Found]:
    """Yield errors in the blocks of the items of one stage of a template.

    Args:
        asked: all rows of the videos.
        whole: True if all rows of the output were read, so that no block may be incomplete.
    """
    stage = asked[0].stage
    exchanges = any(isinstance(pool, Call) and pool.op == KIND for pool in stage.wrong)
    blocks: dict[tuple[str, str, str], list[ProofRow]] = defaultdict(list)
    for one in asked:
        block = one.row["block"]
        if block is not None:
            blocks[one.row["dataset"], one.row["video_id"], block].append(one)
        if block is not None and not exchanges:
            yield one.id, "block_differs", "has a block, but the template has no pool 'exchange'"
        elif block is None and exchanges and _kinds(one) == {KIND}:
            kind = stage.answer[0][1].type.name
            if kind not in UNORDERED:
                yield one.id, "block_differs", f"no block, but a {kind} can be guessed by position"
    for (_, _, block), items in blocks.items():
        for detail in _differing(block, items, whole):
            yield from ((one.id, "block_differs", detail) for one in items)


def _kinds(one: ProofRow) -> set[str]:
    return {option["kind"] for option in one.row["options"] or () if not option["is_answer"]}


def _differing(block: str, items: Sequence[ProofRow], whole: bool) -> Iterator[str]:
    """Yield errors in a block: its items have different answers, and each offers all of them."""
    if any(_kinds(one) != {KIND} for one in items):
        yield f"block {block}: has options of other pools"
    answers = [canonical(one.answer) for one in items]
    if len(set(answers)) < len(answers):
        yield f"block {block}: {len(items)} items, {len(set(answers))} answers"
    offered = {frozenset(map(canonical, one.offered)) for one in items}
    if len(offered) > 1:
        yield f"block {block}: {len(offered)} lists of options"
    if whole and any(set(answers) != one for one in offered):
        yield f"block {block}: has options that are the answer of none of its items"
    if whole and block != digest("block", *sorted(one.id for one in items)):
        yield f"block {block} is not the digest of its items"


FEW = 10
"""If a dataset has fewer items than this, none are dropped to reach a share."""

THINNED = ("one_answer", "over_share")
"""Codes in ``rejected/choose`` of items that were dropped to reach a share."""

Entry = Mapping[str, Any]
Place = tuple[str, str]
"""(dataset, template)"""


@dataclass(frozen=True)
class Counted:
    """Number of chains (or of items without a chain) of a template in a dataset, by yes and no."""

    all: int
    yes: int
    no: int


def share_problems(
    folder: OutputFolder, programs: Mapping[str, Program], con: duckdb.DuckDBPyConnection
) -> Iterator[str]:
    """Yield a message for each wrong statement of the manifest about shares.

    Args:
        con: a database with all rows as the table ``programmed``.
    """
    by_place: dict[Place, list[Entry]] = defaultdict(list)
    for entry in folder.manifest.get("shares", ()):
        by_place[entry["dataset"], entry["template"]].append(entry)
    gone = _gone(folder)
    for name, program in programs.items():
        promise = promised(program)
        if promise is None and name not in {template for _, template in by_place}:
            continue
        for dataset, counted in _counted(con, program, promise).items():
            at = dataset, name
            if promise is not None and at not in by_place and _by_shares(folder):
                yield f"{name} on {dataset}: the manifest has no entry for {promise[0]!r}"
            if not _exchanges(program) and any(one.get("blocks") for one in by_place[at]):
                yield f"{name} on {dataset}: has blocks, but the template has no pool 'exchange'"
            lost = (gone[(*at, True)] // len(program.stages), gone[(*at, False)])
            yield from _problems(at, by_place.pop(at, []), promise, counted, lost)
    for (dataset, name), entries in by_place.items():
        if any(sum(entry["kept"]) for entry in entries):
            yield f"{name} on {dataset}: the manifest has items, found none"


def _by_shares(folder: OutputFolder) -> bool:
    settings = folder.manifest.get("settings") or {}
    return "shares" in folder.manifest and settings.get("balance") in (None, "shares")


def promised(program: Program) -> tuple[str, float] | None:
    """Return (name of a yes/no value, its share of yes) that a template promises, or None."""
    for node in program.draw.even:
        if isinstance(node, Name) and node.type.name == "truth":
            return node.name, 0.5
    for name, shares in program.draw.shares:
        step = program.step(name)
        if step is not None and step.node.type.name == "truth":
            return name, float(dict(shares).get("yes", 0))
    return None


def _exchanges(program: Program) -> bool:
    return any(isinstance(pool, Call) and pool.op == KIND
               for stage in program.stages for pool in stage.wrong)  # fmt: skip


def _gone(folder: OutputFolder) -> Counter[tuple[str, str, bool]]:
    """Return the number of dropped items by (dataset, template, whether a share was the reason)."""
    rows = folder.rejected("choose")
    return Counter((row["dataset"], row["where"], row["code"] in THINNED) for row in rows)


def _counted(
    con: duckdb.DuckDBPyConnection, program: Program, promise: tuple[str, float] | None
) -> dict[str, Counted]:
    """Return the counts of a template's items for each dataset."""
    name = promise[0] if promise else "-"
    fields = [field for field, _ in program.stages[0].answer]
    column, field = ("answer_value", fields[0]) if name == "answer" else ("slots", name)
    rows = con.execute(
        f"""with sides as (
          select dataset, coalesce(chain_id, item_id) as key,
            case when json_valid({column})
              then json_extract({column}, '$."' || $field || '"') end as side
          from programmed where template_id = $template and ($column = 'slots' or
            case when json_valid(answer_value) then json_keys(answer_value) = $fields end)),
        keys as (select dataset, key, bool_or(try_cast(side as boolean))
          filter (where json_type(side) = 'BOOLEAN') as yes from sides group by all)
        select dataset, count(*), count(*) filter (where yes), count(*) filter (where not yes)
        from keys group by all order by all""",
        {"template": program.id, "column": column, "field": field, "fields": fields},
    ).fetchall()
    return {dataset: Counted(*numbers) for dataset, *numbers in rows}


def _problems(
    at: Place, entries: Sequence[Entry], promise: tuple[str, float] | None, counted: Counted,
    lost: tuple[int, int],
) -> Iterator[str]:  # fmt: skip
    """Yield errors in the manifest's entries for one dataset and template.

    Args:
        promise: the result of :func:`promised`.
        lost: number of items that were dropped for shares, and for other reasons.
    """
    what = f"{at[1]} on {at[0]}"
    thinned, others = lost
    made, kept = (sum(sum(entry[name]) for entry in entries) for name in ("made", "kept"))
    if entries and made - kept != thinned:
        yield f"{what}: {made} made and {kept} kept, but {thinned} were dropped"
    for entry in entries:
        pairs = zip(entry["made"], entry["kept"], strict=False)
        if len(entry["made"]) != len(entry["kept"]) or any(a < b for a, b in pairs):
            yield f"{what}: {entry['kept']} kept of {entry['made']}"
        if promise is not None:
            few = counted.all + thinned + others < FEW
            single = not few and not all(entry["made"]) and promise[1] not in (0, 1)
            answer = ("yes" if entry["made"][0] else "no") if single else None
            found = {"of": promise[0], "wanted": promise[1], "few": few, "answer": answer,
                     "options": []}  # fmt: skip
            there = [counted.yes, counted.no]
        else:
            found = {"of": None, "wanted": None, "few": False}
            there = [] if entry.get("options") else [counted.all]
        for name, value in found.items():
            if entry.get(name) != value:
                yield f"{what}: {name} {entry.get(name)!r}, found {value!r}"
        if there and not _within(entry["kept"], there, others):
            yield f"{what}: {entry['kept']} kept, {there} found"


def _within(kept: Sequence[int], there: Sequence[int], others: int) -> bool:
    """Return whether as many rows exist as were kept, up to ``others`` that later steps dropped."""
    pairs = list(zip(kept, there, strict=False))
    return len(kept) == len(there) and all(b <= a <= b + others for a, b in pairs)

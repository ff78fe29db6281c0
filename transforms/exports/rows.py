"""Converts items to rows, as dictionaries for JSON Lines and as columns for Arrow.

Both formats are made from the same dictionaries, so they contain the same rows. Items about one
video with the same question and different answers form pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate
from operator import itemgetter
from typing import Any

import orjson
import pyarrow as pa

from surgqa.ontology.items import Item
from surgqa.ontology.keys import Key, digest
from surgqa.ontology.records import Video
from surgqa.ontology.rows import ITEM
from surgqa.transforms.algebra.margins import level, margin
from surgqa.transforms.blind.words import skeleton
from surgqa.transforms.language import Program

Row = Mapping[str, Any]

ORDER = Key("choose", "pairs")
"""Items without a partner are its last; in the order of ids, what is kept is a fair sample."""


def pairs_of(rows: Iterable[Row]) -> dict[str, str]:
    """Return item id -> id of its pair, for the rows of one video.

    Two questions count as the same if they differ only in times and numbers. Of a chain, the main
    question counts. As many pairs as possible are formed, in the order of :data:`ORDER`.
    """
    asked: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda row: ORDER.h64(row["item_id"])):
        if not row["stage"]:
            question = (row["template_id"], skeleton(row["question"]))
            asked[question][_answer(row)].append(row["item_id"])
    out: dict[str, str] = {}
    for (template, _), answers in asked.items():
        for both in _matched(answers.values()):
            out |= dict.fromkeys(both, digest("pair", template, *sorted(both)))
    return out


def _answer(row: Row) -> str:
    """Return the correct answer in lower case, without its letter."""
    right = [one["text"] for one in row["options"] if one["is_answer"]]
    return str(right[0] if right else row["answer"]).casefold()


def _matched(answers: Iterable[list[str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of ids with different answers, given the ids of each answer."""
    heap = [(-len(ids), ids[0], ids) for ids in answers]
    heapify(heap)
    while len(heap) > 1:
        (_, _, a), (_, _, b) = heappop(heap), heappop(heap)
        yield a[0], b[0]
        for rest in (a[1:], b[1:]):
            if rest:
                heappush(heap, (-len(rest), rest[0], rest))


_CANONICAL = orjson.OPT_SORT_KEYS
LINE = "line"
"""Column of intermediate files with the whole row as a line of JSON."""

PART = ITEM.append(pa.field(LINE, pa.large_binary()))


def canonical(value: Any) -> str:
    """Return a value as canonical JSON: sorted keys, no spaces."""
    return orjson.dumps(value, option=_CANONICAL).decode()


def video_fields(video: Video, split: str) -> dict[str, Any]:
    """Return the columns whose values all items of a video have in common."""
    return {
        "dataset": video.dataset,
        "video_id": video.video_id,
        "split": split,
        "split_group": video.split_group,
        "procedure": video.procedure,
        "specialty": video.specialty,
        "resolution_us": video.period_us,
        "media": {
            "path": video.media.path,
            "kind": str(video.media.kind),
            "fps_num": video.fps.numerator,
            "fps_den": video.fps.denominator,
            "width": video.media.width,
            "height": video.media.height,
            "first": video.media.first,
            "sha256": video.media.sha256,
        },
        "label_source": video.label_source,
        "licence": video.licence,
    }


def template_fields(template: Program) -> dict[str, Any]:
    """Return the columns whose values all items of a template have in common."""
    return {
        "benchmark": template.benchmark,
        "task": template.task,
        "form": template.form,
        "template_id": template.id,
        "template_version": template.version,
    }


@dataclass(frozen=True, slots=True)
class Blank:
    """A row without the fields of its item.

    Attributes:
        fields: all columns of :data:`ontology.rows.ITEM`, with the values that items have in
            common.
        type_name: type of an answer with one field; '' for answers with several fields.
    """

    fields: Mapping[str, Any]
    type_name: str


def blank(*shared: Mapping[str, Any]) -> Blank:
    """Return a row that has only the given values."""
    known = {name: value for some in shared for name, value in some.items()}
    answer = orjson.loads(known.get("rule_args") or "{}").get("answer") or {}
    types = [one["type"] for one in answer.values()]
    fields = {name: known.get(name, [] if name == "rounds" else None) for name in ITEM.names}
    return Blank(fields, types[0] if len(types) == 1 else "")


def row(item: Item, base: Blank) -> dict[str, Any]:
    """Return the row of an item: the values of ``base`` and the values of the item."""
    out = dict(base.fields)
    out.update(
        item_id=item.item_id,
        window_id=item.window.window_id,
        start_us=item.window.start_us,
        end_us=item.window.end_us,
        question=item.question,
        answer=item.answer,
        answer_key=next((o.key for o in item.options if o.is_answer), None),
        block=item.block,
        answer_value=canonical(item.answer_value),
        slots=canonical(item.slots),
        evidence=[
            {"kind": p.kind, "id": p.id, "start_us": p.start_us, "end_us": p.end_us}
            for p in item.evidence
        ],
        reasoning=list(item.reasoning),
        knowledge=item.knowledge,
        clue=item.clue,
        context=item.context,
        chain_id=item.chain_id,
        stage=item.stage,
        checks=[{"name": c.name, "measured": c.measured, "limit": c.limit} for c in item.checks],
        **_offered(item, base.type_name),
        **item.extra,
    )
    return out


def _offered(item: Item, of: str) -> dict[str, Any]:
    """Return the columns about an item's options: options with margins, and level of difficulty.

    ``of`` is the type of the answer, :attr:`Blank.type_name`.
    """
    answer = next(iter(item.answer_value.values())) if of else None
    options = [
        {
            "key": o.key,
            "text": o.text,
            "value": None if o.value is None else canonical(o.value),
            "is_answer": o.is_answer,
            "kind": o.kind,
            "margin": margin(of, answer, o.value),
        }
        for o in item.options
    ]
    wrong = (one["margin"] for one in options if not one["is_answer"])
    return {"options": options, "level": level(of, wrong)}


def part_table(rows: Sequence[Mapping[str, Any]], shared: Mapping[str, Any]) -> pa.Table:
    """Return a table of rows, with each row also as a line of JSON.

    Args:
        rows: the rows, in the order of the table.
        shared: values of columns that are the same in all rows.
    """
    columns = [
        pa.repeat(pa.scalar(shared[field.name], field.type), len(rows))
        if field.name in shared
        else _column(values, field.type)
        for field, values in zip(ITEM, _transposed(rows, ITEM.names), strict=True)
    ]
    lines = pa.array(
        [orjson.dumps(r, option=orjson.OPT_APPEND_NEWLINE) for r in rows], pa.large_binary()
    )
    return pa.table([*columns, lines], schema=PART)


def _transposed(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Sequence[Sequence[Any]]:
    """Return the values of all rows for each column."""
    return [*zip(*map(itemgetter(*names), rows), strict=True)] or [()] * len(names)


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return an Arrow array; lists of structs are flattened first, which is much faster."""
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        offsets = [0, *accumulate(map(len, values))]
        inner = _struct([entry for value in values for entry in value], kind.value_type)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), inner, type=kind)
    return pa.array(values, kind)


def _struct(entries: Sequence[Any], kind: pa.StructType) -> pa.Array:
    fields = [kind.field(i) for i in range(kind.num_fields)]
    each = _transposed(entries, [f.name for f in fields])
    columns = [pa.array(values, f.type) for f, values in zip(fields, each, strict=True)]
    return pa.StructArray.from_arrays(columns, fields=fields)

"""From items to rows: plain dictionaries for JSON Lines, columns for Arrow.

Both are made from the same dictionaries, so the two formats hold the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
import pyarrow as pa

from ontology.records import Item, Video
from ontology.rows import ITEM
from transforms.algebra.margins import level, margin
from transforms.language import Program

_CANONICAL = orjson.OPT_SORT_KEYS
LINE = "line"
"""Extra column of a part: the row as a line of JSON."""

PART = ITEM.append(pa.field(LINE, pa.large_binary()))


def canonical(value: Any) -> str:
    """Canonical JSON text: sorted keys, no spaces, UTF-8."""
    return orjson.dumps(value, option=_CANONICAL).decode()


def video_fields(video: Video, split: str) -> dict[str, Any]:
    """Fields of a row that all items of a video share."""
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
        },
        "label_source": video.label_source,
        "licence": video.licence,
    }


def _type_of(item: Item) -> tuple[str, Any]:
    """Name of the type and value of an answer of one field; ('', None) of several."""
    types = _types(str(item.extra.get("rule_args") or "{}"))
    if len(types) != 1:
        return "", None
    return types[0], next(iter(item.answer_value.values()))


@lru_cache(maxsize=1 << 12)
def _types(rule_args: str) -> tuple[str, ...]:
    """Names of the types of an answer's fields."""
    return tuple(one["type"] for one in (orjson.loads(rule_args).get("answer") or {}).values())


_OF_THE_VIDEO = (
    "dataset", "video_id", "split", "split_group", "procedure", "specialty", "resolution_us",
    "media", "label_source", "licence",
)  # fmt: skip
"""Fields that :func:`video_fields` gives."""


def template_fields(template: Program) -> dict[str, Any]:
    """Fields of a row that all items of a template share."""
    return {
        "benchmark": template.benchmark,
        "task": template.task,
        "form": template.form,
        "template_id": template.id,
        "template_version": template.version,
    }


def blank(shared: Mapping[str, Any], template: Mapping[str, Any]) -> dict[str, Any]:
    """Every key of :data:`ontology.rows.ITEM` in its order, with what a template's items share."""
    known = {"rounds": [], **shared, **template}
    return {name: known.get(name) for name in ITEM.names}


def row(item: Item, base: Mapping[str, Any]) -> dict[str, Any]:
    """One row: the shared fields of ``base`` (see :func:`blank`) and the item's own."""
    out = dict(base)
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
    )
    out.update(_offered(item))
    if item.extra:
        out.update(item.extra)
    return out


def _offered(item: Item) -> dict[str, Any]:
    """The options with their margins, and the level that these give."""
    of, answer = _type_of(item)
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


def part_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows of one video, sorted by item id, with their JSON lines."""
    ordered = sorted(rows, key=lambda r: r["item_id"])
    columns = [
        _constant(ordered, field)
        if field.name in _OF_THE_VIDEO
        else _column([r[field.name] for r in ordered], field.type)
        for field in ITEM
    ]
    lines = pa.array([orjson.dumps(r) + b"\n" for r in ordered], pa.large_binary())
    return pa.table([*columns, lines], schema=PART)


def _constant(rows: Sequence[Mapping[str, Any]], field: pa.Field) -> pa.Array:
    """A column with the same value in every row of a video."""
    value = rows[0][field.name] if rows else None
    return pa.repeat(pa.scalar(value, field.type), len(rows))


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    """A column; lists of structs are laid out flat, which is several times faster."""
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        offsets = [0]
        for value in values:
            offsets.append(offsets[-1] + len(value))
        flat = [entry for value in values for entry in value]
        inner = _struct(flat, kind.value_type)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), inner, type=kind)
    return pa.array(values, kind)


def _struct(entries: list[Any], kind: pa.StructType) -> pa.Array:
    fields = [kind.field(i) for i in range(kind.num_fields)]
    columns = [pa.array([e[f.name] for e in entries], f.type) for f in fields]
    return pa.StructArray.from_arrays(columns, fields=fields)

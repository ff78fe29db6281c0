"""The action clips before and after each sample, from the facts of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from surgqa.ontology.times import SECOND_US
from surgqa.ontology.units import asked_us
from surgqa.transforms.exports.sapbench.taking import TAKING
from surgqa.transforms.store import OutputFolder

KINDS = ("action_clip", "phase")
COLUMNS = ["dataset", "video_id", "kind", "label", "origin", "s_us", "e_us"]

Row = Mapping[str, Any]
Facts = Mapping[tuple[str, str], Sequence[Row]]
"""(dataset, video id) -> facts of :data:`KINDS`, in order of time."""


def samples_of(folder: OutputFolder, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the suitable rows, each with ``known``: the clips around its query time and its answer.

    ``known`` is None if no clip is under way at the query time, or none follows.
    """
    facts = _facts(folder)
    for row in TAKING.rows(folder, columns):
        value, slots = (orjson.loads(row[name] or "{}") for name in ("answer_value", "slots"))
        mine = facts.get((row["dataset"], row["video_id"]), ())
        yield {**row, "known": _around(row, value, slots, mine)}


def _facts(folder: OutputFolder) -> Facts:
    out: dict[tuple[str, str], list[Row]] = {}
    for one in folder.evidence("facts").select(COLUMNS).to_pylist():
        if one["kind"] in KINDS:
            out.setdefault((one["dataset"], one["video_id"]), []).append(one)
    return {video: sorted(facts, key=lambda one: (one["s_us"], one["e_us"], one["label"]))
            for video, facts in out.items()}  # fmt: skip


def _around(row: Row, value: Row, slots: Row, facts: Sequence[Row]) -> dict[str, Any] | None:
    """Return the clip under way at the query time, and the clips that follow."""
    at_us = asked_us(row) or 0
    clips = [one for one in facts if one["kind"] == KINDS[0]]
    ending = next((c for c in reversed(clips) if c["s_us"] <= at_us < c["e_us"]), None)
    after = [c for c in clips if c["s_us"] > at_us]
    if ending is None or not after:
        return None
    (answer,) = value.values()
    plan = answer if isinstance(answer, list) else None
    earlier = next((one for one in slots.values() if isinstance(one, list) and one != plan), None)
    also = slots.get("also")
    return {
        # 'after_next' is the row's, which is certain; the facts may leave open what follows.
        "next": after[0]["label"],
        "after_next": plan[1] if plan else also.get("label") if isinstance(also, Mapping) else also,
        "previous": ending["label"], "told": earlier, "clips": len(clips),
        "next_clip_start_s": _first(after[0]), "next_clip_end_s": _last(after[0]),
        "clip_start_s": _first(ending), "clip_end_s": _last(ending),
        "phase": next((p["label"] for p in facts
                       if p["kind"] == KINDS[1] and p["s_us"] <= at_us < p["e_us"]), None),
        "purity": None, "centrality": None, "derivation": {"origin": ending["origin"]},
        **({"plan": plan, "horizon": len(plan)} if plan else {"action": answer}),
    }  # fmt: skip


def _first(clip: Row) -> int:
    return int(clip["s_us"]) // SECOND_US


def _last(clip: Row) -> int:
    return max(_first(clip), int(clip["e_us"]) // SECOND_US - 1)

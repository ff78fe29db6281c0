"""Converts rows to samples for models and to references with the answers.

An action clip is an interval with one surgical action. A sample is a frame at which the next action
is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import orjson

from surgqa.ontology.action_clips import Clip, VideoClips
from surgqa.ontology.next_actions import action_ids
from surgqa.ontology.times import SECOND_US
from surgqa.ontology.units import asked_us
from surgqa.transforms.exports.sapbench.messages import MessageTexts, PromptParts, texts_of
from surgqa.transforms.exports.sapbench.taking import TAKING, kind_of
from surgqa.transforms.inference.prompts import Texts
from surgqa.transforms.store import OutputFolder

COLUMNS = (
    "item_id", "benchmark", "task", "form", "rule_args", "dataset", "video_id", "split",
    "procedure", "query_us", "start_us", "end_us", "media", "question", "options", "answer_key",
    "answer_value", "slots", "temporal_mode", "task_mode", "rounds", "label_source", "licence",
)  # fmt: skip
"""All columns that are read from a row of ``data/``."""

SETTINGS: Mapping[str, PromptParts] = {
    "messages": PromptParts.FULL,
    "messages_no_system": PromptParts.NO_SYSTEM,
    "messages_only_actions": PromptParts.ONLY_ACTIONS,
}
"""Field of a sample -> which parts of the prompt it contains."""

KIND = "next_action"
"""Kind of labelled intervals that are action clips annotated by people."""

Row = Mapping[str, Any]
Video = tuple[str, str]
"""(dataset, video id)."""


def frame_of(row: Row) -> int:
    """Return the current frame of a sample as a whole second of the video."""
    return (asked_us(row) or 0) // SECOND_US


def picture_path(row: Row) -> str:
    """Return the path of a sample's image in the export."""
    names = (quote(row[name], safe=" ") for name in ("dataset", "video_id"))
    return f"frames/{'/'.join(names)}/{frame_of(row):06d}.png"


def place_of(row: Row) -> tuple[Any, ...]:
    """Return the key by which samples are sorted."""
    return row["dataset"], row["video_id"], frame_of(row), row["task"], row["item_id"]


def sample(row: Row, asking: MessageTexts, picture: str | None) -> dict[str, Any]:
    """Return a sample for models, without anything that reveals the answer."""
    said = {field: _messages(texts_of(row, asking, manner)) for field, manner in SETTINGS.items()}
    return {
        "item_id": row["item_id"], "task": task_of(row), "dataset": row["dataset"],
        "video": row["video_id"], "split": row["split"], "frame_s": frame_of(row),
        "picture": picture, **said,
    }  # fmt: skip


def reference(row: Row) -> dict[str, Any]:
    """Return the reference of a sample: the correct answer and its evidence.

    Args:
        row: a row that :func:`samples_of` returned.
    """
    known = row["known"]
    plan = {"horizon": None, "plan": None, "answer_key": None} if "action" in known else {
        "horizon": known["horizon"], "plan": known["plan"], "answer_key": row["answer_key"],
    }  # fmt: skip
    return {
        "item_id": row["item_id"], "task": task_of(row), "dataset": row["dataset"],
        "video": row["video_id"], "frame_s": frame_of(row), "label": known["next"],
        "index": dict(zip(action_ids(), range(len(action_ids())), strict=True)).get(known["next"]),
        "following": known["after_next"], "previous": known["previous"],
        "elapsed": known.get("elapsed"), **plan, "told": known.get("told"),
        "clip": {"start_s": known["next_clip_start_s"], "end_s": known["next_clip_end_s"]},
        "ending_clip": {"start_s": known["clip_start_s"], "end_s": known["clip_end_s"]},
        **{name: known[name] for name in ("phase", "purity", "centrality", "derivation")},
        "label_source": row["label_source"], "licence": row["licence"],
    }  # fmt: skip


def clips_of(folder: OutputFolder, rows: Iterable[Row]) -> dict[str, tuple[VideoClips, ...]]:
    """Return the action clips of each video, by dataset.

    Clips that people annotated are read from the evidence. Other clips were derived by a rule and
    are read from the rows; a video with a single such clip gives no row and so has no clips.
    """
    by_video: dict[Video, set[Clip]] = {}
    for row in rows:
        known = row["known"]
        mine = by_video.setdefault((row["dataset"], row["video_id"]), set())
        mine.add(Clip(known["clip_start_s"], known["clip_end_s"], known["previous"]))
        mine.add(Clip(known["next_clip_start_s"], known["next_clip_end_s"], known["next"]))
    of_people = _of_people(folder)
    by_video |= of_people
    out: dict[str, list[VideoClips]] = {}
    for (dataset, video_id), clips in sorted(by_video.items()):
        ordered = tuple(sorted(clips, key=lambda clip: clip.start))
        derived = (dataset, video_id) not in of_people
        out.setdefault(dataset, []).append(VideoClips(video_id, ordered, derived=derived))
    return {dataset: tuple(videos) for dataset, videos in out.items()}


def clips_without_sample(rows: Iterable[Row], clips: Iterable[VideoClips]) -> int:
    """Return the number of clips that no sample is about, such as a clip between two gaps.

    Args:
        rows: the rows of the dataset.
        clips: the clips of the dataset's videos, from :func:`clips_of`.
    """
    counts = {row["video_id"]: int(row["known"]["clips"]) for row in rows}
    known = {video.video: len(video.clips) for video in clips}
    return sum(max(0, counts.get(name, 0) - number) for name, number in known.items())


def _of_people(folder: OutputFolder) -> dict[Video, set[Clip]]:
    import pyarrow.compute as pc

    table = folder.evidence("segments")
    names = ["dataset", "video_id", "label", "start_us", "end_us"]
    out: dict[Video, set[Clip]] = {}
    for one in table.filter(pc.equal(table["kind"], KIND)).select(names).to_pylist():
        first, after = one["start_us"] // SECOND_US, one["end_us"] // SECOND_US
        clip = Clip(first, max(after - 1, first), one["label"])
        out.setdefault((one["dataset"], one["video_id"]), set()).add(clip)
    return out


def task_of(row: Row) -> str:
    """Return the kind of a sample, one of ``TASKS``."""
    return kind_of(row) or ""


def _messages(texts: Texts) -> list[dict[str, str]]:
    parts = (("system", texts.system), ("user", texts.user))
    return [{"role": role, "content": text} for role, text in parts if text]


KINDS = ("action_clip", "phase")
FACT_COLUMNS = ["dataset", "video_id", "kind", "label", "origin", "s_us", "e_us"]

Facts = Mapping[tuple[str, str], Sequence[Row]]
"""(dataset, video id) -> facts about action clips, sorted by time."""


def samples_of(folder: OutputFolder, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows that are samples, each with the key ``known``: the clips around its time.

    ``known`` is None if no clip contains the query time or no clip follows.
    """
    facts = _facts(folder)
    for row in TAKING.rows(folder, columns):
        value, slots = (orjson.loads(row[name] or "{}") for name in ("answer_value", "slots"))
        mine = facts.get((row["dataset"], row["video_id"]), ())
        yield {**row, "known": _around(row, value, slots, mine)}


def _facts(folder: OutputFolder) -> Facts:
    out: dict[tuple[str, str], list[Row]] = {}
    for one in folder.evidence("facts").select(FACT_COLUMNS).to_pylist():
        if one["kind"] in KINDS:
            out.setdefault((one["dataset"], one["video_id"]), []).append(one)
    return {video: sorted(facts, key=lambda one: (one["s_us"], one["e_us"], one["label"]))
            for video, facts in out.items()}  # fmt: skip


def _around(row: Row, value: Row, slots: Row, facts: Sequence[Row]) -> dict[str, Any] | None:
    """Return the clip that contains the query time, and the clips that follow."""
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
        # 'after_next' comes from the row, where it is certain; facts may leave it open.
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

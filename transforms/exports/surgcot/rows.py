"""Converts a chain to one JSON object, and each of its stages to a pair of chat messages.

The object of a chain has the keys ``task``, ``video_id``, ``chain_id``, ``main``, ``Q1``, ``Q2``
and so on, and those of :func:`_about`. A stage has ``question``, ``options``, ``answer`` and more.
All stages except the main question have ``knowledge`` and ``clue``; Q2 also has
``context_from_Q1``, and so on.

A pair of messages has the keys ``messages`` (of user and assistant) and ``videos``, as published by
the benchmark, and further keys. Values that a folder of the export does not show are null.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.times import SECOND_US
from surgqa.ontology.units import CHAIN, stage_name
from surgqa.transforms.exports.dialogue import Part
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.inference.chains import COLUMNS as ASKED
from surgqa.transforms.inference.chains import Chain
from surgqa.transforms.scoring.surgcot.items import TASKS, scale_of

COLUMNS = list(dict.fromkeys((
    *ASKED, "answer", "answer_key", "answer_value", "resolution_us", "split", "procedure",
    "specialty", "label_source", "licence",
)))  # fmt: skip
"""All columns that are read from a row of ``data/``."""

TAKING = Taking("chains", lambda row: row["unit"] == CHAIN)

VIDEO = "<video>"
"""Placeholder for the video in a message."""

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://")

Row = Mapping[str, Any]


def nested(chain: Chain) -> dict[str, Any]:
    """Return a chain as one object."""
    out: dict[str, Any] = {
        "task": core_of(chain[0]),
        "video_id": chain[0]["video_id"],
        "chain_id": chain[0]["chain_id"],
        **_about(chain[0]),
    }
    for stage, row in enumerate(chain):
        one = _stage(row)
        if stage:
            one |= {"knowledge": row["knowledge"], "clue": row["clue"]}
        if stage > 1:
            one[f"context_from_{stage_name(stage - 1)}"] = row["context"]
        out[stage_name(stage)] = one
    return out


def item(
    row: Row, asked: str, texts: Mapping[str, str | None], shown: Sequence[Part] = ()
) -> dict[str, Any]:
    """Return one stage as a pair of messages: question and answer.

    Args:
        asked: text of the user's message.
        texts: the ``knowledge``, ``clue`` and ``context`` that the question shows.
        shown: captions and clips of the question; without clips, the whole video file is named.
    """
    videos = [text for kind, text in shown if kind == "video"]
    head = "".join(f"{VIDEO if kind == 'video' else text}\n" for kind, text in shown)
    if not videos:
        path = path_of(row)
        videos, head = ([path], f"{VIDEO}\n") if path else ([], "")
    stage = _stage(row)
    del stage["question"], stage["answer"]
    return {
        "messages": [
            {"role": "user", "content": f"{head}{asked}"},
            {"role": "assistant", "content": row["answer"]},
        ],
        "videos": videos,
        "task": core_of(row),
        "stage": stage_name(row["stage"]),
        "video_id": row["video_id"],
        "chain_id": row["chain_id"],
        **_about(row),
        "question": row["question"],
        **stage,
        **{name: texts.get(name) for name in ("knowledge", "clue", "context")},
    }


def core_of(row: Row) -> str:
    """Return the task of a row's chain: the row's task without the name of the stage."""
    task = str(row["task"])
    return task.removesuffix(f"/{stage_name(row['stage']).casefold()}")


def path_of(row: Row) -> str | None:
    """Return the path of the video in its dataset's folder; None if there is no video file.

    Raises:
        OutputBroken: the path is absolute, so that it would be valid on one machine only.
    """
    path = row["media"]["path"]
    if path and _ABSOLUTE.match(path):
        raise OutputBroken(
            f"item {row['item_id']}: the path of its video is absolute",
            expected="a path below the dataset's root",
            found=path,
            where="media",
            fix="build the dataset again",
        )
    return path or None


def _about(row: Row) -> dict[str, Any]:
    """Return further values about a row, the same for all stages of a chain."""
    spacing_us = row["resolution_us"]
    return {
        "task_short": TASKS.get(core_of(row)), "dataset": row["dataset"], "split": row["split"],
        "scale": scale_of(spacing_us),
        "spacing_s": None if spacing_us is None else spacing_us / SECOND_US,
        "media": {"path": path_of(row), "kind": row["media"]["kind"]},
        **{name: row[name] for name in ("procedure", "specialty", "label_source", "licence")},
    }  # fmt: skip


def _stage(row: Row) -> dict[str, Any]:
    return {
        "item_id": row["item_id"], "question": row["question"],
        "options": [
            {key: option[key] for key in ("key", "text")} for option in row["options"] or ()
        ],
        "answer": row["answer"], "answer_key": row["answer_key"],
        "answer_value": orjson.loads(row["answer_value"] or "null"),
        "start_s": row["start_us"] / SECOND_US, "end_s": row["end_us"] / SECOND_US,
    }  # fmt: skip

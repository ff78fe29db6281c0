"""The expected evidence of a made-up dataset, built with plain loops.

Programs of this folder write samples of any size, and say with this module what a reader must find
in them.  They do not use the readers' parsing, so that tests compare two independent results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import (
    UNKNOWN,
    Attribute,
    Clock,
    InstrumentTable,
    Media,
    MediaKind,
    Pair,
    Source,
    Video,
    VideoEvidence,
)

Box = tuple[float, float, float, float]


Truth = tuple[VideoEvidence, ...]
"""What a reader must return for each video, sorted by id.  Entries of ``rejected`` have an empty
reason, because each reader words its reasons."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One instrument (or lesion, structure) at one instant; ``pairs`` None if not annotated."""

    label: str
    box_xyxy: Box | None
    pairs: tuple[Pair, ...] | None
    row: int
    track: int = UNKNOWN
    mask: str = ""
    attributes: Mapping[str, float | str] = field(default_factory=dict)


def put(root: Path, name: str, data: bytes | str | Sequence[str]) -> Source:
    """Write a file and return its record.

    Args:
        root: an existing folder.
        name: path below it, with forward slashes.
        data: bytes, a text, or lines without their ends.
    """
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else "".join(f"{line}\n" for line in data)).encode()
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(data)
    return Source(name, bytes_digest(data))


def true_video(
    dataset: str, video_id: str, procedure: str, specialty: str, licence: str,
    sources: Sequence[Source], **more: Any,
) -> Video:  # fmt: skip
    """The record of a video, by default without media and instruments, and annotated by hand.

    Args:
        more: all other fields of :class:`~ontology.records.Video`, of which ``fps``,
            ``period_us`` and ``duration_us`` have no default.
    """
    usual: dict[str, Any] = {
        "media": Media(MediaKind.ABSENT), "split_group": f"{dataset}/{video_id}",
        "label_source": "original_annotation", "vocabulary": (), "clock": Clock.TIME,
    }  # fmt: skip
    fields = {"procedure": procedure, "specialty": specialty, "licence": licence,
              "sources": tuple(sources), **usual, **more}  # fmt: skip
    return Video(dataset=dataset, video_id=video_id, **fields)


def true_table(
    instants_us: Sequence[int],
    frames: Sequence[int],
    seen: Sequence[Sequence[Instance]],
    labels: Sequence[str],
    pointer: str,
) -> InstrumentTable:
    """The table that a reader must build from these instances (one list per instant)."""
    ordered = [
        (sample, instance)
        for sample, instances in enumerate(seen)
        for instance in sorted(instances, key=_sort_key)
    ]
    pair_sets = sorted({inst.pairs for _, inst in ordered if inst.pairs is not None})
    nowhere = (float("nan"),) * 4
    boxes = [inst.box_xyxy or nowhere for _, inst in ordered]
    codes = [UNKNOWN if inst.pairs is None else pair_sets.index(inst.pairs) for _, inst in ordered]
    return InstrumentTable(
        instants_us=np.array(instants_us, dtype=np.int64),
        frames=np.array(frames, dtype=np.int64),
        sample=np.array([sample for sample, _ in ordered], dtype=np.int32),
        label=np.array([labels.index(inst.label) for _, inst in ordered], dtype=np.int16),
        box_xyxy=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        score=np.ones(len(ordered)),
        pairs=np.array(codes, dtype=np.int16),
        track=np.array([inst.track for _, inst in ordered], dtype=np.int32),
        row=np.array([inst.row for _, inst in ordered], dtype=np.int32),
        labels=tuple(labels),
        pair_sets=tuple(pair_sets),
        box_origin="manual" if any(inst.box_xyxy for _, inst in ordered) else "none",
        pointer=pointer,
        attributes=true_attributes([inst for _, inst in ordered]),
        masks=tuple(inst.mask for _, inst in ordered) if any(i.mask for _, i in ordered) else (),
    )


def true_attributes(ordered: Sequence[Instance]) -> tuple[Attribute, ...]:
    """The attribute columns that a reader must build, sorted by name."""
    out = []
    for name in sorted({name for instance in ordered for name in instance.attributes}):
        column = [instance.attributes.get(name) for instance in ordered]
        words = tuple(sorted({entry for entry in column if isinstance(entry, str)}))
        numbers = [
            np.nan if entry is None else words.index(entry) if isinstance(entry, str) else entry
            for entry in column
        ]
        out.append(Attribute(name, np.array(numbers, dtype=np.float64), words))
    return tuple(out)


def _sort_key(instance: Instance) -> tuple[str, bool, Box, int]:
    box = instance.box_xyxy
    return (instance.label, box is None, box or (0.0,) * 4, instance.row)

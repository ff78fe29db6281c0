"""What each model found in a whole video: joined from pieces of work, kept for later runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from surgqa.ontology.observed import KINDS
from surgqa.transforms.evidence.base import FrameExtractor
from surgqa.transforms.evidence.privacy.utterances import mask_refused
from surgqa.transforms.places import Place
from surgqa.transforms.steps.observing.tasks import ObserveSettings
from surgqa.transforms.steps.observing.work import (
    facts_file,
    is_kept,
    keep,
    piece_file,
    raw_file,
    read_json,
    read_rows,
)


def whole(
    extractor: Any, settings: ObserveSettings, folder: Place, plan: Mapping[str, Any]
) -> pa.Table:
    """Return the rows that one model (extractor) computed for the whole video.

    They are those of an earlier run, or are joined from the pieces of work of this run.
    """
    medium = plan["medium"]
    kept = raw_file(settings, extractor, medium)
    if not is_kept(kept):
        seen = isinstance(extractor, FrameExtractor)
        key = settings.raw_key(extractor, medium)
        files = [piece_file(folder, key, name) for name in plan["look" if seen else "hear"]]
        pieces = [read_json(facts_file(file)) for file in files]
        parts = [read_rows(file) for file in files]
        rows = pa.concat_tables([KINDS[extractor.kind].empty_table(), *parts])
        keep(kept, rows, _together(pieces) if seen else {"sound": plan["sound"], "pieces": pieces})
    return read_rows(kept)


def seen_facts(extractor: FrameExtractor, settings: ObserveSettings, medium: str) -> dict[str, Any]:
    """Return what is recorded with the rows of :func:`whole`, such as dropped detections."""
    return read_json(facts_file(raw_file(settings, extractor, medium)))


def _together(pieces: Sequence[dict[str, Any]]) -> dict[str, Any]:
    dropped: Counter[str] = Counter()
    for piece in pieces:
        dropped.update(piece["dropped"])
    return {
        "facts": pieces[0]["facts"] if pieces else {},
        "dropped": dict(sorted(dropped.items())),
        "faults": [fault for piece in pieces for fault in piece["faults"]],
    }


def heard_facts(settings: ObserveSettings, medium: str) -> dict[str, Any]:
    """Return what is recorded about the sound and each cut of it, such as the language."""
    if settings.sound is None:
        return {"sound": None, "pieces": []}
    facts = read_json(facts_file(raw_file(settings, settings.sound, medium)))
    # Mask again: an earlier run may have used older rules.
    pieces = [
        {**piece, "rejected": mask_refused(piece.get("rejected", ()), piece.get("language"),
                                           settings.finder)}
        for piece in facts["pieces"]
    ]  # fmt: skip
    return {**facts, "pieces": pieces}

"""Make the tables of a video (boxes, masks, utterances) from the rows of its pieces of work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.observed import KINDS
from surgqa.transforms.evidence.base import FrameExtractor
from surgqa.transforms.evidence.derive import changes_of_picture, fill_steps
from surgqa.transforms.evidence.link import link_table
from surgqa.transforms.evidence.privacy import mask_utterances
from surgqa.transforms.evidence.privacy.utterances import mask_refused
from surgqa.transforms.evidence.segment import (
    Followed,
    boxes_from_masks,
    merged,
    plan_followed,
    plan_windows,
    stitch,
)
from surgqa.transforms.evidence.speech import WordContext, anchors
from surgqa.transforms.labelling.layer import clicks, corrected, settled
from surgqa.transforms.labelling.measuring import runs_of
from surgqa.transforms.places import Place
from surgqa.transforms.steps.observing import work
from surgqa.transforms.steps.observing.tasks import ObserveSettings, ObserveTask, Piece


def whole(
    extractor: Any, settings: ObserveSettings, folder: Place, plan: Mapping[str, Any]
) -> pa.Table:
    """Return the rows that one model (extractor) computed for the whole video.

    They are those of an earlier run, or are joined from the pieces of work of this run.
    """
    medium = plan["medium"]
    kept = work.raw_file(settings, extractor, medium)
    if not work.is_kept(kept):
        seen = isinstance(extractor, FrameExtractor)
        key = settings.raw_key(extractor, medium)
        files = [work.piece_file(folder, key, name) for name in plan["look" if seen else "hear"]]
        pieces = [work.read_json(work.facts_file(file)) for file in files]
        parts = [work.read_rows(file) for file in files]
        rows = pa.concat_tables([KINDS[extractor.kind].empty_table(), *parts])
        work.keep(
            kept, rows, _together(pieces) if seen else {"sound": plan["sound"], "pieces": pieces}
        )
    return work.read_rows(kept)


def seen_facts(extractor: FrameExtractor, settings: ObserveSettings, medium: str) -> dict[str, Any]:
    """Return what is recorded with the rows of :func:`whole`, such as dropped detections."""
    return work.read_json(work.facts_file(work.raw_file(settings, extractor, medium)))


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
    facts = work.read_json(work.facts_file(work.raw_file(settings, settings.sound, medium)))
    # Mask again: an earlier run may have used older rules.
    pieces = [
        {**piece, "rejected": mask_refused(piece.get("rejected", ()), piece.get("language"),
                                           settings.finder)}
        for piece in facts["pieces"]
    ]  # fmt: skip
    return {**facts, "pieces": pieces}


Tables = dict[str, pa.Table]


def seen_tables(
    task: ObserveTask, settings: ObserveSettings, folder: Place, plan: Mapping[str, Any]
) -> Tables:
    """Return the tables ``frames``, ``boxes``, ``found`` and ``alone`` of a video.

    ``boxes`` are the detector's boxes with people's corrections, linked to tracks; ``found`` are
    the same before linking. ``alone`` are the detector's boxes without corrections, linked.
    """
    raw = {e.kind: whole(e, settings, folder, plan) for e in settings.frames}
    frames = fill_steps(raw["frames"])
    given = raw.get("boxes", KINDS["boxes"].empty_table())
    layers = settings.layers(task, plan["medium"])
    found = corrected(given, layers)
    good = frames.filter(frames.column("trusted"))
    times, numbers = (good.column(name).to_numpy() for name in ("time_us", "frame"))
    aspect = plan["width"] / plan["height"]
    boxes = link_table(found, times, numbers, settings.link, aspect)
    alone = link_table(given, times, numbers, settings.link, aspect) if layers else boxes
    tables = {"frames": frames, "boxes": boxes, "found": found, "alone": alone}
    return tables | {"boxes": merged(boxes, followed(task, settings, plan, tables))}


def followed(
    task: ObserveTask, settings: ObserveSettings, plan: Mapping[str, Any], tables: Tables
) -> list[Followed]:
    """Return the objects that people marked with a click, which the model SAM2 has to follow.

    The result is empty if the run does not use SAM2.
    """
    layers = settings.layers(task, plan["medium"])
    if settings.masks is None or not layers:
        return []
    times = tables["frames"].column("time_us").to_numpy()
    changes = changes_of_picture(tables["frames"], settings.derive.shots)
    cuts = [one.time_us for one in changes if one.kind == "cut"]
    return plan_followed(
        tables["boxes"], clicks(layers), settled(layers), times, cuts, settings.masks.settings
    )


def mask_pieces(
    task: ObserveTask, settings: ObserveSettings, plan: Mapping[str, Any], tables: Tables
) -> list[Piece]:
    """Return pieces of work for SAM2: windows over all frames, then each object to follow."""
    assert settings.masks is not None
    own = followed(task, settings, plan, tables)
    windows = plan_windows(tables["frames"].num_rows, settings.masks.settings)
    asked: list[Followed | None] = [*[None] * len(windows), *own]
    name = (settings.masks.name,)
    return [Piece(task, "mask", n, n + 1, name, one) for n, one in enumerate(asked)]


def reviewed(
    task: ObserveTask, settings: ObserveSettings, plan: Mapping[str, Any], tables: Tables
) -> dict[str, Any]:
    """Return what people reviewed in a video, and what the detector found without them.

    Returns:
        ``layers``: names of the layers of corrections; ``reviewed``: the reviewed instants;
        ``alone``: times in which the detector found each class. Empty if nobody reviewed any of
        the video.
    """
    layers = settings.layers(task, plan["medium"])
    if not layers:
        return {}
    frames = tables["frames"]
    times = frames.filter(frames.column("trusted")).column("time_us").to_pylist()
    alone = tables["alone"].filter(pc.is_valid(tables["alone"].column("track")))
    return {
        "layers": [layer.name for layer in layers],
        "reviewed": settled(layers),
        "alone": runs_of(alone, times),
    }


def joined_masks(
    task: ObserveTask, settings: ObserveSettings, folder: Place, plan: Mapping[str, Any],
    tables: Tables,
) -> Tables:  # fmt: skip
    """Return the masks of the video, and its boxes with further boxes around masks."""
    if settings.masks is None:
        return {"masks": KINDS["masks"].empty_table()}
    extractor, boxes = settings.masks, tables["boxes"]
    kept = work.raw_file(settings, extractor, plan["medium"], task)
    if not work.is_kept(kept):
        key = settings.raw_key(extractor, plan["medium"], task)
        names = [piece.name for piece in mask_pieces(task, settings, plan, tables)]
        free = int(pc.max(boxes.column("track")).as_py() or 0) + 1
        parts = [work.read_rows(work.piece_file(folder, key, name)) for name in names]
        work.keep(kept, stitch(parts, extractor.settings, free), {})
    masks = work.read_rows(kept)
    return {"masks": masks, "boxes": _with_masks(boxes, boxes_from_masks(masks))}


def _with_masks(boxes: pa.Table, more: pa.Table) -> pa.Table:
    """Return the boxes, and those of ``more`` at whose track and time there is no other box."""
    given = pc.is_in(boxes.column("origin"), pa.array(["detector", "manual"]))
    have = _places(boxes.filter(given))
    fresh = more.filter(pa.array(~np.isin(_places(more), have)))
    old = boxes.filter(pa.array(np.isin(_places(boxes), have)
                                | ~np.isin(_places(boxes), _places(fresh))))  # fmt: skip
    by = ("time_us", "kind", "label", "x1", "y1", "x2", "y2")
    together = pa.concat_tables([old, fresh.select(old.column_names)])
    return together.sort_by([(name, "ascending") for name in by])


def _places(boxes: pa.Table) -> np.ndarray:
    """Return one integer for each (time, track) pair."""
    time = boxes.column("time_us").to_numpy()
    track = pc.fill_null(boxes.column("track"), -1).to_numpy()
    return time * (1 << 16) + track.astype(np.int64)


def heard_tables(
    task: ObserveTask, settings: ObserveSettings, folder: Place, plan: Mapping[str, Any],
    boxes: pa.Table,
) -> Tables:  # fmt: skip
    """Return the utterances, sorted by start, and the instruments and structures named in them."""
    if settings.sound is None:
        return {kind: KINDS[kind].empty_table() for kind in ("utterances", "anchors")}
    rows = whole(settings.sound, settings, folder, plan)
    by = [("start_us", "ascending"), ("utterance_id", "ascending")]
    # Mask again over the whole video: a name that one piece introduces is masked in all pieces.
    masked = mask_utterances(rows, settings.finder)
    if not masked.equals(rows):
        # Rows kept by an earlier run may be masked by older rules, which may have missed names.
        medium = plan["medium"]
        work.keep(
            work.raw_file(settings, settings.sound, medium), masked, heard_facts(settings, medium)
        )
    utterances = masked.sort_by(by)
    procedure = task.metadata.get("procedure")
    context = WordContext(procedure, (), _in_view(boxes))
    return {"utterances": utterances, "anchors": anchors(utterances, context)}


def _in_view(boxes: pa.Table) -> tuple[tuple[int, int, str], ...]:
    """Return (start, end, label) of each instrument track.

    Start and end are the times of the first and last box, in microseconds.
    """
    tools = boxes.filter(pc.equal(boxes.column("kind"), "instrument"))
    spans = tools.group_by(["track", "label"]).aggregate([("time_us", "min"), ("time_us", "max")])
    rows = spans.to_pylist()
    return tuple(sorted((r["time_us_min"], r["time_us_max"] + 1, r["label"]) for r in rows))

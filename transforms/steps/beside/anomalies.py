"""Anomalies of a recording from a file next to its dataset, in a published format.

``FOLDER/<video_id>.json`` holds ``{"anomaly_evidence": {"anomalies": [...]}}``, its inner part, or
only the list. If it also has ``video_metadata``, frame numbers and boxes refer to its ``fps``,
``width`` and ``height``. Otherwise boxes refer to the size of the dataset's images, and frame
numbers to the video's rate. If stated times contradict this rate (labels may count seconds) and
agree with 30 frames a second, that rate is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.files import read_bytes, read_text
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.moments import Moment, moment_order
from surgqa.ontology.records import Source, Video, VideoEvidence
from surgqa.transforms.places import Place
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.unified import header
from surgqa.transforms.readers.base.unified.anomalies import anomalies_of
from surgqa.transforms.readers.base.unified.entries import Intake
from surgqa.transforms.steps.beside import without

UNIT = "anomalies"
POINTER = "anomalies"
ORIGIN = "imported"


def with_anomalies(evidence: VideoEvidence, folder: Place) -> VideoEvidence:
    """Return the evidence of a video with the anomalies in its file.

    The file is complete: an anomaly that it does not list did not happen, so an empty list states
    that nothing went wrong. If a video has no file, a rejection records this.

    Args:
        folder: the folder of the files, local or in remote storage.

    Raises:
        SourceBroken: the file is no JSON, holds no list of anomalies, or its frame rate or
            size can't be right.
    """
    video = evidence.video
    name = f"{video.video_id}.json"
    try:
        data = read_bytes(folder / name, name)
    except SourceMissing:
        why = "there is no file of anomalies of this video: nothing is asked about them"
        return without(evidence, "files of anomalies", name, why)
    tree = _tree(data, name)
    ledger = Ledger(video.key, UNIT)
    intake = Intake(name, _header(tree, video, name), ledger)
    found = anomalies_of(_entries(tree, name), POINTER, intake, ORIGIN)
    watched = Moment("watched", "anomaly", 0, video.duration_us, intake.header.period_us, name,
                     POINTER, origin=ORIGIN)  # fmt: skip
    return replace(
        evidence,
        video=replace(video, sources=(*video.sources, Source(name, bytes_digest(data)))),
        moments=tuple(sorted({*evidence.moments, *found, watched}, key=moment_order)),
        rejected=(*evidence.rejected, *ledger.entries()),
        books=(*evidence.books, ledger.books(intake.read, intake.kept)),
    )


def _tree(data: bytes, name: str) -> Any:
    try:
        return json.loads(read_text(data, name), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise _broken(name, str(error) or "nested too deeply") from None


def _entries(tree: Any, name: str) -> list[Any]:
    for key in ("anomaly_evidence", "anomalies"):
        if isinstance(tree, Mapping) and key in tree:
            tree = tree[key]
    if not isinstance(tree, list):
        raise _broken(name, type(tree).__name__)
    return tree


def _header(tree: Any, video: Video, name: str) -> header.UnifiedHeader:
    """Return the frame rate and size in the file, else those of the video or published ones."""
    rates = [rate for rate in (video.fps, header.RATE) if header.contradiction(tree, rate) is None]
    metadata = tree.get("video_metadata") if isinstance(tree, Mapping) else None
    metadata = metadata if isinstance(metadata, Mapping) else {}
    width, height = video.media.width, video.media.height
    known = (width, height) if width and height else None
    rate = header.rate_of(tree, metadata, name, rates[0] if rates else video.fps)
    return header.UnifiedHeader(rate, header.size_of(tree, metadata, name, known),
                  video.duration_us, metadata)  # fmt: skip


def _broken(name: str, found: str) -> SourceBroken:
    return SourceBroken(
        f"{name} contains no list of anomalies",
        expected='a list of anomalies, or {"anomaly_evidence": {"anomalies": [...]}}',
        found=found[:200],
        where=f"{name}:1",
        fix="see 'Anomalies' in docs/derived.md for the shape",
    )

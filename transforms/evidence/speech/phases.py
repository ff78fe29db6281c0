"""Phase anchors: stretches that neighbouring anchors of one phase make together."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ontology.observed import STRETCHES
from ontology.times import SECOND_US
from transforms.evidence.speech.anchors import CUED, KNOWN
from transforms.evidence.speech.settings import AnchorSettings

KIND = "phase_anchor"
SPOKEN = "spoken"


def phase_anchors(anchors: pa.Table, settings: AnchorSettings | None = None) -> pa.Table:
    """Neighbouring anchors of the same phase, merged over gaps up to the limit.

    Anchors without a phase are no neighbours of any; one of another phase parts two.

    Args:
        anchors: of the schema of anchors.
        settings: the gap, and the scores of where a phase is known from.

    Returns:
        Rows of the schema of stretches, kind ``phase_anchor``; the source says how the
        phase was known (``speech: spoken``, ``speech: phase_known``, ``speech:
        phase_cued``, joined by ``+``), the score is the best of them.
    """
    limits = settings or AnchorSettings()
    scores = {
        SPOKEN: limits.spoken_score, KNOWN: limits.known_score, CUED: limits.cued_score
    }  # fmt: skip
    merged: list[dict[str, Any]] = []
    rows = sorted(anchors.to_pylist(), key=lambda row: (row["start_us"], row["end_us"]))
    for row in (row for row in rows if row["phase"] is not None):
        how = next((flag for flag in (KNOWN, CUED) if flag in row["flags"]), SPOKEN)
        last = merged[-1] if merged else None
        if (
            last is not None
            and last["label"] == row["phase"]
            and row["start_us"] - last["end_us"] <= limits.merge_gap_s * SECOND_US
        ):
            last["end_us"] = max(last["end_us"], row["end_us"])
            last["how"].add(how)
            continue
        merged.append(
            {"start_us": row["start_us"], "end_us": row["end_us"], "label": row["phase"],
             "how": {how}}
        )  # fmt: skip
    return pa.Table.from_pylist([_stretch(row, scores) for row in merged], schema=STRETCHES)


def _stretch(row: dict[str, Any], scores: dict[str, float]) -> dict[str, Any]:
    how = sorted(row["how"], key=lambda name: -scores[name])
    return {
        "start_us": row["start_us"],
        "end_us": row["end_us"],
        "kind": KIND,
        "label": row["label"],
        "level": 0,
        "score": scores[how[0]],
        "source": f"speech: {'+'.join(how)}",
    }

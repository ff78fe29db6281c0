"""Record rejections, with the reason, for the entries of lists that are not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code
from surgqa.transforms.readers.base.unified.anchors import NAME
from surgqa.transforms.readers.base.unified.entries import Intake

READ: Mapping[str, tuple[str, ...]] = {
    "": (NAME,),
    "video_metadata": (),
    "temporal_evidence": ("asr_segments", "action_onsets", "micro_transitions", "cues",
                          "channels", NAME),
    "spatial_evidence": ("tool_tracks", "tissue_tracks", "affordances", "contacts"),
    "anomaly_evidence": ("anomalies",),
    "clinical_context": ("phase_sequence", "critical_structures"),
}  # fmt: skip
"""Section -> lists that are read, or (``critical_structures``) are no evidence of a video;
'' for what stands outside of all sections."""


def lose_unread(tree: Mapping[str, Any], intake: Intake) -> None:
    """Record the entries of all lists that are not in ``READ`` as rejected."""
    for pointer, found in _unread(tree):
        if found:
            reason = f"{pointer} is no list that is read"
            intake.lose(pointer, Unfit(Code.EXCLUDED, reason), len(found))


def _unread(tree: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, section in tree.items():
        if isinstance(section, list) and name not in READ[""]:
            yield name, section
        elif isinstance(section, Mapping):
            for inner, found in section.items():
                if isinstance(found, list) and inner not in READ.get(name, ()):
                    yield f"{name}.{inner}", found

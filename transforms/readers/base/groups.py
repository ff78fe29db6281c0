"""Split groups: one name for a surgery that occurs in several datasets."""

from __future__ import annotations

import re

_SAME_SURGERIES = (
    # CholecT45 and CholecT50 cut their videos from Cholec80 and keep its numbers; those
    # above 80 are shared with CholecTrack20.  M2CAI16 is not listed: its numbers differ.
    (
        ("cholec80", "cholec80_cvs", "cholect45", "cholect50", "cholectrack20"),
        re.compile(r"(?:vid|video)?0*(\d+)", re.IGNORECASE),
        "cholec",
    ),
    # ProstaTD's psivN are the eight cases of PSI-AVA, which GraSP contains.
    (
        ("grasp", "prostatd", "psi_ava"),
        re.compile(r"(?:case|psiv)0*(\d+)", re.IGNORECASE),
        "psi-ava",
    ),
    # The Bern half of MultiBypass140 is also supported as a separate dataset.
    (
        ("bern_bypass70", "multibypass140"),
        re.compile(r"BBP0*(\d+)", re.IGNORECASE),
        "bern-bypass",
    ),
    # EndoVis 2019's workflow and skill challenge is HeiChole.
    (("endovis2019", "heichole"), re.compile(r"hei-?chole0*(\d+)", re.IGNORECASE), "heichole"),
)


def split_group(dataset: str, video_id: str) -> str:
    """Return the name of the surgery, which is equal in all datasets that contain it.

    ``('cholect50', 'VID07')`` and ``('cholec80', 'video07')`` both give ``cholec/07``.
    A video without an alias forms a separate group, ``dataset/video_id``.
    """
    plain = dataset.replace("-", "_")
    for datasets, pattern, surgery in _SAME_SURGERIES:
        match = pattern.fullmatch(video_id)
        if plain in datasets and match:
            return f"{surgery}/{int(match[1]):02d}"
    return f"{dataset}/{video_id}"

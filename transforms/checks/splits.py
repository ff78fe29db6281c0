"""Checks that no surgery is in two splits, and that only held-out videos are in that split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from surgqa.ontology.splits import HELD_OUT, Held, is_held

FAMILIES: dict[str, tuple[str, ...]] = {
    "cholec80": (
        "cholec80", "cholec80_cvs", "cholecseg8k", "cholect40", "cholect45", "cholect50",
        "cholectrack20",
    ),
    "psi_ava": ("psi_ava", "prostatd"),
}  # fmt: skip
"""Groups of datasets that, as they document, use the same numbers for the same videos."""

_DIGITS = re.compile(r"\d+")


def surgery_of(dataset: str, video_id: str) -> str:
    """Return the name of a video's surgery, which is the same in all datasets that contain it."""
    known = dataset.casefold().replace("-", "_")
    digits = _DIGITS.findall(video_id)
    for family, members in FAMILIES.items():
        # Only the 'psi…' videos of ProstaTD are also in other datasets.
        shared = known != "prostatd" or "psi" in video_id.casefold()
        if known in members and digits and shared:
            return f"{family}/{int(digits[0])}"
    return f"{dataset}/{video_id}"


class Splits:
    """Collects the video, split group and split of all items.

    Args:
        held: the videos that the build's settings hold out.
    """

    def __init__(self, held: Held | None = None) -> None:
        self._held = held or {}
        self._seen: dict[tuple[str, str, str, str | None], str] = {}
        self._meant: dict[tuple[str, bool, bool], str] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Add an item. Only the first item id of each video, group and split is kept."""
        group = str(row["split_group"])  # may be null in a broken output
        key = (row["dataset"], row["video_id"], group, row["split"])
        self._seen.setdefault(key, row["item_id"])
        if self._held or row["split"] == HELD_OUT:
            meant = group, is_held(self._held, row), row["split"] == HELD_OUT
            self._meant.setdefault(meant, row["item_id"])

    def by_recording(self) -> dict[tuple[str, str], set[str | None]]:
        """Return, for each (dataset, video), the splits of its items."""
        out: dict[tuple[str, str], set[str | None]] = {}
        for dataset, video, _, split in self._seen:
            out.setdefault((dataset, video), set()).add(split)
        return out

    def problems(self) -> Iterator[tuple[str, str, str]]:
        """Yield (code, item id, detail) of every surgery or group that is in a wrong split."""
        groups: dict[str, dict[str, str]] = {}
        surgeries: dict[str, dict[str, str]] = {}
        for (dataset, video, group, split), item_id in sorted(self._seen.items(), key=str):
            groups.setdefault(group, {}).setdefault(str(split), item_id)
            surgery = surgery_of(dataset, video)
            surgeries.setdefault(surgery, {}).setdefault(group, item_id)
        for group, splits in sorted(groups.items()):
            if len(splits) > 1:
                item = splits[max(splits)]
                yield "split_leak", item, f"group {group} is in the splits {sorted(splits)}"
        yield from self._hold_outs()
        for surgery, found in sorted(surgeries.items()):
            if len(found) > 1:
                item = found[max(found)]
                yield "alias_leak", item, f"{surgery} is in the split groups {sorted(found)}"

    def _hold_outs(self) -> Iterator[tuple[str, str, str]]:
        """Yield groups that are wrongly in the held-out split, or wrongly not in it."""
        groups = {group for group, meant, _ in self._meant if meant}
        for (group, meant, there), item in sorted(self._meant.items()):
            if meant and not there:
                yield "hold_out_leak", item, f"group {group} is held out, and in another split"
            if there and group not in groups:
                yield "hold_out_leak", item, f"nothing of group {group} is meant to be held out"

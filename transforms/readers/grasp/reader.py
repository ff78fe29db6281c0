"""Reads GraSP: long-term files (phases, steps) and short-term files (instruments, actions).

Pictures of GraSP_1fps are numbered by the second.  Those of GraSP_30fps are numbered by the
frame of a source whose rate differs from case to case; the rank among the keyframes of the
long-term file, one a second, tells the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transforms.readers.base.prostatectomy.coco import CocoReader
from transforms.readers.base.prostatectomy.rows import SOURCE_DIGITS

RELEASES = ("GraSP_1fps/", "GraSP/GraSP_1fps/", "", "GraSP_30fps/", "GraSP/GraSP_30fps/")
"""Where ``annotations/`` and ``frames/`` may lie; the first that has label files is read."""


class Reader(CocoReader):
    """GraSP, whole or in part."""

    name = "grasp"
    version = 1

    def _groups(self) -> tuple[Sequence[str], Sequence[str]]:
        for release in RELEASES:
            there = self._names(f"{release}annotations")
            groups = [
                [
                    f"{release}annotations/grasp_{term}-term_{side}.json"
                    for side in _sides(term, there)
                ]
                for term in ("long", "short")
            ]
            if any(groups):
                return groups[0], groups[1]
        return (), ()

    def _expected(self, case: str) -> str:
        side = self.splits["official"].get(case, "train")
        return f"GraSP_1fps/annotations/grasp_long-term_{side}.json"

    def _folders(self, case: str, digits: int) -> Iterable[str]:
        releases = [r for r in RELEASES if "30fps" not in r and (r or digits < SOURCE_DIGITS)]
        return [f"{release}frames/{case}" for release in releases]


def _sides(term: str, there: Sequence[str]) -> list[str]:
    """Files of one term; the folds only repeat what the training file says."""
    found = [
        s for s in ("train", "test", "fold1", "fold2") if f"grasp_{term}-term_{s}.json" in there
    ]
    return [side for side in found if "train" not in found or "fold" not in side]

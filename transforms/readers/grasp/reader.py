"""Read GraSP: long-term files (phases, steps) and short-term files (instruments, actions).

Images of GraSP_1fps are numbered by second.  Images of GraSP_30fps are numbered by frame, and the
frame rate differs between cases.  Their second is therefore their rank among the keyframes of the
long-term file, which has one keyframe per second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transforms.readers.base.prostatectomy.coco import CocoReader
from transforms.readers.base.prostatectomy.rows import SOURCE_DIGITS

RELEASES = ("GraSP_1fps/", "GraSP/GraSP_1fps/", "", "GraSP_30fps/", "GraSP/GraSP_30fps/")
"""Possible folders of ``annotations/`` and ``frames/``; the first one with label files is read."""


class Reader(CocoReader):
    """Reader of GraSP; the dataset may be incomplete."""

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
    """Parts with a file of one term; folds only repeat the content of the training file."""
    found = [
        s for s in ("train", "test", "fold1", "fold2") if f"grasp_{term}-term_{s}.json" in there
    ]
    return [side for side in found if "train" not in found or "fold" not in side]

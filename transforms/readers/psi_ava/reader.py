"""Read PSI-AVA: COCO files with a keyframe about every 35 seconds, in two folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transforms.readers.base.prostatectomy.coco import CocoReader

FOLDER = "outputs/data_annotations/psi-ava/"
FOLDERS = (FOLDER, "data_annotations/psi-ava/", "psi-ava/", "")
FILE = "{fold}/coco_anns/{side}_coco_anns_v3_35s.json"
SIDES = tuple((fold, side) for fold in ("fold1", "fold2") for side in ("train", "val"))


class Reader(CocoReader):
    """Reader of PSI-AVA; the dataset may be incomplete.  Each of its folds contains all cases."""

    name = "psi_ava"
    version = 1

    def _groups(self) -> tuple[Sequence[str], Sequence[str]]:
        there = []
        for fold, side in SIDES:
            for folder in FOLDERS:
                name = folder + FILE.format(fold=fold, side=side)
                above, _, file = name.rpartition("/")
                if file in self._names(above):
                    there.append(name)
                    break
        return (), there

    def _expected(self, case: str) -> str:
        return FOLDER + FILE.format(fold="fold1", side=self.splits["fold-1"].get(case, "train"))

    def _folders(self, case: str, digits: int) -> Iterable[str]:
        return [f"{folder}{case}" for folder in ("keyframes/", "frames/", "PSI-AVA/keyframes/", "")]

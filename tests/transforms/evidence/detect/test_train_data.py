"""Data to learn from: what is read, and what is refused before a library is loaded."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.evidence.detect.settings import TrainSettings
from surgqa.transforms.evidence.detect.train import label_rows, read_data, train


def lay_out(root: Path, label: str = "0 0.5 0.5 0.2 0.2\n", names: str = "[hook, grasper]") -> Path:
    for kind in ("images", "labels"):
        (root / kind / "train").mkdir(parents=True)
    (root / "data.yaml").write_text(f"names: {names}\n")
    for stem in ("b", "a"):
        cv2.imwrite(str(root / "images" / "train" / f"{stem}.png"), np.zeros((32, 32, 3), np.uint8))
    (root / "labels" / "train" / "a.txt").write_text(label)
    return root


def test_pictures_come_by_name_and_may_have_no_label(tmp_path: Path) -> None:
    names, pairs = read_data(lay_out(tmp_path), "train")
    assert names == ("hook", "grasper")
    assert [picture.name for picture, _ in pairs] == ["a.png", "b.png"]
    assert label_rows(pairs[0][1], 2).tolist() == [[0, 0.5, 0.5, 0.2, 0.2]]
    assert label_rows(pairs[1][1], 2).shape == (0, 5)


def test_names_may_be_numbered(tmp_path: Path) -> None:
    assert read_data(lay_out(tmp_path, names="{1: hook, 0: grasper}"), "train")[0] == (
        "grasper",
        "hook",
    )


@pytest.mark.parametrize(
    "label",
    ["0 0.5 0.5 0.2", "hook 0.5 0.5 0.2 0.2", "0 1.5 0.5 0.2 0.2", "2 0.5 0.5 0.2 0.2",
     "-1 0.5 0.5 0.2 0.2", "0 nan 0.5 0.2 0.2"],
)  # fmt: skip
def test_a_wrong_label_stops_training(tmp_path: Path, label: str) -> None:
    data = lay_out(tmp_path / "data", label + "\n")
    with pytest.raises(UserError) as caught:
        train(data, tmp_path / "out.pt", TrainSettings())
    assert "a.txt" in str(caught.value.where)
    assert not (tmp_path / "out.pt").exists()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"data\.yaml"):
        read_data(tmp_path, "train")
    data = lay_out(tmp_path)
    with pytest.raises(SourceMissing, match="images/val"):
        read_data(data, "val")
    for picture in ("a", "b"):
        (data / "images" / "train" / f"{picture}.png").unlink()
    with pytest.raises(SourceMissing, match="no image"):
        read_data(data, "train")

"""Exports of labelling tools with any value in any place: read, or refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.labelling.export import load
from surgqa.transforms.readers.exports.reader import read_export
from tests.damage.everywhere import everywhere
from tests.readers.test_exports import SHEET


def coco(folder: Path) -> object:
    load("coco").write(SHEET, folder)
    tree = json.loads((folder / "annotations.json").read_bytes())
    tree["videos"] = [{"id": 1, "name": "op"}]
    tree["images"] = [{**image, "video_id": 1, "frame_id": 3} for image in tree["images"][:2]]
    tree["annotations"] = [
        {**tree["annotations"][0], "track_id": 1, "attributes": {"keyframe": True},
         "segmentation": [[0, 0, 9, 0, 9, 9]]}
    ]  # fmt: skip
    return tree


def label_studio(folder: Path) -> object:
    box = {"x": 1, "y": 2, "width": 3, "height": 4, "rotation": 0, "rectanglelabels": ["hook"]}
    sequence = [{**box, "frame": 1, "enabled": True, "time": 0.04}]
    size = {"original_width": 64, "original_height": 48}
    results = [
        {"id": "a", "type": "rectanglelabels", "value": box, "score": 0.5, **size},
        {"id": "b", "type": "polygonlabels", **size,
         "value": {"points": [[0, 0], [9, 0], [9, 9]], "polygonlabels": ["hook"]}},
    ]  # fmt: skip
    film = [{"id": "c", "type": "videorectangle",
             "value": {"framesCount": 9, "duration": 3.0, "labels": ["hook"],
                       "sequence": sequence}}]  # fmt: skip
    return [
        {"data": data, "annotations": [{"result": found, "was_cancelled": False}]}
        for data, found in (({"image": "/a/b.png"}, results), ({"video": "/a/b.mp4"}, film))
    ]


@pytest.mark.parametrize("made", [coco, label_studio])
def test_any_value_anywhere_is_met_with_words(made, tmp_path: Path) -> None:
    tried = read = 0
    for what, tree in everywhere(made(tmp_path)):
        tried += 1
        try:
            read_export(json.dumps(tree).encode(), "a.json")
            read += 1
        except UserError:
            pass
        except Exception as error:
            raise AssertionError(what) from error
    assert 0 < read < tried > 300

"""Annotations in COCO: which of their fields are attributes."""

from __future__ import annotations

from surgqa.transforms.readers.exports.coco import read_coco

IMAGE = {"id": 1, "file_name": "a/1.png", "width": 200, "height": 100}
BOX = {"id": 7, "image_id": 1, "category_id": 3, "bbox": [20, 10, 40, 30], "area": 1200,
       "iscrowd": 0}  # fmt: skip


def shape(**more):
    tree = {"images": [IMAGE], "annotations": [BOX | more],
            "categories": [{"id": 3, "name": "hook"}]}  # fmt: skip
    (picture,) = read_coco(tree, "export.json").pictures
    (found,) = picture.shapes
    return found


def test_fields_that_coco_does_not_know_are_attributes():
    found = shape(attributes={"Hand": "left", "track_id": 4}, confidence=0.5, side="near")
    assert found.attributes == {"hand": "left", "confidence": 0.5, "side": "near"}
    assert (found.label, found.track, found.score, found.drawn) == ("hook", "4", 1.0, True)
    assert found.box == (0.1, 0.1, 0.3, 0.4)


def test_fields_that_it_knows_are_none():
    found = shape(score=0.25, track_id="t", instance_id=2, surgqa_id="x", image_name="a/1.png")
    assert found.attributes == {} and (found.track, found.score) == ("t", 0.25)


def test_a_frame_between_two_drawn_ones_is_not_drawn():
    assert not shape(attributes={"keyframe": False}).drawn

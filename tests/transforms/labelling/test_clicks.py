"""A tissue that is named is asked for, pointed at, outlined by a model, and looked at again."""

from __future__ import annotations

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.observed import ANCHORS, MASKS
from surgqa.transforms.evidence.segment.masks import encode, tight_box
from surgqa.transforms.labelling.corrections import Corrected, Corrections
from surgqa.transforms.labelling.exchange import export_round, import_file
from surgqa.transforms.labelling.layer import clicks, corrected, layers_of, settled, truth_of
from surgqa.transforms.labelling.matching import Action, match
from surgqa.transforms.labelling.pictures import cleaner
from surgqa.transforms.labelling.rounds import TRAINING, Project
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.labelling.sheet import ChangeReason, ReturnedBox, drawn
from surgqa.transforms.labelling.signs import seen
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.store.evidence import stored_schema
from tests.each import cases
from tests.transforms.labelling.conftest import MEDIUM, SECOND, SIZE, box, write_store
from tests.transforms.labelling.test_formats import SHEET, studio, studio_import
from tests.transforms.labelling.test_matching import OLD, back, mark, only, sheet

NAMED = 8
"""Second at which the liver is named."""
POINT = (0.3, 0.6)


def click(place=POINT, name="grasper", box_id="id1") -> ReturnedBox:
    return ReturnedBox(name, place * 2, box_id, "spot", clicked=True)


def test_a_click_is_no_box_and_takes_no_boxs_place():
    found = match(sheet(), back(click(), mark(name="hook", box_id=None)))
    one, other = only(found)
    assert (one.action, one.box.box_xyxy) == (Action.CLICKED, POINT * 2)
    assert other.action is Action.ADDED
    assert (found.boxes.clicked, found.boxes.added) == (1, 1) and found.boxes.balanced
    found = match(sheet(OLD), back(click(OLD.box_xyxy[:2])))
    assert [c.action for c in only(found)] == [Action.CLICKED, Action.DELETED]


@cases(("places", "code", "kept"), [
    ([POINT, (0.5, 0.5)], ChangeReason.DUPLICATE_BOX, [POINT]),
    ([(1.5, 0.5)], ChangeReason.OUTSIDE, None),
    ([(1.001, 0.5)], ChangeReason.CLIPPED, [(1.0, 0.5)]),
    ([(float("nan"), 0.5)], ChangeReason.BAD_BOX, None),
])  # fmt: skip
def test_clicks_are_held_to_the_picture_and_there_is_one_of_each_label(places, code, kept):
    found = match(sheet(), back(*(click(place) for place in places)))
    assert [one.code for one in found.rejects] == [code] and found.boxes.balanced
    if kept is None:
        assert (found.frames.rejected, found.reviewed) == (1, [])
    else:
        assert [c.box.box_xyxy[:2] for c in only(found)] == kept


def test_label_studios_key_points_are_clicks(tmp_path):
    tasks = studio(tmp_path)
    value = {"x": 30, "y": 60, "width": 1.2, "keypointlabels": ["cystic_duct"]}
    point = {"type": "keypointlabels", "id": "p", "value": value}
    tasks[1]["annotations"][0]["result"] = [point]
    found = studio_import(tmp_path, tasks)
    (one,) = next(r.corrections for r in found.reviewed if r.frame is SHEET.frames[1])
    assert (one.action, one.box.kind) == (Action.CLICKED, "tissue")
    assert one.box.box_xyxy == pytest.approx(POINT * 2)


@pytest.fixture
def spoken(tmp_path):
    """A store of one video with pictures, in which the liver is named and has no box."""
    media = tmp_path / "media"
    (media / "A").mkdir(parents=True)
    for second in range(20):
        picture = np.full((SIZE[1], SIZE[0], 3), 10 * second, np.uint8)
        cv2.imwrite(str(media / "A" / f"{second:06d}.png"), picture)
    folder = write_store(tmp_path / "store", {"A": [box(s) for s in range(20)]}, media=media)
    said = dict.fromkeys(ANCHORS.names) | {"normalized_terms": [], "matches": [], "flags": []}
    row = said | {"start_us": NAMED * SECOND, "end_us": (NAMED + 1) * SECOND, "tissue": "liver"}
    table = pa.Table.from_pylist([row], stored_schema("anchors"))
    pq.write_table(table, folder / "videos" / "A" / "anchors.parquet")
    return folder


def sent(folder, tmp_path, count=1, form="label-studio"):
    """The project, its newest round, and the folder of its export."""
    view = StoreView(folder)
    project = Project.begun(folder, view, 0.01)
    one, _ = project.open_round(view, count, TRAINING, Choosing())
    out = tmp_path / f"round{one.number}"
    export_round(project, view, one, out, form, cleaner(False), False)
    return project, one, Corrections(out) if form == "label-studio" else out


def clicked(folder, tmp_path):
    """The round in which the liver is pointed at, taken in."""
    project, one, round_ = sent(folder, tmp_path)
    (frame,) = round_.frames()
    boxes = [Corrected(b["id"], b["label"], b["box"]) for b in frame["boxes"]]
    round_.take(frame["file"], [*boxes, Corrected(None, "liver", POINT * 2)], True)
    import_file(project, round_.tasks, "label-studio", "ann", "2026-11-21")
    return project, one, round_


def test_what_is_named_is_asked_for(spoken, tmp_path):
    _, one, round_ = sent(spoken, tmp_path)
    (frame,) = one.sheet.frames
    assert (frame.frame, frame.asked) == (NAMED, ("liver",))
    (told,) = round_.frames()
    assert told["asked"] == ["liver"] and told["masks"] == {}


def test_a_click_is_kept_and_tells_nothing_of_where_nothing_is(spoken, tmp_path):
    _, _, round_ = clicked(spoken, tmp_path)
    assert round_.frames()[0]["boxes"][-1]["box"] == POINT * 2  # shown again as it was left
    layers = layers_of(spoken, "A", StoreView(spoken).medium("A"))
    (row,) = clicks(layers).to_pylist()
    assert (row["time_us"], row["kind"], row["label"]) == (NAMED * SECOND, "tissue", "liver")
    assert (row["x1"], row["y1"], row["x2"], row["y2"]) == pytest.approx(POINT * 2)
    assert row["reviewer"] == "ann"
    assert settled(layers) == [] and truth_of(layers, TRAINING) == {}
    boxes = corrected(StoreView(spoken).table("A", "boxes"), layers)
    at = [r for r in boxes.to_pylist() if r["time_us"] == NAMED * SECOND]
    assert [(r["label"], r["origin"]) for r in at] == [("grasper", "manual")]


def outline(folder, label="liver"):
    """What observing again makes of the click: a mask, and a box of it."""
    mask = np.zeros((SIZE[1], SIZE[0]), bool)
    mask[50:70, 40:60] = True
    x1, y1, x2, y2 = tight_box(mask)
    corners = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    row = dict.fromkeys(MASKS.names) | {
        "time_us": NAMED * SECOND, "frame": NAMED, "object": 7, "label": label, "score": 0.9,
        "height": SIZE[1], "width": SIZE[0], "counts": encode(mask).tolist(), **corners,
    }  # fmt: skip
    place = folder / "videos" / "A"
    pq.write_table(pa.Table.from_pylist([row], stored_schema("masks")), place / "masks.parquet")
    rows = [*StoreView(folder).table("A", "boxes").to_pylist(),
            box(NAMED, label, kind="tissue", origin="mask", track=7, **corners)]  # fmt: skip
    rows.sort(key=lambda r: (r["time_us"], r["kind"], r["label"]))
    pq.write_table(pa.Table.from_pylist(rows, stored_schema("boxes")), place / "boxes.parquet")
    return mask


def test_a_clicked_frame_waits_for_its_outline_and_is_shown_with_it(spoken, tmp_path):
    project, *_ = clicked(spoken, tmp_path)
    here = ("A", NAMED * SECOND)
    assert (
        project.clicked(StoreView(spoken)) == {here}
        and project.reviewed(StoreView(spoken)) == set()
    )
    mask = outline(spoken)
    assert project.clicked(StoreView(spoken)) == set()
    values = {one.frame: one.values for one in seen(StoreView(spoken), "A", Choosing())}
    assert [s for s, found in values.items() if found["outlined"]] == [NAMED]
    assert values[NAMED]["named"] == 0.0
    _, one, round_ = sent(spoken, tmp_path)
    assert [(frame.frame, frame.asked) for frame in one.sheet.frames] == [(NAMED, ())]
    (told,) = round_.frames()
    (box_id,) = told["masks"]
    assert next(b["label"] for b in told["boxes"] if b["id"] == box_id) == "liver"
    from surgqa.ontology.masks import decoded

    assert np.array_equal(decoded(told["masks"][box_id]), mask)


def test_a_frame_whose_outline_was_looked_at_is_settled(spoken, tmp_path):
    project, *_ = clicked(spoken, tmp_path)
    outline(spoken)
    _, _, round_ = sent(spoken, tmp_path)
    (frame,) = round_.frames()
    boxes = [Corrected(b["id"], b["label"], b["box"]) for b in frame["boxes"]]
    round_.take(frame["file"], boxes, True)
    import_file(project, round_.tasks, "label-studio", "ann", "2026-11-22")
    layers = layers_of(spoken, "A", StoreView(spoken).medium("A"))
    assert settled(layers) == [NAMED * SECOND] and not clicks(layers).num_rows
    labels = [row["label"] for row in truth_of(layers, TRAINING)[NAMED * SECOND]]
    assert sorted(labels) == ["grasper", "liver"]
    assert project.reviewed(StoreView(spoken)) == {("A", NAMED * SECOND)}


@pytest.mark.parametrize(("form", "file", "sign"), [
    ("cvat", "annotations.xml", "<mask"), ("coco", "annotations.json", '"counts"'),
])  # fmt: skip
def test_an_outline_does_not_come_back_as_a_shape(spoken, tmp_path, form, file, sign):
    clicked(spoken, tmp_path)
    outline(spoken)
    project, _, out = sent(spoken, tmp_path, form=form)
    assert (sign in (out / file).read_text()) == (form == "coco")
    done = import_file(project, out / file, form, "ann", "2026-11-22")
    assert (done.record["frames"]["imported"], done.record["rejected"]) == (1, {})


def test_a_later_click_makes_a_frame_unsettled(spoken, tmp_path):
    from tests.transforms.labelling.test_layer import correction, lay, reviewed

    lay(spoken, "001-01", reviewed(2, correction(Action.ADDED)))
    assert settled(layers_of(spoken, "A", MEDIUM)) == [2 * SECOND]
    lay(spoken, "002-01", reviewed(2, correction(Action.CLICKED)))
    layers = layers_of(spoken, "A", MEDIUM)
    assert settled(layers) == [] and truth_of(layers, TRAINING) == {}
    assert len(clicks(layers)) == 1


def test_boxes_have_the_masks_of_their_tracks_and_no_others(spoken):
    outline(spoken)
    found = drawn(StoreView(spoken), "A", NAMED * SECOND)
    assert [(one.label, one.mask is not None) for one in found] == [
        ("grasper", False), ("liver", True),
    ]  # fmt: skip

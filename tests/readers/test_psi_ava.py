"""Quirks of PSI-AVA, one test each, and the real validation file of its first fold."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Clock, Code, VideoEvidence
from surgqa.transforms import registry

Reader = registry.load_reader("psi_ava")

FILE = "outputs/data_annotations/psi-ava/fold1/coco_anns/val_coco_anns_v3_35s.json"
SECONDS = {36: 2, 71: 36, 106: 41}
"""Keyframes of the sample that are moved, so that some follow one another closely."""
DOING = {
    "Cauterize": "cauterizing", "Close": "closing_jaws", "Close Something": "closing_on_something",
    "Cut": "cutting", "Grasp": "grasping", "Hold": "holding", "Open": "opening_jaws",
    "Open Something": "spreading_open", "Other": "other_action", "Pull": "pulling",
    "Push": "pushing", "Release": "releasing", "Staple": "stapling", "Still": "keeping_still",
    "Suction": "suctioning", "Travel": "travelling", "Wash": "washing",
}  # fmt: skip
Tree = dict[str, Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The sample without pictures, with keyframes that are moved and boxes inside the picture."""
    registry.load_sample("psi_ava")(tmp_path)
    shutil.rmtree(tmp_path / "keyframes")
    text = (tmp_path / FILE).read_text()
    for old, new in SECONDS.items():
        text = text.replace(f"/{old:05d}.jpg", f"/{new:05d}.jpg")
    (tmp_path / FILE).write_text(text.replace("1280.0,", "240.0,"))
    return tmp_path


@pytest.fixture
def changed(root: Path) -> Callable[[Callable[[Tree], object]], VideoEvidence]:
    """Change the tree of the label file and read its first case."""

    def read(change: Callable[[Tree], object]) -> VideoEvidence:
        tree = json.loads((root / FILE).read_text())
        change(tree)
        (root / FILE).write_text(json.dumps(tree))
        evidence = Reader(root).read("CASE002")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return read


def codes(evidence: VideoEvidence) -> list[tuple[str, str, str]]:
    return [(entry.code, entry.where.split()[-1], entry.outcome) for entry in evidence.rejected]


def rows_of(tree: Tree, case: str, second: int) -> list[int]:
    """Places of a picture's annotations."""
    name = f"{case}/{second:05d}.jpg"
    return [i for i, row in enumerate(tree["annotations"]) if row["image_name"] == name]


def test_pictures_may_stand_in_any_order_and_their_number_is_the_second(changed) -> None:
    evidence = changed(lambda tree: tree["images"].sort(key=lambda i: i["file_name"][::-1]))
    assert evidence.instruments.frames.tolist()[:4] == [1, 2, 36, 41]
    assert evidence.instruments.instants_us[2] == 36_000_000
    assert evidence.video.clock is Clock.TIME


def test_a_label_holds_for_its_second_and_for_no_other(changed) -> None:
    evidence = changed(lambda tree: None)
    first, second = [span for span in evidence.spans if span.kind == "phase"][:2]
    assert (first.start_us, first.end_us, first.label) == (
        1_000_000, 3_000_000, "prostatectomy_idle",
    )  # fmt: skip
    assert second.start_us == 36_000_000
    assert second.end_us == 37_000_000


def test_an_instance_has_one_to_three_actions_and_they_belong_to_its_instrument(changed) -> None:
    def three(tree: Tree) -> None:
        tree["annotations"][0]["actions"] = [6, 9, 15]

    found = [(s.label, s.subject) for s in changed(three).spans
             if s.kind == "action" and s.start_us == 1_000_000]  # fmt: skip
    for action in ("holding", "pulling", "travelling"):
        assert (action, "bipolar") in found


def test_a_picture_without_rows_shows_no_instrument_and_no_known_phase(changed) -> None:
    def emptied(tree: Tree) -> None:
        for place in reversed(rows_of(tree, "CASE002", 36)):
            del tree["annotations"][place]

    evidence = changed(emptied)
    sample_of_36 = evidence.instruments.frames.tolist().index(36)
    assert sample_of_36 not in evidence.instruments.sample
    assert not [span for span in evidence.spans if span.start_us == 36_000_000]


def test_a_row_that_is_not_understood_takes_its_picture_with_it(changed) -> None:
    def unknown(tree: Tree) -> None:
        tree["annotations"][rows_of(tree, "CASE002", 2)[0]]["category_id"] = 99

    evidence = changed(unknown)
    assert 2 not in evidence.instruments.frames
    found = [code for code, _, _ in codes(evidence)]
    assert found.count(Code.UNKNOWN_LABEL) == 1
    assert found.count(Code.INCOMPLETE_INSTANT) == len(found) - 1 > 0


def test_rows_that_name_two_phases_give_none(changed) -> None:
    def two(tree: Tree) -> None:
        tree["annotations"][rows_of(tree, "CASE002", 2)[0]]["phase"] = 5

    evidence = changed(two)
    assert (Code.CONTRADICTION, "repaired") in [(c, o) for c, _, o in codes(evidence)]
    assert not [s for s in evidence.spans if s.kind == "phase" and s.start_us == 2_000_000]
    assert [s for s in evidence.spans if s.kind == "step" and s.end_us == 3_000_000]
    assert 2 in evidence.instruments.frames


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("actions", 3, Code.BAD_VALUE),
        ("actions", [99], Code.UNKNOWN_LABEL),
        ("actions", ["Cut"], Code.BAD_VALUE),
        ("category_id", 1.5, Code.BAD_VALUE),
        ("instruments", 2, Code.CONTRADICTION),
        ("phase", 40, Code.UNKNOWN_LABEL),
        ("step", None, None),
        ("phase", -1, None),
        ("bbox", [1, 2, 3], Code.BAD_BOX),
        ("bbox", [5000, 0, 10, 10], Code.BAD_BOX),
        ("bbox", [9, 9, -4, 10], Code.BAD_BOX),
        ("bbox", None, None),
    ],
)
def test_a_bad_value_is_rejected_with_its_place(changed, key, value, code) -> None:
    evidence = changed(lambda tree: tree["annotations"][0].update({key: value}))
    found = [c for c, where, _ in codes(evidence) if where == "annotations[0]"]
    assert found == ([code] if code else [])


def test_the_same_instrument_with_the_same_box_again_is_one(changed) -> None:
    def again(tree: Tree) -> None:
        tree["annotations"].append({**tree["annotations"][0], "id": 9999})

    evidence = changed(again)
    assert [code for code, _, _ in codes(evidence)] == [Code.BAD_ROW]
    assert 1 in evidence.instruments.frames


def test_two_pictures_with_one_number_are_one_too_many(changed) -> None:
    def again(tree: Tree) -> None:
        image = next(i for i in tree["images"] if i["file_name"] == "CASE002/00001.jpg")
        tree["images"].append({**image, "id": 5000})
        tree["annotations"].append({**tree["annotations"][0], "image_id": 5000})

    evidence = changed(again)
    assert [code for code, _, _ in codes(evidence)] == [Code.DUPLICATE_FRAME]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda t: t["annotations"][3].update(image_id=7), "annotations[3]"),
        (lambda t: t["images"][2].update(file_name="video/3.jpg"), "images[2]"),
        (lambda t: t["images"][2].update(width=0), "images[2]"),
        (lambda t: t["images"].append(t["images"][0]), "images["),
        (lambda t: t["phase_categories"].append({"id": 0, "name": "Idle"}), "phase_categories["),
        (lambda t: t.update(images={}), "images"),
    ],
)
def test_what_belongs_to_no_case_breaks_the_file(changed, change, where) -> None:
    with pytest.raises(SourceBroken) as error:
        changed(change)
    assert where in error.value.where


def test_the_second_fold_alone_is_enough(root: Path) -> None:
    fold = root / "outputs/data_annotations/psi-ava"
    before = Reader(root).read("CASE002")
    (fold / "fold1").rename(fold / "fold2")
    after = Reader(root).read("CASE002")
    assert (after.spans[0].label, after.instruments) == (before.spans[0].label, before.instruments)
    assert after.video.sources[0].path.startswith("outputs/data_annotations/psi-ava/fold2/")


def test_a_case_that_no_file_lists_names_the_file_that_should(root: Path) -> None:
    with pytest.raises(SourceMissing) as error:
        Reader(root).read("CASE001")
    assert error.value.where.endswith("fold1/coco_anns/train_coco_anns_v3_35s.json")
    with pytest.raises(SourceMissing, match="does not list CASE007"):
        Reader(root).read("CASE007")


# ---- the real file


@pytest.fixture(scope="module")
def real(real_dataset) -> tuple[Tree, dict[str, VideoEvidence]]:
    root = real_dataset("psi-ava")
    reader = Reader(root)
    return json.loads((root / FILE).read_text()), {v: reader.read(v) for v in reader.videos()}


def test_the_real_file_is_read_whole(real) -> None:
    tree, evidence = real
    assert list(evidence) == ["CASE002", "CASE003", "CASE007", "CASE021"]
    images = Counter(image["file_name"][:7] for image in tree["images"])
    instances = Counter(row["image_name"][:7] for row in tree["annotations"])
    assert (images.total(), instances.total()) == (1029, 2623)
    for case, found in evidence.items():
        assert found.instruments.instants_us.size == images[case]
        assert found.instruments.sample.size == instances[case]
        assert found.rejected == ()
        last = max(int(i["file_name"][8:13]) for i in tree["images"] if case in i["file_name"])
        assert found.video.duration_us == (last + 1) * 1_000_000
    seen = sum(len(set(e.instruments.sample.tolist())) for e in evidence.values())
    assert seen == 1018


def test_every_real_instance_is_the_row_that_it_points_to(real) -> None:
    tree, evidence = real
    names = {entry["id"]: entry["name"] for entry in tree["categories"]}
    spelt = {"Bipolar Forceps": "bipolar", "Clip Applier": "clipper"}
    rows: dict[tuple[str, int], list[Tree]] = {}
    for row in tree["annotations"]:
        rows.setdefault((row["image_name"][:7], int(row["image_name"][8:13])), []).append(row)
    for case, found in evidence.items():
        table = found.instruments
        for i in range(table.sample.size):
            row = rows[case, int(table.frames[table.sample[i]])][table.row[i]]
            name = names[row["category_id"]]
            assert table.labels[table.label[i]] == spelt.get(name, name.lower().replace(" ", "_"))
            x, y, w, h = row["bbox"]
            expected = [x / 1280, y / 800, (x + w) / 1280, (y + h) / 800]
            assert table.box_xyxy[i].tolist() == pytest.approx(expected, abs=1e-12)


def test_real_phases_steps_and_actions_are_as_often_as_in_the_file(real) -> None:
    tree, evidence = real
    seconds: dict[str, Counter[str]] = {"phase": Counter(), "step": Counter()}
    for found in evidence.values():
        for span in found.spans:
            if span.kind != "action":
                seconds[span.kind][span.label] += (span.end_us - span.start_us) // 1_000_000
    by_image = {row["image_id"]: row for row in tree["annotations"]}
    for kind, idle in (("phase", "prostatectomy_idle"), ("step", "prostatectomy_step_idle")):
        told = Counter(row[kind] for row in by_image.values())
        assert sorted(seconds[kind].values()) == sorted(told.values())
        assert seconds[kind][idle] == told[0]
    actions = Counter(s.label for e in evidence.values() for s in e.spans if s.kind == "action")
    told_actions = {
        (row["image_id"], row["category_id"], action)
        for row in tree["annotations"]
        for action in row["actions"]
    }
    names = {entry["id"]: entry["name"] for entry in tree["action_categories"]}
    expected = Counter(DOING[names[action]] for _, _, action in told_actions)
    assert actions == expected

"""Rounds from choosing to training and again, with an annotator who knows the truth."""

from __future__ import annotations

import json

import numpy as np
import pytest

from surgqa.ontology.errors import OutputBroken, SourceChanged, SourceMissing, StepOrder, UserError
from surgqa.transforms.labelling.exchange import export_round, import_file
from surgqa.transforms.labelling.export import FORMATS, load
from surgqa.transforms.labelling.layer import corrected, layers_of
from surgqa.transforms.labelling.measuring import known_frames
from surgqa.transforms.labelling.pictures import cleaner
from surgqa.transforms.labelling.rounds import HELD_OUT, TRAINING, Project
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.labelling.training import train_round
from tests.transforms.labelling.conftest import perfect
from tests.transforms.labelling.student import StudentTeacher
from tests.transforms.labelling.test_formats import MAIN, submit

AS_IT_IS = cleaner(False)


@pytest.fixture
def project(rendered, view) -> Project:
    return Project.begun(rendered, view, 0.25)


def send(project, view, tmp_path, count=8, part=TRAINING, form="cvat"):
    one, _ = project.open_round(view, count, part, Choosing())
    out = tmp_path / f"round{one.number}"
    export_round(project, view, one, out, form, AS_IT_IS, False)
    return project.round(one.number), out


def correct(one, out, form, scenes):
    """What comes back from an annotator who knows the truth."""
    sheet = perfect(one.sheet, scenes)
    load(form).write(sheet, out)
    path = out / MAIN[form] if MAIN[form] else out
    if form == "label-studio":
        submit(path)
    return path


def take(project, one, out, scenes, form="cvat", **more):
    path = correct(one, out, form, scenes)
    return import_file(project, path, form, "ann", "2026-11-21", **more)


def test_pictures_of_an_export_are_those_of_the_video(project, view, tmp_path):
    import cv2

    one, out = send(project, view, tmp_path)
    for frame in one.sheet.frames:
        written = cv2.imread(str(out / "images" / frame.file))[..., ::-1]
        assert np.array_equal(written, view.picture(frame.video_id, frame.time_us))
        assert (frame.width, frame.height) == written.shape[1::-1]
    assert len(list((out / "images").iterdir())) == 8


def test_pictures_are_cleaned_before_they_are_written(project, view, tmp_path):
    import cv2

    def black(picture):
        return np.zeros_like(picture), 2

    one, _ = project.open_round(view, 3, TRAINING, Choosing())
    done = export_round(project, view, one, tmp_path / "out", "coco", black, True)
    assert done.regions == 6
    assert all(not cv2.imread(str(p)).any() for p in (tmp_path / "out" / "images").iterdir())
    assert project.round(1).done("export")[0]["regions"] == 6


@pytest.mark.parametrize("form", FORMATS)
def test_a_perfect_annotator_turns_the_evidence_into_the_truth(
    form, project, view, scenes, tmp_path
):
    one, out = send(project, view, tmp_path, form=form)
    done = take(project, one, out, scenes, form)
    assert done.layer == "001-01" and done.record["rejected"] == {}
    books = done.record["boxes"]
    assert books["relabelled"] > 0 and books["added"] > 0 and books["confirmed"] > 0
    reviewed = {(v, t) for v, t in project.reviewed(view)}
    assert reviewed == set(one.chosen)
    for video_id in view.videos():
        merged = corrected(
            view.table(video_id, "boxes"), layers_of(view.path, video_id, view.medium(video_id))
        )
        truth = scenes[video_id].boxes().to_pylist()
        for time_us in (t for v, t in reviewed if v == video_id):
            mine = [r for r in merged.to_pylist() if r["time_us"] == time_us]
            right = [r for r in truth if r["time_us"] == time_us]
            assert [r["label"] for r in mine] == [r["label"] for r in right]
            for a, b in zip(mine, right, strict=True):
                assert [a[c] for c in ("x1", "y1", "x2", "y2")] == pytest.approx(
                    [b[c] for c in ("x1", "y1", "x2", "y2")], abs=1e-4
                )
            assert {r["origin"] for r in mine} <= {"manual"}


def test_all_formats_give_the_same_layer_but_for_their_precision(project, view, scenes, tmp_path):
    one, _ = send(project, view, tmp_path)
    seen = []
    for form in FORMATS:
        out = tmp_path / form
        export_round(project, view, one, out, form, AS_IT_IS, False)
        record = take(project, one, out, scenes, form).record
        seen.append((record["frames"], record["boxes"], record["labels"], record["reviewed"]))
    assert seen[0] == seen[1] == seen[2] == seen[3]


def test_two_rounds_teach_the_detector(project, view, scenes, tmp_path):
    teacher, start = StudentTeacher(), tmp_path / "poor.json"
    start.write_text('{"names": ["hook"], "colours": {"hook": [[200, 150, 120]], "": []}}')
    one, out = send(project, view, tmp_path, 10, HELD_OUT)
    take(project, one, out, scenes)
    measures, chosen = [], []
    for number in (2, 3):
        one, out = send(project, view, tmp_path, 6)
        take(project, one, out, scenes)
        weights = tmp_path / f"weights{number}.json"
        done = train_round(project, view, teacher, start, weights, AS_IT_IS, False)
        assert done.round == number
        measures.append(done.held_out)
        chosen.append(set(one.chosen))
        start = weights
    held = {(o.video_id, o.time_us) for o in known_frames(project, view)}
    assert len(held) == 10 and not held & (chosen[0] | chosen[1])
    assert not chosen[0] & chosen[1]
    first, second = measures
    assert first["truth"] == second["truth"]
    assert first["before"]["map50"] < 0.1 and first["after"]["map50"] > 0.6
    assert second["before"] == first["after"]  # the same weights on the same frames
    assert set(second["after"]["classes"]) == set(second["boxes"])
    steps = [project.round(n).steps for n in (1, 2, 3)]
    assert [[s["step"] for s in each] for each in steps] == [
        ["choose", "export", "import"],
        ["choose", "export", "import", "train"],
        ["choose", "export", "import", "train"],
    ]
    last = project.round(3).done("train")[0]
    assert last["frames"] == 12 and last["start"]["sha256"] == steps[1][-1]["weights"]["sha256"]
    assert last["settings"] == {"pictures": 12}


def test_the_record_only_grows(project, view, scenes, tmp_path):
    path = project.path / "rounds" / "001.json"
    one, out = send(project, view, tmp_path)
    before = json.loads(path.read_text())["steps"]
    take(project, one, out, scenes)
    train_round(project, view, StudentTeacher(), tmp_path / "no.yaml", tmp_path / "w", AS_IT_IS,
                False)  # fmt: skip
    after = json.loads(path.read_text())["steps"]
    assert after[: len(before)] == before and len(after) == len(before) + 2


def test_the_same_file_again_changes_nothing(project, view, scenes, tmp_path):
    one, out = send(project, view, tmp_path)
    first = take(project, one, out, scenes)
    again = take(project, one, out, scenes)
    assert again.again and again.layer == first.layer and again.record == first.record
    assert len(project.round(1).done("import")) == 1
    other = import_file(project, out / "annotations.xml", "cvat", "bob", "2026-11-22")
    assert other.layer == "001-02" and not other.again


def test_an_import_that_was_broken_off_is_recorded_when_repeated(project, view, scenes, tmp_path):
    one, out = send(project, view, tmp_path)
    path = project.path / "rounds" / "001.json"
    before = path.read_bytes()
    take(project, one, out, scenes)
    path.write_bytes(before)  # as if the process had ended between layer and record
    assert take(project, one, out, scenes).again
    assert [s["layer"] for s in project.round(1).done("import")] == ["001-01"]


def test_a_round_that_was_never_exported_comes_first(project, view, tmp_path):
    project.open_round(view, 4, TRAINING, Choosing())
    with pytest.raises(UserError, match="chosen and never exported"):
        project.open_round(view, 4, TRAINING, Choosing())
    export_round(project, view, project.round(1), tmp_path / "o", "yolo", AS_IT_IS, False)
    assert project.open_round(view, 4, TRAINING, Choosing())[0].number == 2


def test_frames_with_the_reviewers_are_not_chosen_again_and_left_ones_are(
    project, view, scenes, tmp_path
):
    one, out = send(project, view, tmp_path, 8, form="yolo")
    two, _ = send(project, view, tmp_path, 8, form="yolo")
    assert not set(one.chosen) & set(two.chosen)
    path = correct(one, out, "yolo", scenes)
    labels = sorted((path / "labels" / "train").iterdir())
    for file in labels[:5]:
        file.unlink()
    done = import_file(project, path, "yolo", "ann", "2026-11-21")
    assert done.record["frames"]["not_reviewed"] == 5
    left = {
        (f.video_id, f.time_us) for f in one.sheet.frames if f.file in done.record["not_reviewed"]
    }
    assert left and not left & project.pending(view) and not left & project.reviewed(view)


def test_what_was_reviewed_or_sent_is_forgotten_when_the_video_has_other_content(
    project, view, scenes, tmp_path
):
    one, out = send(project, view, tmp_path)
    take(project, one, out, scenes)
    two, _ = send(project, view, tmp_path)
    assert project.reviewed(view) == set(one.chosen) and project.pending(view) == set(two.chosen)
    for video_id in view.videos():
        path = view.path / "videos" / video_id / "video.json"
        path.write_text(path.read_text().replace(view.medium(video_id), "1" * 64))
    assert project.reviewed(view) == project.pending(view) == set()
    with pytest.raises(StepOrder, match="other content"):
        export_round(project, view, two, tmp_path / "again", "coco", AS_IT_IS, False)
    frame = one.sheet.frames[0]
    with pytest.raises(SourceChanged, match="not the recording"):
        view.picture(frame.video_id, frame.time_us)


def test_frames_for_measuring_are_chosen_once(project, view, tmp_path):
    send(project, view, tmp_path, 4, HELD_OUT)
    with pytest.raises(UserError, match="chosen once"):
        project.open_round(view, 9, HELD_OUT, Choosing())


def test_what_is_held_out_is_never_trained_on(project, view, scenes, tmp_path):
    one, out = send(project, view, tmp_path, 6, HELD_OUT)
    take(project, one, out, scenes)
    with pytest.raises(UserError, match="no frames to train on"):
        train_round(project, view, StudentTeacher(), tmp_path / "a", tmp_path / "b", AS_IT_IS,
                    False)  # fmt: skip
    assert known_frames(project, view, TRAINING) == []


def test_training_without_anything_to_measure_on_says_so(project, view, scenes, tmp_path):
    one, out = send(project, view, tmp_path)
    take(project, one, out, scenes)
    done = train_round(project, view, StudentTeacher(), tmp_path / "a.yaml", tmp_path / "b",
                       AS_IT_IS, False)  # fmt: skip
    assert done.held_out["before"] is None and done.held_out["after"] is None
    assert done.held_out["frames"] == 0


def test_nothing_left_to_choose(project, view, scenes, tmp_path):
    one, out = send(project, view, tmp_path, 500)
    assert len(one.chosen) < 500
    with pytest.raises(UserError, match="no frame is left"):
        project.open_round(view, 5, TRAINING, Choosing())


def test_sheets_survive_the_record(project, view, tmp_path):
    one, _ = send(project, view, tmp_path)
    again = Project(project.store).round(one.number).sheet
    assert again == one.sheet


@pytest.mark.parametrize(
    ("reviewer", "date", "said"),
    [
        (" ", "2026-11-21", "need a reviewer"),
        ("ann", "21.11.2026", "not a date"),
        ("ann", "2026-13-01", "not a date"),
        ("ann", "20261121", "not a date"),
        ("ann", "2026-W47-6", "not a date"),
    ],
)
def test_corrections_are_signed(project, view, tmp_path, reviewer, date, said):
    _, out = send(project, view, tmp_path)
    with pytest.raises(UserError, match=said):
        import_file(project, out / "annotations.xml", "cvat", reviewer, date)


def test_wrong_files_and_places(project, view, rendered, tmp_path):
    one, out = send(project, view, tmp_path)
    with pytest.raises(SourceMissing):
        import_file(project, tmp_path / "gone.xml", "cvat", "ann", "2026-11-21")
    text = (out / "annotations.xml").read_text().replace(one.sheet.frames[0].file[:12], "x" * 12)
    for frame in one.sheet.frames:
        text = text.replace(frame.file, "other.png")
    (out / "renamed.xml").write_text(text)
    with pytest.raises(UserError, match="no round of this store"):
        import_file(project, out / "renamed.xml", "cvat", "ann", "2026-11-21")
    with pytest.raises(UserError, match="no round 9"):
        import_file(project, out / "annotations.xml", "cvat", "ann", "2026-11-21", 9)
    with pytest.raises(UserError, match="already exists"):
        export_round(project, view, one, out, "coco", AS_IT_IS, False)
    with pytest.raises(UserError, match="not an evidence store"):
        Project(tmp_path)
    (project.path / "project.json").write_text("{")
    with pytest.raises(OutputBroken):
        Project(rendered)

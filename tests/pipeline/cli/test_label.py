"""``surgqa label`` as it is typed: a round from choosing to the table, and every mistake."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from surgqa.ontology.fitness import FILE, fitness_from
from surgqa.pipeline.cli.app import run
from surgqa.transforms.labelling.corrections import Corrected, Corrections
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.layer import layers_of
from surgqa.transforms.labelling.rounds import Project
from surgqa.transforms.labelling.sheet import Drawn
from tests.pipeline.cli.typed import said_by
from tests.transforms.labelling.conftest import (
    media,  # noqa: F401 - fixtures of the rooms below
    perfect,
    rendered,  # noqa: F401
    scenes,  # noqa: F401
)

said = said_by("label")


def chosen(store, out, *more: object) -> None:
    assert (
        run(["label", "choose", str(store), "--out", str(out), "--no-blur", *map(str, more)]) == 0
    )


def correct(store, number, out, scenes, form="cvat"):  # noqa: F811
    load(form).write(perfect(Project(store).round(number).sheet, scenes), out)


SIGNED = ("--reviewer", "A. Surgeon", "--date", "2026-11-21")


def test_pictures_of_two_workers_are_those_of_one(rendered, tmp_path):  # noqa: F811
    one, two = tmp_path / "one", tmp_path / "two"
    chosen(rendered, one, "--count", 6, "--held-out", 0.25)
    chosen(rendered, two, "--round", 1, "--workers", 2)
    made = sorted(path.name for path in (one / "images").iterdir())
    assert len(made) == 6 and made == sorted(path.name for path in (two / "images").iterdir())
    for name in made:
        assert (one / "images" / name).read_bytes() == (two / "images" / name).read_bytes()


def test_a_round_as_it_is_typed(rendered, scenes, tmp_path, capsys):  # noqa: F811
    folder = tmp_path / "round1"
    out, err = said(capsys, 0, "choose", rendered, "--count", 6, "--out", folder, "--no-blur",
                    "--held-out", 0.25)  # fmt: skip
    assert "round 1: 6 frames with" in out and "blurred" not in out
    assert "next: make a CVAT task" in err
    assert len(list((folder / "images").iterdir())) == 6
    correct(rendered, 1, folder, scenes)
    out, err = said(capsys, 0, "import", rendered, folder / "annotations.xml", *SIGNED,
                    "--json", tmp_path / "layer.json")  # fmt: skip
    assert out.startswith("layer 001-01, A. Surgeon, 2026-11-21")
    assert "does not use the corrections yet" in err and f"observe … --out {rendered}" in err
    record = json.loads((tmp_path / "layer.json").read_text())
    assert record["frames"] == {"exported": 6, "imported": 6, "not_reviewed": 0, "rejected": 0}
    out, _ = said(capsys, 0, "rounds", rendered)
    line = dict(zip(*(one.split() for one in out.splitlines()[:2]), strict=True))
    assert (line["round"], line["chosen"], line["reviewed"], line["left"]) == ("1", "6", "6", "0")
    assert line["relabelled"] == str(record["boxes"]["relabelled"]) and line["mAP50"] == "-"
    out, _ = said(capsys, 0, "rounds", rendered, "--json")
    whole = json.loads(out)
    assert [s["step"] for s in whole["rounds"][0]["steps"]] == ["choose", "export", "import"]
    assert whole["held_out"]["share"] == 0.25


@pytest.mark.parametrize("form", ["cvat", "coco", "yolo"])
def test_a_tissue_that_the_detector_does_not_know_can_be_drawn(rendered, tmp_path, capsys, form):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 1, "--as", form)
    sheet = Project(rendered).round(1).sheet
    duct = Drawn("", "tissue", "cystic_duct", (0.25, 0.25, 0.5, 0.5), None)
    (frame,) = sheet.frames
    frame = replace(frame, boxes=(*frame.boxes, duct))
    load(form).write(replace(sheet, frames=(frame,)), tmp_path / "r")
    main = {"cvat": "annotations.xml", "coco": "annotations.json", "yolo": ""}[form]
    said(capsys, 0, "import", rendered, tmp_path / "r" / main, *SIGNED)
    (layer,) = layers_of(rendered, frame.video_id, frame.medium)
    rows = [row for row in layer.rows.to_pylist() if row["label"] == "cystic_duct"]
    assert [(row["kind"], row["action"]) for row in rows] == [("tissue", "added")]


def test_an_import_with_clicks_says_what_finds_their_outlines(rendered, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 1, "--as", "label-studio")
    round_ = Corrections(tmp_path / "r")
    (frame,) = round_.frames()
    round_.take(frame["file"], [Corrected(None, "liver", (0.5, 0.5, 0.5, 0.5))], True)
    out, err = said(capsys, 0, "import", rendered, tmp_path / "r" / "tasks.json", *SIGNED)
    assert "clicked" in out and "--segment SAM2.pt finds the outlines" in err
    out, _ = said(capsys, 0, "rounds", rendered)
    line = dict(zip(*(one.split() for one in out.splitlines()[:2]), strict=True))
    assert (line["clicked"], line["added"]) == ("1", "0")


def test_an_export_can_be_made_again_in_another_format(rendered, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "a", "--count", 3)
    chosen(rendered, tmp_path / "b", "--round", 1, "--as", "coco")
    names = [sorted(p.name for p in (tmp_path / x / "images").iterdir()) for x in "ab"]
    assert names[0] == names[1]
    assert len(Project(rendered).rounds()) == 1
    assert "no round 7" in said(capsys, 2, "choose", rendered, "--out", tmp_path / "c",
                                "--round", 7, "--no-blur")[1]  # fmt: skip


def test_rejects_are_listed_with_their_place(rendered, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 4, "--as", "yolo")
    labels = sorted((tmp_path / "r" / "labels" / "train").iterdir())
    labels[0].write_text("999 0.5 0.5 0.1 0.1\n")
    capsys.readouterr()
    out, err = said(capsys, 0, "import", rendered, tmp_path / "r", *SIGNED)
    assert f"frame: labels/train/{labels[0].name}:1: unknown_label: 'class 999'" in err
    assert "1  unknown_label" in out


def test_the_same_file_again_says_so(rendered, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 2)
    file = tmp_path / "r" / "annotations.xml"
    said(capsys, 0, "import", rendered, file, *SIGNED)
    assert "imported before, as layer 001-01" in said(capsys, 0, "import", rendered, file,
                                                       *SIGNED)[1]  # fmt: skip


def test_pictures_go_out_blurred_or_not_at_all(rendered, tmp_path, capsys, monkeypatch):  # noqa: F811
    from surgqa.ontology.errors import SourceMissing
    from surgqa.transforms.evidence.privacy import clean

    def missing(settings):
        raise SourceMissing("nothing here can find faces", fix="install it")

    monkeypatch.setattr(clean, "require", missing)
    _, err = said(capsys, 3, "choose", rendered, "--out", tmp_path / "r")
    assert "nothing here can find faces" in err
    assert not (tmp_path / "r").exists() and not (rendered / "label").exists()


def test_blurring_is_on_unless_it_is_refused(rendered, tmp_path, capsys, monkeypatch):  # noqa: F811
    import cv2
    import numpy as np

    from surgqa.transforms.evidence.privacy import clean

    monkeypatch.setattr(clean, "require", lambda settings: None)
    monkeypatch.setattr(clean, "clean", lambda picture, settings: (np.zeros_like(picture), (1,)))
    out, _ = said(capsys, 0, "choose", rendered, "--count", 3, "--out", tmp_path / "r")
    assert "3 region(s) blurred" in out
    pictures = list((tmp_path / "r" / "images").iterdir())
    assert len(pictures) == 3 and not any(cv2.imread(str(p)).any() for p in pictures)


@pytest.mark.parametrize(
    ("line", "status", "text"),
    [
        pytest.param(["choose", "{store}", "--out", "{new}", "--as", "cvta", "--no-blur"], 2,
                     "did you mean cvat?", id="format"),
        pytest.param(["choose", "{store}", "--out", "{new}", "--part", "test", "--no-blur"], 2,
                     "no part is called", id="part"),
        pytest.param(["choose", "{store}", "--out", "{store}", "--no-blur"], 2,
                     "already exists", id="full-folder"),
        pytest.param(["choose", "{new}", "--out", "{new}2", "--no-blur"], 2,
                     "not an evidence store", id="no-store"),
        pytest.param(["choose", "s3://bucket/store", "--out", "{new}", "--no-blur"], 2,
                     "on this machine", id="remote"),
        pytest.param(["choose", "{store}", "--out", "{new}", "--held-out", "3", "--no-blur"], 2,
                     "not a valid share", id="share"),
        pytest.param(["import", "{store}", "x.xml", *SIGNED], 2, "no labelling has begun",
                     id="nothing-chosen"),
        pytest.param(["rounds", "{store}"], 2, "no labelling has begun", id="no-rounds"),
        *(pytest.param([*line, "{new}"], 2, "not an evidence store", id=f"{line[0]}-no-store")
          for line in (["rounds"], ["evaluate"])),
        pytest.param(["train", "{store}", "--weights", "w.pt", "--out", "x.onnx"], 2,
                     "must be a .pt file", id="suffix"),
        pytest.param(["evaluate", "{store}", "--weights", "w.pt"], 2, "no labelling has begun",
                     id="evaluate"),
        pytest.param(["chose", "{store}"], 2, "choose", id="command"),
    ],
)  # fmt: skip
def test_mistakes(rendered, tmp_path, capsys, line, status, text):  # noqa: F811
    words = [one.format(store=rendered, new=tmp_path / "new") for one in line]
    out, err = said(capsys, status, *words)
    assert text in err and "Traceback" not in err and err.startswith("error[")


@pytest.mark.parametrize(
    ("line", "status", "text"),
    [
        (["gone.xml", *SIGNED], 3, "gone.xml is missing"),
        (["{file}", "--reviewer", "", "--date", "2026-11-21"], 2, "need a reviewer"),
        (["{file}", "--reviewer", "x", "--date", "yesterday"], 2, "not a date"),
        (["{file}", *SIGNED, "--as", "voc"], 2, "no labelling format"),
        (["{file}", *SIGNED, "--as", "coco"], 3, "is not JSON"),
    ],
)
def test_mistakes_of_an_import(rendered, tmp_path, capsys, line, status, text):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 2)
    capsys.readouterr()
    words = [one.format(file=tmp_path / "r" / "annotations.xml") for one in line]
    _, err = said(capsys, status, "import", rendered, *words)
    assert text in err and "Traceback" not in err


def test_what_may_be_concluded_is_measured_told_and_kept(rendered, scenes, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 4, "--part", "held-out")
    correct(rendered, 1, tmp_path / "r", scenes, "cvat")
    said(capsys, 0, "import", rendered, tmp_path / "r" / "annotations.xml", *SIGNED)
    out, _ = said(capsys, 0, "evaluate", rendered, "--json", tmp_path / "m.json")
    assert "only questions about what was seen" in out
    kept = json.loads((rendered / FILE).read_text())
    known = fitness_from(kept)
    assert known.classes and {one.guard_us for one in known.classes.values()} == {None}
    (step,) = Project(rendered).round(1).done("fitness")
    assert step == json.loads((tmp_path / "m.json").read_text())
    assert step["fitness"] == kept and step["on"]["frames"] == 4
    assert {row.split()[0] for row in out.splitlines()[1:-1]} == set(known.classes)


def test_measuring_needs_reviewed_frames(rendered, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 2)
    capsys.readouterr()
    _, err = said(capsys, 2, "evaluate", rendered, "--weights", tmp_path / "w.onnx")
    assert "no frames to measure on" in err and "--part held-out" in err


def test_training_needs_something_to_learn_from(rendered, tmp_path, capsys):  # noqa: F811
    chosen(rendered, tmp_path / "r", "--count", 2)
    capsys.readouterr()
    _, err = said(capsys, 2, "train", rendered, "--weights", tmp_path / "w.pt",
                  "--out", tmp_path / "new.pt", "--no-blur")  # fmt: skip
    assert "no frames to train on" in err

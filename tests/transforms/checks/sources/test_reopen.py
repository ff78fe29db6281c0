"""A reader with an error is found by a second reading; one without is not accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.ontology.records import VideoEvidence
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.checks.sources import reopen
from surgqa.transforms.checks.sources.spec import tables
from surgqa.transforms.places import place
from surgqa.transforms.registry import datasets
from surgqa.transforms.samples.scripted import write
from tests.transforms.checks.sources.faults import FAULTS
from tests.transforms.checks.sources.made import output, reopened, rows_of, sample

LONG, MAPPED = {"heichole", "endovis2019"}, {"exports", "tables"}
SMALL = sorted(set(tables()) - LONG - MAPPED)
LAYOUTS = [
    path for path in sorted(Path("tests/readers/layouts").glob("*.yaml")) if path.stem in SMALL
]


NOT_FOLLOWED = {"observed": ["half a moment's box"]}
"""Errors of moments that follow from several rows of a store, which ``check`` says it leaves."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shelf")


@pytest.mark.parametrize("dataset", SMALL)
def test_a_right_reading_is_confirmed_to_the_last_pointer(
    shelf: Path, tmp_path: Path, dataset: str
):
    source = sample(shelf, dataset)
    findings, done = reopened(output(tmp_path, dataset, source), dataset, source)
    assert [one.detail for one in findings.listed()] == []
    assert done.files > 0 and done.followed == done.rows > 0
    assert not done.unread or dataset in NOT_FOLLOWED


@pytest.mark.nightly
@pytest.mark.parametrize("dataset", sorted(LONG))
def test_a_line_a_frame_is_confirmed(shelf: Path, tmp_path: Path, dataset: str):
    source = sample(shelf, dataset)
    findings, done = reopened(output(tmp_path, dataset, source), dataset, source)
    assert [one.detail for one in findings.listed()] == []
    assert done.followed == done.rows > 0


def _without_spans(evidence: VideoEvidence) -> VideoEvidence:
    return replace(evidence, spans=())


QUICK = [
    ("cholect50", "time of the next"), ("cholect50", "half a box"), ("cholect50", "nothing seen"),
    ("cholect50", "label of the next"), ("cholec80", "one overlooked"), ("cadis", "half a box"),
    ("cholec80", "longer span"), ("multibypass140", "later span"), ("cadis", "nothing seen"),
    ("multibypass140", "span of the next"), ("cataract101", "label of the next recording's"),
    ("unified", "another moment"), ("avos", "half a box"),
    ("cholec80_cvs", "longer span"), ("hyper_kvasir", "label of the next recording's"),
]  # fmt: skip


@pytest.mark.parametrize(("dataset", "name"), QUICK)
def test_a_sample_of_pointers_shows_an_error_of_reading(
    shelf: Path, tmp_path: Path, dataset: str, name: str
):
    source, fault = sample(shelf, dataset), FAULTS[name]
    folder = output(tmp_path, dataset, source, fault.change)
    findings, done = reopened(folder, dataset, source, False)
    assert sum(findings.counts[code] for code in fault.codes) > 0
    assert 0 < done.followed <= done.rows


@pytest.mark.nightly
@pytest.mark.parametrize("dataset", SMALL)
def test_every_error_that_a_reader_can_make_is_found(shelf: Path, tmp_path: Path, dataset: str):
    source = sample(shelf, dataset)
    right = rows_of(output(tmp_path / "right", dataset, source))
    missed, made = [], 0
    for name, fault in FAULTS.items():
        folder = output(tmp_path / name, dataset, source, fault.change)
        if rows_of(folder) == right:
            continue  # the dataset has nothing that this error could spoil
        made += 1
        findings, _ = reopened(folder, dataset, source, False)
        missed += [] if any(findings.counts[code] for code in fault.codes) else [name]
    assert missed == NOT_FOLLOWED.get(dataset, [])
    assert made >= 1


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.stem)
def test_other_layouts_of_a_release_are_confirmed(tmp_path: Path, path: Path):
    for number, script in enumerate(read_yaml(path.read_text(), path.name).data):
        source = tmp_path / f"source {number}"
        source.mkdir()
        write(script, source)
        folder = output(tmp_path / f"out {number}", path.stem, source)
        findings, done = reopened(folder, path.stem, source)
        assert [one.detail for one in findings.listed()] == []
        assert done.followed == done.rows and not done.unread


def test_late_labels_and_half_boxes_at_once(shelf: Path, tmp_path: Path):
    source = sample(shelf, "cholect50")
    wrong = FAULTS["time of the next"].change, FAULTS["half a box"].change
    folder = output(tmp_path, "cholect50", source, lambda one: wrong[0](wrong[1](one)))
    findings, _ = reopened(folder, "cholect50", source, False)
    assert {"source_time_differs", "source_box_differs"} <= set(findings.counts)
    assert any("the evidence says" in one.detail for one in findings.listed())


def test_what_was_left_out_without_a_word_shows_when_all_is_read(shelf: Path, tmp_path: Path):
    source = sample(shelf, "multibypass140")
    folder = output(tmp_path, "multibypass140", source, _without_spans)
    assert reopened(folder, "multibypass140", source)[0].counts["source_left_out"] == 2


def test_a_changed_and_a_missing_file_are_told_and_not_read(shelf: Path, tmp_path: Path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "labels").mkdir()
    for file in sorted((sample(shelf, "cholect50") / "labels").iterdir()):
        (source / "labels" / file.name).write_bytes(file.read_bytes())
    folder = output(tmp_path / "out", "cholect50", source)
    first, second = sorted((source / "labels").iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes() + b" ")
    findings, done = reopened(folder, "cholect50", source)
    assert findings.counts == {"source_missing": 1, "source_changed": 1}
    assert done.followed == 0


@pytest.mark.parametrize(("dataset", "files"), [("tables", 7), ("exports", 14)])
def test_what_a_user_maps_is_hashed_and_said_to_be_unread(
    shelf: Path, tmp_path: Path, dataset: str, files: int
):
    source = sample(shelf, dataset)
    findings, done = reopened(output(tmp_path, dataset, source), dataset, source)
    assert (done.files, done.followed, findings.counts) == (files, 0, {})
    assert "a mapping of the user says" in done.why_not


def test_every_reader_has_a_table_or_a_reason():
    assert tables() == sorted(datasets())


def test_a_dataset_whose_folder_nobody_named(shelf: Path, tmp_path: Path):
    folder = output(tmp_path, "cataract101", sample(shelf, "cataract101"))
    done = reopen(folder, {}, Findings())
    assert done["cataract101"].why_not == "name its folder: --root cataract101=DIR"


@pytest.mark.parametrize(
    ("root", "error"), [("cholec80", UserError), ("cataract101", SourceMissing)]
)
def test_a_root_that_will_not_do(shelf: Path, tmp_path: Path, root: str, error: type[UserError]):
    folder = output(tmp_path / "out", "cataract101", sample(shelf, "cataract101"))
    with pytest.raises(error) as told:
        reopen(folder, {root: place(str(tmp_path / "nowhere"))}, Findings())
    assert told.value.expected and told.value.fix


REAL = {
    "cholect50": "cholect50-challenge-val", "cholec80": "cholec80", "cataract101": "cataract-101",
    "cholec80_cvs": "cholec80-cvs", "colonoscopic_web": "colonoscopic-web", "psi_ava": "psi-ava",
    "multibypass140": "multibypass140", "avos": "avos", "hyper_kvasir": "hyper-kvasir",
    "kvasir_capsule": "kvasir-capsule",
}  # fmt: skip


@pytest.mark.parametrize("dataset", REAL)
def test_real_files_say_what_the_readers_say(real_dataset, tmp_path: Path, dataset: str):
    source = real_dataset(REAL[dataset])
    findings, done = reopened(
        output(tmp_path, dataset, source, most=3), dataset, source, every=False
    )
    assert [one.detail for one in findings.listed()] == []
    assert done.followed > 0

"""A reader with an error is found by a second reading; one without is not accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ontology.errors import SourceMissing, UserError
from ontology.records import InstrumentTable, VideoEvidence
from tests.transforms.checks.sources.made import Change, output, reopened, sample
from transforms.checks.report import Findings
from transforms.checks.sources import reopen
from transforms.checks.sources.spec import tables
from transforms.places import place

S = 1_000_000
SMALL = [name for name in tables() if name not in ("heichole", "endovis2019")]


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


@pytest.mark.nightly
@pytest.mark.parametrize("dataset", sorted(set(tables()) - set(SMALL)))
def test_a_line_a_frame_is_confirmed(shelf: Path, tmp_path: Path, dataset: str):
    source = sample(shelf, dataset)
    findings, done = reopened(output(tmp_path, dataset, source), dataset, source)
    assert [one.detail for one in findings.listed()] == []
    assert done.followed == done.rows > 0


def _tools(evidence: VideoEvidence, **changes: object) -> VideoEvidence:
    assert evidence.instruments
    return replace(evidence, instruments=replace(evidence.instruments, **changes))


def _table(evidence: VideoEvidence) -> InstrumentTable:
    assert evidence.instruments
    return evidence.instruments


def _late(evidence: VideoEvidence) -> VideoEvidence:
    return _tools(evidence, instants_us=_table(evidence).instants_us + S)


def _halved(evidence: VideoEvidence) -> VideoEvidence:
    box = _table(evidence).box_xyxy.copy()
    box[:, 2] = (box[:, 0] + box[:, 2]) / 2
    return _tools(evidence, box_xyxy=box)


def _renamed(evidence: VideoEvidence) -> VideoEvidence:
    labels = _table(evidence).labels
    return _tools(evidence, labels=(*labels[1:], labels[0]))


def _one_lost(evidence: VideoEvidence) -> VideoEvidence:
    """The first thing of every instant is overlooked."""
    table = _table(evidence)
    kept = np.flatnonzero(np.diff(table.sample, prepend=-1) == 0)
    columns = ("sample", "label", "box_xyxy", "score", "pairs", "track", "row")
    return _tools(evidence, **{name: getattr(table, name)[kept] for name in columns})


def _later_spans(evidence: VideoEvidence) -> VideoEvidence:
    spans = (replace(one, start_us=one.start_us + S) for one in evidence.spans)
    return replace(evidence, spans=tuple(spans))


def _longer_spans(evidence: VideoEvidence) -> VideoEvidence:
    spans = (replace(one, end_us=one.end_us + S) for one in evidence.spans)
    return replace(evidence, spans=tuple(spans))


def _spans_of_the_next(evidence: VideoEvidence) -> VideoEvidence:
    labels = [one.label for one in evidence.spans]
    spans = zip(evidence.spans, [*labels[1:], labels[0]], strict=True)
    return replace(evidence, spans=tuple(replace(one, label=label) for one, label in spans))


def _without_spans(evidence: VideoEvidence) -> VideoEvidence:
    return replace(evidence, spans=())


def _experts(evidence: VideoEvidence) -> VideoEvidence:
    labels = (replace(one, label="low_experience") for one in evidence.labels)
    return replace(evidence, labels=tuple(labels))


FAULTS: list[tuple[str, Change, str]] = [
    ("cholect50", _late, "source_time_differs"),
    ("cholect50", _halved, "source_box_differs"),
    ("cholect50", _renamed, "source_label_differs"),
    ("cholect50", _one_lost, "source_absence_differs"),
    ("cholec80", _late, "source_time_differs"),
    ("cholec80", _one_lost, "source_absence_differs"),
    ("cholec80", _longer_spans, "source_time_differs"),
    ("multibypass140", _later_spans, "source_time_differs"),
    ("multibypass140", _spans_of_the_next, "source_label_differs"),
    ("cataract101", _later_spans, "source_time_differs"),
    ("cataract101", _experts, "source_label_differs"),
    ("prostatd", _halved, "source_box_differs"),
    ("cholec80_cvs", _longer_spans, "source_time_differs"),
]  # fmt: skip


@pytest.mark.parametrize(("dataset", "change", "code"), FAULTS)
def test_a_sample_of_pointers_shows_an_error_of_reading(
    shelf: Path, tmp_path: Path, dataset: str, change: Change, code: str
):
    source = sample(shelf, dataset)
    findings, done = reopened(output(tmp_path, dataset, source, change), dataset, source, False)
    assert findings.counts[code] > 0
    assert 0 < done.followed <= done.rows


def test_late_labels_and_half_boxes_at_once(shelf: Path, tmp_path: Path):
    source = sample(shelf, "cholect50")
    folder = output(tmp_path, "cholect50", source, lambda one: _late(_halved(one)))
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


def test_a_dataset_without_a_table_is_hashed_and_said_to_be_unread(shelf: Path, tmp_path: Path):
    source = sample(shelf, "unified")
    findings, done = reopened(output(tmp_path, "unified", source), "unified", source)
    assert (done.files, done.followed, findings.counts) == (3, 0, {})
    assert "no table" in done.why_not


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
    "multibypass140": "multibypass140",
}  # fmt: skip


@pytest.mark.parametrize("dataset", REAL)
def test_real_files_say_what_the_readers_say(real_dataset, tmp_path: Path, dataset: str):
    source = real_dataset(REAL[dataset])
    findings, done = reopened(
        output(tmp_path, dataset, source, most=3), dataset, source, every=False
    )
    assert [one.detail for one in findings.listed()] == []
    assert done.followed > 0

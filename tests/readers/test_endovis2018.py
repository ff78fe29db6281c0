"""Quirks of EndoVis 2018's masks, one test each, and the real table of colours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Code, InstrumentTable, VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry
from surgqa.transforms.samples.pictures import png

Reader = registry.load_reader("endovis2018")

CLASSES: tuple[tuple[str, tuple[int, int, int], str], ...] = (
    ("background-tissue", (0, 0, 0), ""),
    ("instrument-shaft", (0, 255, 0), "instrument_shaft_part"),
    ("instrument-clasper", (0, 255, 255), "instrument_clasper_part"),
    ("instrument-wrist", (125, 255, 12), "instrument_wrist_part"),
    ("kidney-parenchyma", (255, 55, 0), "kidney_parenchyma"),
    ("covered-kidney", (24, 55, 125), "covered_kidney"),
    ("thread", (187, 155, 25), "surgical_thread"),
    ("clamps", (0, 255, 125), "vascular_clamp"),
    ("suturing-needle", (255, 255, 125), "suture_needle"),
    ("suction-instrument", (123, 15, 175), "suction_instrument"),
    ("small-intestine", (124, 155, 5), "small_intestine"),
    ("ultrasound-probe", (12, 255, 141), "ultrasound_probe"),
)
"""Name, colour and concept, by class id."""
COLOURS = np.array([entry[1] for entry in CLASSES], dtype=np.uint8)


def striped(*ids: int) -> bytes:
    """Five lines of each class."""
    return png(COLOURS[np.array(ids)].repeat(5, axis=0)[:, None].repeat(8, axis=1))


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write files of sequence 3 by path and read it."""
    table = [{"name": c[0], "color": list(c[1]), "classid": i} for i, c in enumerate(CLASSES)]
    (tmp_path / "labels.json").write_text(json.dumps(table))

    def write_and_read(files: dict[str, bytes], above: str = "release") -> VideoEvidence:
        for name, data in files.items():
            path = tmp_path / above / "seq_3" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        evidence = Reader(tmp_path, rate=Fraction(2)).read("seq_3")
        assert not list(problems_of(evidence))
        return evidence

    return write_and_read


def shown(table: InstrumentTable) -> list[tuple[int, str]]:
    labels = [table.labels[code] for code in table.label]
    return list(zip(table.frames[table.sample].tolist(), labels, strict=True))


def test_parts_of_instruments_are_structures_and_whole_ones_instruments(read) -> None:
    evidence = read({"labels/frame000.png": striped(0, 1, 2, 3, 9)})
    assert shown(evidence.regions["structure"]) == [
        (0, "instrument_clasper_part"),
        (0, "instrument_shaft_part"),
        (0, "instrument_wrist_part"),
    ]
    assert shown(evidence.instruments) == [(0, "suction_instrument")]
    assert evidence.instruments.box_xyxy.tolist() == [[0, 0.8, 1, 1]]
    assert evidence.instruments.row.tolist() == [9]


def test_frames_were_taken_out_so_no_rate_makes_them_times(read) -> None:
    video = read({"labels/frame010.png": striped(4)}).video
    assert (video.clock, video.fps, video.duration_us) == (Clock.ORDER, 1, 11_000_000)


def test_colours_that_are_no_class_reject_the_frame_and_are_counted(read) -> None:
    odd = np.zeros((4, 4, 3), dtype=np.uint8)
    odd[0] = 255, 0, 0
    odd[1, 0] = 1, 2, 3
    evidence = read({"labels/frame000.png": png(odd), "labels/frame001.png": striped(4)})
    (entry,) = evidence.rejected
    assert (entry.code, entry.where) == (Code.BAD_MASK, "release/seq_3/labels/frame000.png")
    assert "2 colours" in entry.reason
    assert "(1, 2, 3) on 1 pixels, (255, 0, 0) on 4 pixels" in entry.reason
    assert evidence.instruments.frames.tolist() == [1]


def test_a_grey_mask_is_rejected(read) -> None:
    files = {"labels/frame000.png": png(np.zeros((4, 4), dtype=np.uint8))}
    assert [entry.code for entry in read(files).rejected] == [Code.BAD_MASK]


def test_sequences_lie_at_the_root_or_in_an_archives_folder(read) -> None:
    files = {"labels/frame000.png": striped(4)}
    assert read(files, above=".").video.sources[1].path == "seq_3/labels/frame000.png"


def test_an_instance_of_a_known_type_stands_for_its_colour(read) -> None:
    ids = np.zeros((10, 8), dtype=np.uint8)
    ids[5:] = 255
    evidence = read(
        {
            "labels/frame000.png": striped(0, 9),
            "labels/frame001.png": striped(0, 9),
            "instrument_labels_2017/frame000_class8_inst0.png": png(ids),
            "instrument_labels_2017/frame000_class1_inst1.png": png(ids[::-1].copy()),
        }
    )
    table = evidence.instruments
    assert shown(table) == [(0, "bipolar"), (0, "suction_instrument"), (1, "suction_instrument")]
    assert table.row.tolist() == [101, 800, 9]
    assert "clipper" in evidence.video.vocabulary


def test_without_types_forceps_are_not_in_the_vocabulary(read) -> None:
    vocabulary = read({"labels/frame000.png": striped(1)}).video.vocabulary
    assert vocabulary == ("suction_instrument", "suture_needle", "ultrasound_probe",
                          "vascular_clamp")  # fmt: skip


def test_a_type_that_nobody_knows_takes_the_frame_with_it(read) -> None:
    mask = png(np.ones((10, 8), dtype=np.uint8))
    evidence = read(
        {
            "labels/frame000.png": striped(0, 9),
            "instrument_labels_2017/frame000_class12_inst0.png": mask,
            "instrument_labels_2017/frame007_class1_inst0.png": mask,
        }
    )
    assert {entry.code for entry in evidence.rejected} == {
        Code.UNKNOWN_LABEL,
        Code.INCOMPLETE_INSTANT,
        Code.BAD_FRAME,
    }
    assert evidence.instruments.frames.size == 0


@pytest.mark.parametrize(
    "table",
    ["{}", "[]", '[{"name": "a"}]', '[{"name": "a", "color": [1, 2, 300], "classid": 1}]',
     '[{"color": [1, 2, 3], "classid": 1}, {"color": [1, 2, 3], "classid": 2}]', "[1"],
)  # fmt: skip
def test_a_table_that_lists_no_colours_is_an_error(read, tmp_path: Path, table: str) -> None:
    (tmp_path / "labels.json").write_text(table)
    with pytest.raises(SourceBroken, match=r"labels\.json:1"):
        read({"labels/frame000.png": striped(4)})


def test_real_table_of_colours_reads_masks_painted_in_them(real_dataset, tmp_path: Path) -> None:
    source = real_dataset("endovis2018")
    real = json.loads((source / "labels.json").read_text())
    assert [(c["name"], tuple(c["color"]), c["classid"]) for c in real] == [
        (name, colour, number) for number, (name, colour, _) in enumerate(CLASSES)
    ]
    assert not Reader(source).found(), "the excerpt has calibrations and no masks"
    shutil.copytree(source / "seq_10", tmp_path / "release" / "seq_10")
    shutil.copy(source / "labels.json", tmp_path)
    picture = np.zeros((1024, 1280, 3), dtype=np.uint8)
    for number, entry in enumerate(real):
        picture[80 * number : 80 * number + 80, : 100 * number] = entry["color"]
    (tmp_path / "release" / "seq_10" / "labels").mkdir()
    (tmp_path / "release" / "seq_10" / "labels" / "frame000.png").write_bytes(png(picture))
    evidence = Reader(tmp_path).read("seq_10")
    assert evidence.rejected == ()
    tables = (evidence.instruments, evidence.regions["structure"])
    found = {
        label: (round(area * 1280 * 1024), row)
        for table in tables
        for (_, label), area, row in zip(
            shown(table), table.attributes[0].values, table.row.tolist(), strict=True
        )
    }
    assert found == {CLASSES[n][2]: (8000 * n, n) for n in range(1, 12)}

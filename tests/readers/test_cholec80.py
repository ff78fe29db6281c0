"""What is peculiar to Cholec80, and its reader on the one real file there is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.readers.base import Ledger, split_group
from surgqa.transforms.readers.base.frame_rows import read_frame_rows

Reader = registry.load_reader("cholec80")
TOOL, PHASE = "tool_annotations/video01-tool.txt", "phase_annotations/video01-phase.txt"
HEADER = "Frame\tGrasper\tBipolar\tHook\tScissors\tClipper\tIrrigator\tSpecimenBag\n"


def lay(root: Path, tools: str | None = None, phases: str | None = None) -> VideoEvidence:
    for name, text in ((TOOL, tools), (PHASE, phases)):
        if text is not None:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
    return Reader(root).read("video01")


def phases_of(count: int, name: str = "Preparation", first: int = 0) -> str:
    return "Frame\tPhase\n" + "".join(f"{n}\t{name}\n" for n in range(first, first + count))


def left_out(evidence: VideoEvidence) -> list[tuple[Code, str, str, int]]:
    return [(e.code, e.outcome, e.where, e.count) for e in evidence.rejected]


# ---- quirks


def test_cholec80_tools_are_annotated_once_a_second(tmp_path: Path) -> None:
    registry.load_sample("cholec80")(tmp_path)
    for evidence in map(Reader(tmp_path).read, Reader(tmp_path).videos()):
        assert evidence.instruments.instants_us.tolist() == [1_000_000 * k for k in range(58)]
        assert evidence.instruments.frames.tolist() == list(range(0, 1450, 25))
        assert evidence.video.period_us == 1_000_000
        assert evidence.video.fps == 25


def test_cholec80_phases_are_names_and_end_with_the_last_frame(tmp_path: Path) -> None:
    text = phases_of(28) + "28\tGallbladderRetraction\n29\tGallbladderPackaging\n"
    evidence = lay(tmp_path, phases=text)
    assert [(s.label, s.start_us, s.end_us, s.pointer) for s in evidence.spans] == [
        ("preparation", 0, 1_120_000, "lines 2 to 29"),
        ("gallbladder_extraction", 1_120_000, 1_160_000, "lines 30 to 30"),
        ("gallbladder_packaging", 1_160_000, 1_200_000, "lines 31 to 31"),
    ]
    assert evidence.video.duration_us == 1_200_000
    assert evidence.video.period_us == 40_000


def test_either_file_will_do_and_none_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="video01-phase"):
        Reader(tmp_path).read("video01")
    evidence = lay(tmp_path, tools=HEADER + "0\t1\t0\t0\t0\t0\t0\t0\n25\t0\t0\t0\t0\t0\t0\t0\n")
    assert evidence.spans == ()
    assert evidence.video.duration_us == 2_000_000
    assert evidence.rejected == ()
    assert lay(tmp_path, phases=phases_of(30)).video.duration_us == 1_200_000


def test_a_column_is_found_by_its_name(tmp_path: Path) -> None:
    evidence = lay(tmp_path, tools="Frame\tHook\tGrasper\n0\t1\t0\n25\t0\t0\n")
    table = evidence.instruments
    assert evidence.video.vocabulary == table.labels == ("grasper", "hook")
    assert [table.labels[k] for k in table.label] == ["hook"]
    assert table.row.tolist() == [1]


@pytest.mark.parametrize(
    "header", ["Frame\tGrasper\tScalpel\n", "Frame\tHook\tHook\n", "0\t1\t0\n", "Frame\n", ""]
)
def test_a_head_that_cannot_be_understood_is_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(SourceBroken) as error:
        lay(tmp_path, tools=header + "0\t0\t0\n")
    assert error.value.where == f"{TOOL}:1"


def test_a_file_that_ends_early_is_noted_at_its_last_line(tmp_path: Path) -> None:
    row = "\t0" * 7 + "\n"
    tools = HEADER + "".join(f"{frame}{row}" for frame in range(0, 100, 25))
    assert lay(tmp_path, tools, phases_of(101)).rejected == ()
    assert lay(tmp_path, tools, phases_of(76)).rejected == ()
    early = Code.INCOMPLETE_INSTANT, "repaired"
    assert left_out(lay(tmp_path, tools, phases_of(75))) == [(*early, f"{PHASE}:76", 1)]
    assert left_out(lay(tmp_path, tools, phases_of(102))) == [(*early, f"{TOOL}:5", 1)]


def test_one_surgery_has_one_split_group_in_all_datasets_that_hold_it() -> None:
    mine = {split_group("cholec80", video) for video in registry.files("cholec80").video_ids}
    assert len(mine) == 80
    for name, shared in (("cholect45", 45), ("cholect50", 45)):
        other = {split_group(name, video) for video in registry.files(name).video_ids}
        assert len(mine & other) == shared


# ---- the parser of frame files


CELLS = st.sampled_from(["0", "7", "025", "9999999", "10000000", "x1", "-3", "Ä", "a" * 70, "1.0"])
LINES = st.lists(st.lists(CELLS, max_size=4), max_size=12)


@given(LINES, st.sampled_from(["\t", "  ", " \t"]), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_any_file_of_rows_is_read_as_plain_loops_read_it(
    rows: list[list[str]], gap: str, end: str
) -> None:
    text = end.join(gap.join(cells) for cells in [["Frame", "A", "B"], *rows])
    ledger = Ledger("cholec80/video01", "label rows")
    found = read_frame_rows(text.encode(), "f.txt", ledger)
    whole = [cells for cells in rows if len(cells) == 3]
    frames = [int(c[0]) for c in whole if re.fullmatch("[0-9]{1,7}", c[0])]
    good = {
        int(cells[0]): cells
        for cells in whole
        if re.fullmatch("[0-9]{1,7}", cells[0]) and frames.count(int(cells[0])) == 1
    }
    assert found.frames.tolist() == sorted(good)
    for column in (0, 1):
        read = [found.words[column][code] for code in found.codes[column].tolist()]
        assert read == [good[frame][column + 1][:64] for frame in sorted(good)]
    assert found.read == sum(bool(cells) for cells in rows)
    assert ledger.books(found.read, len(good)).balanced


# ---- the real tool file of video80


@pytest.fixture(scope="module")
def root(real_dataset) -> Path:
    return real_dataset("cholec80")


def test_the_real_tool_file_is_read_cell_by_cell(root: Path) -> None:
    assert Reader(root).videos() == ["video80"]
    evidence = Reader(root).read("video80")
    lines = (root / "tool_annotations" / "video80-tool.txt").read_text().splitlines()
    names = lines[0].split("\t")[1:]
    spelled = dict(zip(names, ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator",
                               "retrieval_bag"), strict=True))  # fmt: skip
    expected = []
    for number, line in enumerate(lines[1:]):
        frame, *cells = line.split("\t")
        assert int(frame) == 25 * number
        seen = [spelled[n] for n, cell in zip(names, cells, strict=True) if cell == "1"]
        expected += [(number, label) for label in sorted(seen)]
    table = evidence.instruments
    found = [(int(s), table.labels[k]) for s, k in zip(table.sample, table.label, strict=True)]
    assert found == expected
    assert table.box_origin == "none"
    assert table.frames.tolist() == list(range(0, 43_076, 25))


def test_the_figures_of_the_real_tool_file(root: Path) -> None:
    evidence = Reader(root).read("video80")
    assert [(b.read, b.kept, b.rejected) for b in evidence.books] == [(1724, 1724, 0)]
    assert evidence.video.duration_us == 1724 * 1_000_000
    assert evidence.video.split_group == "cholec/80"
    table = evidence.instruments
    counts = Counter(table.labels[k] for k in table.label)
    assert counts == {
        "grasper": 637, "bipolar": 39, "hook": 1221, "scissors": 59, "clipper": 54,
        "retrieval_bag": 79,
    }  # fmt: skip
    assert len(Reader(root).missing()) == 159

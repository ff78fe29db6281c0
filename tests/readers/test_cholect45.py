"""Quirks of CholecT45's text files, one test each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import IDLE, UNKNOWN, Code, VideoEvidence
from surgqa.transforms.readers.base.triplets import TRIPLETS
from surgqa.transforms.readers.cholect45.reader import Reader
from surgqa.transforms.registry import load_sample

SIZES = {"triplet": 100, "instrument": 6, "verb": 10, "target": 15}
GRASP, RETRACT, IDLE_HOOK = 7, 17, 96


@pytest.fixture
def root(tmp_path: Path) -> Path:
    load_sample("cholect45")(tmp_path)
    for task in (*SIZES, "data"):
        shutil.rmtree(tmp_path / task)
    return tmp_path


def line(task: str, frame: object, *on: int) -> str:
    cells = ["1" if number in on else "0" for number in range(SIZES[task])]
    return ",".join([str(frame), *cells]) + "\n"


@pytest.fixture
def read(root: Path) -> Callable[..., VideoEvidence]:
    """Write label files of one video, each a text, and read them."""

    def write_and_read(**texts: str) -> VideoEvidence:
        for task, text in texts.items():
            (root / task).mkdir(exist_ok=True)
            (root / task / "VID01.txt").write_text(text)
        evidence = Reader(root).read("VID01")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return write_and_read


def codes(evidence: VideoEvidence) -> list[tuple[str, str, int]]:
    return [(entry.code, entry.where, entry.count) for entry in evidence.rejected]


def frames(evidence: VideoEvidence) -> list[int]:
    return evidence.instruments.frames.tolist()


def instances(evidence: VideoEvidence) -> list[tuple[int, str, tuple | None, int]]:
    table = evidence.instruments
    return [
        (
            int(table.sample[i]),
            table.labels[table.label[i]],
            None if table.pairs[i] == UNKNOWN else table.pair_sets[table.pairs[i]],
            int(table.row[i]),
        )
        for i in range(table.sample.size)
    ]


def test_each_triplet_is_an_instance(read) -> None:
    evidence = read(triplet=line("triplet", 0, GRASP, RETRACT, IDLE_HOOK) + line("triplet", 1))
    assert instances(evidence) == [
        (0, "grasper", (("grasp", "gallbladder"),), GRASP),
        (0, "grasper", (("retract", "gallbladder"),), RETRACT),
        (0, "hook", (IDLE,), IDLE_HOOK),
    ]
    assert frames(evidence) == [0, 1]
    assert evidence.instruments.box_origin == "none"
    assert evidence.spans == ()


def test_an_instrument_without_a_triplet_has_an_unknown_interaction(read) -> None:
    evidence = read(triplet=line("triplet", 0, RETRACT), instrument=line("instrument", 0, 0, 4))
    assert instances(evidence) == [
        (0, "clipper", None, 104),
        (0, "grasper", (("retract", "gallbladder"),), RETRACT),
    ]
    assert "instrument columns from 100" in evidence.instruments.pointer


def test_instruments_alone_still_work(read) -> None:
    evidence = read(instrument=line("instrument", 5, 0, 4) + line("instrument", 6))
    assert instances(evidence) == [(0, "clipper", None, 4), (0, "grasper", None, 0)]
    assert evidence.video.duration_us == 7_000_000
    assert [s.path for s in evidence.video.sources] == [
        "instrument/VID01.txt", "dict/instrument.txt",
    ]  # fmt: skip


def test_verbs_alone_are_not_enough(read) -> None:
    with pytest.raises(SourceMissing) as error:
        read(verb=line("verb", 0, 1), target=line("target", 0, 0))
    assert error.value.where == "triplet/VID01.txt"
    assert error.value.fix == Reader(Path()).card.how_to_get


@pytest.mark.parametrize(("task", "on"), [("instrument", (2,)), ("verb", (0,)), ("target", (1, 2))])
def test_a_triplet_whose_part_is_denied_is_a_contradiction(read, task, on) -> None:
    evidence = read(
        triplet=line("triplet", 0, RETRACT) + line("triplet", 1),
        **{task: line(task, 0, *on) + line(task, 1)},
    )
    assert frames(evidence) == [1]
    assert codes(evidence) == [
        (Code.CONTRADICTION, "triplet/VID01.txt:1", 1),
        (Code.INCOMPLETE_INSTANT, f"{task}/VID01.txt:1", 1),
    ]
    assert task in evidence.rejected[0].reason


def test_null_verbs_and_targets_need_no_column_of_their_own(read) -> None:
    evidence = read(
        triplet=line("triplet", 0, IDLE_HOOK), verb=line("verb", 0), target=line("target", 0)
    )
    assert instances(evidence) == [(0, "hook", (IDLE,), IDLE_HOOK)]


BAD_LINES = [
    pytest.param("1,0,1\n", Code.BAD_ROW, "2 labels and not the 6", id="short"),
    pytest.param("1,0,0,0,0,0,0,0\n", Code.BAD_ROW, "7 labels", id="long"),
    pytest.param("1,0,0,0,0,0,\n", Code.BAD_ROW, "a label is ''", id="empty-cell"),
    pytest.param("1,0,0,0,0,0,2\n", Code.BAD_ROW, "a label is '2'", id="two"),
    pytest.param("1,0,0,0,0,0,-1\n", Code.BAD_ROW, "a label is '-1'", id="minus-one"),
    pytest.param("1;0;0;0;0;0;1\n", Code.BAD_FRAME, "frame id", id="semicolons"),
    pytest.param("1,0,0,0,0,0,nan\n", Code.BAD_ROW, "a label is 'nan'", id="nan"),
    pytest.param("1,0;0;0;0;0;0\n", Code.BAD_ROW, "1 labels", id="mixed"),
    pytest.param("x,0,0,0,0,0,0\n", Code.BAD_FRAME, "frame id 'x'", id="no-frame"),
    pytest.param("-1,0,0,0,0,0,0\n", Code.BAD_FRAME, "frame id '-1'", id="negative-frame"),
    pytest.param("10000000,0,0,0,0,0,0\n", Code.BAD_FRAME, "frame id", id="absurd-frame"),
    pytest.param("²,0,0,0,0,0,0\n", Code.BAD_FRAME, "frame id", id="superscript"),
]


@pytest.mark.parametrize(("bad", "code", "reason"), BAD_LINES)
def test_a_bad_line_is_rejected_with_its_place(read, bad, code, reason) -> None:
    evidence = read(instrument=line("instrument", 0, 3) + bad + line("instrument", 2, 1))
    assert frames(evidence) == [0, 2]
    assert codes(evidence) == [(code, "instrument/VID01.txt:2", 1)]
    assert reason in evidence.rejected[0].reason
    assert (evidence.books[0].read, evidence.books[0].kept) == (3, 2)


def test_spaces_around_cells_are_accepted(read) -> None:
    evidence = read(instrument="0, 1,0, 0,0,0,1 \n")
    assert [label for _, label, _, _ in instances(evidence)] == ["grasper", "irrigator"]


def test_a_frame_that_occurs_twice_is_not_used_at_all(read) -> None:
    text = line("instrument", 0) + line("instrument", 1, 2) + line("instrument", "00", 1)
    evidence = read(instrument=text)
    assert frames(evidence) == [1]
    assert codes(evidence) == [
        (Code.DUPLICATE_FRAME, "instrument/VID01.txt:1", 1),
        (Code.DUPLICATE_FRAME, "instrument/VID01.txt:3", 1),
    ]


def test_frames_may_stand_in_any_order(read) -> None:
    evidence = read(instrument=line("instrument", 9, 0) + line("instrument", 3, 2))
    assert frames(evidence) == [3, 9]
    assert [label for _, label, _, _ in instances(evidence)] == ["hook", "grasper"]


def test_a_frame_that_one_file_lacks_is_not_fully_known(read) -> None:
    evidence = read(
        triplet=line("triplet", 0) + line("triplet", 1) + line("triplet", 2),
        instrument=line("instrument", 0) + "1,0,1\n",
        verb=line("verb", 0) + line("verb", 1),
    )
    assert frames(evidence) == [0]
    assert codes(evidence) == [
        (Code.BAD_ROW, "instrument/VID01.txt:2", 1),
        (Code.INCOMPLETE_INSTANT, "triplet/VID01.txt:2, verb/VID01.txt:2", 2),
        (Code.INCOMPLETE_INSTANT, "triplet/VID01.txt:3", 1),
    ]
    assert "instrument/VID01.txt, verb/VID01.txt" in evidence.rejected[2].reason
    assert (evidence.books[0].read, evidence.books[0].kept) == (7, 3)


# ---- dict files


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_names_may_be_separated_by_commas(read, root: Path) -> None:
    for task in ("triplet", "instrument"):
        path = root / "dict" / f"{task}.txt"
        path.write_text(path.read_text().replace(":", ","))
    evidence = read(triplet=line("triplet", 0, RETRACT), instrument=line("instrument", 0, 0))
    assert instances(evidence) == [(0, "grasper", (("retract", "gallbladder"),), RETRACT)]


def test_names_are_taken_from_the_files_and_not_from_memory(read, root: Path) -> None:
    rewrite(root / "dict/instrument.txt", "0:grasper\n1:bipolar\n", "0:bipolar\n1:grasper\n")
    assert [i[1] for i in instances(read(instrument=line("instrument", 0, 0)))] == ["bipolar"]


def test_triplets_may_be_put_together_from_their_ids(read, root: Path) -> None:
    (root / "dict/triplet.txt").unlink()
    evidence = read(triplet=line("triplet", 0, RETRACT, IDLE_HOOK))
    assert [i[1:3] for i in instances(evidence)] == [
        ("grasper", (("retract", "gallbladder"),)), ("hook", (IDLE,)),
    ]  # fmt: skip
    assert "dict/maps.txt" in [source.path for source in evidence.video.sources]
    assert "dict/triplet.txt" in Reader(root).missing()


def test_an_id_that_the_maps_file_lacks_is_an_unknown_label(read, root: Path) -> None:
    (root / "dict/triplet.txt").unlink()
    rewrite(root / "dict/maps.txt", "\n17,", "\n# 17,")
    evidence = read(triplet=line("triplet", 0, RETRACT) + line("triplet", 1, GRASP))
    assert frames(evidence) == [1]
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, "triplet/VID01.txt:1", 1)]


def test_without_names_nothing_can_be_read(read, root: Path) -> None:
    (root / "dict/instrument.txt").unlink()
    with pytest.raises(SourceMissing) as error:
        read(instrument=line("instrument", 0))
    assert error.value.where == "dict/instrument.txt"
    (root / "dict/triplet.txt").unlink()
    (root / "dict/maps.txt").unlink()
    with pytest.raises(SourceMissing, match="dict/triplet.txt"):
        read(triplet=line("triplet", 0))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("4:clipper", "4;clipper", id="semicolon"),
        pytest.param("4:clipper", "5:clipper", id="wrong-id"),
        pytest.param("4:clipper", "4:", id="no-name"),
        pytest.param("4:clipper", "4:hook", id="name-twice"),
        pytest.param("4:clipper", "clipper", id="no-id"),
        pytest.param("4:clipper", "-4:clipper", id="negative"),
    ],
)
def test_a_bad_line_of_names_is_broken_and_named(read, root: Path, old: str, new: str) -> None:
    rewrite(root / "dict/instrument.txt", old, new)
    with pytest.raises(SourceBroken) as error:
        read(instrument=line("instrument", 0))
    assert error.value.where == "dict/instrument.txt:5"


@pytest.mark.parametrize("name", ["dict/instrument.txt", "instrument/VID01.txt"])
def test_an_empty_file_is_broken_and_named(read, root: Path, name: str) -> None:
    read(instrument=line("instrument", 0))
    (root / name).write_text("\n \n")
    with pytest.raises(SourceBroken) as error:
        Reader(root).read("VID01")
    assert error.value.where == f"{name}:1"


def test_text_that_is_not_utf_8_is_broken_and_named(read, root: Path) -> None:
    read(instrument=line("instrument", 0))
    (root / "instrument/VID01.txt").write_bytes("0,ä".encode("latin-1"))
    with pytest.raises(SourceBroken) as error:
        Reader(root).read("VID01")
    assert error.value.where == "instrument/VID01.txt"
    assert "offset 2" in error.value.found


@pytest.mark.parametrize(
    ("name", "task", "on", "word"),
    [
        ("dict/instrument.txt", "instrument", (0,), "'zz'"),
        ("dict/triplet.txt", "triplet", (RETRACT,), "'zz'"),
    ],
)
def test_a_new_name_is_an_unknown_label(read, root: Path, name, task, on, word) -> None:
    rewrite(root / name, "grasper", "zz")
    evidence = read(**{task: line(task, 0, *on) + line(task, 1)})
    assert frames(evidence) == [1]
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, f"{task}/VID01.txt:1", 1)]
    assert word in evidence.rejected[0].reason
    assert len(evidence.video.vocabulary) == 5


def test_a_triplet_of_an_instrument_that_the_names_lack_is_an_unknown_label(read, root) -> None:
    rewrite(root / "dict/triplet.txt", "17:grasper", "17:laser")
    evidence = read(triplet=line("triplet", 0, RETRACT), instrument=line("instrument", 0, 0))
    assert [entry.code for entry in evidence.rejected] == [
        Code.UNKNOWN_LABEL, Code.INCOMPLETE_INSTANT,
    ]  # fmt: skip
    assert "dict/instrument.txt" in evidence.rejected[0].reason


def test_triplets_of_another_shape_are_unknown_labels(read, root: Path) -> None:
    rewrite(root / "dict/triplet.txt", "17:grasper,retract,gallbladder", "17:grasper")
    evidence = read(triplet=line("triplet", 0, RETRACT))
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, "triplet/VID01.txt:1", 1)]


# ---- the video


def test_videos_are_those_with_triplets_or_instruments(root: Path) -> None:
    for task, name in (("triplet", "VID10"), ("instrument", "VID02"), ("verb", "VID03")):
        (root / task).mkdir()
        (root / task / f"{name}.txt").write_text("0\n")
    assert Reader(root).videos() == ["VID02", "VID10"]


def test_the_sample_lists_a_hundred_triplets() -> None:
    assert len(TRIPLETS) == len(set(TRIPLETS)) == 100
    assert TRIPLETS[17] == ("grasper", "retract", "gallbladder")
    assert TRIPLETS[96] == ("hook", *IDLE)

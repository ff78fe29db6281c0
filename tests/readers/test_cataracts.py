"""Quirks of CATARACTS's tables and of their three layouts, one test each."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry

Reader = registry.load_reader("cataracts")

TOOLS = (
    "biomarker", "Charleux cannula", "hydrodissection cannula", "Rycroft cannula",
    "viscoelastic cannula", "cotton", "capsulorhexis cystotome", "Bonn forceps",
    "capsulorhexis forceps", "Troutman forceps", "needle holder",
    "irrigation/aspiration handpiece", "phacoemulsifier handpiece", "vitrectomy handpiece",
    "implant injector", "primary incision knife", "secondary incision knife",
    "micromanipulator", "suture needle", "Mendez ring", "Vannas scissors",
)  # fmt: skip
HEADER = ",".join(["Frame", *TOOLS])


def row(frame: object, *on: int, torn: tuple[int, ...] = ()) -> str:
    cells = ["1" if n in on else "0.5" if n in torn else "0" for n in range(21)]
    return ",".join([str(frame), *cells])


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write tables by path, each as lines, and read train01."""

    def write_and_read(rate: Fraction | None = None, **tables: list[str]) -> VideoEvidence:
        for folder, lines in tables.items():
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "train01.csv").write_text("\n".join(lines) + "\n")
        evidence = Reader(tmp_path, rate=rate).read("train01")
        assert not list(problems_of(evidence))
        return evidence

    return write_and_read


def instances(evidence: VideoEvidence) -> list[tuple[int, str]]:
    table = evidence.instruments
    labels = [table.labels[code] for code in table.label]
    return list(zip(table.frames[table.sample].tolist(), labels, strict=True))


def test_frames_are_counted_from_one_and_told_from_zero(read) -> None:
    evidence = read(Fraction(25), train_labels=[HEADER, row(1, 0), row(2), row(3, 20)])
    assert instances(evidence) == [(0, "biomarker"), (2, "vannas_scissors")]
    assert evidence.instruments.instants_us.tolist() == [0, 40_000, 80_000]
    assert evidence.video.clock == Clock.TIME


def test_without_film_and_rate_only_the_order_is_known(read) -> None:
    video = read(train_labels=[HEADER, row(1, 0)]).video
    assert (video.clock, video.fps, video.duration_us) == (Clock.ORDER, 1, 1_000_000)


def test_where_annotators_disagree_the_frame_is_not_known(read) -> None:
    lines = [HEADER, row(1, 0), row(2, 0, torn=(4, 5)), row(3, 0, torn=(4, 5)), row(4, 0)]
    evidence = read(train_labels=lines)
    assert evidence.instruments.frames.tolist() == [0, 3]
    (entry,) = evidence.rejected
    assert (entry.code, entry.where) == (Code.CONTRADICTION, "train_labels/train01.csv:3")
    assert (entry.count, evidence.books[0].kept) == (2, 2)
    assert "viscoelastic cannula, cotton" in entry.reason


def test_columns_are_found_by_name_whatever_order_and_case(read) -> None:
    header = ",".join(["Frame", *reversed([tool.upper() for tool in TOOLS])])
    assert instances(read(train_labels=[header, row(1, 0)])) == [(0, "vannas_scissors")]


def test_a_table_without_an_instrument_is_an_error(read) -> None:
    with pytest.raises(SourceBroken, match="Mendez ring") as error:
        read(train_labels=[HEADER.replace("Mendez ring", "ring"), row(1)])
    assert error.value.where == "train_labels/train01.csv:1"


def test_steps_are_spans_of_frames_in_a_row(read) -> None:
    lines = ["Frame,Steps", "1,0", "2,3", "3,3", "6,3", "7,19"]
    evidence = read(Fraction(10), phase_annotations=lines)
    assert [(s.label, s.start_us, s.end_us) for s in evidence.spans] == [
        ("cataract_idle", 0, 100_000),
        ("eye_incision", 100_000, 300_000),
        ("eye_incision", 500_000, 600_000),
    ]
    assert evidence.instruments is None and evidence.video.vocabulary == ()
    assert [entry.code for entry in evidence.rejected] == [Code.UNKNOWN_LABEL]


def write_film(path: Path, rate: Fraction, frames: int) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height = 64, 48
        for number in range(frames):
            picture = np.full((48, 64, 3), 5 * number, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        container.mux(stream.encode())


def test_the_film_beside_the_table_tells_rate_and_length(tmp_path: Path) -> None:
    folder = tmp_path / "07"
    folder.mkdir()
    write_film(folder / "anything.mp4", Fraction(30_000, 1001), 30)
    (folder / "anything.csv").write_text("Frame,Steps\n1,3\n31,3\n")
    reader = Reader(tmp_path)
    assert reader.videos() == ["07"]
    video = reader.read("07").video
    assert (video.media.kind, video.media.path) == (MediaKind.VIDEO, "07/anything.mp4")
    assert (video.fps, video.clock) == (Fraction(30_000, 1001), Clock.TIME)
    assert video.duration_us == 1_034_367  # 31 frames: more are labelled than were filmed

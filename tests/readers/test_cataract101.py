"""Quirks of Cataract-101's tables, one test each, and the real tables of all 101 videos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry

Reader = registry.load_reader("cataract101")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write the rows of one video of 1,000 frames and read it."""
    registry.load_sample("cataract101")(tmp_path)

    def write_and_read(*starts: str, facts: str = "269;1000;25;4;1") -> VideoEvidence:
        rows = "".join(f"269;{start}\n" for start in starts)
        (tmp_path / "annotations.csv").write_text(f"VideoID;FrameNo;Phase\n{rows}")
        (tmp_path / "videos.csv").write_text(f"VideoID;Frames;FPS;Surgeon;Experience\n{facts}")
        evidence = Reader(tmp_path).read("269")
        assert not list(problems_of(evidence))
        return evidence

    return write_and_read


def spans(evidence: VideoEvidence) -> list[tuple[str, float, float]]:
    return [(s.label, s.start_us / 40_000, s.end_us / 40_000) for s in evidence.spans]


def codes(evidence: VideoEvidence) -> list[tuple[str, str]]:
    return [(entry.code, entry.where) for entry in evidence.rejected]


def test_rows_out_of_order_are_put_in_order(read) -> None:
    assert spans(read("500;2", "0;1")) == [
        ("corneal_incision", 0, 500),
        ("viscous_agent_injection", 500, 1000),
    ]


def test_a_start_that_cannot_be_read_takes_the_end_from_the_one_before(read) -> None:
    evidence = read("0;1", "x;2", "200;3")
    assert spans(evidence) == [("rhexis", 200, 1000)]
    assert codes(evidence) == [
        (Code.INCOMPLETE_INSTANT, "annotations.csv:2"),
        (Code.BAD_TIME, "annotations.csv:3"),
    ]


def test_two_starts_at_one_frame_leave_one_phase(read) -> None:
    evidence = read("0;1", "100;2", "100;3")
    assert [label for label, _, _ in spans(evidence)] == ["corneal_incision", "rhexis"]
    assert codes(evidence) == [(Code.BAD_TIME, "annotations.csv:3")]


@pytest.mark.parametrize(
    "facts", ["269;0;25;4;1", "269;1000;0;4;1", "269;many;25;4;1", "269;9;25;4;1\n269;9;25;4;1"]
)
def test_a_film_without_length_or_rate_is_an_error(read, facts: str) -> None:
    with pytest.raises(SourceBroken) as error:
        read("0;1", facts=facts)
    assert error.value.where in ("videos.csv:2", "videos.csv:3")


def test_a_row_that_belongs_to_no_video_is_an_error(tmp_path: Path) -> None:
    registry.load_sample("cataract101")(tmp_path)
    (tmp_path / "annotations.csv").write_text("VideoID;FrameNo;Phase\n269;0;1\n?;4;2\n")
    with pytest.raises(SourceBroken, match=r"annotations\.csv:3"):
        Reader(tmp_path).videos()


@pytest.fixture(scope="module")
def real(real_dataset) -> tuple[Path, list[VideoEvidence]]:
    root = real_dataset("cataract-101")
    reader = Reader(root)
    return root, [reader.read(video_id) for video_id in reader.videos()]


def lines(root: Path, name: str) -> list[list[str]]:
    return [line.split(";") for line in (root / name).read_text().splitlines()[1:]]


def test_real_all_videos_of_the_release_are_read_without_loss(real) -> None:
    root, evidence = real
    assert [e.video.video_id for e in evidence] == list(Reader(root).files.video_ids)
    assert len(evidence) == 101
    assert Reader(root).missing() == []
    assert sum(e.books[0].kept for e in evidence) == 1266 + 101
    assert [entry for e in evidence for entry in e.rejected] == []
    assert [problem for e in evidence for problem in problems_of(e)] == []


def test_real_every_start_stands_where_the_table_says(real) -> None:
    root, evidence = real
    frames = {row[0]: int(row[1]) for row in lines(root, "videos.csv")}
    meant = (
        "corneal_incision", "viscous_agent_injection", "rhexis", "lens_hydrodissection",
        "lens_phacoemulsification", "irrigation_and_aspiration", "capsule_polishing",
        "lens_implant_setting_up", "viscous_agent_removal", "tonifying_and_antibiotics",
    )  # fmt: skip
    said: dict[str, list[tuple[int, str]]] = {video: [] for video in frames}
    for video, frame, phase in lines(root, "annotations.csv"):
        said[video].append((int(frame), meant[int(phase) - 1]))
    for found in evidence:
        video = found.video.video_id
        ends = [frame for frame, _ in said[video][1:]] + [frames[video]]
        expected = [(*start, end) for start, end in zip(said[video], ends, strict=True)]
        assert [
            (span.start_us // 40_000, span.label, span.end_us // 40_000) for span in found.spans
        ] == expected
        assert found.video.duration_us == frames[video] * 40_000


def test_real_figures_are_those_of_the_description(real) -> None:
    _, evidence = real
    levels = Counter(label.label for e in evidence for label in e.labels)
    assert levels == {"low_experience": 45, "high_experience": 56}
    phases = Counter(span.label for e in evidence for span in e.spans)
    assert phases["viscous_agent_injection"] == 232 and phases["lens_hydrodissection"] == 101
    again = sum(
        a.label == b.label for e in evidence for a, b in zip(e.spans, e.spans[1:], strict=False)
    )
    assert again == 93
    assert sum(e.spans[0].start_us > 0 for e in evidence) == 97
    assert sum(e.video.duration_us for e in evidence) == 1_263_116 * 40_000

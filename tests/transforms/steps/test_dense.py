"""Labels once a second and boxes five times a second, put together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from surgqa.ontology.moments import Moment
from surgqa.ontology.records import UNKNOWN, Code, InstrumentTable, Media, MediaKind, Source, Video
from surgqa.ontology.records import VideoEvidence as Evidence
from surgqa.transforms.steps.dense import with_dense_boxes

CUT = (("cut", "cystic_duct"),)
HOLD = (("grasp", "gallbladder"),)


def table(
    instants: list[int], rows: list[tuple[int, str, float, int, int]], origin: str
) -> InstrumentTable:
    """rows: (sample, label, x of the box or NaN, index of CUT/HOLD, track)."""
    labels = tuple(sorted({row[1] for row in rows}))
    ordered = sorted(rows, key=lambda r: (r[0], r[1]))
    x = np.array([row[2] for row in ordered])
    return InstrumentTable(
        instants_us=np.array(instants, np.int64),
        frames=np.array([t // 40_000 for t in instants], np.int64),
        sample=np.array([row[0] for row in ordered], np.int32),
        label=np.array([labels.index(row[1]) for row in ordered], np.int16),
        box_xyxy=np.stack([x, x * 0 + 0.2, x + 0.1, x * 0 + 0.4], axis=1),
        score=np.array([0.5 + 0.1 * k for k in range(len(ordered))]),
        pairs=np.array([row[3] for row in ordered], np.int16),
        track=np.array([row[4] for row in ordered], np.int32),
        row=np.zeros(len(ordered), np.int32),
        labels=labels,
        pair_sets=(CUT, HOLD),
        box_origin=origin,
        pointer="{frame} {row}",
    )


def evidence(instruments: InstrumentTable | None, source: str, period: int) -> Evidence:
    video = Video(
        "cholect50", "VID01", "p", "s", Fraction(1_000_000, period), period, 3_000_000,
        Media(MediaKind.ABSENT), "g", "l", "o", (Source(source, "0"),),
        ("grasper", "scissors"),
    )  # fmt: skip
    return Evidence(video, instruments)


def merged(labels: list, boxes: list, grid: list[int]) -> Evidence:
    told = evidence(table([0, 1_000_000], labels, "none"), "labels.json", 1_000_000)
    seen = evidence(table(grid, boxes, "detector"), "boxes.parquet", 200_000)
    return with_dense_boxes(told, seen)


NONE = float("nan")
GRID = [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]


def test_a_label_holds_half_a_second_to_each_side():
    labels = [(0, "scissors", NONE, 0, UNKNOWN), (1, "scissors", NONE, 1, UNKNOWN)]
    out = merged(labels, [(k, "scissors", 0.1 * k, UNKNOWN, 4) for k in range(6)], GRID)
    assert out.instruments.instants_us.tolist() == GRID
    assert out.instruments.pairs.tolist() == [0, 0, 0, 1, 1, 1]
    assert out.instruments.track.tolist() == [4] * 6
    assert np.allclose(out.instruments.box_xyxy[:, 0], np.arange(6) * 0.1)
    assert out.instruments.origins() == ["detector"] * 6
    assert out.video.period_us == 200_000
    assert [s.path for s in out.video.sources] == ["boxes.parquet", "labels.json"]
    assert out.books[-1].balanced and out.books[-1].kept == 6


def test_the_annotator_wins_where_the_detector_sees_what_is_not_there():
    labels = [(0, "scissors", NONE, 0, UNKNOWN)]
    boxes = [(0, "scissors", 0.1, UNKNOWN, 0), (0, "grasper", 0.5, UNKNOWN, 1)]
    out = merged(labels, boxes, [0])
    assert out.instruments.labels == ("scissors",)
    (reject,) = out.rejected
    assert reject.code == Code.CONTRADICTION and reject.where == "observed grasper"
    assert (out.books[-1].read, out.books[-1].kept, out.books[-1].rejected) == (2, 1, 1)


def test_what_was_labelled_and_not_detected_is_there_without_a_box():
    labels = [(0, "scissors", NONE, 0, UNKNOWN), (0, "grasper", NONE, 1, UNKNOWN)]
    out = merged(labels, [(0, "scissors", 0.1, UNKNOWN, 0)], [0])
    assert out.instruments.labels == ("grasper", "scissors")
    assert np.isnan(out.instruments.box_xyxy[0]).all()
    assert out.instruments.pairs.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("second", "expected"),
    [pytest.param(0, [0, 0], id="same"), pytest.param(1, [UNKNOWN, UNKNOWN], id="different")],
)
def test_pairs_of_two_of_a_class_hold_only_where_they_are_the_same(second, expected):
    labels = [(0, "grasper", NONE, 0, UNKNOWN), (0, "grasper", NONE, second, UNKNOWN)]
    boxes = [(0, "grasper", 0.1, UNKNOWN, 0), (0, "grasper", 0.6, UNKNOWN, 1)]
    assert merged(labels, boxes, [0]).instruments.pairs.tolist() == expected


def test_the_weakest_of_too_many_boxes_is_left_out():
    boxes = [(0, "grasper", 0.1, UNKNOWN, 0), (0, "grasper", 0.6, UNKNOWN, 1)]
    out = merged([(0, "grasper", NONE, 0, UNKNOWN)], boxes, [0])
    assert out.instruments.track.tolist() == [1]  # the better score
    assert out.rejected[0].count == 1


def test_boxes_where_no_label_holds_are_left_out():
    boxes = [(0, "scissors", 0.1, UNKNOWN, 0), (1, "scissors", 0.2, UNKNOWN, 0)]
    out = merged([(0, "scissors", NONE, 0, UNKNOWN)], boxes, [0, 1_500_000])
    assert out.instruments.instants_us.tolist() == [0]
    assert out.rejected[0].code == Code.NO_EVIDENCE


def test_without_instrument_labels_nothing_changes():
    told = evidence(None, "labels.json", 1_000_000)
    seen = evidence(table([0], [(0, "grasper", 0.1, UNKNOWN, 0)], "detector"), "b", 200_000)
    assert with_dense_boxes(told, seen) is told


def spoken(start: int, end: int, **more) -> Moment:
    return Moment("said", "", start, end, 500_000, "u.parquet", "row 1", text="Now", **more)


def test_the_stores_moments_join_those_of_the_labels_each_once() -> None:
    told = Moment("state", "clipped", 100_000, 100_000, 40_000, "own.json", "events[0]")
    both = spoken(50_000, 90_000)
    plain = table([0], [(0, "grasper", NONE, 0, UNKNOWN)], "none")
    labels = replace(evidence(plain, "a", 1_000_000), moments=(both, told))
    late = spoken(3_000_000, 3_100_000)
    seen = replace(
        evidence(table([0], [(0, "grasper", 0.1, UNKNOWN, 0)], "detector"), "b", 200_000),
        moments=(replace(both, pointer="row 9"), spoken(150_000, 3_300_000), late),
    )  # fmt: skip
    out = with_dense_boxes(labels, seen)
    assert [(m.start_us, m.end_us, m.pointer) for m in out.moments] == [
        (50_000, 90_000, "row 1"), (150_000, 3_000_000, "row 1"), (100_000, 100_000, "events[0]"),
    ]  # fmt: skip
    assert [(b.unit, b.read, b.kept, b.rejected) for b in out.books if "moments" in b.unit] == [
        ("observed moments", 3, 2, 1)
    ]
    assert [(r.code, r.count) for r in out.rejected if r.code == Code.BAD_TIME] == [
        (Code.BAD_TIME, 1)
    ]


def test_moments_join_labels_that_have_no_instruments() -> None:
    seen = replace(
        evidence(table([0], [(0, "grasper", 0.1, UNKNOWN, 0)], "detector"), "b", 200_000),
        moments=(spoken(150_000, 300_000),),
    )  # fmt: skip
    labels = replace(seen, instruments=None, moments=())
    out = with_dense_boxes(labels, seen)
    assert out.instruments is None
    assert out.moments == seen.moments
    assert out.video.sources == seen.video.sources

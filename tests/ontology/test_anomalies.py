"""Anomalies in the published shape: what they become, and what is left out."""

from decimal import Decimal
from fractions import Fraction

import pytest

from surgqa.ontology.anomalies import anomaly_moments, anomaly_of, check_onset, name_of
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code
from tests.each import cases

FPS = Fraction(30)
KEYS = (
    (647, [540, 420, 80, 60]), (650, [535, 415, 90, 70]), (655, [530, 410, 100, 80]),
    (680, [530, 410, 100, 80]),
)  # fmt: skip


def entry(**more):
    """The published example."""
    plain = {
        "anomaly_id": "a1", "onset_frame": 647, "onset_time": Decimal("21.57"),
        "anomaly_type": "bleeding", "initial_bbox": KEYS[0][1],
        "evolution": [
            {"frame": k, "bbox": box, "size": size}
            for (k, box), size in zip(KEYS[1:], ("small", "large", "large"), strict=True)
        ],
        "source": {"tissue": "cystic_artery", "cause": "clip_slip", "location": "stump"},
        "hemostasis_time": Decimal("22.67"),
    }  # fmt: skip
    return {name: value for name, value in (plain | more).items() if value is not ...}


def read(**more):
    one = entry(**more)
    return anomaly_of(name_of(one, 0), one, FPS, 1280, 720)


def moments(**more):
    return list(anomaly_moments(
        read(**more)[0], "bleeding", "cystic_artery", FPS, (1280, 720), "a.json", "[0]", "imported",
    ))  # fmt: skip


@cases(
    ("frame", "time", "agrees"),
    [
        (647, 21.57, True), (1395, 46.5, True), (647, 21.60, False), (647, Fraction(647, 30), True),
        (1, Fraction(1, 60), True), (1, Fraction(1, 60) - Fraction(1, 10**9), False),
    ],
)  # fmt: skip
def test_onset_within_half_a_frame(frame, time, agrees):
    assert check_onset(frame, FPS, time) is agrees


def test_moments_of_the_published_example():
    whole, *keys = moments()
    assert (whole.kind, whole.label, whole.group) == ("anomaly", "bleeding", "a1")
    assert (whole.start_us, whole.end_us) == (21_566_667, 22_670_000)
    assert whole.box_xyxy == (540 / 1280, 420 / 720, 620 / 1280, 480 / 720)
    assert (whole.target, whole.text) == ("cystic_artery", "clip_slip, stump")
    assert [one.start_us for one in keys] == [21_566_667, 21_666_667, 21_833_333, 22_666_667]
    assert [(one.value, one.text) for one in keys] == [
        (647, ""), (650, "small"), (655, "large"), (680, "large")
    ]  # fmt: skip


def test_a_size_and_a_state_hold_until_others_are_stated():
    box = KEYS[0][1]
    _, *keys = moments(hemostasis_time=None, evolution=[
        {"frame": 647, "bbox": box, "state": "warning", "size": "small"},
        {"frame": 660, "bbox": box},
        {"frame": 690, "bbox": box, "size": "large"},
        {"frame": 670, "bbox": box, "state": "present"},
    ])  # fmt: skip
    assert [(one.label, one.text) for one in keys] == [
        ("warning", "small"), ("warning", "small"), ("present", "small"), ("present", "large")
    ]  # fmt: skip


BOX = [540, 420, 80, 60]


@cases(
    ("change", "code"),
    [
        ({"onset_time": Decimal("21.7")}, Code.CONTRADICTION),
        ({"onset_time": "soon"}, Code.BAD_ROW),
        ({"onset_time": ...}, Code.BAD_ROW),
        ({"onset_frame": Decimal("647.5")}, Code.BAD_FRAME),
        ({"onset_frame": True}, Code.BAD_FRAME),
        ({"onset_frame": -1}, Code.BAD_FRAME),
        ({"anomaly_type": ...}, Code.BAD_ROW),
        ({"anomaly_id": ...}, Code.BAD_ROW),
        ({"initial_bbox": [540, 420, 80]}, Code.BAD_BOX),
        ({"initial_bbox": [540, 420, 0, 60]}, Code.BAD_BOX),
        ({"initial_bbox": [1300, 420, 10, 60]}, Code.BAD_BOX),
        ({"initial_bbox": [540, 420, 80, None]}, Code.BAD_ROW),
        ({"evolution": "none"}, Code.BAD_ROW),
        ({"evolution": [{"frame": 600, "bbox": BOX}]}, Code.BAD_FRAME),
        ({"evolution": [{"frame": 650, "bbox": BOX}] * 2}, Code.DUPLICATE_FRAME),
        ({"evolution": [{"frame": 647, "bbox": [1, 2, 3, 4]}]}, Code.CONTRADICTION),
        ({"hemostasis_time": 20}, Code.CONTRADICTION),
        ({"hemostasis_time": Decimal("1e999999999")}, Code.BAD_ROW),
        ({"source": "duct"}, Code.BAD_ROW),
    ],
)
def test_what_is_left_out(change, code):
    with pytest.raises(Unfit) as caught:
        read(**change)
    assert caught.value.code == code


def test_a_box_over_the_edge_is_clipped_and_counted():
    found, clipped = read(initial_bbox=[1240, 420, 80, 60], evolution=[])
    assert (found.keys[0].box_xywh, clipped) == ((1240, 420, 40, 60), 1)

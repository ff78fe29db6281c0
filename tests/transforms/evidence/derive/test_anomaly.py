"""Regions of anomalies between key frames; reading them from the published shape."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.errors import SourceBroken
from ontology.observed import HAPPENINGS
from ontology.records import Code
from tests.each import cases
from transforms.evidence.derive.anomaly import Evolution, KeyFrame, check_onset, printed
from transforms.evidence.derive.anomaly_file import read_anomalies

FPS = Fraction(30)
KEYS = (
    (647, (540, 420, 80, 60)), (650, (535, 415, 90, 70)), (655, (530, 410, 100, 80)),
    (680, (530, 410, 100, 80)),
)  # fmt: skip
EVOLUTION = Evolution(tuple(KeyFrame(k, tuple(map(Fraction, box))) for k, box in KEYS))


def entry(**more):
    """The published example."""
    plain = {
        "anomaly_id": "a1", "onset_frame": 647, "onset_time": 21.57, "anomaly_type": "bleeding",
        "initial_bbox": [540, 420, 80, 60],
        "evolution": [
            {"frame": k, "bbox": list(box), "size": size}
            for (k, box), size in zip(KEYS[1:], ("small", "large", "large"), strict=True)
        ],
        "source": {"tissue": "cystic_artery", "cause": "clip_slip", "location": "stump"},
        "hemostasis_time": 22.67,
    }  # fmt: skip
    return {name: value for name, value in (plain | more).items() if value is not ...}


def read(*entries, fps=FPS):
    text = json.dumps({"anomaly_evidence": {"anomalies": list(entries)}})
    return read_anomalies(text, fps, 1280, 720, "case.json")


@pytest.mark.parametrize(
    ("frame", "box"),
    [
        (647, (540, 420, 80, 60)), (648, (538, 418, 83, 63)), (652, (533, 413, 94, 74)),
        (660, (530, 410, 100, 80)), (680, (530, 410, 100, 80)),
    ],
)  # fmt: skip
def test_the_published_vector(frame, box):
    assert printed(EVOLUTION.box_at(frame)) == box


def test_exact_between_and_nothing_outside():
    third = Fraction(1, 3)
    assert EVOLUTION.box_at(648) == (
        540 - 5 * third, 420 - 5 * third, 80 + 10 * third, 60 + 10 * third
    )  # fmt: skip
    assert EVOLUTION.box_at(646) is None
    assert EVOLUTION.box_at(681) is None
    assert EVOLUTION.growth(647, 655) == Fraction(8000, 4800)
    assert EVOLUTION.growth(646, 655) is None
    assert Evolution(()).box_at(1) is None


def test_words_hold_their_last_value():
    box = KEYS[0][1]
    held = Evolution((
        KeyFrame(10, box, "small", "warning"), KeyFrame(20, box, None, "present"),
        KeyFrame(30, box, "large", None),
    ))  # fmt: skip
    assert [held.state_at(k) for k in (9, 10, 19, 20, 30, 31)] == [
        None, "warning", "warning", "present", "present", None
    ]  # fmt: skip
    assert [held.size_at(k) for k in (10, 29, 30)] == ["small", "small", "large"]


boxes = st.tuples(*(st.integers(1, 500).map(Fraction) for _ in range(4)))


@given(
    keys=st.dictionaries(st.integers(0, 300), boxes, min_size=1, max_size=6),
    frame=st.integers(0, 300),
)
def test_interpolation_stays_between_its_key_frames(keys, frame):
    line = Evolution(tuple(KeyFrame(k, box) for k, box in sorted(keys.items())))
    for number, box in keys.items():
        assert line.box_at(number) == box
    found = line.box_at(frame)
    assert (found is None) == (not min(keys) <= frame <= max(keys))
    if found is not None:
        low = keys[max(k for k in keys if k <= frame)]
        high = keys[min(k for k in keys if k >= frame)]
        assert all(min(a, b) <= v <= max(a, b) for v, a, b in zip(found, low, high, strict=True))


@pytest.mark.parametrize(
    ("frame", "time", "agrees"),
    [
        (647, 21.57, True), (1395, 46.5, True), (647, 21.60, False), (647, Fraction(647, 30), True),
        (1, Fraction(1, 60), True), (1, Fraction(1, 60) - Fraction(1, 10**9), False),
    ],
)  # fmt: skip
def test_onset_within_half_a_frame(frame, time, agrees):
    assert check_onset(frame, FPS, time) is agrees


def test_rows_of_the_published_example():
    found = read(entry())
    assert found.rejected == ()
    assert found.rows.schema == HAPPENINGS
    rows = found.rows.to_pylist()
    assert {r["source"] for r in rows} == {"anomaly:a1"}
    whole = next(r for r in rows if r["kind"] == "anomaly")
    assert (whole["time_us"], whole["end_us"], whole["label"]) == (
        21_566_667,
        22_670_000,
        "bleeding",
    )
    assert [whole[k] for k in ("x1", "y1", "x2", "y2")] == [
        540 / 1280,
        420 / 720,
        620 / 1280,
        480 / 720,
    ]
    assert whole["value"] == pytest.approx(8000 / 4800, abs=1e-6)
    keys = [(r["time_us"], r["value"]) for r in rows if r["kind"] == "anomaly_key"]
    assert [k for k, _ in keys] == [21_566_667, 21_666_667, 21_833_333, 22_666_667]
    assert keys[0][1] == 1.0
    states = [(r["time_us"], r["end_us"], r["label"]) for r in rows if r["kind"] == "anomaly_state"]
    assert states == [(21_566_667, 22_670_000, "present"), (22_670_000, 22_670_000, "controlled")]
    words = {r["kind"]: r["label"] for r in rows}
    assert words["anomaly_tissue"] == "cystic_artery"
    assert words["anomaly_cause"] == "clip_slip"
    assert words["anomaly_location"] == "stump"
    assert [r["label"] for r in rows if r["kind"] == "anomaly_size"] == ["small", "large", "large"]


def test_stated_states():
    evolution = [
        {"frame": 647, "bbox": [540, 420, 80, 60], "state": "warning"},
        {"frame": 660, "bbox": [540, 420, 80, 60]},
        {"frame": 670, "bbox": [540, 420, 80, 60], "state": "present"},
        {"frame": 690, "bbox": [540, 420, 80, 60], "state": "controlled"},
    ]
    rows = read(entry(evolution=evolution, hemostasis_time=None)).rows.to_pylist()
    states = [(r["label"], r["time_us"]) for r in rows if r["kind"] == "anomaly_state"]
    assert states == [
        ("warning", 21_566_667), ("present", 22_333_333), ("controlled", 23_000_000)
    ]  # fmt: skip


BOX = [540, 420, 80, 60]


@cases(
    ("change", "code"),
    [
        ({"onset_time": 21.7}, Code.CONTRADICTION),
        ({"onset_time": "soon"}, Code.BAD_ROW),
        ({"onset_time": ...}, Code.BAD_ROW),
        ({"onset_frame": 647.5}, Code.BAD_FRAME),
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
        ({"hemostasis_time": float("inf")}, Code.BAD_ROW),
        ({"source": "duct"}, Code.BAD_ROW),
    ],
)
def test_what_is_left_out(change, code):
    found = read(entry(anomaly_id="good"), entry(**change))
    assert [one.name for one in found.anomalies] == ["good"]
    assert [(r.code, r.outcome) for r in found.rejected] == [(code, "rejected")]
    assert found.rejected[0].where == "case.json, anomalies[1]"


def test_second_of_a_name_is_left_out():
    found = read(entry(), entry())
    assert (len(found.anomalies), [r.code for r in found.rejected]) == (1, [Code.CONTRADICTION])


def test_a_box_over_the_edge_is_clipped_and_told():
    found = read(entry(initial_bbox=[1240, 420, 80, 60], evolution=[]))
    assert found.anomalies[0].evolution.keys[0].box_xywh == (1240, 420, 40, 60)
    assert [(r.outcome, r.count) for r in found.rejected] == [("repaired", 1)]


@pytest.mark.parametrize("text", ["", "{", "3", '{"anomalies": 4}', "[" * 100_000, b"\xff\xfe\x00"])
def test_files_that_hold_no_anomalies(text):
    with pytest.raises(SourceBroken) as error:
        read_anomalies(text, FPS, 1280, 720, "case.json")
    assert "case.json" in str(error.value)


def test_a_number_of_a_billion_digits_does_not_hang():
    text = json.dumps([entry()]).replace("22.67", "1e999999999")
    assert [r.code for r in read_anomalies(text, FPS, 1280, 720, "x").rejected] == [Code.BAD_ROW]


def test_all_three_outer_shapes():
    inner = [entry()]
    for whole in (inner, {"anomalies": inner}, {"anomaly_evidence": {"anomalies": inner}}):
        assert len(read_anomalies(json.dumps(whole), FPS, 1280, 720, "x").anomalies) == 1

"""Decisions on one video, its stretches, and the verdict."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.observed import DECISIONS, STRETCHES, UTTERANCES
from surgqa.transforms.evidence.curate import CurateSettings, decide, stretches, verdict

SETTINGS = CurateSettings()
FACTS = {
    "kind": "video", "duration_us": 60_000_000, "promised_us": 60_000_000, "stopped_us": None,
    "stopped_why": None, "fps": [25, 1], "width": 1280, "height": 720,
    "metadata": {"procedure": "lap chole"},
    "sound_heard": {"sound": {"chosen": 0, "silent": False, "why": None}, "pieces": []},
}  # fmt: skip


def speech(*spans: tuple[int, int]) -> pa.Table:
    rows = [{"utterance_id": str(a), "start_us": a, "end_us": b} for a, b in spans]
    return pa.Table.from_pylist(rows, schema=UTTERANCES)


def decided(facts, tables) -> dict[str, dict]:
    table = decide(facts, tables, SETTINGS)
    assert table.schema == DECISIONS
    assert table["rule"].to_pylist() == sorted(table["rule"].to_pylist())
    return {row["rule"]: row for row in table.to_pylist()}


def test_a_good_video_passes_every_rule_with_its_measure(frames):
    rows = decided(FACTS, {"frames": frames(60), "utterances": speech((0, 20_000_000))})
    assert all(row["passed"] for row in rows.values())
    assert rows["narrated"]["measured"] == 0.3333
    assert rows["sharp"]["measured"] == rows["complete"]["measured"] == 1.0
    assert rows["rate"]["measured"] == 25.0 and rows["resolution"]["measured"] == 720.0


BAD = {
    "complete": ({"duration_us": 30_000_000, "stopped_why": "cut short"}, {}, 0.5),
    "length": ({"duration_us": 3_000_000}, {}, 3.0),
    "rate": ({"fps": [5, 1]}, {}, 5.0),
    "resolution": ({"width": 176, "height": 144}, {}, 144.0),
    "damaged": ({}, {"trusted": np.arange(60) >= 6}, 0.1),
    "dark": ({}, {"dark_share": np.where(np.arange(60) < 30, 1.0, 0.1)}, 0.5),
    "outside": ({}, {"inside": np.where(np.arange(60) < 30, 0.0, 0.9)}, 0.5),
    "sharp": ({}, {"sharpness": np.where(np.arange(60) < 45, 12.0, 400.0)}, 0.25),
    "overlay": ({}, {"overlay_share": np.full(60, 0.4)}, 0.4),
    "metadata": ({"metadata": {}}, {}, 0.0),
}


@pytest.mark.parametrize("rule", sorted(BAD))
def test_each_fault_fails_its_own_rule_and_no_other(frames, rule):
    facts, columns, measured = BAD[rule]
    tables = {"frames": frames(60, **columns), "utterances": speech((0, 20_000_000))}
    rows = decided(FACTS | facts, tables)
    failed = {name for name, row in rows.items() if row["passed"] is False}
    assert failed - {"complete"} == {rule} - {"complete"} and rule in failed
    assert rows[rule]["measured"] == measured
    told = verdict(pa.Table.from_pylist(list(rows.values()), schema=DECISIONS), SETTINGS)
    assert told.keep is (rule not in SETTINGS.drops)
    limits = f"(measured {measured:g}, limit {rows[rule]['threshold']:g} {rows[rule]['unit']})"
    assert told.keep or any(limits in reason for reason in told.reasons)
    off = dataclasses.replace(SETTINGS, drops=())
    table = pa.Table.from_pylist(list(rows.values()), schema=DECISIONS)
    kept = verdict(table, off)
    assert kept.keep and any(reason.startswith(f"{rule}: ") for reason in kept.noted)


def test_what_is_not_known_neither_passes_nor_fails():
    rows = decided({}, {})
    assert {name for name, row in rows.items() if row["passed"] is not None} == {"metadata"}
    assert all(row["reason"] for row in rows.values())
    assert verdict(decide({}, {}, SETTINGS), SETTINGS).keep


def test_a_folder_of_frames_has_no_rate_of_its_own(frames):
    rows = decided(FACTS | {"kind": "frames", "fps": [1, 1]}, {"frames": frames(60)})
    assert rows["rate"]["passed"] is None


def test_reading_that_broke_off_without_a_promise_is_not_complete(frames):
    facts = FACTS | {"promised_us": None, "stopped_us": 5_000_000}
    assert decided(facts, {"frames": frames(60)})["complete"]["passed"] is False
    assert decided(FACTS | {"promised_us": None}, {})["complete"]["passed"] is None


@pytest.mark.parametrize(
    ("sound", "measured", "words"),
    [({"chosen": None, "why": "no sound track"}, 0.0, "no sound track"),
     ({"chosen": 0, "silent": True}, 0.0, "the sound track is silent"), (None, None, "listened")],
)  # fmt: skip
def test_missing_sound_is_told(frames, sound, measured, words):
    facts = FACTS | {"sound_heard": {"sound": sound, "pieces": []}}
    row = decided(facts, {"frames": frames(60), "utterances": speech()})["narrated"]
    assert row["measured"] == measured and words in row["reason"]


def test_overlapping_speech_counts_once(frames):
    said = speech((0, 6_000_000), (3_000_000, 9_000_000), (-2_000_000, 1_000_000))
    row = decided(FACTS, {"frames": frames(60), "utterances": said})["narrated"]
    assert row["measured"] == 0.15


def test_a_dark_picture_is_neither_outside_nor_blurred(frames):
    black = frames(10, dark_share=np.ones(10), inside=np.zeros(10), sharpness=np.zeros(10))
    rows = decided(FACTS, {"frames": black})
    assert (rows["dark"]["measured"], rows["outside"]["measured"]) == (1.0, 0.0)
    assert rows["sharp"]["measured"] is None
    (only,) = stretches(black, SETTINGS).to_pylist()
    assert (only["kind"], only["start_us"], only["end_us"]) == ("dark", 0, 10_000_000)


def test_stretches_are_runs_with_their_mean_measure(frames):
    index = np.arange(30)
    table = frames(
        30,
        inside=np.where((index >= 5) & (index < 9), 0.1, 0.9),
        sharpness=np.where(index >= 25, 20.0, 400.0),
        dark_share=np.where(index == 15, 1.0, 0.1),
        trusted=index != 27,
    )
    rows = stretches(table, SETTINGS)
    assert rows.schema == STRETCHES
    told = [(r["kind"], r["start_us"], r["end_us"], r["score"]) for r in rows.to_pylist()]
    assert told == [
        ("outside", 5_000_000, 9_000_000, 0.1), ("blurred", 25_000_000, 27_000_000, 20.0),
        ("blurred", 28_000_000, 30_000_000, 20.0)]  # fmt: skip


def test_no_frames_no_stretches(frames):
    assert stretches(frames(0), SETTINGS).num_rows == 0
    assert decided(FACTS, {"frames": frames(0)})["dark"]["passed"] is None


def test_the_longest_stretch_from_outside_is_measured(frames):
    index = np.arange(120)
    out = np.where(((index > 4) & (index < 20)) | ((index > 40) & (index < 110)), 0.0, 0.9)
    row = decided(FACTS, {"frames": frames(120, inside=out)})["outside_longest"]
    assert (row["measured"], row["passed"]) == (69.0, False)

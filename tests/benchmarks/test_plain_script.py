"""The plain script's items are right: recomputed here from the label files alone."""

from __future__ import annotations

import json
import re
import sys

import pytest

pd = pytest.importorskip("pandas", reason="the plain script needs pandas (extra 'dev')")

from benchmarks import plain_script  # noqa: E402

SECOND = 1_000_000


def run(labels, out, profile, monkeypatch):
    argv = ["plain_script", str(labels), str(out), "--profile", profile]
    monkeypatch.setattr(sys, "argv", argv)
    plain_script.main()
    lines = (out / "data" / "surgstu.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        row["value"], row["slot"] = json.loads(row["answer_value"]), json.loads(row["slots"])
    return rows


@pytest.fixture(scope="module", params=["paper", "current"])
def made(request, labels, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        return request.param, out, run(labels, out, request.param, patch)


@pytest.fixture(scope="module")
def rows(made):
    return made[2]


@pytest.fixture(scope="module")
def seen(labels):
    """(video, second) -> [(instrument, verb, target, box)], straight from the files."""
    found = {}
    for path in sorted((labels / "labels").iterdir()):
        file = json.loads(path.read_text())
        names = file["categories"]
        for t, entries in file["annotations"].items():
            found[path.stem, int(t)] = [
                (
                    names["instrument"][str(r[1])], names["verb"][str(r[7])],
                    names["target"][str(r[8])],
                    [r[3], r[4], min(r[3] + r[5], 1.0), min(r[4] + r[6], 1.0)],
                )
                for r in entries if r[0] >= 0
            ]  # fmt: skip
    return found


def of(rows, name):
    found = [row for row in rows if row["template_id"] == f"surgstu.{name}"]
    assert found, name
    return found


def moment(row):
    return row["slot"]["moment"]["time_us"] // SECOND


def seconds(row):
    span = row["slot"]["span"]
    return range(span["start_us"] // SECOND, span["end_us"] // SECOND + 1)


def clip_seconds(row):
    return range(row["start_us"] // SECOND, row["end_us"] // SECOND)


def test_the_profile_asks_each_of_its_templates(made):
    profile, _, rows = made
    asked = {row["template_id"] for row in rows}
    names = {f"surgstu.{name}" for name, _, _ in plain_script.PROFILES[profile]}
    assert len(names) == {"paper": 21, "current": 36}[profile]
    assert asked == names


def test_at_most_one_item_per_template_and_clip(rows):
    pairs = [(row["template_id"], row["window_id"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
    assert len({row["item_id"] for row in rows}) == len(rows)


def test_clips_last_20_to_30_annotated_seconds(rows, seen):
    for row in rows:
        assert 20 <= (row["end_us"] - row["start_us"]) // SECOND <= 30
        assert all((row["video_id"], t) in seen for t in clip_seconds(row))


def test_options_differ_and_one_is_right(rows):
    closed = [row for row in rows if row["options"]]
    assert closed
    for row in closed:
        texts = [option["text"] for option in row["options"]]
        assert len(set(texts)) == len(texts) == (2 if row["form"] == "yes_no" else 4)
        right = [option for option in row["options"] if option["is_answer"]]
        assert len(right) == 1
        assert row["answer"] == "{key}) {text}".format(**right[0])
        assert row["answer_key"] == right[0]["key"]
        assert all(option["kind"] for option in row["options"])


def test_no_wording_is_left_unfilled(rows):
    assert not [row["question"] for row in rows if re.search(r"[{}]|None|_", row["question"])]


def test_locate_gives_the_box_of_the_labels(rows, seen):
    for row in of(rows, "locate"):
        boxes = [
            box
            for label, _, _, box in seen[row["video_id"], moment(row)]
            if label == row["value"]["label"]
        ]
        assert row["value"]["box_xyxy"] in boxes
        shown = [int(v * 1000 + 0.5) for v in row["value"]["box_xyxy"]]
        assert row["answer"] == str(shown)
        assert (row["value"]["instance"] is None) == (len(boxes) == 1)


def test_counts_and_classes_are_those_of_the_labels(rows, seen):
    for row in of(rows, "counting_distinct"):
        labels = {label for label, *_ in seen[row["video_id"], moment(row)]}
        assert row["value"]["number"] == len(labels)
    for row in of(rows, "classes"):
        labels = {label for label, *_ in seen[row["video_id"], moment(row)]}
        assert row["value"]["labels"] == sorted(labels)
    for row in of(rows, "counting_concurrent"):
        most = max(len(seen[row["video_id"], t]) for t in seconds(row))
        assert row["value"]["number"] == most


def test_existence_answers_hold_and_both_occur(rows, seen):
    answers = set()
    for row in of(rows, "existence_global"):
        here = {label for t in clip_seconds(row) for label, *_ in seen[row["video_id"], t]}
        assert row["value"]["yes"] == (row["slot"]["kind"]["label"] in here)
        answers.add(row["value"]["yes"])
    for row in of(rows, "existence_local_target"):
        here = {target for _, _, target, _ in seen[row["video_id"], moment(row)]}
        assert row["value"]["yes"] == (row["slot"]["target"]["label"] in here)
    assert answers == {True, False}


def test_constant_targets_are_constant_in_the_evidence(made):
    _, out, rows = made
    events = pd.read_parquet(out / "evidence" / "events.parquet")
    keyed = {(e.video_id, e.track_id, e.time_us): e for e in events.itertuples()}
    for row in of(rows, "target_interaction"):
        for t in seconds(row):
            event = keyed[row["video_id"], row["slot"]["tool"]["track_id"], t * SECOND]
            assert [pair["target"] for pair in event.pairs] == [row["value"]["target"]]


def test_extremes_are_the_smallest_and_largest_centres(made):
    _, out, rows = made
    events = pd.read_parquet(out / "evidence" / "events.parquet")
    for row in of(rows, "trajectory"):
        span, k = row["slot"]["span"], int(row["value"]["axis"] == "vertical")
        track = events[
            (events.video_id == row["video_id"])
            & (events.track_id == row["slot"]["tool"]["track_id"])
            & events.time_us.between(span["start_us"], span["end_us"])
        ]
        centres = (track.x1 + track.x2) / 2 if k == 0 else (track.y1 + track.y2) / 2
        low, high = (
            (e["box_xyxy"][k] + e["box_xyxy"][k + 2]) / 2 for e in row["value"]["extremes"]
        )
        assert (low, high) == (centres.min(), centres.max())
        assert high - low >= 0.20


def test_tracks_never_jump(made):
    _, out, _ = made
    events = pd.read_parquet(out / "evidence" / "events.parquet").dropna(subset=["track_id"])
    for _, track in events.groupby(["video_id", "track_id"]):
        x, y = (track.x1 + track.x2) / 2, (track.y1 + track.y2) / 2
        steps = (x.diff() ** 2 + y.diff() ** 2) ** 0.5
        assert not (steps.iloc[1:] > 0.65 + 1e-9).any()
        assert (track.time_us.diff().iloc[1:] == SECOND).all()


def test_whole_clip_questions_count_seconds_of_blocks(made, seen):
    profile, _, rows = made
    if profile == "paper":
        assert not [row for row in rows if row["task"].endswith("most_active_instrument")]
        return
    for row in of(rows, "most_active_instrument"):
        active = {}
        for t in clip_seconds(row):
            for label, verb, _, _ in seen[row["video_id"], t]:
                active[label] = active.get(label, 0) + (verb != "null_verb")
        best = max(active.values())
        assert active[row["value"]["label"]] >= best - 1  # a block's edge may lie outside
        assert abs(row["value"]["seconds"] - active[row["value"]["label"]]) <= 1.5


def test_parquet_holds_the_same_rows_and_digests_are_right(made):
    _, out, rows = made
    table = pd.read_parquet(out / "data" / "surgstu.parquet")
    assert table.item_id.tolist() == [row["item_id"] for row in rows]
    digests = json.loads((out / "digests.json").read_text())
    assert set(digests) == {
        "data/surgstu.jsonl", "data/surgstu.parquet", "evidence/events.parquet",
        "evidence/segments.parquet", "evidence/tracks.parquet", "rejected.jsonl",
    }  # fmt: skip


def test_what_was_not_asked_is_counted(made, labels):
    profile, out, rows = made
    rejects = [json.loads(line) for line in (out / "rejected.jsonl").read_text().splitlines()]
    declined = sum(r["count"] for r in rejects if r["stage"].startswith("ask/"))
    clips = len({row["window_id"] for row in rows})
    assert len(rows) + declined == clips * len(plain_script.PROFILES[profile])

"""The dataset as a whole: files, shards, ids, splits, pointers, tables."""

from __future__ import annotations

import json

import orjson
import pyarrow.parquet as pq
import pytest

from ontology.errors import OutputBroken
from ontology.rows import ITEM
from transforms.checks import check_output
from transforms.checks.splits import surgery_of

S = 1_000_000
SHARD = "data/surgstu/train-00000-of-00001.parquet"


@pytest.fixture
def full(world, right_items, add):
    """The world with one right item of every task."""
    for name in right_items:
        add(name)
    return world


def errors(report) -> dict[str, int]:
    severe = {f.code for f in report.findings if f.severity == "error"}
    return {code: n for code, n in report.counts.items() if code in severe}


def test_a_right_dataset_has_no_differences(full):
    report = full.check()
    assert (report.items, report.checked, report.differences) == (39, 39, 0)
    assert sum(report.recomputed.values()) == 39
    assert json.loads(orjson.dumps(report.to_json()))["differences"] == 0
    assert report.blind["majority"] == 1.0  # one item a template: guessing is perfect


def test_two_checks_say_the_same(full):
    full.rows[3]["answer_value"] = "{}"
    assert full.check().to_json() == check_output(full.root).to_json()


def test_a_limit_reads_so_many_rows(full):
    report = full.check(limit=5)
    assert (report.items, report.checked, sum(report.recomputed.values())) == (39, 5, 5)
    assert report.differences == 0


def test_a_changed_file_is_found(full):
    full.root.mkdir()
    (full.root / "README.md").write_text("card")
    full.write()
    (full.root / "README.md").write_text("cart")
    report = check_output(full.root)
    assert errors(report) == {"file_digest": 1}
    assert report.findings[-1].detail.startswith("README.md: expected ")


def test_a_damaged_file_is_an_error_for_people_that_names_it(full):
    full.write()
    path = full.root / SHARD
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(OutputBroken, match="cannot be read") as caught:
        check_output(full.root)
    assert SHARD in str(caught.value)


def test_a_missing_and_an_unlisted_file_are_found(full):
    full.write()
    manifest = json.loads((full.root / "manifest.json").read_text())
    manifest["files"]["data/surgstu/other.parquet"] = manifest["files"].pop(
        "evidence/tracks.parquet"
    )
    (full.root / "manifest.json").write_text(json.dumps(manifest))
    assert errors(check_output(full.root)) == {
        "file_missing": 1, "file_unlisted": 1, "manifest_digest": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, 0), ({"total": 38}, 1), ({"by_split": {"train": 38, "val": 1}}, 2),
        ({"by_template": {"surgstu.locate": 39}}, 39),
    ],
)  # fmt: skip
def test_counts_in_the_manifest(full, change, wrong):
    full.write()
    items = {"surgstu": {**full.counts()["surgstu"], **change}}
    rewrite(full.root, items=items)
    assert errors(check_output(full.root)) == ({"manifest_items": wrong} if wrong else {})
    rewrite(full.root, items=None)
    assert errors(check_output(full.root)) == {"manifest_items": 1}


def rewrite(root, **changes) -> None:
    """Change entries of the manifest."""
    path = root / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_digests_by_format_are_checked_where_there_are_any(full):
    full.write()
    rewrite(full.root, digests={"parquet": "0" * 64})
    assert errors(check_output(full.root)) == {"manifest_digest": 1}


def test_many_scratch_files_say_the_same_as_one(full, add, monkeypatch):
    for number in range(2, 7):
        name = f"v{number}"
        full.videos.append(full.video(name, "train"))
        full.segments.append(full.segment(name, "w1", 0, 24))
        for second in range(24):
            full.instant(name, second)
        add("locate", video_id=name)
        add("segment", video_id=name, answer="Horizontally left, vertically top.")
    add("classes", video_id="v0")
    add("classes", video_id="v3b")
    add("classes", video_id="v9")
    once = full.check()
    assert errors(once)["video_unknown"] == 3
    assert errors(once)["text_disagrees"] == 5
    monkeypatch.setattr("transforms.checks.spill.ROWS_PER_BUCKET", 10)
    monkeypatch.setattr("transforms.checks.folder.BATCH", 7)
    monkeypatch.setattr("transforms.checks.tables.BATCH", 11)
    assert check_output(full.root).to_json() == once.to_json()


@pytest.mark.parametrize(
    ("measured", "limit", "kept"),
    [
        (0.2, ">= 0.2", True), (0.19, ">= 0.2", False), (9.0, ">= 2 and <= 8", False),
        (0.18, "> 0.18", False), (1.0, "true", True), (0.0, "true", False),
        (1.0, "== 1", True), (2.0, "== 1", False), (0.0, "equals truth", True),
        (0.4, "< 0.5", True), (-0.5, ">= -0.2", False),
    ],
)  # fmt: skip
def test_gates_hold_for_what_was_measured(world, add, measured, limit, kept):
    add("locate", checks=[{"name": "gate", "measured": measured, "limit": limit}])
    assert errors(world.check()) == ({} if kept else {"check_failed": 1})


def test_rows_out_of_order_are_found(full):
    full.write()
    rows = sorted(full.rows, key=lambda row: row["item_id"], reverse=True)
    full.write_shard(full.root / SHARD, rows)
    full.write_manifest()
    assert errors(check_output(full.root)) == {"shard_order": 38}


def test_ids_at_fault_are_found(full):
    full.rows[0]["item_id"] = "XYZ"
    full.rows[1]["item_id"] = full.rows[2]["item_id"]
    assert errors(full.check()) == {"item_id_malformed": 1, "item_id_duplicate": 1}


def test_a_row_in_the_wrong_shard_is_found(full):
    full.write()
    rows = sorted(full.rows, key=lambda row: row["item_id"])
    rows[0]["benchmark"] = "surgcot"
    full.write_shard(full.root / SHARD, rows)
    full.write_manifest()
    counts = check_output(full.root).counts
    assert (counts["shard_misplaced"], counts["rule_missing"]) == (1, 1)
    assert counts["manifest_items"] == 4  # two benchmarks, and the split in each


def test_json_lines_must_hold_the_same_rows(full):
    full.write()
    rows = sorted(full.rows, key=lambda row: row["item_id"])
    lines = [orjson.dumps({name: row.get(name) for name in ITEM.names}) for row in rows]
    twin = (full.root / SHARD).with_suffix(".jsonl")
    twin.write_bytes(b"\n".join(lines) + b"\n")
    full.write_manifest()
    assert errors(check_output(full.root)) == {}
    changed = {**rows[0], "answer": "something else"}
    lines[0] = orjson.dumps({name: changed.get(name) for name in ITEM.names})
    twin.write_bytes(b"\n".join([*lines, lines[-1]]) + b"\n")
    full.write_manifest()
    assert errors(check_output(full.root)) == {"formats_differ": 2}


def test_json_lines_alone_are_enough(full):
    full.write()
    rows = sorted(full.rows, key=lambda row: row["item_id"])
    lines = [orjson.dumps({name: row.get(name) for name in ITEM.names}) for row in rows]
    (full.root / SHARD).with_suffix(".jsonl").write_bytes(b"\n".join(lines) + b"\n")
    (full.root / SHARD).unlink()
    full.write_manifest()
    report = check_output(full.root)
    assert (report.checked, report.differences) == (39, 0)


def test_a_surgery_in_two_splits_is_found(full, add):
    full.videos.append(full.video("v2", "test"))
    full.segments.append(full.segment("v2", "w1", 0, 24))
    for second in range(24):
        full.instant("v2", second)
    add("locate", video_id="v2", split="test")
    assert errors(full.check()) == {}
    full.rows[-1]["split_group"] = full.videos[-1]["split_group"] = "testset/v1"
    assert errors(full.check()) == {"split_leak": 1}


def test_one_surgery_under_two_names(full, add):
    for row in (*full.rows, *full.videos, *full.events, *full.segments):
        row["dataset"] = "cholect50"
    other = full.video("v2", "test")
    full.videos.append({**other, "dataset": "cholec80", "video_id": "video01"})
    full.videos[0]["video_id"] = "VID01"
    for row in (*full.rows, *full.events, *full.segments):
        row["video_id"] = "VID01"
    full.tracks = _renamed(full.tracks, "cholect50")
    row = add("locate", video_id="video01", split="test", dataset="cholec80")
    row["split_group"] = other["split_group"]
    assert "alias_leak" in errors(full.check())


def _renamed(tracks, dataset):
    return lambda: [{**row, "dataset": dataset} for row in tracks()]


def test_names_of_surgeries():
    assert surgery_of("cholect50", "VID07") == surgery_of("cholec80", "video07") == "cholec80/7"
    assert surgery_of("prostatd", "psiv14") == "psi_ava/14"
    assert surgery_of("prostatd", "esadv1") == "prostatd/esadv1"
    assert surgery_of("mine", "case 3") == "mine/case 3"


@pytest.mark.parametrize(
    ("pointer", "code"),
    [
        ({"kind": "events", "id": "nobody"}, "pointer_missing"),
        ({"kind": "tracks", "id": "hook-9"}, "pointer_missing"),
        ({"kind": "window", "id": "v1-w2"}, "pointer_missing"),
        ({"kind": "segments", "id": "v1-w9"}, "pointer_missing"),
        ({"kind": "frames", "id": "hook-1"}, "pointer_missing"),
        ({"kind": "tracks", "id": "hook-1", "end_us": 25 * S}, "pointer_outside"),
        ({"kind": "tracks", "id": "hook-3"}, "pointer_outside"),
        ({"kind": "segments", "id": "v1-w2"}, "pointer_outside"),
        ({"kind": "tracks", "id": "hook-1"}, None),
        ({"kind": "segments", "id": "v1-w1"}, None),
    ],
)
def test_pointers(world, add, pointer, code):
    row = add("locate")
    row["evidence"] = [{"start_us": 12 * S, "end_us": 13 * S, **pointer}]
    assert errors(world.check()) == ({code: 1} if code else {})


def test_pointers_to_events(world, add):
    row = add("locate")
    event = world.at(12, "grasper-2")["event_id"]
    row["evidence"] = [
        {"kind": "events", "id": event, "start_us": 12 * S, "end_us": 12 * S},
        {"kind": "events", "id": event, "start_us": 13 * S, "end_us": 13 * S},
    ]
    assert errors(world.check()) == {"pointer_outside": 1}
    row["evidence"] = []
    assert errors(world.check()) == {"pointer_none": 1}


def test_windows_headers_and_unknown_videos(world, add):
    add("locate", window_id="v1-w2")
    add("segment", licence="secret", split="val")
    add("classes", video_id="v9")
    report = world.check()
    assert errors(report) == {
        "window_differs": 1, "pointer_missing": 1, "header_differs": 1, "video_unknown": 1,
        "split_leak": 1,
    }  # fmt: skip


def test_repeats_in_one_window(world, add):
    add("locate")
    add("locate", slots={"tool": {"label": "hook", "instance": None, "track_id": "hook-1"},
                         "moment": {"time_us": 12 * S}},
        value={"label": "hook", "instance": None, "track_id": "hook-1", "time_us": 12 * S,
               "box_xyxy": [0.45, 0.15, 0.55, 0.25]},
        answer="hook at 12.00 s: [450, 150, 550, 250]")  # fmt: skip
    assert errors(world.check()) == {"template_repeated": 1}
    world.rows[1]["question"] = world.rows[0]["question"]
    assert errors(world.check()) == {"template_repeated": 1, "question_contradicts": 1}
    for number, row in enumerate(world.rows):
        row["chain_id"] = str(number)
    assert errors(world.check()) == {}


def test_the_same_question_with_the_same_answer_is_a_warning(world, add):
    add("interaction_duration", question="How long?")
    add("dominant_verb", question="how long?", answer_value=world.rows[0]["answer_value"],
        item_id="0" * 32)  # fmt: skip
    assert world.check().counts["question_duplicate"] == 1


def test_values_that_are_not_json(world, add):
    add("locate", answer_value="[1]")
    add("segment", slots={})
    assert errors(world.check()) == {"slots_malformed": 2}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"label": "stapler"}, "event_malformed"),
        ({"x1": 0.9}, "event_malformed"),
        ({"pairs": []}, "event_malformed"),
        ({"time_us": 99 * S}, "event_malformed"),
        ({"track_id": None}, "event_malformed"),
        ({"event_id": "again"}, None),
        ({"source_sha256": "cd" * 32}, "source_unlisted"),
    ],
)
def test_impossible_events(world, change, code):
    world.at(30, "clipper-1").update(change)
    found = errors(world.check(link=False))
    assert (code in found) if code else found == {}


def test_event_ids_repeat(world):
    world.at(30, "clipper-1")["event_id"] = world.at(31, "clipper-1")["event_id"]
    assert errors(world.check()) == {"event_malformed": 1}


def test_tracks_must_agree_with_their_events(world):
    kept = world.tracks()
    world.tracks = lambda: [
        {**row, "samples": row["samples"] + (n == 0)} for n, row in enumerate(kept)
    ]
    assert errors(world.check()) == {"track_differs": 1}


def test_what_cannot_be_read_is_an_error_for_people(full):
    with pytest.raises(OutputBroken, match="manifest.json"):
        check_output(full.root / "nowhere")
    full.write()
    events = pq.read_table(full.root / "evidence/events.parquet")
    pq.write_table(events.drop_columns(["pairs"]), full.root / "evidence/events.parquet")
    with pytest.raises(OutputBroken, match="lacks columns"):
        check_output(full.root)
    (full.root / "evidence/events.parquet").unlink()
    with pytest.raises(OutputBroken, match="missing"):
        check_output(full.root)


def test_tables_out_of_order_are_an_error_for_people(full):
    full.videos.append(full.video("v2", "train"))
    full.instant("v2", 0)
    full.write()
    path = full.root / "evidence/events.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    with pytest.raises(OutputBroken, match="not in order"):
        check_output(full.root)

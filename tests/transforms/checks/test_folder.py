"""The dataset as a whole: files, shards, ids, splits, pointers, tables."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy

import orjson
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.rows import ITEM
from surgqa.transforms.checks import check_output
from surgqa.transforms.checks.folder import Ids, check_counts
from surgqa.transforms.checks.items import COPIED
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.checks.splits import surgery_of
from tests.each import cases
from tests.transforms.checks.world import SHARD

S = 1_000_000
TRAIN = SHARD.format(split="train")
bare = pytest.mark.usefixtures("bare")


def errors(report) -> dict[str, int]:
    severe = {f.code for f in report.findings if f.severity == "error"}
    return {code: n for code, n in report.counts.items() if code in severe}


def test_a_right_dataset_has_no_differences(world):
    report, items = world.check(), len(world.rows)
    assert items > 9
    assert (report.items, report.checked, report.differences) == (items, items, 0)
    assert sum(report.recomputed.values()) == items
    assert {"set", "box"} < set(report.recomputed), "rows are counted by the rule that proves them"
    assert json.loads(orjson.dumps(report.to_json()))["differences"] == 0
    assert sum(one.guess.items for one in report.blind) == items


def test_two_checks_say_the_same(world):
    world.rows[3]["answer_value"] = "{}"
    assert world.check().to_json() == check_output(world.root).to_json()


def test_what_options_give_away_is_a_warning(world):
    """Sixty items whose right number is the smallest, over two surgeries, by a template unknown."""
    (like,) = [one for one in world.rows if one["form"] == "choice"][:1]
    made = []
    for k in range(60):
        options = [{"key": "ABCD"[n], "text": str(k + (n - k) % 4), "value": None, "kind": "",
                    "is_answer": n == k % 4} for n in range(4)]  # fmt: skip
        made.append(like | {"item_id": f"{k:032x}", "template_id": "own.made", "options": options,
                            "split_group": f"s{k % 2}"})  # fmt: skip
    world.rows[:] = made
    report = world.check()
    assert report.counts["blind_structural"] == 1
    (line,) = [one.detail for one in report.findings if one.code == "blind_structural"]
    assert line.startswith("own.made: 100.0 % by") and line.endswith("chance 25.0 %")
    told = report.to_json()["blind"]
    assert (told["best"], told["chance"], len(told["items"])) == (1.0, 0.25, 60)


def test_a_limit_reads_so_many_rows(world):
    report = world.check(limit=5)
    assert (report.items, report.checked) == (len(world.rows), 5)
    assert (sum(report.recomputed.values()), report.differences) == (5, 0)


def test_a_template_that_is_not_kept_leaves_its_items_unproved(world):
    mine = [row for row in world.rows if row["template_id"] == "surgstu.locate"]
    (world.root / "templates/surgstu/locate.yaml").unlink()
    report = world.check()
    assert report.counts["template_missing"] == len(mine)
    assert "box" not in report.recomputed


@bare
def test_a_changed_file_is_found(world):
    (world.root / "README.md").write_text("card")
    world.write()
    (world.root / "README.md").write_text("cart")
    report = check_output(world.root)
    assert errors(report) == {"file_digest": 1}
    assert report.findings[-1].detail.startswith("README.md: expected ")


@bare
def test_a_damaged_file_is_an_error_for_people_that_names_it(world):
    world.write()
    path = world.root / TRAIN
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(OutputBroken, match="cannot be read") as caught:
        check_output(world.root)
    assert TRAIN in str(caught.value)


@bare
def test_a_missing_and_an_unlisted_file_are_found(world):
    world.write()
    manifest = json.loads((world.root / "manifest.json").read_text())
    files = manifest["files"]
    files["data/surgstu/other.parquet"] = files.pop("evidence/tracks.parquet")
    (world.root / "manifest.json").write_text(json.dumps(manifest))
    assert errors(check_output(world.root)) == {
        "file_missing": 1, "file_unlisted": 1, "manifest_digest": 1,
    }  # fmt: skip


@bare
def test_counts_in_the_manifest(world):
    world.write()
    right, items = world.counts()["surgstu"], len(world.rows)
    train = right["by_split"]["train"]
    for change, wrong in (
        ({}, 0),
        ({"total": items - 1}, 1),
        ({"by_split": {"train": train - 1, "val": 1}}, 2),
        ({"by_template": {"surgstu.locate": items}}, len(right["by_template"])),
    ):
        world.write_manifest(items={"surgstu": {**right, **change}})
        found = errors(check_output(world.root))
        assert found == ({"manifest_items": wrong} if wrong else {}), change
    world.write_manifest(items={})
    found = errors(check_output(world.root))
    assert found == {"manifest_items": 2 + len(right["by_template"])}


@bare
def test_digests_by_format_are_checked_where_there_are_any(world):
    world.write()
    world.write_manifest(digests={"parquet": "0" * 64})
    assert errors(check_output(world.root)) == {"manifest_digest": 1}


def test_many_scratch_files_say_the_same_as_few(world, monkeypatch):
    for number, row in enumerate(world.rows[:9]):
        row["answer_value"] = "{}"
        row["video_id"] = ["v0", "v3b", "v9"][number % 3]
    once = world.check()
    assert errors(once)["video_unknown"] == 9
    monkeypatch.setattr("surgqa.transforms.checks.bounds.SMALL", 0)
    monkeypatch.setattr("surgqa.transforms.checks.proof.evidence.AT_ONCE", 100)
    monkeypatch.setattr("surgqa.transforms.checks.folder.BATCH", 7)
    monkeypatch.setattr("surgqa.transforms.checks.linking.AT_ONCE", 11)
    assert check_output(world.root).to_json() == once.to_json()


@bare
def test_rows_out_of_order_are_found(world):
    world.write()
    rows = [row for row in world.rows if row["split"] == "train"]
    world.write_shard("train", rows[::-1])
    world.write_manifest()
    assert errors(check_output(world.root)) == {"shard_order": len(rows) - 1}


@bare
def test_an_id_that_is_there_twice_is_in_order(world):
    rows = sorted((row for row in world.rows if row["split"] == "train"),
                  key=lambda row: row["item_id"])  # fmt: skip
    world.write()
    world.write_shard("train", [rows[0], *rows])
    world.write_manifest()
    found = errors(check_output(world.root))
    assert found["item_id_duplicate"] == 1 and "shard_order" not in found


def test_ids_at_fault_are_found(world):
    world.rows[0]["item_id"] = "XYZ"
    world.rows[1]["item_id"] = world.rows[2]["item_id"]
    found = errors(world.check())
    assert (found["item_id_malformed"], found["item_id_duplicate"]) == (1, 1)
    assert found["identity_differs"] == 2


def test_a_row_in_the_wrong_shard_is_found(world):
    world.write()
    rows = [row for row in world.rows if row["split"] == "train"]
    rows[0]["benchmark"] = "surgcot"
    world.write_shard("train", rows)
    world.write_manifest(items=world.counts())
    found = errors(check_output(world.root))
    assert (found["shard_misplaced"], found["template_differs"]) == (1, 1)
    assert found["manifest_items"] == 4  # two benchmarks, and the split in each


def lines_of(rows) -> list[bytes]:
    return [orjson.dumps({name: row.get(name) for name in ITEM.names}) for row in rows]


@bare
def test_json_lines_must_hold_the_same_rows(world):
    world.write()
    lines = lines_of(row for row in world.rows if row["split"] == "train")
    twin = (world.root / TRAIN).with_suffix(".jsonl")
    twin.write_bytes(b"\n".join(lines) + b"\n")
    world.write_manifest()
    assert errors(check_output(world.root)) == {}
    right = json.loads(lines[0])
    for change in ({"answer": "something else"}, {"media": None}, {"evidence": []}):
        lines[0] = lines_of([{**right, **change}])[0]
        twin.write_bytes(b"\n".join([*lines, lines[-1]]) + b"\n")
        world.write_manifest()
        report = check_output(world.root)
        assert errors(report) == {"formats_differ": 2}
        of = {one.item_id for one in report.findings if one.code == "formats_differ"}
        assert of == {right["item_id"], ""}


@bare
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_have_is_no_null(world, number):
    """Printed as JSON, the row of the Parquet file would be equal to its line."""
    rows = [row for row in world.rows if row["split"] == "train"]
    changed = next(row for row in rows if row["options"])
    changed["options"][0]["margin"] = number
    world.write()
    (world.root / TRAIN).with_suffix(".jsonl").write_bytes(b"\n".join(lines_of(rows)) + b"\n")
    world.write_manifest()
    assert errors(check_output(world.root))["formats_differ"] == 1


def test_json_lines_alone_are_enough(world):
    world.write()
    for path in sorted((world.root / TRAIN).parent.glob("*.parquet")):
        rows = pq.read_table(path).to_pylist()
        path.with_suffix(".jsonl").write_bytes(b"\n".join(lines_of(rows)) + b"\n")
        path.unlink()
    world.write_manifest()
    report = check_output(world.root)
    assert (report.checked, report.differences) == (len(world.rows), 0)


@bare
def test_a_surgery_in_two_splits_is_found(world):
    world.rows[0]["split"] = "test"
    assert errors(world.check())["split_leak"] == 1


@bare
def test_one_surgery_under_two_names(world):
    first, *_ = world.tables["videos"]
    assert (first["dataset"], first["video_id"][:3]) == ("cholect50", "VID")
    name = f"video{first['video_id'][3:]}"
    twin = {**first, "dataset": "cholec80", "video_id": name, "split_group": f"cholec80/{name}"}
    world.tables["videos"].append({**twin, "split": "test"})
    row = deepcopy(next(one for one in world.rows if one["video_id"] == first["video_id"]))
    row |= {"dataset": "cholec80", "video_id": name, "split_group": twin["split_group"],
            "item_id": "f" * 32, "split": "test"}  # fmt: skip
    world.rows.append(row)
    assert "alias_leak" in errors(world.check())


def test_names_of_surgeries():
    assert surgery_of("cholect50", "VID07") == surgery_of("cholec80", "video07") == "cholec80/7"
    assert surgery_of("prostatd", "psiv14") == "psi_ava/14"
    assert surgery_of("prostatd", "esadv1") == "prostatd/esadv1"
    assert surgery_of("mine", "case 3") == "mine/case 3"


KEYS = {"events": ("event_id", "time_us", "time_us"), "tracks": ("track_id", "first_us", "last_us"),
        "segments": ("segment_id", "start_us", "end_us")}  # fmt: skip


@bare
@pytest.mark.parametrize("kind", KEYS)
def test_pointers(world, kind):
    row = world.rows[0]
    name, start, end = KEYS[kind]
    mine = next(one for one in world.tables[kind] if one["video_id"] == row["video_id"])
    right = {"kind": kind, "id": mine[name], "start_us": mine[start], "end_us": mine[end]}
    row["evidence"] = [right]
    assert errors(world.check()) == {}
    for wrong, code in (
        ({"id": "nobody"}, "pointer_missing"),
        ({"kind": "frames"}, "pointer_missing"),
        ({"kind": "window"}, "pointer_missing"),
        ({"end_us": mine[end] + 1}, "pointer_outside"),
        ({"start_us": mine[start] - 1}, "pointer_outside"),
    ):
        row["evidence"] = [right | wrong]
        assert errors(world.check()) == {code: 1}, wrong
    row["evidence"] = []
    assert errors(world.check()) == {"pointer_none": 1}


def test_windows_headers_and_unknown_videos(world):
    one, other, third = world.rows[:3]
    window = {"kind": "window", "id": one["window_id"]}
    assert window.items() <= one["evidence"][0].items() or one["evidence"]
    one["start_us"] += 1
    other["licence"] = "secret"
    third["video_id"] = "v9"
    found = errors(world.check())
    assert found["window_differs"] >= 1
    assert found["header_differs"] == found["video_unknown"] == 1


@bare
def test_every_field_is_that_of_the_video(world):
    one, other = world.rows[:2]
    media = [name for name in COPIED if name.startswith("media.")]
    for name in COPIED:
        at, _, inner = name.rpartition(".")
        held = one[at] if at else one
        held[inner] = held[inner] + 1 if isinstance(held[inner], int) else None
    one["media"] |= {"path": "x", "width": 7, "height": 7, "sha256": "x"}
    other["media"] = None
    media.remove("media.sha256")  # of no video of the sample is it known
    found = [f for f in world.check().findings if f.code == "header_differs"]
    told = {one["item_id"]: list(COPIED), other["item_id"]: media}
    assert {(f.item_id, f.detail.partition(":")[0]) for f in found} == {
        (item, name) for item, names in told.items() for name in names
    }
    assert "media.fps_den: item 2, video 1" in {f.detail for f in found}


@bare
def test_repeats_in_one_window(world):
    row = world.of("surgstu.locate")
    again = deepcopy(row) | {"item_id": "0" * 32}
    world.rows.append(again)
    found = world.check().counts
    assert (found["template_repeated"], found["question_duplicate"]) == (1, 1)
    again["answer_value"] = "{}"
    assert world.check().counts["question_contradicts"] == 1


@pytest.mark.parametrize(
    ("manifest", "limit", "found"),
    [({"dropped": {}}, None, 1), ({"dropped": {"over_cap": 1}}, None, 0), ({}, None, 0),
     ({"dropped": {}}, 10**6, 0)],
)  # fmt: skip
def test_an_item_whose_partner_lacks_though_nothing_was_left_out(world, manifest, limit, found):
    world.rows[0]["pair"] = "f" * 32
    world.write()
    world.write_manifest(**manifest)
    counts = check_output(world.root, limit=limit, link=False).counts
    assert counts.get("pair_differs", 0) == found


def test_values_that_are_not_json(world):
    world.rows[0]["answer_value"] = "[1]"
    world.rows[1]["slots"] = "{"
    assert errors(world.check())["slots_malformed"] == 2


@bare
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"label": "sewing_machine"}, "event_malformed"),
        ({"x1": 0.99, "x2": 0.5}, "event_malformed"),
        ({"time_us": 9999 * S}, "event_malformed"),
        ({"track_id": None}, "event_malformed"),
        ({"source_sha256": "cd" * 32}, "source_unlisted"),
    ],
)
def test_impossible_events(world, change, code):
    next(one for one in world.tables["events"] if one["x1"] is not None).update(change)
    assert code in errors(world.check(link=False))


@bare
def test_event_ids_repeat(world):
    first, second, *_ = world.tables["events"]
    first["event_id"] = second["event_id"]
    assert errors(world.check(link=False))["evidence_malformed"] >= 1


@bare
def test_tracks_must_agree_with_their_events(world):
    world.tables["tracks"][0]["samples"] += 1
    assert errors(world.check()) == {"track_differs": 1}


@bare
def test_what_cannot_be_read_is_an_error_for_people(world):
    with pytest.raises(OutputBroken, match="manifest.json"):
        check_output(world.root / "nowhere")
    world.write()
    events = pq.read_table(world.root / "evidence/events.parquet")
    pq.write_table(events.drop_columns(["pairs"]), world.root / "evidence/events.parquet")
    with pytest.raises(OutputBroken, match="lacks columns"):
        check_output(world.root)
    (world.root / "evidence/events.parquet").unlink()
    with pytest.raises(OutputBroken, match="missing"):
        check_output(world.root)


@bare
def test_tables_out_of_order_are_an_error_for_people(world):
    world.write()
    path = world.root / "evidence/events.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    with pytest.raises(OutputBroken, match="not in order"):
        check_output(world.root)


@cases(
    ("told", "there", "wrong"),
    [
        ({}, {}, []),
        ({}, {"a": 1}, ["a: manifest 0, rows 1"]),
        ({}, {"": 1}, []),
        ({"a": 1}, {"a": 1, "a/train": 1, "a.x": 1, "": 1}, []),
        ({"a": 1}, {}, ["a: manifest 1, rows 0", "a.x: manifest 1, rows 0",
                        "a/train: manifest 1, rows 0"]),
        ({"a": 2}, {"a": 2, "a/train": 2, "a.x": 1}, ["a.x: manifest 2, rows 1"]),
    ],
)  # fmt: skip
def test_counts_by_hand(told, there, wrong):
    items = {name: {"total": n, "by_template": {f"{name}.x": n}, "by_split": {"train": n}}
             for name, n in told.items()}  # fmt: skip
    findings = Findings()
    check_counts({"items": items}, Counter(there), findings)
    assert sorted(one.detail for one in findings.listed()) == sorted(wrong)


def test_ids_that_occur_again():
    ids = Ids()
    many = [f"{k:032x}" for k in (5, 1 << 64, 5, 2, 1 << 64, 5, (1 << 64) + 1)]
    for one in (*many, "odd", "A" * 32, "a" * 33):
        ids.add(one)
    assert ids.repeated() == [f"{5:032x}", f"{1 << 64:032x}"]
    assert Ids().repeated() == []

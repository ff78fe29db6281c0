"""Chains as they are written: nested, and as messages with what the release lacks."""

from __future__ import annotations

import hashlib
import json
import re

import av
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cutting import CutRun
from surgqa.pipeline.talks import write_talks
from surgqa.transforms.exports.formats import formats
from surgqa.transforms.exports.surgcot import FORMAT
from surgqa.transforms.exports.surgcot.write import PARTS
from surgqa.transforms.exports.talking import DialogueForm
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.talked import (
    rows,
    second_of,
    store_of,
    write_media,
    write_output,
)
from tests.transforms.scoring.surgcot.samples import CAO, MTL, TASKS, VIDEO, chain, dataset, five

TEST = ("demo", "v02", "test", "videos/v02.mp4")


def exported(tmp_path, rows, name="one", **layout):
    out = dataset(tmp_path / f"{name}-out", rows, **layout)
    to = tmp_path / name
    to.mkdir()
    return to, write_talks(
        OutputFolder(out), FORMAT, to, DialogueForm(turns="question"), None, CutRun()
    )[0]


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def nested(to):
    lines = (to / "chains.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_it_is_a_format():
    assert formats()["surgcot"] is FORMAT


def test_a_nested_chain_has_its_five_tuples_and_what_its_users_miss(tmp_path):
    rows = chain(CAO, 0)
    to, _ = exported(tmp_path, rows)
    (one,) = nested(to)
    assert list(one)[:3] == ["task", "video_id", "chain_id"]
    assert list(one)[-4:] == ["main", "Q1", "Q2", "Q3"]
    assert (one["task"], one["task_short"], one["split"]) == (CAO, "CAO", "train")
    assert (one["scale"], one["spacing_s"]) == ("standard", 0.5)
    assert one["media"] == {"path": "videos/v01.mp4", "kind": "video"}
    for label, row in zip(("main", "Q1", "Q2", "Q3"), rows, strict=True):
        stage = one[label]
        assert (stage["question"], stage["answer"]) == (row["question"], row["answer"])
        assert stage["options"] == [{"key": o["key"], "text": o["text"]} for o in row["options"]]
        assert stage["start_s"] == row["start_us"] / 1e6 and stage["end_s"] > stage["start_s"]
        assert stage["answer_value"] == json.loads(row["answer_value"])
        assert stage.get("knowledge") == row["knowledge"] and stage.get("clue") == row["clue"]
    assert one["Q2"]["context_from_Q1"] == rows[2]["context"]
    assert one["Q3"]["context_from_Q2"] == rows[3]["context"]
    assert not [key for label in ("main", "Q1") for key in one[label] if key.startswith("context")]
    assert "knowledge" not in one["main"]


def test_parts_hold_what_their_names_say_by_split(tmp_path):
    rows = five() + chain(CAO, 7, video=TEST) + chain(MTL, 8, video=("demo", "v03", None, None))
    to, table = exported(tmp_path, rows)
    assert table[0] == ["part", "all", "train", "val", "test", "no split", "empty"]
    assert table[1:] == [["chains.jsonl", 7, 5, 0, 1, 1, "-"], ["Q", 7, 5, 0, 1, 1, "-"],
                         ["Q_dq", 28, 20, 0, 4, 4, "-"],
                         ["Q_dq_clue", 28, 20, 0, 4, 4, "-"]]  # fmt: skip
    for part, each in (("Q", 1), ("Q_dq", 4), ("Q_dq_clue", 4)):
        assert sorted(p.name for p in (to / part).iterdir()) == [
            "data.json", "test.json", "train.json"
        ]  # fmt: skip
        items = load(to / part / "data.json")
        assert len(items) == 7 * each and [i for i in items if i["split"] == "train"] == load(
            to / part / "train.json"
        )
        assert [i["split"] for i in load(to / part / "test.json")] == ["test"] * each
        assert {i["stage"] for i in items} == (
            {"main"} if each == 1 else {"main", "Q1", "Q2", "Q3"}
        )
        assert len({i["item_id"] for i in items}) == len(items)


def test_an_item_is_a_pair_of_messages_with_its_video_and_the_missing_fields(tmp_path):
    rows = chain(CAO, 0)
    to, _ = exported(tmp_path, rows)
    item = load(to / "Q" / "data.json")[0]
    assert [m["role"] for m in item["messages"]] == ["user", "assistant"]
    asked, said = (m["content"] for m in item["messages"])
    assert asked.startswith("<video>\n") and rows[0]["question"] in asked
    assert all(f"{o['key']}) {o['text']}" in asked for o in rows[0]["options"])
    assert said == rows[0]["answer"] and item["videos"] == ["videos/v01.mp4"]
    for name in ("options", "task", "chain_id", "stage", "start_s", "end_s", "video_id", "dataset"):
        assert item[name] not in (None, "", []), name
    assert "You may use: 11.57 s to 31.57 s" in asked  # from the start of the recording


def test_parts_differ_in_exactly_the_fields_they_should(tmp_path):
    to, _ = exported(tmp_path, five())
    bare = {i["item_id"]: i for i in load(to / "Q_dq" / "data.json")}
    full = {i["item_id"]: i for i in load(to / "Q_dq_clue" / "data.json")}
    main = load(to / "Q" / "data.json")
    assert [bare[i["item_id"]] for i in main] == main and set(bare) == set(full)
    assert {tuple(sorted(i)) for i in [*bare.values(), *full.values()]} == {tuple(sorted(main[0]))}
    expected = {"main": {"messages", "knowledge", "clue"}, "Q1": {"messages", "knowledge", "clue"},
                "Q2": {"messages", "knowledge", "clue", "context"},
                "Q3": {"messages", "knowledge", "clue", "context"}}  # fmt: skip
    for name, one in bare.items():
        other = full[name]
        assert {key for key in one if one[key] != other[key]} == expected[one["stage"]]
        assert one["messages"][1] == other["messages"][1]
        told = set(other["messages"][0]["content"].split("\n"))
        added = told - set(one["messages"][0]["content"].split("\n"))
        assert not set(one["messages"][0]["content"].split("\n")) - told
        parts = [other[key] for key in ("knowledge", "clue", "context") if other[key]]
        assert len(added) == len(parts)
        assert all(any(line.endswith(part) for line in added) for part in parts)


def test_an_empty_part_says_so(tmp_path):
    to, table = exported(tmp_path, chain(CAO, 0))
    assert load(to / "Q" / "test.json") == [] == load(to / "Q_dq_clue" / "test.json")
    assert [row[-1] for row in table[1:]] == ["test.json"] * 4
    assert all(load(to / part / "test.json") == [] for part in PARTS)
    readme = (to / "README.md").read_text(encoding="utf-8")
    assert "Empty, because no recording is in that split: `Q/test.json`" in readme


def test_validation_has_a_file_of_its_own(tmp_path):
    to, _ = exported(tmp_path, chain(CAO, 0, video=("demo", "v09", "val", None)))
    (item,) = load(to / "Q" / "val.json")
    assert item["videos"] == [] and "<video>" not in item["messages"][0]["content"]


def test_no_path_is_absolute(tmp_path):
    rows = five()
    to, _ = exported(tmp_path, rows)
    paths = [p for part in PARTS for i in load(to / part / "data.json") for p in i["videos"]]
    assert set(paths) == {VIDEO[3]}
    for number, path in enumerate(("/data/v.mp4", "C:\\v.mp4", "gs://bucket/v.mp4", "\\\\x\\v")):
        bad = [row | {"media": row["media"] | {"path": path}} for row in chain(CAO, 0)]
        with pytest.raises(OutputBroken, match="absolute"):
            exported(tmp_path, bad, f"bad{number}")


def test_bytes_do_not_depend_on_shards_or_order(tmp_path):
    rows = five() + chain(CAO, 7, video=TEST)
    one, _ = exported(tmp_path, rows, "one")
    two, _ = exported(tmp_path, rows[::-1], "two", shards=3)
    files = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file())
    assert len(files) == 13
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files)
    manifest = load(one / "export.json")
    for name, told in manifest["files"].items():
        assert hashlib.sha256((one / name).read_bytes()).hexdigest() == told
    assert "| `Q_dq` | 24 | train 20, val 0, test 4, none 0 |" in (one / "README.md").read_text()


@pytest.mark.parametrize("break_it", ["lost", "last", "twice", "stage"])
def test_a_chain_that_is_not_whole_is_refused(tmp_path, break_it):
    rows = chain(CAO, 0)
    if break_it == "lost":
        del rows[1]
    elif break_it == "last":
        rows = rows[:3] + chain(CAO, 1)
    elif break_it == "twice":
        rows.append(rows[1] | {"item_id": "f" * 32})
    else:
        rows[1] = rows[1] | {"chain_id": None}
    with pytest.raises(OutputBroken, match="every stage once|not a stage"):
        exported(tmp_path, rows)


def test_every_task_has_its_short_name(tmp_path):
    to, _ = exported(tmp_path, five())
    assert {one["task_short"] for one in nested(to)} == set(TASKS.values())
    assert all(re.fullmatch(r"[0-9a-f]{32}", one["chain_id"]) for one in nested(to))


def test_each_stage_shows_its_own_stretch(tmp_path):
    """Clips are cut by the stages' windows; a recording without pictures leaves its chain out."""
    gone = [row | {"item_id": f"{k:031x}e", "chain_id": "c2", "video_id": "n1",
                   "media": row["media"] | {"path": None, "kind": "absent"}}
            for k, row in enumerate(rows()[3:6])]  # fmt: skip
    late = [row | {"item_id": f"{k:031x}d", "chain_id": "c3"} for k, row in enumerate(rows()[3:6])]
    late[2] |= {"start_us": 200_000_000, "end_us": 210_000_000}  # the film is over
    write_output(tmp_path / "out", [*rows()[3:6], *gone, *late])
    write_media(tmp_path / "root")
    (tmp_path / "to").mkdir()
    store = store_of(tmp_path / "store", tmp_path / "root")
    table, left = write_talks(OutputFolder(tmp_path / "out"), FORMAT, tmp_path / "to",
                              DialogueForm("clips", turns="question"), store, CutRun())  # fmt: skip
    assert {one["item_id"] for one in left} == {row["item_id"] for row in (*gone, *late)}
    assert table[3][:3] == ["Q_dq", 3, 3]
    items = {one["stage"]: one for one in load(tmp_path / "to" / "Q_dq" / "data.json")}
    for stage, (start, end) in {"main": (20, 40), "Q1": (20, 36), "Q2": (24, 32)}.items():
        (name,) = items[stage]["videos"]
        assert items[stage]["messages"][0]["content"].count("<video>") == 1
        with av.open(str(tmp_path / "to" / name)) as box:
            seen = [second_of(one.to_ndarray(format="rgb24")) for one in box.decode(video=0)]
        assert seen == list(range(start, end))
    bare = load(exported_bare(tmp_path) / "Q_dq" / "data.json")
    assert sorted(map(tuple, (one["videos"] for one in bare))) == [()] * 3 + [("v1",)] * 6


def exported_bare(tmp_path):
    """The same output without clips: recordings are named whole."""
    assert run(["export", str(tmp_path / "out"), "--as", "surgcot", "--to",
                str(tmp_path / "bare")]) == 0  # fmt: skip
    return tmp_path / "bare"

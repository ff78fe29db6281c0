"""Files for fine-tuning, loaded as those who train load them."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest
from jsonschema import Draft202012Validator

from surgqa.pipeline.cutting import CutRun
from surgqa.pipeline.talks import write_talks
from surgqa.transforms.exports.dialogue import Dialogue, Turn, messages, tagged
from surgqa.transforms.exports.formats import format_of
from surgqa.transforms.exports.talking import DialogueForm
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.shapes import SHAPES
from tests.transforms.exports.talked import lines_of, store_of, write_media, write_output

NAMES = ("messages", "sharegpt", "llava", "qwen-vl", "ms-swift", "llama-factory")
ROLES = {"human": "user", "gpt": "assistant"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = tmp_path_factory.mktemp("chat")
    write_output(desk / "out")
    write_media(desk / "root")
    return desk


@pytest.fixture(params=["clips", "frames", "none"], scope="module")
def media(request):
    return request.param


@pytest.fixture(params=NAMES, scope="module")
def exported(request, media, desk) -> tuple[str, Path]:
    """(format, its folder)."""
    to = desk / f"{request.param}-{media}"
    to.mkdir()
    store = None if media == "none" else store_of(desk / "store", desk / "root")
    table, lost = write_talks(
        OutputFolder(desk / "out"),
        format_of(request.param),
        to,
        DialogueForm(media),
        store,
        CutRun(),
    )
    counts = (8, 13, 0) if store is None else (5, 10, 3)
    assert (*table[1][1:3], len(lost)) == counts
    return request.param, to


def told(name, line):
    """(role, text with tags, paths) of each message, whatever the shape."""
    for one in line.get("messages") or line["conversations"]:
        role, content = one.get("role") or one["from"], one.get("content") or one["value"]
        if isinstance(content, str):
            yield ROLES.get(role, role), content, []
            continue
        paths = [one.get("image") or one.get("video") or one[one["type"]]["url"]
                 for one in content if one["type"] != "text"]  # fmt: skip
        texts = [one["text"] for one in content if one["type"] == "text"]
        yield ROLES.get(role, role), "\n".join(texts), paths


def test_the_turns_take_turns_and_every_path_is_there(exported):
    name, to = exported
    for line in lines_of(to / "train.jsonl"):
        found = list(told(name, line))
        roles = [role for role, _, _ in found]
        assert roles[0] == ("user" if name == "llava" else "system")
        spoken = [role for role in roles if role != "system"]
        assert spoken == ["user", "assistant"] * (len(spoken) // 2)
        assert all("What is" in text or "Which instrument" in text
                   for role, text, _ in found if role == "user")  # fmt: skip
        lists = [line.get(key, []) for key in ("images", "videos", "image", "video")]
        listed = [path for one in lists for path in ([one] if isinstance(one, str) else one)]
        tags = sum(text.count("<image>") + text.count("<video>") for _, text, _ in found)
        assert tags == len(listed)
        paths = listed + [path for *_, mine in found for path in mine]
        assert all((to / path).is_file() for path in paths)


def test_every_line_has_the_documented_shape(exported):
    name, to = exported
    valid = Draft202012Validator(SHAPES[name])
    assert [error.message for line in lines_of(to / "train.jsonl")
            for error in valid.iter_errors(line)] == []  # fmt: skip


def test_shapes_are_of_all_formats_and_of_no_other():
    assert set(SHAPES) == set(NAMES)
    line = {"id": "a", "messages": [{"role": "user", "content": []}, {"role": "tool"}], "more": 1}
    assert not any(Draft202012Validator(one).is_valid(line) for one in SHAPES.values())


def test_it_is_loaded_as_a_table(exported, tmp_path):
    _, to = exported
    rows = datasets.load_dataset(
        "json", data_files=str(to / "train.jsonl"), split="train", cache_dir=str(tmp_path)
    )
    assert len(rows) == sum(1 for _ in lines_of(to / "train.jsonl"))


def test_the_record_names_every_file(exported):
    name, to = exported
    record = json.loads((to / "export.json").read_bytes())
    there = {path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file()}
    assert set(record["files"]) == there - {"export.json"}
    assert record["format"] == name and record["source_digest"] == "d" * 64
    assert record["left_out"] == len(list(lines_of(to / "left_out.jsonl")))


def test_llama_factory_is_told_of_its_columns(desk, tmp_path):
    form = format_of("llama-factory")
    write_talks(OutputFolder(desk / "out"), form, tmp_path, DialogueForm(), None, CutRun())
    ((key, info),) = json.loads((tmp_path / "dataset_info.json").read_bytes()).items()
    assert key == "surgqa_train"
    for line in lines_of(tmp_path / info["file_name"]):
        assert set(info["columns"].values()) == set(line)
        names = {info["tags"][f"{role}_tag"] for role in ("user", "assistant", "system")}
        assert {one[info["tags"]["role_tag"]] for one in line["messages"]} <= names


def test_tags_stand_in_lines_of_their_own_and_pictures_in_their_order():
    """Loaders put the pictures of a list in the places of the tags, one after the other."""
    first, second = (
        Turn(name, None, (("image", f"{name}1.jpg"), ("image", f"{name}2.jpg"), ("text", "What?")),
             "A hook.")
        for name in ("a", "b")
    )  # fmt: skip
    talk = Dialogue("d", {"split": None}, "Look.", (first, second))
    assert talk.media("image") == ["a1.jpg", "a2.jpg", "b1.jpg", "b2.jpg"]
    told = [one["content"] for one in messages(talk, tagged(), system=False)]
    assert told[0] == "<image>\n<image>\nLook.\n\nWhat?"
    assert told[2] == "<image>\n<image>\nWhat?"

"""Formats with media inside, opened by the packages that they are for."""

from __future__ import annotations

import io
import json
from pathlib import Path

import av
import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import webdataset
from PIL import Image

from surgqa.ontology.rows import ITEM
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cutting import CutRun
from surgqa.pipeline.talks import write_talks
from surgqa.transforms.exports.formats import format_of
from surgqa.transforms.exports.talking import DialogueForm
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.talked import rows, second_of, store_of, write_media, write_output


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = tmp_path_factory.mktemp("consumed")
    made = rows()
    made[7]["split"] = "test"
    write_output(desk / "out", made)
    write_media(desk / "root")
    return desk


def exported(desk: Path, name: str, media: str) -> Path:
    to = desk / f"{name}-{media}"
    if not to.exists():
        to.mkdir()
        store = store_of(desk / "store", desk / "root")
        telling = DialogueForm(media)
        write_talks(OutputFolder(desk / "out"), format_of(name), to, telling, store, CutRun())
    return to


def seconds(data: bytes) -> list[int]:
    with av.open(io.BytesIO(data)) as box:
        return [second_of(one.to_ndarray(format="rgb24")) for one in box.decode(video=0)]


# The package leaves the shards open until it is collected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("media", ["clips", "frames"])
def test_webdataset_reads_the_shards(desk, media):
    to = exported(desk, "webdataset", media)
    shards = sorted(map(str, to.glob("*.tar")))
    assert [Path(one).name for one in shards] == ["test-000000.tar", "train-000000.tar"]
    found = {one["__key__"]: one for one in webdataset.WebDataset(shards, shardshuffle=False)}
    assert len(found) == 5
    for key, one in found.items():
        told = json.loads(one["json"])
        text = "".join(message["content"] for message in told["messages"])
        assert told["id"] == key
        assert text.count("<image>") == len(told["images"])
        assert text.count("<video>") == len(told["videos"])
        assert all(one[name] for name in told["images"] + told["videos"])
    chain = found["c1"]
    if media == "clips":
        assert seconds(chain["001.mp4"]) == list(range(24, 32))
    assert not (to / "media").exists()


@pytest.fixture
def loaded(desk, tmp_path):
    """``datasets.load_dataset`` on the folder, as a user calls it."""

    def load(media: str) -> datasets.DatasetDict:
        to = exported(desk, "hub", media)
        return datasets.load_dataset(str(to), "mine", cache_dir=str(tmp_path))

    return load


def test_a_hub_s_dataset_has_pictures(loaded):
    found = loaded("frames")
    assert {name: len(one) for name, one in found.items()} == {"train": 4, "test": 1}
    assert found["train"].features["images"] == datasets.List(datasets.Image())
    (chain,) = (one for one in found["train"] if one["id"] == "c1")
    first = chain["images"][0]
    assert isinstance(first, Image.Image) and round(first.getpixel((5, 5))[0] / 6) == 20
    assert [one["answer"] for one in chain["items"]] == ["answer 5", "answer 6", "answer 4"]


def test_a_hub_s_dataset_has_clips(loaded):
    train = loaded("clips")["train"]
    assert train.features["videos"] == datasets.List(datasets.Video())
    plain = train.cast_column("videos", datasets.List(datasets.Video(decode=False)))
    (chain,) = (one for one in plain if one["id"] == "c1")
    assert [seconds(one["bytes"])[0] for one in chain["videos"]] == [20, 24, 20]


def test_each_benchmark_is_a_configuration(desk, tmp_path):
    """Two benchmarks in one folder do not become one training split."""
    write_output(tmp_path / "out", rows()[:2])
    yours = [row | {"benchmark": "yours", "item_id": f"{k:031x}f"}
             for k, row in enumerate(rows()[:2])]  # fmt: skip
    folder = tmp_path / "out" / "data" / "yours"
    folder.mkdir()
    table = pa.Table.from_pylist(yours, ITEM)
    pq.write_table(table, folder / "train-00000-of-00001.parquet")
    (tmp_path / "hub").mkdir()
    store = store_of(desk / "store", desk / "root")
    write_talks(OutputFolder(tmp_path / "out"), format_of("hub"), tmp_path / "hub",
                DialogueForm("frames", turns="question"), store, CutRun())  # fmt: skip
    hub, cache = str(tmp_path / "hub"), str(tmp_path / "cache")
    assert datasets.get_dataset_config_names(hub, cache_dir=cache) == ["mine", "yours"]
    found = {name: datasets.load_dataset(hub, name, cache_dir=cache) for name in ("mine", "yours")}
    assert {name: len(one["train"]) for name, one in found.items()} == {"mine": 2, "yours": 2}
    assert {one["items"][0]["item_id"] for one in found["yours"]["train"]} == {
        row["item_id"] for row in yours
    }
    line = ["export", str(tmp_path / "out"), "--as", "messages", "--single"]
    for names in (["yours"], ["mine"], ["mine", "yours"]):
        to = tmp_path / "-".join(names)
        more = [word for name in names for word in ("--benchmark", name)]
        assert run([*line, "--to", str(to), *more]) == 0
        told = [json.loads(one) for one in (to / "train.jsonl").read_bytes().splitlines()]
        assert sorted({one["metadata"]["benchmark"] for one in told}) == names and len(
            told
        ) == 2 * len(names)
    assert run([*line, "--to", str(tmp_path / "no"), "--benchmark", "theirs"]) == 2
    assert run(["export", str(tmp_path / "out"), "--as", "coco", "--to", str(tmp_path / "no"),
                "--benchmark", "mine"]) == 2  # fmt: skip


def test_the_card_has_a_head_sizes_and_limits(desk):
    to = exported(desk, "hub", "clips")
    text = (to / "README.md").read_text(encoding="utf-8")
    assert text.startswith("---\n") and "path: data/mine/test-*.parquet" in text
    assert "| mine | train | 4 |" in text and "left_out.jsonl" in text
    assert (to / "left_out.jsonl").read_bytes().count(b"\n") == 3


@pytest.mark.parametrize("name", ["hub", "webdataset"])
def test_the_same_bytes_come_twice(desk, tmp_path, name):
    to = exported(desk, name, "clips")
    store = store_of(desk / "store", desk / "root")
    write_talks(OutputFolder(desk / "out"), format_of(name), tmp_path, DialogueForm("clips"), store,
                CutRun())  # fmt: skip
    for path in (one for one in to.rglob("*") if one.is_file()):
        assert path.read_bytes() == (tmp_path / path.relative_to(to)).read_bytes(), path.name

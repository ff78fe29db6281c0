"""Kept work that a disk or a person changed: never used, told, and made again."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from surgqa.ontology.keys import digest as key_of
from surgqa.pipeline.run import RunPlan, plan
from surgqa.transforms.steps.files import put
from surgqa.transforms.steps.tasks import AskSettings, VideoTask
from surgqa.transforms.steps.video import ask_videos
from tests.readers.made import cholect50

from .conftest import configure, run

CHANGES = int(os.environ.get("SURGQA_CHANGES", "30"))
"""How many bytes of the kept files are changed, one at a time."""
STAGED = re.compile(r"\.(arrow|jsonl)$")


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> RunPlan:
    """A plan for one video and three templates."""
    root = tmp_path_factory.mktemp("root")
    cholect50.write(root, procedures=1)
    only = ["surgstu.locate", "surgstu.trajectory", "surgstu.rel_pos"]
    return plan(configure(root, root.parent / "out", only=only))


def asked(planned: RunPlan, work: Path, cache: Path) -> tuple[dict[str, bytes], bool]:
    """Ask about the video with a cache; the part's files, and whether damage was told."""
    import orjson

    task = planned.videos[0]
    settings = AskSettings(planned.templates, planned.config.seed, planned.config.shares,
                           str(work), str(cache))  # fmt: skip
    ask_videos((task,), settings)
    info = orjson.loads((work / "done" / task.part).read_bytes())
    assert info["failed"] is None, info
    told = info.pop("damaged")
    part = cache / "parts" / task.part
    files = {p.name: p.read_bytes() for p in part.iterdir() if STAGED.search(p.name)}
    return {**files, "info": orjson.dumps(info)}, told


@pytest.fixture
def kept(planned: RunPlan, tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """A cache with the video in it, and what is right."""
    cache = tmp_path / "cache"
    return cache, asked(planned, tmp_path / "work", cache)[0]


def places(part: Path, count: int) -> Iterator[tuple[Path, int, int]]:
    """(file, offset, other byte), spread over all files of the part by their length."""
    files = sorted(path for path in part.iterdir() if path.stat().st_size)
    for k in range(count):
        path = files[k % len(files)]
        drawn = int(key_of("change", str(k), path.name)[:12], 16)
        yield path, drawn % path.stat().st_size, 1 + drawn // 7 % 255


@pytest.mark.parametrize("reused", [True, False])
def test_changed_bytes_are_never_used(
    planned: RunPlan, kept: tuple[Path, dict[str, bytes]], tmp_path: Path, reused: bool
) -> None:
    """With templates that are all known, and with one that has to be asked anew."""
    cache, right = kept
    part = cache / "parts" / planned.videos[0].part
    work = tmp_path / "again"
    for path, offset, by in places(part, CHANGES // 2):
        whole = shutil.copytree(part, tmp_path / "whole")
        if not reused:
            (part / "stamp.json").unlink()
        if path.exists():
            data = bytearray(path.read_bytes())
            data[offset] ^= by
            path.write_bytes(data)
            found, told = asked(planned, work, cache)
            assert found == right, (path.name, offset)
            assert told == (reused or path.suffix == ".kept"), (path.name, offset)
        shutil.rmtree(part)
        whole.rename(part)


@pytest.mark.parametrize("how", ["short", "empty", "gone", "longer", "folder's worth"])
def test_files_cut_short_gone_or_longer(
    planned: RunPlan, kept: tuple[Path, dict[str, bytes]], tmp_path: Path, how: str
) -> None:
    cache, right = kept
    part = cache / "parts" / planned.videos[0].part
    for name in ["items.arrow", "read.jsonl", "evidence.kept", "stamp.json", "events.arrow"]:
        path = part / name
        data = path.read_bytes()
        changed = {"short": data[: len(data) // 2], "empty": b"", "longer": data + b"x",
                   "folder's worth": data * 2}.get(how)  # fmt: skip
        if changed is None:
            path.unlink()
        else:
            path.write_bytes(changed)
        found, told = asked(planned, tmp_path / "again", cache)
        assert found == right, name
        assert told or (how == "gone" and name in ("stamp.json", "evidence.kept")), name


def test_an_untouched_cache_is_used_and_nothing_is_told(
    planned: RunPlan, kept: tuple[Path, dict[str, bytes]], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Neither labels are parsed nor questions asked anew."""
    cache, right = kept
    monkeypatch.setattr("surgqa.transforms.steps.video.Asker.ask_each", None)
    monkeypatch.setattr("surgqa.transforms.readers.cholect50.reader.Reader.read", None)
    assert asked(planned, tmp_path / "again", cache) == (right, False)


def test_a_pickle_in_the_cache_is_not_opened(
    planned: RunPlan, kept: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    import pickle

    class Trap:
        def __reduce__(self) -> tuple:
            return (put, (tmp_path / "sprung", b""))

    cache, right = kept
    part: Path = cache / "parts" / planned.videos[0].part
    for name in ("structured.pickle", "evidence.kept", "stamp.json"):
        (part / name).write_bytes(pickle.dumps(Trap()))
    assert asked(planned, tmp_path / "again", cache)[0] == right
    assert not (tmp_path / "sprung").exists()


def test_damage_is_counted_and_told(
    sample_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from surgqa.pipeline.cli.build import built

    settings = {"only": ["surgstu.locate"], "limit": 1, "formats": ["parquet"]}
    cache = tmp_path / "cache"
    first = run(sample_root, tmp_path / "a", cache=cache, **settings)
    assert first.damaged == []
    part = cache / "parts" / VideoTask("cholect50", "VID01", "").part
    data = bytearray((part / "items.arrow").read_bytes())
    data[len(data) // 2] ^= 1
    (part / "items.arrow").write_bytes(data)
    again = built(configure(sample_root, tmp_path / "b", cache=cache, **settings))
    assert again.digest == first.digest and again.damaged == ["cholect50/VID01"]
    assert "cache: 1 damaged, rebuilt: cholect50/VID01" in capsys.readouterr().err
    assert [path.name for path in cache.iterdir()] == ["parts"]

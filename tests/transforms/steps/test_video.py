"""Videos asked about together, and what is handed to a worker at once."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.language import load_programs
from surgqa.transforms.registry import datasets, load_reader, load_sample
from surgqa.transforms.steps import video as steps
from surgqa.transforms.steps.tasks import (
    BATCH,
    SHARE,
    AskSettings,
    VideoTask,
    in_batches,
    part_folder,
)
from surgqa.transforms.steps.video import DONE, ask_videos

SOME = ("cholec80", "hyper_kvasir", "psi_ava")


def tasks_of(names: tuple[str, ...], root: Path) -> list[VideoTask]:
    """Every video of some samples."""
    out = []
    for name in names:
        folder = root / name
        folder.mkdir()
        load_sample(name)(folder)
        reader = load_reader(name)(root / name)
        out += [VideoTask(name, video, str(root / name)) for video in sorted(reader.found())]
    return out


def made(tasks: list[VideoTask], work: Path, together: bool) -> dict[str, bytes]:
    """Every file of the parts of some videos, and what is told of each."""
    settings = AskSettings(tuple(load_programs()), "42", {"train": 1.0}, str(work))
    for some in [tasks] if together else [[one] for one in tasks]:
        told = ask_videos(some, settings)
        assert told == [{"key": one.key, "part": one.part} for one in some]
    folders = [Path(str(part_folder(settings, one))) for one in tasks]
    files = [path for folder in folders if folder.is_dir() for path in folder.iterdir()]
    files += [work / DONE / one.part for one in tasks]
    return {path.relative_to(work).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    "names", [SOME, pytest.param(tuple(datasets()), marks=pytest.mark.nightly)]
)  # fmt: skip
def test_videos_together_give_what_each_gives_alone(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_of(names, tmp_path)
    monkeypatch.setattr(steps, "SMALL", 10**9)
    groups, make = [], steps._make
    monkeypatch.setattr(steps, "_make", lambda group, *rest: (groups.append(len(group)),
                                                              make(group, *rest)))  # fmt: skip
    together = made(tasks, tmp_path / "together", True)
    assert groups == [len(tasks)]
    assert together == made(tasks, tmp_path / "alone", False)
    items = sum(orjson.loads(one)["rows"] != {} for name, one in together.items() if DONE in name)
    assert items > len(tasks) // 2


def test_one_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    tasks = tasks_of(("cholec80",), tmp_path)
    broken = VideoTask("cholec80", "video99", str(tmp_path / "cholec80"))
    whole = made(tasks, tmp_path / "whole", True)
    with_one = made([tasks[0], broken, *tasks[1:]], tmp_path / "one", True)
    failed = orjson.loads(with_one.pop(f"{DONE}/{broken.part}"))
    assert failed["key"] == "cholec80/video99" and failed["failed"]
    assert with_one == whole


@given(st.integers(0, 20_000), st.integers(1, 64))
def test_batches_hold_every_video_once_and_spread_over_the_workers(n: int, lanes: int) -> None:
    videos = [VideoTask("made", str(k), "") for k in range(n)]
    batches = in_batches(videos, lanes)
    assert [one for batch in batches for one in batch] == videos
    assert all(1 <= len(batch) <= BATCH for batch in batches)
    left = n
    for batch in batches if lanes > 1 else ():
        assert len(batch) == 1 or len(batch) * SHARE * lanes <= left
        left -= len(batch)

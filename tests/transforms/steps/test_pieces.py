"""A video that several workers ask about gives what one gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.language import load_programs
from surgqa.transforms.registry import load_sample
from surgqa.transforms.steps import pieces
from surgqa.transforms.steps.tasks import AskSettings, VideoTask, in_pieces, part_folder
from surgqa.transforms.steps.video import DONE, ask_videos

WORKERS = 3


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two made-up operations; the labels of a third are broken."""
    folder = tmp_path_factory.mktemp("cholect50")
    load_sample("cholect50")(folder)
    (folder / "labels" / "VID99.json").write_text("{")
    return folder


def files_of(tasks: Sequence[VideoTask], settings: AskSettings) -> dict[str, bytes]:
    """Every file of the parts of some videos, and what is told of each."""
    work = Path(settings.work)
    parts = [Path(str(part_folder(settings, one))) for one in tasks]
    files = [path for part in parts if part.is_dir() for path in part.iterdir()]
    files += [work / DONE / one.part for one in tasks]
    return {path.relative_to(work).as_posix(): path.read_bytes() for path in files}


def settings_in(work: Path, *, cost: bool = False) -> AskSettings:
    return AskSettings(tuple(load_programs()), "42", {"train": 1.0}, str(work), cost=cost)


def in_any_order(tasks: Sequence[VideoTask], settings: AskSettings) -> list[dict]:
    """What is told of videos whose pieces are asked and put together by whoever is free."""
    divided = in_pieces(tasks, WORKERS * len(tasks))
    told = [info for one in Random(7).sample(divided, len(divided))
            for info in pieces.ask([one], settings)]  # fmt: skip
    return [pieces.put_together(whole, settings) for whole in pieces.wholes(told)]


def test_pieces_give_what_a_whole_video_gives(root: Path, tmp_path: Path):
    tasks = [VideoTask("cholect50", name, str(root)) for name in ("VID01", "VID02", "VID99")]
    whole, divided = settings_in(tmp_path / "whole"), settings_in(tmp_path / "divided")
    told = sorted(map(str, ask_videos(tasks, whole)))
    assert sorted(map(str, in_any_order(tasks, divided))) == told
    files = files_of(tasks, whole)
    assert files_of(tasks, divided) == files
    infos = [orjson.loads(data) for name, data in files.items() if DONE in name]
    assert [bool(one["failed"]) for one in infos] == [False, False, True]
    assert sum(sum(one["rows"].values()) for one in infos if not one["failed"]) > 100


def test_the_time_of_all_pieces_is_counted(root: Path, tmp_path: Path):
    task, settings = VideoTask("cholect50", "VID01", str(root)), settings_in(tmp_path, cost=True)
    in_any_order([task], settings)
    cost = orjson.loads((tmp_path / DONE / task.part).read_bytes())["cost"]
    assert {template for template, _, _ in cost} >= {one.id for one in settings.templates}


@given(st.integers(1, 200), st.integers(1, 64))
def test_every_video_is_divided_alike_and_only_where_workers_would_wait(n: int, workers: int):
    videos = [VideoTask("made", str(k), "") for k in range(n)]
    divided = in_pieces(videos, workers)
    (many,) = {one.pieces for one in divided}
    assert (many > 1) == (n < workers)
    assert [(one.video_id, one.piece) for one in divided] == [
        (str(k), piece) for k in range(n) for piece in range(many)
    ]
    assert many == 1 or len(divided) >= workers

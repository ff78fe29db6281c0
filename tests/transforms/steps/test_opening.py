"""Preparing one video for asking: what the run says of it replaces what the reader says."""

from dataclasses import replace

import pytest

from surgqa.ontology.splits import HELD_OUT
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.steps.opening import opened
from surgqa.transforms.steps.tasks import AskSettings, VideoTask


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    root = tmp_path_factory.mktemp("hyper_kvasir")
    load_sample("hyper_kvasir")(root)
    video = min(load_reader("hyper_kvasir")(root).found())
    return VideoTask("hyper_kvasir", video, str(root))


def video_of(task, tmp_path, **more):
    settings = AskSettings((), "42", {"train": 1.0}, str(tmp_path))
    return opened(replace(task, **more), settings).evidence.video


def test_what_the_run_does_not_say_is_the_readers(task, tmp_path):
    assert (
        video_of(task, tmp_path) == load_reader(task.dataset)(task.root).read(task.video_id).video
    )


@pytest.mark.parametrize("name", ["licence", "label_source"])
def test_what_the_run_says_replaces_it(task, tmp_path, name):
    read = video_of(task, tmp_path)
    own = video_of(task, tmp_path, **{name: "ours"})
    assert getattr(read, name) and own == replace(read, **{name: "ours"})


@pytest.mark.parametrize("split", ["val", HELD_OUT, None])
def test_a_given_split_goes_before_a_drawn_one(task, tmp_path, split):
    settings = AskSettings((), "42", {"train": 1.0}, str(tmp_path))
    assert opened(replace(task, split=split), settings).split == (split or "train")

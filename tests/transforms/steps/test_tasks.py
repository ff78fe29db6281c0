"""What travels between the steps comes back whole, and once."""

from __future__ import annotations

import pickle

from surgqa.transforms.language import load_programs
from surgqa.transforms.steps.tasks import AskSettings


def test_settings_come_back_whole_and_are_put_together_once() -> None:
    made = AskSettings(
        tuple(load_programs()[:3]), "7", {"train": 1.0}, "work", held={"dataset": "x"}
    )
    sent = pickle.dumps(made)
    assert pickle.loads(sent) == made
    assert pickle.loads(sent) is pickle.loads(sent)


def test_other_settings_are_others() -> None:
    one, other = (AskSettings((), seed, {}, "work") for seed in "78")
    assert pickle.loads(pickle.dumps(one)).seed == "7"
    assert pickle.loads(pickle.dumps(other)).seed == "8"

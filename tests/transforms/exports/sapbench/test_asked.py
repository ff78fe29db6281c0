"""Items as they are put to a model, by task and in three settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.exports.sapbench.messages import (
    ACTIONS,
    OPENING,
    REQUESTS,
    PromptParts,
    load_prompts,
    texts_of,
    wording,
)

PLANS = (
    "Dissection, then Coagulation",
    "Coagulation, then Dissection",
    "Aspiration, then Dissection",
    "Dissection, then Aspiration",
)
QUESTION = "What follows, one wonders?"


def row(task: str = "future/next_action", **more) -> dict:
    options = [{"key": key, "text": text} for key, text in zip("ABCD", PLANS, strict=True)]
    return {"benchmark": "sapbench", "task": task, "procedure": "laparoscopic_cholecystectomy",
            "question": QUESTION, "options": options, **more}  # fmt: skip


def said(task: str, manner: PromptParts = PromptParts.FULL):
    return texts_of(row(task), load_prompts(), manner)


def test_the_next_action_is_asked_in_the_benchmark_s_words_alone() -> None:
    texts = said("future/next_action")
    whole = load_prompts().messages("a laparoscopic cholecystectomy")
    assert (texts.system, texts.user) == (whole.system, whole.user)
    assert QUESTION not in texts.user


@pytest.mark.parametrize("task", ["future/next_action_history", "future/plan"])
@pytest.mark.parametrize("manner", list(PromptParts))
def test_what_is_told_or_asked_besides_stands_behind_the_opening(task, manner) -> None:
    user = said(task, manner).user
    opening = load_prompts().sections[OPENING].split("{")[0]
    assert user.index(opening) < user.index(QUESTION)
    assert user.split("\n\n")[1] == QUESTION


def test_a_plan_is_chosen_and_no_next_action_is_ranked() -> None:
    full, short = said("future/plan").user, said("future/plan", PromptParts.ONLY_ACTIONS).user
    for user in (full, short):
        assert "\n".join(f"{k}) {t}" for k, t in zip("ABCD", PLANS, strict=True)) in user
        assert "A, B, C or D" in user
        assert f"{ACTIONS}:" not in user.casefold()
    for name in REQUESTS[:-1]:
        assert f"{name}:" in full.casefold() and f"{name}:" not in short.casefold()


def test_the_two_ablations() -> None:
    full = said("future/next_action")
    bare = said("future/next_action", PromptParts.NO_SYSTEM)
    short = said("future/next_action", PromptParts.ONLY_ACTIONS)
    assert (bare.system, bare.user) == ("", full.user)
    assert short.system == full.system and len(short.user) < len(full.user)


def test_the_answer_is_not_read() -> None:
    one = wording(load_prompts(), PromptParts.FULL)
    assert not {"answer", "answer_key", "answer_value", "slots"} & set(one.columns)
    assert one.texts(row()).user == said("future/next_action").user


def test_the_last_request_of_a_plan_may_be_edited(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("# mine\nPick: {options}\n")
    asking = load_prompts(tmp_path)
    assert asking == replace(load_prompts(), plan="Pick: {options}")
    (tmp_path / "process.txt").write_text("1. All of it.\n")
    assert load_prompts(tmp_path).knowledge["process"] == "1. All of it."


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [("Pick {option}", "no slot called 'option'", "plan.txt:1"),
     ("Pick one", "does not use {options}", "plan.txt")],
)  # fmt: skip
def test_texts_that_cannot_be_used(tmp_path: Path, text: str, message: str, where: str) -> None:
    (tmp_path / "plan.txt").write_text(text)
    with pytest.raises(UserError, match=message) as caught:
        load_prompts(tmp_path)
    assert str(caught.value.where).endswith(where)


def test_a_folder_without_texts(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        load_prompts(tmp_path / "none")

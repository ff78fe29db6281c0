"""The prompts of ``sapbench`` items, in three settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any

from surgqa.ontology.files import read_bytes, read_text
from surgqa.transforms.exports.sapbench.messages import (
    ACTIONS,
    OPENING,
    SLOTS,
    MessageTexts,
    body,
    check_all_used,
    check_slots,
    filled,
    load_prompts,
)
from surgqa.transforms.exports.sapbench.taking import NEXT, PLAN, kind_of
from surgqa.transforms.inference.prompts import Texts, Wording

COLUMNS = ("benchmark", "task", "rule_args", "procedure", "question", "options")
"""The columns that are read from a row."""

PLAN_FILE = "plan.txt"
PLAN_SLOTS = ("options", "letters")


class PromptParts(StrEnum):
    """The three settings: all parts; without the system part (w/o SP); only the last request (w.
    OA).
    """

    FULL = "full"
    NO_SYSTEM = "no-system"
    ONLY_ACTIONS = "only-actions"


MANNERS = tuple(str(one) for one in PromptParts)


@dataclass(frozen=True, slots=True)
class PromptTexts:
    """All texts of the prompts.

    Attributes:
        plan: the last request of items that ask for a plan.
    """

    prompts: MessageTexts
    plan: str


def load_asking(folder: Path | None = None) -> PromptTexts:
    """Return the texts of a folder; where a file is missing, the built-in text.

    Raises:
        SourceMissing: the folder does not exist or has none of the files.
        SourceBroken: a file is not UTF-8.
        UserError: an unknown or a missing slot, section or file, with file and line.
    """
    own = folder / PLAN_FILE if folder else None
    if folder is None or own is None or not own.is_file():
        shipped = resources.files("surgqa.transforms.exports.sapbench") / "prompts" / PLAN_FILE
        text = shipped.read_text(encoding="utf-8")
        return PromptTexts(load_prompts(folder), _checked(text, PLAN_FILE))
    others = any((folder / f"{name}.txt").is_file() for name in SLOTS)
    text = read_text(read_bytes(own, str(own)), str(own))
    return PromptTexts(load_prompts(folder if others else None), _checked(text, str(own)))


def _checked(text: str, where: str) -> str:
    """Return the text without comment lines, once its slots have been checked."""
    check_slots(PLAN_SLOTS, text, where)
    check_all_used((text, where), PLAN_SLOTS[:1])
    return body(text)


def wording(asking: PromptTexts, manner: PromptParts) -> Wording:
    """Return the wording of the benchmark's items; items of other tasks use the prompt's texts."""

    def texts(row: Mapping[str, Any]) -> Texts | None:
        return texts_of(row, asking, manner) if kind_of(row) else None

    return Wording(COLUMNS, texts)


def asking(manner: str | None, texts: Path | None) -> Wording:
    """Return the wording of the benchmark: one of :data:`MANNERS`, with the texts of a folder."""
    return wording(load_asking(texts), PromptParts(manner or MANNERS[0]))


def texts_of(row: Mapping[str, Any], asking: PromptTexts, manner: PromptParts) -> Texts:
    """System and user text of an item.

    If the item is not about the next action, its question is added after the prompt's opening. If
    it is about a plan, the prompt's last request asks for the plan.

    Args:
        row: a row of ``data/``; only :data:`COLUMNS` are read.
    """
    prompts, kind = asking.prompts, kind_of(row)
    if kind != NEXT:
        opening = [prompts.sections[OPENING], row["question"]]
        asked = {OPENING: "\n\n".join(part for part in opening if part)}
        if kind == PLAN:
            asked[ACTIONS] = _plan(row, asking.plan)
        prompts = replace(prompts, sections={**prompts.sections, **asked})
    made = prompts.messages(
        _named(row["procedure"]),
        with_system=manner != PromptParts.NO_SYSTEM,
        only_actions=manner == PromptParts.ONLY_ACTIONS,
    )
    return Texts(made.system or "", made.user)


def _plan(row: Mapping[str, Any], text: str) -> str:
    options = [(option["key"], option["text"]) for option in row["options"]]
    keys = [key for key, _ in options]
    values = {
        "options": "\n".join(f"{key}) {plan}" for key, plan in options),
        "letters": " or ".join(filter(None, (", ".join(keys[:-1]), keys[-1]))),
    }
    return filled(text, values)


def _named(procedure: str) -> str:
    name = procedure.replace("_", " ")
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"

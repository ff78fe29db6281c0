"""The prompts of SAP-Bench: a system part with knowledge, and a user part with four requests.

An item is asked in one of three settings: with both parts, without the system part, or with the
last request only.

All texts are in the files of ``prompts/``.  A user-supplied folder may have files of the same
names, which replace these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import FileMissing, PromptInvalid, UserError
from surgqa.ontology.files import read_bytes, read_text
from surgqa.ontology.next_actions import next_actions
from surgqa.transforms.exports.sapbench.taking import NEXT, PLAN, kind_of
from surgqa.transforms.inference.prompts import Texts, Wording

KNOWLEDGE = ("process", "guidelines", "action_descriptions")
SLOTS: Mapping[str, tuple[str, ...]] = {
    "system": ("procedure", *KNOWLEDGE),
    "user": ("procedure", "action_list"),
    "process": (),
    "guidelines": (),
    "action_descriptions": (),
    "plan": ("options", "letters"),
}
"""The files, without ``.txt``, and the slots that each may contain."""

OPENING, ACTIONS = "opening", "ready-to-execute actions"
REQUESTS = ("scene understanding", "progress judgement", "safety considerations", ACTIONS)
SECTIONS = (OPENING, *REQUESTS)

_SLOT = re.compile(r"\{([^{}\s]*)\}")
_HEADER = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class MessageTexts:
    """The texts with their slots.

    Attributes:
        system: the system part.
        knowledge: for each slot of the system part, its text.
        sections: for each section of the user part, its text.
        plan: the last request of items that ask for a plan.
    """

    system: str
    knowledge: Mapping[str, str]
    sections: Mapping[str, str]
    plan: str

    def messages(
        self, procedure: str, *, with_system: bool = True, only_actions: bool = False
    ) -> Texts:
        """Return the texts that a model gets with the image of a sample.

        Args:
            procedure: the noun phrase in "a recording of …".
            with_system: False for the ablation w/o SP, without a system part.
            only_actions: True for the ablation w. OA, with the last request only.
        """
        values = {"procedure": procedure, "action_list": action_list(), **self.knowledge}
        asked = (OPENING, ACTIONS) if only_actions else SECTIONS
        user = [filled(self.sections[name], values) for name in asked]
        system = filled(self.system, values) if with_system else ""
        return Texts(system, "\n\n".join(text for text in user if text))


def action_list() -> str:
    """Return the actions with their letters, in the fixed order, one a line."""
    return "\n".join(f"{one.letter}. {one.display}" for one in next_actions())


def load_prompts(folder: Path | None = None) -> MessageTexts:
    """Return the prompts of a folder; where a file is missing, the built-in prompt.

    Raises:
        SourceMissing: the folder does not exist or has none of the files.
        SourceBroken: a file is not UTF-8.
        UserError: an unknown or a missing slot, section or file, with file and line.
    """
    texts = dict(_shipped())
    if folder is not None:
        texts |= _own(folder)
    sections = _sections(*texts["user"])
    for name, (text, where) in texts.items():
        check_slots(SLOTS[name], text, where)
    check_all_used(texts["system"], KNOWLEDGE)
    check_all_used(texts["user"], ("action_list",))
    check_all_used(texts["plan"], ("options",))
    bodies = {name: body(text) for name, (text, _) in texts.items() if name != "user"}
    knowledge = {name: bodies[name] for name in KNOWLEDGE}
    return MessageTexts(bodies["system"], knowledge, sections, bodies["plan"])


Text = tuple[str, str]
"""(text, name of its file for messages)."""


@cache
def _shipped() -> Mapping[str, Text]:
    base = resources.files("surgqa.transforms.exports.sapbench") / "prompts"
    return {
        name: ((base / f"{name}.txt").read_text(encoding="utf-8"), f"{name}.txt") for name in SLOTS
    }


def _own(folder: Path) -> dict[str, Text]:
    found = {name: folder / f"{name}.txt" for name in SLOTS if (folder / f"{name}.txt").is_file()}
    if not found:
        raise FileMissing(
            f"{folder} has no prompts", expected=", ".join(f"{name}.txt" for name in SLOTS),
            where=str(folder), fix="copy the shipped files into it and change them",
        )  # fmt: skip
    return {name: (read_text(read_bytes(p, str(p)), str(p)), str(p)) for name, p in found.items()}


def body(text: str) -> str:
    """Return a text without its comment lines."""
    return "\n".join(_kept(text.split("\n"))).strip()


def _kept(lines: list[str]) -> list[str]:
    return [line.rstrip() for line in lines if not line.startswith("#")]


def _sections(text: str, where: str) -> dict[str, str]:
    """Return the sections of the user part; all but the opening are required."""
    out: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        header = _HEADER.fullmatch(line.strip())
        if header and header[1] not in SECTIONS:
            raise _unknown("section", header[1], SECTIONS, f"{where}:{number}")
        if header and header[1] in out:
            raise PromptInvalid(f"section [{header[1]}] occurs twice", where=f"{where}:{number}")
        if header:
            current = out.setdefault(header[1], [])
        elif current is not None:
            current.append(line)
        elif _kept([line])[:1] not in ([], [""]):
            raise PromptInvalid(
                "text before the first section", expected=f"[{OPENING}], and the text below it",
                found=line.strip()[:60], where=f"{where}:{number}",
            )  # fmt: skip
    sections = {name: body("\n".join(lines)) for name, lines in out.items()}
    for name in REQUESTS:
        if not sections.get(name):
            raise PromptInvalid(
                f"the prompt has no request [{name}]", expected=", ".join(REQUESTS),
                found=", ".join(out) or "no section", where=where, fix=f"add [{name}] and its text",
            )  # fmt: skip
    return {OPENING: "", **sections}


def check_slots(known: tuple[str, ...], text: str, where: str) -> None:
    """Refuse a text with a slot that is not known.

    Raises:
        UserError: the text has an unknown slot; the message names the line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        for slot in _SLOT.findall("" if line.startswith("#") else line):
            if slot not in known:
                raise _unknown("slot", slot, known, f"{where}:{number}")


def check_all_used(text: Text, slots: tuple[str, ...]) -> None:
    """Refuse a text that lacks one of the slots.

    Raises:
        UserError: the text lacks a slot.
    """
    used = _SLOT.findall(body(text[0]))
    for slot in slots:
        if slot not in used:
            raise PromptInvalid(
                f"the prompt does not use {{{slot}}}", expected=f"{{{slot}}} where it belongs",
                where=text[1], fix="add the slot; it may be a line by itself",
            )  # fmt: skip


def _unknown(what: str, name: str, known: tuple[str, ...], where: str) -> UserError:
    close = get_close_matches(name, known, n=1)
    return PromptInvalid(
        f"these prompts have no {what} called '{name}'",
        expected=", ".join(known) or "no slot in this file",
        found=name,
        where=where,
        fix=f"did you mean {close[0]}?" if close else None,
    )


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return the text with a value in each slot."""
    return _SLOT.sub(lambda found: values[found[1]], text)


COLUMNS = ("benchmark", "task", "rule_args", "procedure", "question", "options")
"""The columns that are read from a row."""


class PromptParts(StrEnum):
    """The settings: all parts, no system part (w/o SP), or the last request only (w. OA)."""

    FULL = "full"
    NO_SYSTEM = "no-system"
    ONLY_ACTIONS = "only-actions"


MANNERS = tuple(str(one) for one in PromptParts)


def wording(asking: MessageTexts, manner: PromptParts) -> Wording:
    """Return the wording of the benchmark's items; items of other tasks use the prompt's texts."""

    def texts(row: Mapping[str, Any]) -> Texts | None:
        return texts_of(row, asking, manner) if kind_of(row) else None

    return Wording(COLUMNS, texts)


def asking(manner: str | None, texts: Path | None) -> Wording:
    """Return the wording of the benchmark: one of :data:`MANNERS`, with the texts of a folder."""
    return wording(load_prompts(texts), PromptParts(manner or MANNERS[0]))


def texts_of(row: Mapping[str, Any], asking: MessageTexts, manner: PromptParts) -> Texts:
    """System and user text of an item.

    If the item is not about the next action, its question is added after the prompt's opening. If
    it is about a plan, the prompt's last request asks for the plan.

    Args:
        row: a row of ``data/``; only :data:`COLUMNS` are read.
    """
    prompts, kind = asking, kind_of(row)
    if kind != NEXT:
        opening = [prompts.sections[OPENING], row["question"]]
        asked = {OPENING: "\n\n".join(part for part in opening if part)}
        if kind == PLAN:
            asked[ACTIONS] = _plan(row, asking.plan)
        prompts = replace(prompts, sections={**prompts.sections, **asked})
    return prompts.messages(
        _named(row["procedure"]),
        with_system=manner != PromptParts.NO_SYSTEM,
        only_actions=manner == PromptParts.ONLY_ACTIONS,
    )


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

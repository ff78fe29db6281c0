"""The prompts of SAP-Bench: a system text with medical knowledge, a user text with four requests.

A prompt has both texts, or only the user text, or only the last request, which asks for actions.

The texts are files in ``prompts/`` with slots such as ``{procedure}``. A folder of the user may
have files of the same names, which replace these.
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
"""Name of a file without ``.txt`` -> the slots that it may contain."""

OPENING, ACTIONS = "opening", "ready-to-execute actions"
REQUESTS = ("scene understanding", "progress judgement", "safety considerations", ACTIONS)
SECTIONS = (OPENING, *REQUESTS)

_SLOT = re.compile(r"\{([^{}\s]*)\}")
_HEADER = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class MessageTexts:
    """The texts of the prompts, with slots.

    Attributes:
        system: the system text.
        knowledge: for each slot of the system text, its content.
        sections: for each section of the user text, its content.
        plan: the last request for items that ask for a plan of several actions.
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
            procedure: the name of the operation, as in "a recording of …".
            with_system: False to leave out the system text (the paper's ablation "w/o SP").
            only_actions: True for the last request only (the paper's ablation "w. OA").
        """
        values = {"procedure": procedure, "action_list": action_list(), **self.knowledge}
        asked = (OPENING, ACTIONS) if only_actions else SECTIONS
        user = [filled(self.sections[name], values) for name in asked]
        system = filled(self.system, values) if with_system else ""
        return Texts(system, "\n\n".join(text for text in user if text))


def action_list() -> str:
    """Return the list of all actions, each on a line with its letter."""
    return "\n".join(f"{one.letter}. {one.display}" for one in next_actions())


def load_prompts(folder: Path | None = None) -> MessageTexts:
    """Return the prompts in a folder; for a missing file, the built-in text.

    Raises:
        SourceMissing: the folder does not exist or has none of the files.
        SourceBroken: a file is not UTF-8.
        UserError: a slot, section or file is unknown or missing; the message names file and line.
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
"""(text, name of its file, which messages name)."""


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
    """Return the sections of the user text; all except the opening are required."""
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
    """Raise an error if a text has an unknown slot.

    Raises:
        UserError: the text has an unknown slot; the message names the line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        for slot in _SLOT.findall("" if line.startswith("#") else line):
            if slot not in known:
                raise _unknown("slot", slot, known, f"{where}:{number}")


def check_all_used(text: Text, slots: tuple[str, ...]) -> None:
    """Raise an error if a text lacks one of the slots.

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
    """The parts of a prompt: all, no system text ("w/o SP"), or only the last request ("w. OA")."""

    FULL = "full"
    NO_SYSTEM = "no-system"
    ONLY_ACTIONS = "only-actions"


MANNERS = tuple(str(one) for one in PromptParts)


def wording(asking: MessageTexts, manner: PromptParts) -> Wording:
    """Return how to word the prompt of any item, with these texts."""

    def texts(row: Mapping[str, Any]) -> Texts | None:
        return texts_of(row, asking, manner) if kind_of(row) else None

    return Wording(COLUMNS, texts)


def asking(manner: str | None, texts: Path | None) -> Wording:
    """Return how the benchmark words prompts, in one of :data:`MANNERS`."""
    return wording(load_prompts(texts), PromptParts(manner or MANNERS[0]))


def texts_of(row: Mapping[str, Any], asking: MessageTexts, manner: PromptParts) -> Texts:
    """Return the system text and the user text for an item.

    If the item does not ask for the next action, its question follows the opening. If it asks for a
    plan, the last request is :attr:`MessageTexts.plan`.

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

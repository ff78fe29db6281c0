"""What ``surgqa show`` tells of a chain template: its finder, its evidence, its four questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontology.times import SECOND_US
from pipeline.cli.query_card import written
from transforms.language import Chain
from transforms.language.chains import STAGES, is_chain
from transforms.language.chains.finders import NEEDS
from transforms.language.chains.load import parse_chains

SCOPE = {
    "main": "what, and when",
    "q1": "what, in the whole window",
    "q2": "in which segment, given the answer of q1",
    "q3": "at which instant, given those of q1 and q2",
}
"""What each stage asks."""


def chain_card(name: str, file: Path, folder: Path) -> dict[str, Any] | None:
    """Fields to print, in order; None where the file is no chain template or is broken."""
    if not is_chain(file):
        return None
    chains, _ = parse_chains([file], folder)
    return next((_card(chain) for chain in chains if chain.id == name), None)


def _card(chain: Chain) -> dict[str, Any]:
    finder = chain.found_by
    given = ", ".join(f"{key} {_plain(value)}" for key, value in chain.args.items())
    card: dict[str, Any] = {
        "id": chain.id,
        "version": chain.version,
        "title": chain.title,
        "task": chain.task,
        "form": f"{chain.form}: four items a chain, four options each",
        "profiles": ", ".join(chain.profiles),
        "finder": f"{finder.name}: {given}",
        "": finder.doc,
        "needs": [NEEDS[finder.name], "statements of the knowledge bank for each stage"],
        "asked": f"one chain at most for each {chain.every_us / SECOND_US:g} s of a recording",
    }
    for stage in STAGES:
        words = chain.stages[stage]
        card[stage] = [f"({SCOPE[stage]})", *map(written, words.ask)]
        for key in ("context", "clue"):
            told = getattr(words, key)
            if told is not None:
                card[f"{stage} {key}"] = written(told)
    if chain.status != "active":
        card["status"] = chain.status
    card["changes"] = [f"{version}: {text}" for version, text in chain.changes.items()]
    return {**{key: value for key, value in card.items() if value}, "file": chain.path}


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

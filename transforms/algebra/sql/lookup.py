"""Read operations and acts from the ontology's data files, without the ontology's own code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from surgqa.ontology.concepts import label_map, load_data

END, ANY = "end", "*"
ORDERED = ("phase", "step", "gesture")
IDLE = ("null_verb", "null_target")

Act = tuple[str, str]
"""(verb, target); '' for no target."""


def words(text: str) -> list[str]:
    """Return the words of a name, in lower case and without punctuation."""
    return re.findall(r"[^\W_]+", text.casefold())


@cache
def _workflow_files() -> tuple[str, ...]:
    folder = resources.files("surgqa.ontology") / "workflows"
    return tuple(sorted(one.name[:-5] for one in folder.iterdir() if one.name.endswith(".yaml")))


def operation(procedure: str) -> str:
    """Return the operation that a procedure's name belongs to, else the words of that name."""
    wanted = words(procedure)
    files = ((name, load_data("workflows", name)["procedures"]) for name in _workflow_files())
    known = (name for name, procedures in files if wanted in map(words, procedures))
    return next(known, "_".join(wanted))


def orders(procedure: str) -> Iterator[tuple[Mapping[str, Any], Sequence[str]]]:
    """Yield (order, labels without a fixed time) of each ordered kind, such as the phases.

    ``order`` maps each label to its place, whose ``next`` lists the labels that may follow.
    """
    wanted = words(procedure)
    for kind in ORDERED:
        said = [load_data("workflows", name) for name in _workflow_files()]
        mine = [one["kinds"][kind] for one in said
                if kind in one["kinds"] and wanted in map(words, one["procedures"])]  # fmt: skip
        if mine:
            yield mine[-1]["order"], mine[-1].get("any_time", ())


def following(place: Mapping[str, Sequence[str]] | None) -> list[str] | None:
    """Return the labels that may follow a label, given the label's place from :func:`orders`.

    None if this is unknown, or if the operation may end there.
    """
    then = (place or {}).get("next")
    if then is None or (END in then and len(then) == 2):
        return None
    return [one for one in then if one != END]


def effect(verb: str) -> str | None:
    """Return the effect of a verb, such as that of ``cut``."""
    entries = load_data("knowledge", "effects")["effects"].items()
    return next((name for name, entry in entries if verb in entry["verbs"]), None)


@lru_cache(maxsize=65_536)
def ordering(procedure: str, first: Act, second: Act) -> tuple[str, str] | None:
    """Return the id and strength of the rule by which ``first`` comes before ``second``.

    The first rule that matches the two acts, in either order, decides. None if it does not put
    ``first`` first, or if no rule matches.
    """
    bank = load_data("knowledge", "rules")
    own = bank["operations"].get(named_in(procedure), {})
    for name, rule in (*own.items(), *bank["any"].items()):
        if _orders(rule, first, second):
            return str(name), str(rule["force"])
        if _orders(rule, second, first):
            return None
    return None


def _orders(rule: Mapping[str, Any], first: Act, second: Act) -> bool:
    (verb, target), (then, other) = rule["before"], rule["after"]
    if (verb, then) != (first[0], second[0]):
        return False
    if target == other == ANY:
        return first[1] == second[1]
    return target in (ANY, first[1]) and other in (ANY, second[1])


@cache
def named_in(procedure: str) -> str:
    """Return the operation with the longest name that a procedure's name contains; '' if none."""
    said = f" {' '.join(words(procedure))} "
    names = [(words(name), key) for key, many in
             load_data("knowledge", "operations")["procedures"].items()
             for name in many]  # fmt: skip
    inside = [(len(one), one, key) for one, key in names if f" {' '.join(one)} " in said]
    return max(inside)[2] if inside else ""


@cache
def acts_of(tool: str) -> frozenset[Act] | None:
    """Return the acts (verb, target) that an instrument can do; None if it is not in the bank."""
    spelled, data = label_map("cholect50"), load_data("knowledge", "triples")
    rows = load_data("maps", "cholect50_triplets").values()
    out = {(str(spelled["verb"][verb]), str(spelled["target"][target]))
           for one, verb, target in rows if spelled["instrument"][one] == tool}  # fmt: skip
    entry = data["tools"].get(tool)
    if entry is None:
        return frozenset(out) if out else None
    out |= (acts_of(entry["like"]) or frozenset()) if "like" in entry else {IDLE}
    for verb, names in entry.items():
        if verb != "like":
            out |= {(verb, one) for name in names for one in data["groups"].get(name, [name])}
    return frozenset(out)

"""Drop items with frequent answers, once the items of all videos are known.

As long as the most frequent answer of a template in a dataset has more than the allowed share, its
items are dropped in descending order of :data:`ORDER`. In a block (questions that have each other's
answers as options) each option is right once, so blocks are already balanced.
Dropped items are recorded, so a run on a subset can make the same choice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

import orjson

from surgqa.ontology.keys import Key, bytes_digest
from surgqa.ontology.records import Code
from surgqa.ontology.units import args_of
from surgqa.transforms.steps.write import Parts, not_chosen

ORDER = Key("choose", "cap")
READ = ("item_id", "answer_value", "chain_id", "block", "rule_args")
NOMINAL = ("label", "act", "truth", "word", "statement", "number", "set", "sequence")
"""Types of answers with values that many items can have; of numbers, only whole ones."""


def modal_key(value: Mapping[str, Any], types: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the part of an answer that other items can have too (such as a label); None without
    one.

    Args:
        types: types of the answer's fields (``answer`` of ``rule_args``).
    """
    said = {key: _nominal(value[key], one["type"]) for key, one in types.items()}
    nominal = {key: one for key, one in said.items() if one is not None}
    return orjson.dumps(nominal, option=orjson.OPT_SORT_KEYS).decode() if nominal else None


def _nominal(value: Any, kind: str) -> Any:
    """Return the part of a value that other items can have too, or None.

    For an instrument that was tracked, this is its class.
    """
    if kind == "track":
        return value.get("label") or value.get("subject")
    return value if kind in NOMINAL and not isinstance(value, float) else None


def over_cap(answers: Mapping[str, str], cap: float) -> list[str]:
    """Return the ids to drop so that no answer has a share above ``cap`` of the remaining items.

    If there are too few different answers for the cap, items are dropped until all answers are
    equally frequent.

    Args:
        answers: item id -> result of :func:`modal_key` for the item's answer.
    """
    groups: dict[str, list[str]] = {}
    for item_id in ORDER.ordered(answers):
        groups.setdefault(answers[item_id], []).append(item_id)
    dropped: list[str] = []
    left = len(answers)
    while len(groups) > 1:
        modal = min(groups, key=lambda k: (-len(groups[k]), k))
        even = len(groups[modal]) * len(groups) <= left
        if even or len(groups[modal]) <= cap * left:
            break
        dropped.append(groups[modal].pop())
        left -= 1
    return dropped


def over_share(
    parts: Parts, cap: float, gone: Collection[str] = frozenset()
) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items whose answers are too frequent.

    Args:
        gone: ids of items that are already rejected.
    """
    entries: list[dict[str, Any]] = []
    for name in sorted({template for info in parts.infos for template in info["templates"]}):
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        for dataset, _, table in parts.by_template(READ, {name}):
            for row in table.to_pylist():
                if row["item_id"] not in gone and (answer := _answer(row)) is not None:
                    answers[dataset][row["item_id"]] = answer
        for dataset, found in answers.items():
            entries += [_entry(dataset, name, item, found[item], cap)
                        for item in over_cap(found, cap)]  # fmt: skip
    return sorted(entries, key=lambda entry: (entry["dataset"], entry["where"], entry["key"]))


def _entry(dataset: str, template: str, item: str, answer: str, cap: float) -> dict[str, Any]:
    row = {"dataset": dataset, "template_id": template, "item_id": item}
    why = f"the most frequent answer {answer} had a share above {cap:g}"
    digest = bytes_digest(answer.encode())[:8]
    return not_chosen(row, Code.OVER_CAP, why) | {"answer_digest": digest}


def _answer(row: Mapping[str, Any]) -> str | None:
    """Return the part of an item's answer that counts; None in chains and blocks."""
    if row["chain_id"] is not None or row["block"] is not None:
        return None
    return modal_key(orjson.loads(row["answer_value"]), args_of(row)["answer"])

"""Read and score plans: a plan is a sequence of the next few actions.

The question has plans as options. A response may choose an option, or list the actions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surgqa.ontology.next_actions import action_ids, action_named
from surgqa.transforms.scoring.case import arguments_of, broken, json_of, options_of, video_of
from surgqa.transforms.scoring.parse import read_option
from surgqa.transforms.scoring.sapbench.ranked import FORMS, LONGEST, in_prose, named
from surgqa.transforms.scoring.text import answer_parts, tidy

BETWEEN = ", then "
"""Separator between the actions in the text of an option."""

_HEADING = re.compile(r"^[# \d.():-]*+(?:the |my )?plan\s*(?::|-|$)", re.IGNORECASE | re.MULTILINE)
_ALONE = re.compile(r"^[\s>#•(\[-]*+([A-Z])[ .):\]]*$", re.MULTILINE)
"""Pattern for a letter that is alone on its line."""

Plan = tuple[str, ...]
"""The ids of actions, in order."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One item.

    Attributes:
        video: ``dataset/video_id``; bootstrap draws are of whole videos.
        plan: the correct plan.
        options: letter and text of each option.
        plans: the plan of each option, in the same order.
    """

    item_id: str
    dataset: str
    video: str
    plan: Plan
    options: tuple[tuple[str, str], ...]
    plans: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class PlanMark:
    """The scores of a response, each 1 or 0; for ways of guessing, the expected scores.

    Attributes:
        exact: whether the whole plan is correct.
        places: for each place, whether its action is correct.
    """

    video: str
    exact: Fraction
    places: tuple[Fraction, ...]


def is_plan(row: Mapping[str, Any]) -> bool:
    """Return whether a row of the benchmark asks for a plan, and not for a ranking."""
    types = [one["type"] for one in (arguments_of(row).get("answer") or {}).values()]
    return types == ["sequence"] and bool(row["options"])


def plan_of(row: Mapping[str, Any]) -> PlanItem:
    """Return the item of a row of ``data/``.

    Raises:
        OutputBroken: the answer or an option is not a plan, or they contradict each other.
    """
    options = options_of(row)
    plans: tuple[Any, ...] = tuple(tuple(map(action_named, text.split(BETWEEN)))
                                   for _, text in options)  # fmt: skip
    said = next(iter(json_of(row, "answer_value").values()), None)
    right = tuple(said) if isinstance(said, list) else ()
    if not right or any(one not in action_ids() for one in right):
        raise broken(row, "has no plan", "answer_value with a plan", said)
    texts = [text for (_, text), plan in zip(options, plans, strict=True)
             if len(plan) != len(right) or None in plan]  # fmt: skip
    if texts:
        raise broken(row, "has an option that is not a plan", f"{len(right)} actions", texts[0])
    keys = [key for (key, _), plan in zip(options, plans, strict=True) if plan == right]
    if keys != [row["answer_key"]]:
        raise broken(row, "has another answer than its right option", row["answer_key"], keys)
    return PlanItem(row["item_id"], row["dataset"], video_of(row), right, options, plans)


def read_plan(response: str, item: PlanItem) -> Plan | None:
    """Return the plan that a response chooses or lists, None if there is none.

    If it has the heading "Plan", the text below is read before the rest.
    """
    by_key = dict(zip((key for key, _ in item.options), item.plans, strict=True))
    for whole in answer_parts(tidy(response[-LONGEST:])):
        for part in _asked(whole):
            alone = [key for key in _ALONE.findall(part) if key in by_key]
            key = alone[0] if alone else read_option(part, item.options)
            listed = by_key[key] if key else _listed(part, len(item.plan))
            if listed:
                return listed
    return None


def mark_plan(item: PlanItem, said: Sequence[str] | None) -> PlanMark:
    """Return the scores of a plan; None, for no plan, scores 0."""
    said = said or ()
    places = tuple(
        Fraction(k < len(said) and said[k] == action) for k, action in enumerate(item.plan)
    )
    return PlanMark(item.video, Fraction(all(places)), places)


def any_option(items: Sequence[PlanItem]) -> list[PlanMark]:
    """Return the expected scores of choosing an option at random, for each item."""
    out = []
    for item in items:
        marks = [mark_plan(item, plan) for plan in item.plans]
        n = len(marks)
        exact = sum((one.exact for one in marks), Fraction(0)) / n
        places = zip(*(one.places for one in marks), strict=True)
        out.append(PlanMark(item.video, exact, tuple(sum(one, Fraction(0)) / n for one in places)))
    return out


def commonest(items: Sequence[PlanItem]) -> list[PlanMark]:
    """Return the scores of giving the most frequent plan of the other videos, for each item.

    If there is only one video, its own most frequent plan is used.
    """
    total, own = Counter[Plan](), dict[str, Counter[Plan]]()
    for item in items:
        total[item.plan] += 1
        own.setdefault(item.video, Counter())[item.plan] += 1
    best = {video: _most(total if len(own) == 1 else total - mine) for video, mine in own.items()}
    return [mark_plan(item, best[item.video]) for item in items]


FLOORS: Mapping[str, Callable[[Sequence[PlanItem]], list[PlanMark]]] = {
    "any option": any_option,
    "commonest plan": commonest,
}
"""Name of a floor (answers that ignore the frames) -> function that returns its marks."""


def _asked(text: str) -> list[str]:
    headings = list(_HEADING.finditer(text))
    rest = text[headings[-1].end() :].strip() if headings else ""
    return [rest, text] if rest else [text]


def _most(counts: Counter[Plan]) -> Plan:
    """Return the most frequent plan (ties: the first in the order of actions)."""
    order = action_ids()
    return min(counts, key=lambda plan: (-counts[plan], [order.index(one) for one in plan]))


def _listed(part: str, horizon: int) -> Plan | None:
    """Return ``horizon`` actions from the last list in a text, or from prose with just these."""
    for form, lists in FORMS.items():
        if form == "letters":  # here, a letter is the key of an option and not of an action
            continue
        for entries in reversed(lists(part)):
            actions = [action for entry in entries[:horizon] if (action := named(entry))]
            if len(actions) == horizon:
                return tuple(actions)
    actions = in_prose(part)
    return tuple(actions) if len(actions) == horizon else None

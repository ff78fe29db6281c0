"""Plans: the next few actions in order, right as a whole and at each place.

A plan is asked for as a choice.  A reply that lists the actions instead of choosing is read
as well, so both ways of asking are scored alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ontology.errors import OutputBroken
from ontology.next_actions import action_ids, action_named
from transforms.scoring.case import arguments_of, json_of
from transforms.scoring.parse import read_option
from transforms.scoring.predictions import PredictionKey
from transforms.scoring.sapbench.heads import in_prose, named
from transforms.scoring.sapbench.ranked import FORMS, LONGEST
from transforms.scoring.text import answer_parts, tidy

COLUMNS = ("item_id", "dataset", "video_id", "options", "answer_key", "answer_value", "rule_args")
"""What is read of a row."""
BETWEEN = ", then "
"""Stands between the actions of an option."""

_HEADING = re.compile(r"^[# \d.():-]*+(?:the |my )?plan\s*(?::|-|$)", re.IGNORECASE | re.MULTILINE)
_ALONE = re.compile(r"^[\s>#•(\[-]*+([A-Z])[ .):\]]*$", re.MULTILINE)
"""A letter on a line of its own."""

Plan = tuple[str, ...]
"""Actions in order."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One item.

    Attributes:
        video: ``dataset/video_id``, the cluster of the intervals.
        plan: the right answer.
        options: key and text of each option.
        plans: the options' plans, in the options' order.
    """

    item_id: str
    dataset: str
    video: str
    plan: Plan
    options: tuple[tuple[str, str], ...]
    plans: tuple[Plan, ...]

    @property
    def key(self) -> PredictionKey:
        """What a prediction of it is kept under."""
        return self.item_id, None


@dataclass(frozen=True, slots=True)
class PlanMark:
    """What a reply gets: 1 or 0, of floors what chance gets.

    Attributes:
        exact: the whole plan is right.
        places: of each place, whether its action is right.
    """

    video: str
    exact: Fraction
    places: tuple[Fraction, ...]


def is_plan(row: Mapping[str, Any]) -> bool:
    """Whether a row of the benchmark asks for a plan."""
    types = [one["type"] for one in (arguments_of(row).get("answer") or {}).values()]
    return types == ["sequence"] and bool(row["options"])


def plan_of(row: Mapping[str, Any]) -> PlanItem:
    """The item of a row of ``data/``; of a row only :data:`COLUMNS` are read.

    Raises:
        OutputBroken: its answer or an option is no plan, or they contradict each other.
    """
    options = tuple((option["key"], option["text"]) for option in row["options"] or ())
    plans = tuple(_told(text) for _, text in options)
    said = next(iter(json_of(row, "answer_value").values()), None)
    right = tuple(said) if isinstance(said, list) else ()
    if not right or any(one not in action_ids() for one in right):
        raise _broken(row, "has no plan", "answer_value with a plan", said)
    texts = [text for (_, text), plan in zip(options, plans, strict=True)
             if len(plan) != len(right) or None in plan]  # fmt: skip
    if texts:
        raise _broken(row, "has an option that is no plan", f"{len(right)} actions", texts[0])
    keys = [key for (key, _), plan in zip(options, plans, strict=True) if plan == right]
    if keys != [row["answer_key"]]:
        raise _broken(row, "has another answer than its right option", row["answer_key"], keys)
    return PlanItem(
        item_id=row["item_id"],
        dataset=row["dataset"],
        video=f"{row['dataset']}/{row['video_id']}",
        plan=right,
        options=options,
        plans=plans,
    )


def read_plan(response: str, item: PlanItem) -> Plan | None:
    """The plan of a reply: of the option that it chooses, else the first actions it lists.

    What stands under the heading "Plan" goes before the rest of the reply.
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
    """The mark of a plan, all 0 for none."""
    said = said or ()
    places = tuple(
        Fraction(k < len(said) and said[k] == action) for k, action in enumerate(item.plan)
    )
    return PlanMark(item.video, Fraction(all(places)), places)


def any_option(items: Sequence[PlanItem]) -> list[PlanMark]:
    """What a choice gets on average that looks at nothing."""
    out = []
    for item in items:
        marks = [mark_plan(item, plan) for plan in item.plans]
        n = len(marks)
        exact = sum((one.exact for one in marks), Fraction(0)) / n
        places = zip(*(one.places for one in marks), strict=True)
        out.append(PlanMark(item.video, exact, tuple(sum(one, Fraction(0)) / n for one in places)))
    return out


def commonest(items: Sequence[PlanItem]) -> list[PlanMark]:
    """The commonest plan of the other videos, of a single video of that one."""
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
"""What answers get that look at no picture, by the name under which they are shown."""


def _asked(text: str) -> list[str]:
    headings = list(_HEADING.finditer(text))
    rest = text[headings[-1].end() :].strip() if headings else ""
    return [rest, text] if rest else [text]


def _most(counts: Counter[Plan]) -> Plan:
    """The commonest, of several the first in the actions' fixed order."""
    order = action_ids()
    return min(counts, key=lambda plan: (-counts[plan], [order.index(one) for one in plan]))


def _told(text: str) -> Plan:
    """The plan of an option; None stands for what is no action."""
    return tuple(action_named(part) for part in text.split(BETWEEN))  # type: ignore[misc]


def _listed(part: str, horizon: int) -> Plan | None:
    """The last list that names so many actions first; else prose that names just so many."""
    for form, lists in FORMS.items():
        if form == "letters":  # these are options, not actions
            continue
        for entries in reversed(lists(part)):
            actions = [action for entry in entries[:horizon] if (action := named(entry))]
            if len(actions) == horizon:
                return tuple(actions)
    actions = in_prose(part)
    return tuple(actions) if len(actions) == horizon else None


def _broken(row: Mapping[str, Any], problem: str, expected: str, found: object) -> OutputBroken:
    return OutputBroken(
        f"item {row['item_id']} {problem}",
        expected=expected,
        found=str(found),
        where=str(row.get("template_id")),
        fix="build the dataset again, or see 'surgqa check'",
    )

"""What can be told of the items of a template without looking: the best rule, and which it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from transforms.blind.around import around_clues
from transforms.blind.clues import Clue, useful
from transforms.blind.items import Ask, Items, items_of
from transforms.blind.learn import Cells, Picked, Trial, Weights, chosen, in_cells, tried
from transforms.blind.shape import shape_clues
from transforms.blind.shares import lower_bound, share_interval

MARGIN = 0.02
"""What a rule may get beyond chance before it counts."""
ENOUGH = 40
"""Items below which nothing is asserted."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAJORITY, OPTION = "majority", "option"
OPTIONS_TOGETHER, ALL_TOGETHER = "all of the options together", "everything together"

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Guess:
    """What guessing gets of one template, stage and setting; shares in [0, 1].

    Attributes:
        items: questions; rounds of a stream count one by one.
        surgeries: that they come from.
        chance: what a draw among the options gets; None where none are offered.
        majority: what the most frequent right answer of the other surgeries gets.
        best, rule, interval: what the best rule gets where it is chosen without the surgery that is
            guessed, which rule that is most often, and 95 % clustered by surgery.
        structural, structural_rule, structural_interval: the same of the rules that look at the
            options alone; None where no such rule can be, as all items offer the same options.
        sure: structural rules get more than :data:`MARGIN` beyond chance, whatever surgeries were
            drawn (the lower end of 95 %).
        rules: what each rule gets, best first.
        marks: item id -> rules that get it; of those that get more than chance.
        answers: (item id, round or None) -> what the best rule says, as a model would.
    """

    items: int
    surgeries: int
    chance: float | None
    majority: float | None
    best: float | None
    rule: str
    interval: Interval
    structural: float | None
    structural_rule: str
    structural_interval: Interval
    sure: bool
    rules: tuple[tuple[str, float], ...]
    marks: dict[str, tuple[str, ...]]
    answers: dict[tuple[str, int | None], str]

    @property
    def excess(self) -> float | None:
        """What structural rules get beyond chance."""
        if self.structural is None or self.chance is None:
            return None
        return self.structural - self.chance


def guess(asks: Sequence[Ask], ranked: bool = False) -> Guess:
    """Guess all questions of one template, stage and setting, those of a surgery from the others.

    Args:
        asks: at least one.
        ranked: options stand in an order of their own.
    """
    ordered, cells = in_cells(asks)
    items = items_of(ordered, ranked)
    chance = float(items.chance.mean()) if items.closed else None
    if cells is None:
        return Guess(len(asks), items.groups, chance, None, None, "", None, None, "", None, False,
                     (), {}, {})  # fmt: skip
    trials = trials_of(items, cells)
    best, names = chosen(trials, cells)
    shape, shape_names = _structural(trials, items, cells)
    beyond = None if shape is None else lower_bound(shape - items.chance, items.group)
    majority = next(one for one in trials if one.name == MAJORITY).picked.credit
    return Guess(
        items=len(asks), surgeries=items.groups, chance=chance, majority=float(majority.mean()),
        best=float(best.credit.mean()), rule=_often(names),
        interval=share_interval(best.credit, items.group),
        structural=None if shape is None else float(shape.mean()),
        structural_rule=_often(shape_names),
        structural_interval=None if shape is None else share_interval(shape, items.group),
        sure=len(asks) >= ENOUGH and beyond is not None and beyond > MARGIN,
        rules=tuple(sorted(((t.name, float(t.picked.credit.mean())) for t in trials),
                           key=lambda one: (-one[1], one[0]))),
        marks=_marks(items, trials), answers=_answers(items, best),
    )  # fmt: skip


def _structural(
    trials: Sequence[Trial], items: Items, cells: Cells
) -> tuple[np.ndarray | None, list[str]]:
    """What the best rule that looks at the options alone gets, if there is one."""
    shape = [one for one in trials if one.structural]
    if not shape or not items.closed:
        return None, []
    found, names = chosen(shape, cells)
    return found.credit, names


def trials_of(items: Items, cells: Cells) -> list[Trial]:
    """Every rule tried: each clue alone, those of the options together, and all together."""
    found = [(one, Weights(one, items, cells)) for one in clues_of(items)]
    out = [tried(one.name, one.structural, [weights]) for one, weights in found]
    shape = [weights for one, weights in found if one.structural]
    if len(shape) > 1:
        out.append(tried(OPTIONS_TOGETHER, True, shape))
    if len(found) > 1:
        out.append(tried(ALL_TOGETHER, False, [weights for _, weights in found]))
    option = next(weights for one, weights in found if one.name == OPTION)
    majority = tried(MAJORITY, False, [option], often=True)
    # Where all items offer the same, what is right most often where it is offered is the majority.
    return [*(one for one in out if not (items.fixed and one.name == OPTION)), majority]


def clues_of(items: Items) -> Iterator[Clue]:
    """Clues by which options differ; of options that are the same in all items their texts."""
    for one in (*shape_clues(items), *around_clues(items)):
        if one.name == OPTION or useful(one, items):
            yield one


def _marks(items: Items, trials: Sequence[Trial]) -> dict[str, tuple[str, ...]]:
    """Of each item the rules that get it, of those that are better than chance."""
    good = []
    for one in trials:
        beyond = lower_bound(one.picked.credit - items.chance, items.group)
        if beyond is not None and beyond > MARGIN:
            good.append(one)
    out: dict[str, list[str]] = {}
    for one in good:
        for k in np.flatnonzero(one.picked.sure):
            out.setdefault(items.asks[k].item_id, []).append(one.name)
    return {key: tuple(dict.fromkeys(names)) for key, names in sorted(out.items())}


def _answers(items: Items, best: Picked) -> dict[tuple[str, int | None], str]:
    """What the best rule says: a letter with its text, or the text where nothing is offered."""
    starts = np.cumsum(items.count) - items.count
    texts = items.text[starts + best.pick]
    out: dict[tuple[str, int | None], str] = {}
    for ask, text, place in zip(items.asks, texts, best.pick, strict=True):
        said = items.texts[text]
        index = int(ask.place.partition("/")[0]) if ask.place else None
        out[ask.item_id, index] = f"{LETTERS[place]}) {said}" if ask.options else said
    return out


def _often(names: Sequence[str]) -> str:
    """The name that stands most often, of equals the first."""
    return Counter(names).most_common(1)[0][0] if names else ""

"""Measure how many items of a template can be answered without the video, and by which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.garbage import no_collection
from surgqa.transforms.blind.context import context_features
from surgqa.transforms.blind.features import Feature, useful
from surgqa.transforms.blind.items import Ask, Items, items_of
from surgqa.transforms.blind.learn import (
    Cells,
    FeatureWeights,
    Picked,
    Trial,
    chosen,
    cross_validated,
    in_cells,
)
from surgqa.transforms.blind.options import option_features
from surgqa.transforms.blind.shares import lower_bound, share_interval

MARGIN = 0.02
"""Accuracy above chance that is tolerated without a warning, as a share."""
ENOUGH = 40
"""Smallest number of items for which a finding is reported."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAJORITY, OPTION = "majority", "option text"
OPTIONS_TOGETHER, ALL_TOGETHER = "all structural rules", "all rules"
OFTEN = "{}, as often as it is right"
"""Name of the rule {} about options if each item has weight 1, so it learns frequent answers."""

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Guess:
    """How well the questions of one template, stage and setting can be guessed; shares in [0, 1].

    Attributes:
        items: number of questions; each round of a stream is a question.
        surgeries: number of surgeries from which the questions come.
        chance: accuracy of a random choice; None for open questions.
        majority: accuracy of giving the answer that is most often correct in other surgeries.
        best: accuracy of the best rule, which is selected and learned on other surgeries.
        rule: name of the rule that is selected most often.
        interval: 95 % confidence interval of ``best``, clustered by surgery.
        structural, structural_rule, structural_interval: the same for the best structural rule
            (``docs/blind.md``). Accuracy is computed twice, with equal weights for the answers of
            each video and with equal weights for items; the lower one is reported. None if all
            items have the same options, because then there are no structural rules.
        excess: ``structural`` minus chance, with the same weights.
        sure: True if there are at least :data:`ENOUGH` items and the lower 95 % bound of ``excess``
            is more than :data:`MARGIN`.
        rules: accuracy of each rule, best first.
        marks: for each item id, the names of the rules that answer it. Only rules whose lower 95 %
            bound (corrected for the number of rules) is more than :data:`MARGIN` above chance are
            considered. Empty if not ``judged``.
        answers: (item id, round or None) -> answer of the best rule, in the form of a prediction.
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
    excess: float | None
    sure: bool
    rules: tuple[tuple[str, float], ...]
    marks: dict[str, tuple[str, ...]]
    answers: dict[tuple[str, int | None], str]

    @property
    def judged(self) -> bool:
        """Whether there are enough items and surgeries to mark items and to report a finding."""
        return self.best is not None and self.items >= ENOUGH


@no_collection()
def guess(asks: Sequence[Ask], ranked: bool = False) -> Guess:
    """Guess the questions about each surgery with rules learned from all other surgeries.

    Args:
        asks: the questions, at least one.
        ranked: True if the options have a fixed order.
    """
    ordered, cells = in_cells(asks)
    items = items_of(ordered, ranked)
    chance = float(items.chance.mean()) if items.closed else None
    if cells is None:
        return Guess(len(asks), items.groups, chance, None, None, "", None, None, "", None, None,
                     False, (), {}, {})  # fmt: skip
    trials = trials_of(items, cells)
    best, names = chosen(_plain(trials), cells)
    shape = _structural(trials, items, cells)
    majority = next(one for one in trials if one.name == MAJORITY).picked.credit
    return Guess(
        items=len(asks), surgeries=items.groups, chance=chance, majority=float(majority.mean()),
        best=float(best.credit.mean()), rule=_often(names),
        interval=share_interval(best.credit, items.group),
        structural=None if shape is None else float(np.average(shape.credit, weights=shape.weight)),
        structural_rule=_often(shape.names) if shape else "",
        structural_interval=share_interval(shape.credit, items.group, shape.weight)
        if shape else None,
        excess=shape.excess if shape else None,
        sure=len(asks) >= ENOUGH and shape is not None and (shape.beyond or 0.0) > MARGIN,
        rules=tuple(sorted(((t.name, float(t.picked.credit.mean())) for t in trials),
                           key=lambda one: (-one[1], one[0]))),
        marks=_marks(items, trials), answers=_answers(items, best),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Shape:
    """The best structural rule's credit and weight for each item (n), and its name in each fold."""

    credit: np.ndarray
    weight: np.ndarray
    excess: float
    beyond: float | None
    names: Sequence[str]


def _structural(trials: Sequence[Trial], items: Items, cells: Cells) -> _Shape | None:
    """Return the result of the best structural rule; None if there is no such rule.

    Accuracy above chance is computed twice, and the lower result is returned. Equal weights for
    answers remove the effect of answers that are naturally frequent. Equal weights for items remove
    the effect of frequencies that blocks produce (``docs/blind.md``). If the distractors are badly
    made, both values are above chance.
    """
    fair = [one for one in trials if one.structural]
    if not fair or not items.closed:
        return None
    found, names = chosen(fair, cells)
    often, _ = chosen(_plain(trials, True), cells)
    both = []
    for credit, weight in ((found.credit, items.weight), (often.credit, np.ones(len(items.asks)))):
        over = credit - items.chance
        both.append(_Shape(credit, weight, float(np.average(over, weights=weight)),
                           lower_bound(over, items.group, 1, weight), names))  # fmt: skip
    return min(both, key=lambda one: one.excess)


def _plain(trials: Sequence[Trial], structural: bool = False) -> list[Trial]:
    """Return the results of the rules (or structural rules) in which every item has weight 1."""
    often = {OFTEN.format(one.name): one.name for one in trials if one.structural}
    again = {often[one.name] for one in trials if one.name in often}
    return [one for one in trials if one.name not in again
            and (one.structural or one.name in often or not structural)]  # fmt: skip


def trials_of(items: Items, cells: Cells) -> list[Trial]:
    """Cross-validate rules: each feature alone, all structural features, and all features together.

    Structural rules are learned with equal weights for the answers of each video. If these weights
    are not all 1, each structural feature also makes a second rule that gives every item weight 1.
    """
    found = [(one, FeatureWeights(one, items, cells)) for one in features_of(items)]
    shape = [
        (one, FeatureWeights(one, items, cells, fair=True)) for one, _ in found if one.structural
    ]
    out = [cross_validated(one.name, True, [weights]) for one, weights in shape]
    uneven = bool(np.ptp(items.weight))
    out += [cross_validated(OFTEN.format(one.name) if one.structural else one.name, False,
                            [weights])
            for one, weights in found if uneven or not one.structural]  # fmt: skip
    if len(shape) > 1:
        out.append(cross_validated(OPTIONS_TOGETHER, True, [weights for _, weights in shape]))
    if len(shape) > 1 and uneven:
        plain = [weights for one, weights in found if one.structural]
        out.append(cross_validated(OFTEN.format(OPTIONS_TOGETHER), False, plain))
    if len(found) > 1:
        out.append(cross_validated(ALL_TOGETHER, False, [weights for _, weights in found]))
    option = next(weights for one, weights in found if one.name == OPTION)
    majority = cross_validated(MAJORITY, False, [option], often=True)
    # If all items have the same options, the option text most often correct is the majority.
    return [*(one for one in out if not (items.fixed and one.name == OPTION)), majority]


def features_of(items: Items) -> Iterator[Feature]:
    """Yield the features that distinguish options of an item, and always "option text"."""
    for one in (*option_features(items), *context_features(items)):
        if one.name == OPTION or useful(one, items):
            yield one


def _marks(items: Items, trials: Sequence[Trial]) -> dict[str, tuple[str, ...]]:
    """Return for each item id the rules that answer it, among those better than chance."""
    if len(items.asks) < ENOUGH:
        return {}
    good = []
    for one in trials:
        beyond = lower_bound(one.picked.credit - items.chance, items.group, len(trials))
        if beyond is not None and beyond > MARGIN:
            good.append(one)
    out: dict[str, list[str]] = {}
    for one in good:
        for k in np.flatnonzero(one.picked.sure):
            out.setdefault(items.asks[k].item_id, []).append(one.name)
    return {key: tuple(dict.fromkeys(names)) for key, names in sorted(out.items())}


def _answers(items: Items, best: Picked) -> dict[tuple[str, int | None], str]:
    """Return the best rule's answer to each question, by item id and round.

    An answer is the letter and the text of an option; for an open question, the text alone.
    """
    starts = np.cumsum(items.count) - items.count
    texts = items.text[starts + best.pick]
    out: dict[tuple[str, int | None], str] = {}
    for ask, text, place in zip(items.asks, texts, best.pick, strict=True):
        said = items.texts[text]
        out[_key(ask)] = f"{LETTERS[place]}) {said}" if ask.options else said
    return out


def _key(ask: Ask) -> tuple[str, int | None]:
    """Return the item id and the round (None without rounds), which identify a prediction."""
    return ask.item_id, int(ask.place.partition("/")[0]) if ask.place else None


def _often(names: Sequence[str]) -> str:
    """Return the most frequent name; of equally frequent names, the first."""
    return Counter(names).most_common(1)[0][0] if names else ""

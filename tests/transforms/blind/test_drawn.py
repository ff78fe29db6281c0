"""Drawn questions have the features of this version, and are guessed as in this version."""

from __future__ import annotations

from dataclasses import fields, replace

from surgqa.ontology.keys import digest
from surgqa.transforms.blind.context import context_features
from surgqa.transforms.blind.guess import guess
from surgqa.transforms.blind.items import Ask, items_of
from surgqa.transforms.blind.options import option_features
from tests.transforms.blind.worlds import (
    NAMES,
    PLAIN,
    SHORTCUTS,
    Draws,
    said_before,
    shuffled,
    world,
)

TIMES = ("{}.00 s", "{}.50 s to {}.50 s", "{}", "Window [{}.25 s - {}.00 s]", "{} of 12", "none")


def timed(draws: Draws, k: int) -> Ask:
    """Options that are times, intervals, numbers and names, under a question that names others."""

    def some(count: int) -> list[str]:
        form = TIMES[draws.below(len(TIMES))]
        return [form.format(*sorted(draws.some(range(1, 12), 2))) for _ in range(count)]

    offered = list(dict.fromkeys([*some(3), *draws.some(NAMES, 2)]))[: 2 + draws.below(3)]
    told = " and ".join([*some(1 + draws.below(2)), *draws.some(NAMES, draws.below(2))])
    one = shuffled(draws, offered[0], offered[1:], f"What was seen at {told}?")
    start = draws.below(4) * 500_000
    return replace(
        one, shown=told if draws.below(3) else "", before=some(1)[0] if draws.below(2) else "",
        place=f"{1 + draws.below(3)}/3" if draws.below(2) else "", procedure=NAMES[draws.below(2)],
        block=f"b{k // 3}" * draws.below(2),
        window=(start, start + 12_000_000) if draws.below(3) else None,
    )  # fmt: skip


def test_drawn_questions_have_the_features_of_this_version():
    told = []
    for key in range(12):
        items = items_of(said_before(world(timed, key, items=60, surgeries=6)))
        told += [
            (one.name, one.structural, one.codes, one.row.tolist(), one.code.tolist())
            for one in (*option_features(items), *context_features(items))
        ]
    assert digest(str(told))[:12] == "a48d645025ca", "say so in CHANGELOG"


def test_drawn_questions_are_guessed_as_in_this_version():
    told = []
    for maker in (timed, *list(PLAIN)[:1], *list(SHORTCUTS)[:3]):
        found = guess(said_before(world(maker, items=60, surgeries=5)))
        told += [str(getattr(found, one.name)) for one in fields(found)]
    assert digest(*told)[:12] == "59013a476ee5", "say so in CHANGELOG"

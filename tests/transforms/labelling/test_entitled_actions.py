"""What is asked of actions that were told and seen is true, however much the detector misses.

Boxes of simulated detectors come late, flicker, drop and lie beside; a quarter of what is done
nobody tells.  Each detector is measured on operations that were reviewed, and of other operations
all is asked that may be.
"""

from __future__ import annotations

from collections import Counter
from unittest import mock

import numpy as np
import pytest

from surgqa.ontology.fitness import CONTACT, ClassFitness, Fitness
from surgqa.transforms.labelling.fitness import fitness_of
from surgqa.transforms.questions import ask as asking
from tests.transforms.labelling.simulated import EVERY, MOST_FALSE
from tests.transforms.labelling.worked import (
    KNOWN,
    TOOLS,
    deeds,
    detected,
    evidence,
    film,
    linked,
    operation,
    relation,
    true_boxes,
)
from tests.transforms.questions.item_worlds import asked, contradictions
from tests.transforms.questions.shipped import cut, programs
from tests.true_deeds import untrue, world

REVIEWED, LENGTH, ASKED = 24, 900, 180
"""Operations that are reviewed at each instant, their seconds, and seconds of one asked about."""
SURE = Fitness("", {**dict.fromkeys(TOOLS, ClassFitness(0, True)), CONTACT: ClassFitness(0, True)},
               True, 60_000_000)  # fmt: skip


def measured(recall: float, seed: int) -> Fitness:
    """Fitness of a simulated detector, from operations that were reviewed."""
    rng = np.random.default_rng([seed, round(recall * 1000)])
    films = []
    for k in range(REVIEWED):
        things = true_boxes(operation(rng, LENGTH), LENGTH)
        films.append(film(f"f{k}", linked(detected(rng, things, recall), LENGTH), things, LENGTH))
    return fitness_of(films, KNOWN, "simulated").fitness


def held(recall: float, fitness: Fitness, many: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Items by template of what is asked of other operations, with what of it is false."""
    rng = np.random.default_rng([seed, round(recall * 1000), 7])
    items: Counter[str] = Counter()
    false: list[str] = []
    for _ in range(many):
        works = operation(rng, ASKED)
        boxes = linked(detected(rng, true_boxes(works, ASKED), recall), ASKED)
        known = relation(evidence(works, boxes, ASKED, fitness))
        done = deeds(works)
        false += [f"a fact of no deed: {known.codes.name(known.facts.label[k])}"
                  for k in untrue(known, done) if known.codes.name(known.facts.kind[k])
                  == "interaction"]  # fmt: skip
        true = world(known, done)
        with mock.patch.object(asking, "reasons", lambda *_: {}):
            found = [one for program in programs() if "interaction" in program.kinds
                     for one in asked(program, known, cut(known))[0]]  # fmt: skip
        items.update(one.program.id for one in found)
        against = ((one.program.id, next(contradictions(one, true), None)) for one in found)
        false += [f"{name}: {why}" for name, why in against if why is not None]
    return items, false


def test_of_a_detector_that_misses_nothing_chains_are_asked_and_true():
    items, false = held(1.0, SURE, 2, 1)
    assert false == []
    assert any(name.startswith("surgcot.") for name in items)


@pytest.mark.parametrize("recall", [0.6, 0.9])
def test_what_was_told_and_seen_is_true_of_a_detector_that_nobody_measured(recall: float):
    items, false = held(recall, Fitness(), 2, 2)
    assert false == []
    assert not any(name.startswith("surgcot.") for name in items)


def test_a_detector_that_is_believed_without_measure_gives_false_questions():
    """So what holds the questions above can tell."""
    _, false = held(0.6, SURE, 3, 3)
    assert false


@pytest.mark.nightly
@pytest.mark.parametrize("recall", EVERY)
def test_at_every_recall_at_most_one_item_of_two_hundred_is_false(recall: float):
    total, false = held(recall, measured(recall, 1), 20, 1)
    assert len(false) <= MOST_FALSE * total.total(), false[:5]
    assert total.total() > (20 if recall > 0.9 else 0)

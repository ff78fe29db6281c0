"""Random templates over the table of operators: certain in all worlds, and the same in SQL."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

import pytest

from surgqa.pipeline.preview.contract import calls
from surgqa.transforms.algebra.signature import signatures
from surgqa.transforms.language.program import Program
from tests.transforms.algebra.sql import asked as proved
from tests.transforms.algebra.sql.tables import connection
from tests.transforms.questions import every_kind
from tests.transforms.questions.item_worlds import Tally, asked, hold_items
from tests.transforms.questions.random_programs import program
from tests.transforms.questions.shipped import cut

LONG = bool(os.environ.get("SURGQA_LONG"))
BATCHES, SIZE, WORLDS, MOST = (range(250), 20, 20, 4) if LONG else (range(2), 12, 8, 3)


@dataclass
class Tried:
    """What a batch of random templates gave."""

    programs: list[Program] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    proof: proved.Held = field(default_factory=proved.Held)
    declined: int = 0
    unexplained: list[str] = field(default_factory=list)


def tried(batch: int, size: int, worlds: int, most: int) -> Tried:
    """Random templates, all asked of one drawn recording."""
    rng, out = random.Random(batch), Tried()
    out.programs = [program(rng, f"p{batch}_{k}") for k in range(size)]
    relation = every_kind.relation(rng, 1, every_kind.labels_named(out.programs))
    units, db = cut(relation), connection(relation)
    chosen = []
    for one in out.programs:
        found, rows = asked(one, relation, units)
        out.tally.items[one.id] += len(found)
        chosen += rng.sample(found, min(most, len(found)))
        out.declined += len(rows.declined)
        out.unexplained += [str(no) for no in rows.declined if not no.reason or not no.where]
        proved.hold(db, one, relation.recordings[0].key, rows.items, out.proof)
    db.close()
    out.tally.add(hold_items(rng, relation, chosen, worlds))
    return out


@pytest.mark.parametrize("batch", BATCHES)
def test_random_templates_hold_in_every_world_and_in_sql(batch: int):
    found = tried(batch, SIZE, WORLDS, MOST)
    assert found.tally.bad == []
    assert found.proof.bad == []
    assert found.unexplained == []
    assert found.declined or found.tally.items


def test_every_operator_comes_up():
    made = [program(random.Random(seed), f"p{seed}") for seed in range(2000 if LONG else 200)]
    used = {node.op for one in made for node in calls(one)}
    never = set(signatures()) - used - {"halves"}  # which joins two stages
    assert len(never) <= (0 if LONG else 2)

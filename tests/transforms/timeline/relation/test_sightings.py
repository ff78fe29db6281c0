"""What a model saw as facts: no border and no absence but where that is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from surgqa.ontology.absence import Absence
from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.timeline.videos import S, Seen, box_at, table, video

LEFT, RIGHT = Seen("hook", box_at(0.2, 0.5), None, 0), Seen("hook", box_at(0.8, 0.5), None, 1)
LABELS = ("grasper", "hook")
FAR = 10**12


def relation(
    seconds: Mapping[int, Sequence[Seen]], gone: Collection[int] = (), alone: Collection[int] = ()
) -> Relation:
    """What was seen at whole seconds; the hook is absent, and all of it listed, at some."""
    made = table({t * S: seen for t, seen in seconds.items()})
    known = np.zeros((2, len(seconds), len(LABELS)), bool)
    for place, second in enumerate(seconds):
        known[0, place, 1], known[1, place, 1] = second in gone, second in alone
    made = replace(made, absence=Absence(LABELS, known[0], known[1]))
    evidence = VideoEvidence(video(S), made)
    return relation_of([(evidence, build_timeline(evidence))])


def hooks(known: Relation) -> list[tuple[float, float, float, float, int]]:
    """(s0, s1, e0, e1) in seconds and the group of each presence, in order."""
    facts = known.facts
    assert {known.codes.name(one) for one in facts.kind.tolist()} == {"instrument"}
    rows = zip(facts.s0, facts.s1, facts.e0, facts.e1, facts.grp, strict=True)
    return [(*(max(min(t.item(), FAR), -FAR) // 1000 / 1000 for t in times), int(grp))
            for *times, grp in rows]  # fmt: skip


def holes(known: Relation, label: str) -> list[tuple[float, float]]:
    """(from, to) in seconds of the holes of a class within the recording."""
    table_ = known.holes
    mine = np.flatnonzero(table_.label == known.codes.known(label)).tolist()
    assert all(table_.subject[i] == table_.label[i] for i in mine)
    return [(max(table_.u0[i].item() / S, -1), min(table_.u1[i].item() / S, 99)) for i in mine]


def test_a_presence_reaches_to_where_it_is_certainly_absent():
    known = relation({t: [LEFT] if t in (4, 5) else [] for t in range(10)}, gone=(0, 1, 8, 9))
    assert hooks(known) == [(1, 4, 5, 8, 0)]
    assert holes(known, "hook") == [(-1, 0), (1.000001, 8), (9.000001, 99)]
    assert holes(known, "grasper") == [(-1, 99)]


def test_a_class_without_absence_is_one_presence_without_ends():
    known = relation({t: [LEFT] if t in (2, 7) else [] for t in range(10)})
    (first, then) = hooks(known)
    assert first[-1] == then[-1]
    assert first[0] <= -1000 and then[3] >= 1000
    assert holes(known, "hook") == [(-1, 99)]


def test_sightings_on_two_sides_of_a_drop_may_be_one_and_of_absence_are_two():
    seconds = {t: [LEFT] if t in (2, 5, 8) else [] for t in range(10)}
    first, then, last = (one[-1] for one in hooks(relation(seconds, gone=(6, 7))))
    assert first == then != last


def test_another_instance_seen_says_nothing_of_the_first_unless_all_are_seen():
    seconds = {0: [], 1: [LEFT], 2: [LEFT], 3: [RIGHT], 4: [RIGHT], 5: []}
    assert [one[3] for one in hooks(relation(seconds, gone=(0, 5)))] == [5, 5]
    known = relation(seconds, gone=(0, 5), alone=(1, 2, 3, 4))
    assert [(one[0], one[3]) for one in hooks(known)] == [(0, 3), (2, 5)]
    assert holes(known, "hook") == [(-1, 0), (5.000001, 99)]


def test_two_that_are_seen_together_are_two_where_all_are_seen():
    seconds = {t: [LEFT, RIGHT] for t in range(3)}
    assert len({one[-1] for one in hooks(relation(seconds, alone=(0, 1, 2)))}) == 2

"""Instruments and acts as facts: presences, borders that two acts share, what is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.timeline.videos import (
    BOTH,
    DISSECT,
    IDLE,
    LIFT,
    RETRACT,
    S,
    Seen,
    box_at,
    timeline,
)

LEFT, RIGHT = box_at(0.2, 0.5), box_at(0.8, 0.5)


def relation(seconds: Mapping[int, Sequence[Seen]]) -> Relation:
    """The facts of one recording, labelled at whole seconds."""
    made = timeline({t * S: seen for t, seen in seconds.items()})
    return relation_of([(VideoEvidence(made.video, made.table), made)])


def facts(known: Relation, kind: str) -> list[dict]:
    """Facts of a kind, with ids for codes and seconds for the printed times."""
    found, codes = known.facts, known.codes
    out = []
    for i in np.flatnonzero(found.kind == codes.known(kind)).tolist():
        row = {n: codes.name(int(getattr(found, n)[i])) for n in ("subject", "verb", "target")}
        times = {n: getattr(found, n)[i].item() / S for n in ("s", "e")}
        marks = {n: getattr(found, n)[i].item() for n in ("s_mark", "e_mark", "grp", "track")}
        out.append({**row, **times, **marks})
    return out


def holes(known: Relation, kind: str) -> list[tuple[str, float, float]]:
    """(class, from, to) of holes of a kind that lie within the recording."""
    table, codes = known.holes, known.codes
    rows = np.flatnonzero(table.kind == codes.known(kind)).tolist()
    found = [(codes.name(int(table.subject[i])), table.u0[i].item() / S, table.u1[i].item() / S)
             for i in rows]  # fmt: skip
    return [one for one in found if one[1] > -1000 and one[2] < 1000]


def test_a_presence_is_one_instance_at_neighbouring_instants():
    seen = Seen("hook", LEFT, RETRACT)
    known = relation({0: [], 1: [seen], 2: [seen], 3: [], 4: [seen], 5: []})
    told = [(one["subject"], one["s"], one["e"]) for one in facts(known, "instrument")]
    assert told == [("hook", 0.5, 2.5), ("hook", 3.5, 4.5)]
    assert holes(known, "instrument") == []


def test_two_instances_are_two_facts():
    pair = [Seen("grasper", LEFT, RETRACT, 0), Seen("grasper", RIGHT, LIFT, 1)]
    known = relation({0: pair, 1: pair, 2: pair})
    found = facts(known, "instrument")
    assert len(found) == 2
    assert len({one["track"] for one in found}) == 2


def test_one_act_ends_where_the_next_of_the_same_instance_begins():
    known = relation({0: [Seen("hook", LEFT, RETRACT)], 1: [Seen("hook", LEFT, RETRACT)],
                      2: [Seen("hook", LEFT, DISSECT)]})  # fmt: skip
    first, then = facts(known, "interaction")
    assert (first["verb"], then["verb"]) == ("retract", "dissect")
    assert first["e_mark"] == then["s_mark"] != -1


def test_a_border_is_not_shared_where_more_than_one_act_changes():
    known = relation({0: [Seen("hook", LEFT, BOTH)], 1: [Seen("hook", LEFT, LIFT)]})
    assert {one["e_mark"] for one in facts(known, "interaction")} == {-1}


def test_a_border_is_not_shared_over_a_hole_in_which_something_else_may_be_done():
    known = relation({0: [Seen("hook", LEFT, RETRACT)], 1: [Seen("hook", LEFT, RETRACT)],
                      5: [Seen("hook", LEFT, DISSECT)]})  # fmt: skip
    first, then = facts(known, "interaction")
    assert (first["verb"], then["verb"]) == ("retract", "dissect")
    assert first["e_mark"] == then["s_mark"] == -1


def test_idleness_is_a_kind_of_its_own_without_a_target():
    known = relation({0: [Seen("hook", LEFT, IDLE)], 1: [Seen("hook", LEFT, RETRACT)]})
    (idle,) = facts(known, "idle")
    assert (idle["verb"], idle["target"]) == ("null_verb", "")
    assert [one["verb"] for one in facts(known, "interaction")] == ["retract"]


def test_acts_of_a_class_are_unknown_where_one_of_its_rows_has_none():
    seconds = {t: [Seen("hook", LEFT, None if t in (2, 3) else RETRACT),
                   Seen("grasper", RIGHT, RETRACT)] for t in range(6)}  # fmt: skip
    known = relation(seconds)
    assert holes(known, "interaction") == [("hook", 1.000001, 4.0)]
    told = [(one["subject"], one["grp"]) for one in facts(known, "interaction")]
    assert [subject for subject, _ in told].count("hook") == 2
    assert len({grp for subject, grp in told if subject == "hook"}) == 1  # they may be one


def test_boxes_are_samples_of_tracks():
    known = relation({0: [Seen("hook", LEFT, RETRACT)], 1: [Seen("hook", None, RETRACT)]})
    assert known.samples["t"].tolist() == [0]
    assert known.samples["box"].tolist() == [list(LEFT)]
    assert len(known.instants[0]) == 2

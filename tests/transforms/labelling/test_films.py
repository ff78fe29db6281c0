"""What a detector saw by itself, from the store."""

from __future__ import annotations

import pytest

from tests.transforms.labelling.conftest import SECOND, box
from transforms.labelling.measuring import Known, film_of, known_classes, runs_of
from transforms.labelling.view import FolderView


def test_what_was_seen_as_runs(store):
    rows = [box(2), box(3), box(4), box(4, x1=0.7, x2=0.9), box(6), box(9, "hook"),
            box(9, "liver", kind="tissue"), box(10, "liver", kind="tissue")]  # fmt: skip
    view = FolderView(store({"A": rows}, seconds=12))
    times = [s * SECOND for s in range(12)]
    assert runs_of(view.table("A", "boxes"), times) == {
        "grasper": [[2 * SECOND, 3 * SECOND, 1], [4 * SECOND, 4 * SECOND, 2],
                    [6 * SECOND, 6 * SECOND, 1]],
        "hook": [[9 * SECOND, 9 * SECOND, 1]],
        "contact": [[9 * SECOND, 9 * SECOND, 1]],
    }  # fmt: skip


def test_a_film_holds_what_was_seen_and_what_was_true(store):
    view = FolderView(store({"A": [box(2), box(5, "hook")], "B": []}, seconds=8))
    known = [Known("A", 2 * SECOND, 2, (box(2), box(2, "stapler"))), Known("B", 0, 0, ()),
             Known("A", 5 * SECOND, 5, ())]  # fmt: skip
    film = film_of(view, "A", known)
    assert film.reviewed.tolist() == [2, 5]
    assert {name: one.tolist() for name, one in film.true.items()} == {
        "grasper": [1, 0], "stapler": [1, 0],
    }  # fmt: skip
    assert {name: one.nonzero()[0].tolist() for name, one in film.seen.items()} == {
        "grasper": [2], "hook": [5],
    }  # fmt: skip


def test_what_people_corrected_is_not_what_the_detector_saw(store):
    """Boxes of a store that was observed after a review are people's where they reviewed."""
    alone = {"hook": [[3 * SECOND, 4 * SECOND, 1]]}
    view = FolderView(store({"A": [box(2, origin="manual")]}, seconds=8,
                            facts={"A": {"alone": alone}}))  # fmt: skip
    film = film_of(view, "A", [])
    assert film.seen.keys() == {"hook"}
    assert film.seen["hook"].nonzero()[0].tolist() == [3, 4]


def test_classes_of_a_detector():
    classes = {"0": {"kind": "instrument", "concept": "hook"},
               "1": {"kind": "tissue", "concept": "liver"}}  # fmt: skip
    told = {"extractors": {"detect": {"facts": {"classes": classes}}}}
    assert known_classes(told) == {"hook", "contact"}
    del classes["1"]
    assert known_classes(told) == {"hook"}


@pytest.mark.parametrize(("kinds", "contacts"), [(("instrument", "tissue"), 1),
                                               (("instrument",), None)])  # fmt: skip
def test_contacts_count_where_the_detector_knows_tissues(store, kinds, contacts):
    """People draw the liver under the hook; a detector of instruments alone says nothing of it."""
    names = {"instrument": "hook", "tissue": "liver"}
    classes = {kind: {"kind": kind, "concept": names[kind]} for kind in kinds}
    facts = {"A": {"extractors": {"detect": {"facts": {"classes": classes}}}}}
    view = FolderView(store({"A": [box(2, "hook")]}, seconds=4, facts=facts))
    rows = (box(2, "hook"), box(2, "liver", kind="tissue"))
    film = film_of(view, "A", [Known("A", 2 * SECOND, 2, rows)])
    assert (film.true["contact"].sum() if contacts else film.true.get("contact")) == contacts

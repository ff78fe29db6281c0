"""Figures on the part held out, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.observed import BOXES
from surgqa.transforms.evidence.base import FrameExtractor
from surgqa.transforms.labelling import measuring
from surgqa.transforms.labelling.measuring import (
    HeldOutFrame,
    film_of,
    known_classes,
    measured,
    runs_of,
    truth_digest,
)
from surgqa.transforms.labelling.view import StoreView
from tests.transforms.labelling.conftest import SECOND, box


class Told(FrameExtractor):
    """Gives the rows it was told, for the pictures it is shown."""

    name, version, kind = "told", 1, "boxes"

    def __init__(self, rows):
        self.rows, self.shown = rows, []

    @property
    def identity(self):
        return {}

    def look(self, batch):
        times = batch.times_us.tolist()
        self.shown.append(times)
        assert {one.shape for one in batch.pictures} == {(4, 4, 3)} and batch.trusted.all()
        mine = [dict.fromkeys(BOXES.names) | r for r in self.rows if r["time_us"] in times]
        return pa.Table.from_pylist(mine, BOXES)


class Blank:
    """Pictures without content."""

    def picture(self, video_id, time_us):
        return np.zeros((4, 4, 3), np.uint8)


def known(second, *rows, video="A"):
    return HeldOutFrame(video, second * SECOND, second, rows)


def shifted(row, by):
    return row | {"x1": row["x1"] + by, "x2": row["x2"] + by}


def test_all_found_is_one():
    frames = [known(1, box(1), box(1, "hook")), known(2, box(2)), known(3)]
    found = Told([box(1), box(1, "hook"), box(2)])
    result = measured(Blank(), frames, found)
    assert result["map50"] == result["map50_95"] == 1.0
    assert result["classes"]["grasper"] == {"known": 2, "found": 2, "ap50": 1.0, "ap50_95": 1.0}


def test_half_found_with_a_false_one_between():
    """Best first: right, wrong, and one of two never found: 51 of 101 recalls at precision 1."""
    frames = [known(1, box(1)), known(2, box(2))]
    found = Told([box(1, score=0.9), box(2, score=0.8, x1=0.7, y1=0.7, x2=0.9, y2=0.9)])
    result = measured(Blank(), frames, found)
    assert result["map50"] == pytest.approx(51 / 101, abs=1e-4)


def test_a_false_one_before_halves_the_precision():
    frames = [known(1, box(1)), known(2)]
    found = Told([box(1, score=0.5), box(2, score=0.9)])
    assert measured(Blank(), frames, found)["map50"] == 0.5


def test_overlap_decides_from_which_limit_on_a_box_counts():
    """A shift by a fifth of the width leaves an overlap of 4/6: right at 0.5 to 0.65 only."""
    frames = [known(1, box(1))]
    found = Told([shifted(box(1), 0.05)])
    result = measured(Blank(), frames, found)
    assert (result["map50"], result["map50_95"]) == (1.0, 0.4)


def test_a_wrong_label_is_missed_and_its_class_only_counts_where_it_is_known():
    frames = [known(1, box(1))]
    result = measured(Blank(), frames, Told([box(1, "hook")]))
    assert result["map50"] == 0.0
    assert result["classes"] == {"grasper": {"known": 1, "found": 0, "ap50": 0.0, "ap50_95": 0.0}}


def test_two_videos_with_the_same_times_are_told_apart():
    frames = [known(1, box(1)), known(1, video="B")]
    told = Told([box(1)])
    result = measured(Blank(), frames, told)
    assert told.shown == [[SECOND], [SECOND]]
    assert result["classes"]["grasper"]["found"] == 2


def test_batches_cut_at_their_size(monkeypatch):
    monkeypatch.setattr(measuring, "BATCH", 2)
    frames = [known(s, box(s)) for s in range(5)]
    told = Told([box(s) for s in range(5)])
    assert measured(Blank(), frames, told)["map50"] == 1.0
    assert [len(one) for one in told.shown] == [2, 2, 1]


def test_nothing_to_measure_on():
    with pytest.raises(UserError, match="no frames to measure on"):
        measured(Blank(), [known(1)], Told([]))
    with pytest.raises(UserError, match="no frames to measure on"):
        measured(Blank(), [], Told([]))


def test_the_truth_has_a_digest():
    frames = [known(1, box(1)), known(2)]
    assert truth_digest(frames) == truth_digest(list(frames))
    assert truth_digest(frames) != truth_digest(frames[:1])
    assert truth_digest(frames) != truth_digest([known(1, shifted(box(1), 0.001)), known(2)])


def test_what_was_seen_as_runs(store):
    rows = [box(2), box(3), box(4), box(4, x1=0.7, x2=0.9), box(6), box(9, "hook"),
            box(9, "liver", kind="tissue"), box(10, "liver", kind="tissue")]  # fmt: skip
    view = StoreView(store({"A": rows}, seconds=12))
    times = [s * SECOND for s in range(12)]
    assert runs_of(view.table("A", "boxes"), times) == {
        "grasper": [[2 * SECOND, 3 * SECOND, 1], [4 * SECOND, 4 * SECOND, 2],
                    [6 * SECOND, 6 * SECOND, 1]],
        "hook": [[9 * SECOND, 9 * SECOND, 1]],
        "contact": [[9 * SECOND, 9 * SECOND, 1]],
    }  # fmt: skip


def test_a_film_holds_what_was_seen_and_what_was_true(store):
    view = StoreView(store({"A": [box(2), box(5, "hook")], "B": []}, seconds=8))
    known = [HeldOutFrame("A", 2 * SECOND, 2, (box(2), box(2, "stapler"))), 
             HeldOutFrame("B", 0, 0, ()), HeldOutFrame("A", 5 * SECOND, 5, ())]  # fmt: skip
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
    view = StoreView(store({"A": [box(2, origin="manual")]}, seconds=8,
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
    view = StoreView(store({"A": [box(2, "hook")]}, seconds=4, facts=facts))
    rows = (box(2, "hook"), box(2, "liver", kind="tissue"))
    film = film_of(view, "A", [HeldOutFrame("A", 2 * SECOND, 2, rows)])
    assert (film.true["contact"].sum() if contacts else film.true.get("contact")) == contacts

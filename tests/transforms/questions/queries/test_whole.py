"""What is said of the whole: whole_label, whole_score, whole_number."""

from __future__ import annotations

import pytest

from ontology.keys import digest
from ontology.records import Clock, MediaKind

from .scenes import S, found, query, results, said, scene, spans, wrong

OSATS = "osats_global_rating"


def of(*labels, **more):
    more = {"seconds": 200, "dataset": "jigsaws", **more}
    return scene(labels=labels, **more)


def test_what_the_whole_shows():
    (one,) = found(of(said("experience", "novice")), "whole_label.experience")
    assert (one.window.start_us, one.window.end_us, one.query_us) == (0, 200 * S, 200 * S)
    assert one.window.window_id == digest("query", "jigsaws/v01", 0, 200 * S)
    assert one.value == {"kind": "experience", "label": "novice"}
    assert one.slots == {"about": {"kind": "experience"}}
    (pointer,) = one.pointers
    assert (pointer.kind, pointer.id) == ("labels", "experience-novice")
    assert one.right not in wrong(one)
    assert one.wrong


def test_two_labels_of_the_whole_are_not_asked_about():
    both = of(said("finding", "polyp"), said("finding", "ulcer"), dataset="hyper_kvasir")
    asked, reasons = results(both, query("whole_label.finding"))
    assert asked == []
    assert reasons == {"the whole has not exactly one label of the kind"}
    twice = of(said("finding", "polyp", rater="a"), said("finding", "polyp", rater="b"))
    assert len(found(twice, "whole_label.finding")) == 1


def test_a_label_that_is_said_not_to_be_there_is_none():
    two = (said("finding", "polyp", 0.0), said("finding", "ulcer", 1.0))
    (one,) = found(of(*two, dataset="hyper_kvasir"), "whole_label.finding")
    assert one.value["label"] == "ulcer"
    assert found(of(*two[:1], dataset="hyper_kvasir"), "whole_label.finding") == []


def test_a_still_is_asked_about_without_a_time():
    still = of(said("finding", "polyp"), dataset="hyper_kvasir", seconds=1, clock=Clock.WHOLE,
               media=MediaKind.IMAGE)  # fmt: skip
    (one,) = found(still, "image_label.finding")
    assert found(still, "whole_label.finding") == []
    assert found(of(said("finding", "polyp")), "image_label.finding") == []
    assert (one.window.start_us, one.window.end_us, one.query_us) == (0, 0, 0)


def test_a_recording_of_unknown_length_is_not_asked_about():
    unknown = of(said("finding", "polyp"), seconds=1, clock=Clock.WHOLE)
    asked, reasons = results(unknown, query("whole_label.finding"))
    assert asked == []
    assert len(reasons) == 1


def test_a_recording_known_as_a_whole_only_is_not_asked_about_at_a_time():
    whole = scene(*spans("phase", ("preparation", 0, 200)), seconds=200, clock=Clock.WHOLE)
    assert found(whole, "state_now.phase") == []
    assert results(whole, query("state_now.phase"))[1] == {
        "nothing but the whole recording is labelled"}  # fmt: skip


@pytest.mark.parametrize(("values", "word", "mean"), [((8,), "low", 8.0), ((28, 29), "high", 28.5)])
def test_the_word_for_a_score_of_the_whole(values, word, mean):
    labels = [said("rating", OSATS, value, f"r{k}") for k, value in enumerate(values)]
    (one,) = found(of(*labels), "whole_score")
    assert (one.right, one.value["value"]) == (word, mean)
    assert one.value["bucket"] == word
    assert {word, *wrong(one)} == {"low", "medium", "high"}
    assert len(one.pointers) == len(values)
    assert ("raters" in one.note) == (len(values) > 1)


def test_a_number_counted_over_the_whole():
    (one,) = found(of(said("count", "sutures", 3.0)), "whole_number")
    assert (one.value, one.right) == ({"number": 3}, "3")
    assert one.slots["label"] == "sutures"
    assert set(wrong(one)) == {"1", "2", "4"} or len(set(wrong(one)) - {"3"}) == 3
    assert found(of(said("count", "sutures", 2.5)), "whole_number") == []


def test_counts_that_differ_are_not_asked_about():
    two = (said("count", "sutures", 3.0, "a"), said("count", "sutures", 4.0, "b"))
    assert found(of(*two), "whole_number") == []
    assert found(of(*two[::-1]), "whole_number") == []

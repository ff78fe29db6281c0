"""Scores that hold at a time: score_now."""

from __future__ import annotations

from ontology.ratings import bucket

from .scenes import S, found, query, results, scene, span, wrong

PLATE, TWO, ALL = "cvs_cystic_plate", "cvs_two_structures", "cvs_achieved"


def rated(*values: float, label: str = PLATE, start: float = 0, end: float = 60):
    return tuple(span("rating", label, start, end, value=value, rater=f"r{k}")
                 for k, value in enumerate(values))  # fmt: skip


def test_the_word_of_a_score():
    asked = found(scene(*rated(2, 2, 2), seconds=60), "score_now.rating")
    assert asked
    for one in asked:
        assert one.value == {"kind": "rating", "label": PLATE, "grouping": "degree",
                             "bucket": "fully achieved", "value": 2.0}  # fmt: skip
        assert one.slots == {"about": {"kind": "rating"}, "label": PLATE}
        assert one.right == "fully achieved"
        assert set(wrong(one)) == {"absent", "partly achieved"}
        assert "partly achieved from 1" in one.note
        assert len(one.pointers) == 3
        assert all(p.end_us == one.query_us for p in one.pointers)


def test_raters_who_disagree_are_not_asked_about():
    asked, reasons = results(scene(*rated(2, 1), seconds=60), query("score_now.rating", every=5))
    assert asked == []
    assert "the raters disagree, or the score has no word" in reasons


def test_the_value_is_the_raters_mean_with_three_decimals():
    asked = found(scene(*rated(1, 1.2, 1.3), seconds=60), "score_now.rating")
    for one in asked:
        assert one.value["value"] == 1.167
        assert bucket(PLATE, "degree", one.value["value"]) == one.value["bucket"]
    assert asked


def test_a_score_that_is_changing_is_not_asked_about():
    parts = (*rated(2, end=30.5), *rated(0, start=30.5), *rated(1, label=TWO))
    asked = found(scene(*parts, seconds=60), "score_now.rating", every=1)
    assert {one.slots["label"] for one in asked} == {PLATE, TWO}
    for one in asked:
        if one.slots["label"] == PLATE:
            assert not 30.5 < one.query_us / S < 31.5
            assert one.right == ("fully achieved" if one.query_us < 31 * S else "absent")


def test_labels_without_a_score_are_none():
    parts = (span("rating", PLATE, 0, 60),)
    assert found(scene(*parts, seconds=60), "score_now.rating") == []


def test_a_score_off_the_scale_has_no_word():
    assert found(scene(*rated(7), seconds=60), "score_now.rating") == []

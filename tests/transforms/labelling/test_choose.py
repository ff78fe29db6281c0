"""Frames are chosen where the detector is unsure, spread out, and never from what is held out."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.observed import ANCHORS
from surgqa.transforms.labelling.choose import HeldOut, VideoPart, choose, draw, hold_out, score
from surgqa.transforms.labelling.rounds import Project
from surgqa.transforms.labelling.settings import Choosing, SignWeights
from surgqa.transforms.labelling.signs import SENTENCES, SIGNS, _as_boxes, _signs, seen
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.store.evidence import stored_schema
from tests.transforms.labelling.conftest import SECOND, box, spaced_hash

NOTHING = HeldOut(0.2, "video", 0, ())
SURE = [box(second) for second in range(20)]


def values_at(folder, second: int, settings: Choosing | None = None) -> dict[str, float]:
    found = seen(StoreView(folder), "A", settings or Choosing())
    return dict(next(one.values for one in found if one.frame == second))


def test_sure_and_steady_frames_show_no_sign(store):
    values = values_at(store({"A": [box(s, score=1.0) for s in range(20)]}), 7)
    assert values == dict.fromkeys(SIGNS, 0.0)


@pytest.mark.parametrize(
    ("given", "margin"),
    [(0.25, 1.0), (0.35, 0.5), (0.15, 0.5), (0.05, 0.0), (0.45, 0.0), (0.95, 0.0)],
)
def test_margin_falls_with_distance_from_the_threshold(store, given, margin):
    folder = store({"A": [box(7, score=given)]})
    assert values_at(folder, 7, Choosing(crowd=1))["margin"] == pytest.approx(margin)


def test_doubts_add_up_to_those_of_a_crowd(store):
    names = ("grasper", "hook", "clipper", "scissors", "bipolar", "irrigator")
    for count, sign in ((0, 0.0), (1, 0.25), (2, 0.5), (4, 1.0), (6, 1.0)):
        sure = [box(count, name, 1.0) for name in names[count:]]
        doubt = [box(count, name, 0.5) for name in names[:count]]
        settings = Choosing(threshold=0.5)
        rows = [*sure, *doubt]
        values = _signs(_as_boxes([tuple(list(r.values())[2:9]) + (None, None) for r in rows]), [],
                        Counter(), settings)  # fmt: skip
        assert values["margin"] == values["entropy"] == sign


def test_a_count_that_both_neighbours_contradict_flickers(store):
    extra = box(7, "hook")
    folder = store({"A": [*SURE, extra]})
    assert values_at(folder, 7)["flicker"] == 0.5  # one label of two
    assert values_at(folder, 6)["flicker"] == 0.0


def test_a_hole_lies_between_two_frames_with_boxes(store):
    folder = store({"A": [one for one in SURE if one["frame"] not in (7, 12, 13)]})
    assert values_at(folder, 7)["hole"] == 1.0
    assert values_at(folder, 12)["hole"] == values_at(folder, 13)["hole"] == 0.0


def test_a_track_seen_once_is_a_fragment(store):
    rows = [one | {"track": 3 if one["frame"] == 7 else 1} for one in SURE]
    folder = store({"A": rows})
    assert values_at(folder, 7)["fragment"] == 1.0
    assert values_at(folder, 8)["fragment"] == 0.0


def test_a_track_that_changes_its_label_shows_on_both_sides(store):
    rows = [one | {"track": 1} for one in SURE]
    place = {name: SURE[0][name] for name in ("x1", "y1", "x2", "y2")}
    rows[7:] = [box(s, "hook", track=1, **place) for s in range(7, 20)]
    folder = store({"A": rows})
    assert [values_at(folder, s)["switch"] for s in (5, 6, 7, 8)] == [0, 1, 1, 0]
    assert [values_at(folder, s)["disagreement"] for s in (5, 6, 7, 8)] == [0, 1, 1, 0]


def test_another_label_elsewhere_is_no_disagreement(store):
    rows = [*SURE[:7], box(7, "hook", x1=0.7, y1=0.7, x2=0.9, y2=0.9), *SURE[8:]]
    assert values_at(store({"A": rows}), 7)["disagreement"] == 0.0


def test_samples_far_apart_are_no_neighbours(store):
    rows = [one for one in SURE if one["frame"] != 7]
    folder = store({"A": rows})
    near = Choosing(neighbour_us=SECOND // 2)
    assert values_at(folder, 7, near)["hole"] == 0.0


def test_a_tissue_that_is_named_and_has_no_box_is_wanted(store):
    rows = [*SURE, box(3, "liver", kind="tissue")]
    folder = store({"A": rows})
    said = dict.fromkeys(ANCHORS.names) | {"normalized_terms": [], "matches": [], "flags": []}
    spoken = [said | {"start_us": s * SECOND, "end_us": (s + 1) * SECOND, "tissue": tissue}
              for s, tissue in ((3, "liver"), (8, "liver"), (12, None))]  # fmt: skip
    table = pa.Table.from_pylist(spoken, stored_schema("anchors"))
    pq.write_table(table, folder / "videos" / "A" / "anchors.parquet")
    found = {second: values_at(folder, second)["named"] for second in (3, 8, 9, 12)}
    assert found == {3: 0.0, 8: 1.0, 9: 0.0, 12: 0.0}
    (first,) = choose(StoreView(folder), 1, Choosing(), NOTHING)
    assert (first.frame, first.reason) == (8, "named")


def test_every_sign_has_a_sentence():
    assert set(SENTENCES) == {*SIGNS, "diversity", "held_out"}


def test_the_unsure_are_chosen_first_and_say_why(store):
    rows = [*SURE[:5], box(5, score=0.26), *SURE[6:12], *SURE[13:]]
    chosen = choose(StoreView(store({"A": rows})), 2, Choosing(), NOTHING)
    assert {(one.frame, one.reason) for one in chosen} == {(5, "margin"), (12, "hole")}
    assert all(one.score == score(one.values, Choosing()) > 0 for one in chosen)


def test_the_same_picture_is_chosen_once(store):
    rows = [*SURE[:5], box(5, score=0.26), box(6, score=0.26), *SURE[7:]]
    folder = store({"A": rows}, hashes=lambda v, s: spaced_hash(5 if s in (5, 6) else s))
    chosen = [one.frame for one in choose(StoreView(folder), 20, Choosing(), NOTHING)]
    assert len({5, 6} & set(chosen)) == 1
    assert len(chosen) == 19  # and nothing fills the place of the copy


def test_what_looks_like_a_reviewed_frame_is_not_chosen(store):
    rows = [*SURE[:5], box(5, score=0.26), *SURE[6:]]
    folder = store({"A": rows}, hashes=lambda v, s: spaced_hash(5 if s in (5, 15) else s))
    view = StoreView(folder)
    reviewed = {("A", 15 * SECOND)}
    assert choose(view, 1, Choosing(), NOTHING)[0].frame == 5
    chosen = choose(view, 20, Choosing(), NOTHING, reviewed)
    assert not {5, 15} & {one.frame for one in chosen}


def test_equally_unsure_frames_are_spread_over_time(store):
    rows = [box(s, score=0.26) for s in range(60)]
    flat = store({"A": rows}, seconds=60, hashes=lambda v, s: spaced_hash(s))
    times = sorted(one.frame for one in choose(StoreView(flat), 3, Choosing(), NOTHING))
    assert min(b - a for a, b in zip(times, times[1:], strict=False)) >= 12


def test_one_unsure_video_does_not_take_all(store):
    rows = {"A": [box(s, score=0.26) for s in range(20)], "B": SURE, "C": SURE}
    chosen = choose(StoreView(store(rows)), 9, Choosing(), NOTHING)
    taken = [one.video_id for one in chosen]
    assert taken.count("A") == 6  # twice its share
    assert {"B", "C"} <= set(taken)


def test_a_video_gives_more_where_the_others_have_none(store):
    chosen = choose(StoreView(store({"A": SURE, "B": []}, seconds=8)), 14, Choosing(), NOTHING)
    assert len(chosen) == 14


def test_nothing_of_the_part_held_out_or_near_it_is_chosen(store):
    folder = store({"A": [box(s, score=0.26) for s in range(20)]})
    held = HeldOut(0.2, "stretch", 2 * SECOND, (VideoPart("A", 5 * SECOND, 9 * SECOND),))
    frames = {one.frame for one in choose(StoreView(folder), 20, Choosing(), held)}
    assert frames == set(range(20)) - set(range(3, 11))
    drawn = {one.frame for one in draw(StoreView(folder), 20, Choosing(), held)}
    assert drawn == {5, 6, 7, 8}


def test_drawing_is_a_lot_and_a_longer_one_begins_the_same(store):
    folder = store({"A": [box(s, score=0.26 if s < 3 else 0.95) for s in range(20)]})
    held = HeldOut(0.2, "video", 0, (VideoPart("A", 0, None),))
    view = StoreView(folder)
    five = [one.frame for one in draw(view, 5, Choosing(), held)]
    assert five == [one.frame for one in draw(view, 12, Choosing(), held)][:5]
    assert five != sorted(five) and set(five) != {0, 1, 2, 3, 4}
    assert draw(view, 1, Choosing(), held)[0].reason == "held_out"


def test_choice_depends_on_content_alone(store, monkeypatch):
    rows = {v: [box(s, score=0.3) for s in range(20)] for v in ("A", "B", "C")}
    view = StoreView(store(rows))
    forth = choose(view, 12, Choosing(), NOTHING)
    monkeypatch.setattr(StoreView, "videos", lambda self: ["C", "A", "B"])
    assert choose(view, 12, Choosing(), NOTHING) == forth
    assert choose(view, 12, Choosing(seed=1), NOTHING) != forth


def test_a_first_round_without_any_detector_goes_by_looks(store):
    chosen = choose(StoreView(store({"A": [], "B": []})), 6, Choosing(), NOTHING)
    assert len(chosen) == 6
    assert {one.reason for one in chosen} == {"diversity"}


def test_frames_come_from_boxes_where_quality_was_not_measured(store):
    folder = store({"A": [box(3, score=0.3), box(9, score=0.3)]})
    (folder / "videos" / "A" / "frames.parquet").unlink()
    chosen = choose(StoreView(folder), 5, Choosing(), NOTHING)
    assert {one.frame for one in chosen} == {3, 9}


def test_frames_on_damaged_data_are_not_shown_to_anyone(store):
    import pyarrow.parquet as pq

    folder = store({"A": []})
    path = folder / "videos" / "A" / "frames.parquet"
    table = pq.read_table(path)
    trusted = pa.array([s % 2 == 0 for s in range(20)])
    pq.write_table(table.set_column(table.schema.get_field_index("trusted"), "trusted", trusted),
                   path)  # fmt: skip
    chosen = choose(StoreView(folder), 20, Choosing(), NOTHING)
    assert all(one.frame % 2 == 0 for one in chosen) and len(chosen) == 10


def test_weights_decide_what_counts(store):
    rows = [*SURE[:5], box(5, score=0.26), *SURE[6:12], *SURE[13:]]
    only = Choosing(weights=SignWeights(margin=0, entropy=0, flicker=0, fragment=0, disagreement=0))
    chosen = choose(StoreView(store({"A": rows})), 1, only, NOTHING)
    assert [one.frame for one in chosen] == [12]


def names(count: int) -> dict[str, list]:
    return {f"V{n}": [] for n in range(count)}


@pytest.mark.parametrize(("videos", "share", "held"), [(10, 0.2, 2), (3, 0.2, 1), (5, 0.5, 3)])
def test_whole_videos_where_the_share_makes_one(store, videos, share, held):
    found = hold_out(StoreView(store(names(videos))), share)
    assert found.by == "video"
    assert len(found.stretches) == held
    assert all(one.end_us is None for one in found.stretches)


def test_videos_of_one_surgery_stay_together(store):
    facts = {f"V{n}": {"split_group": f"P{n // 2}"} for n in range(10)}
    found = hold_out(StoreView(store(names(10), facts=facts)), 0.4)
    groups = [int(one.video_id[1]) // 2 for one in found.stretches]
    assert len(found.stretches) == 4
    assert all(groups.count(one) == 2 for one in groups)


def test_stretches_of_few_videos(store):
    found = hold_out(StoreView(store(names(1), seconds=200)), 0.2)
    assert found.by == "stretch"
    assert [one.end_us - one.start_us for one in found.stretches] == [30 * SECOND]
    sides = [
        sum(found.holds("V0", s * SECOND) for s in range(200)),
        sum(found.allows("V0", s * SECOND) for s in range(200)),
    ]
    assert sides == [30, 166] or sides == [30, 168]  # two seconds on each side are for neither


def test_short_videos_are_held_out_in_shorter_stretches(store):
    found = hold_out(StoreView(store(names(1))), 0.25)
    held = [s for s in range(20) if found.holds("V0", s * SECOND)]
    assert 4 <= len(held) <= 6


def test_guard_keeps_both_sides_apart():
    held = HeldOut(0.2, "stretch", 2 * SECOND, (VideoPart("A", 10 * SECOND, 20 * SECOND),))
    allowed = [s for s in range(5, 25) if held.allows("A", s * SECOND)]
    assert allowed == [5, 6, 7, 22, 23, 24]
    assert held.allows("B", 15 * SECOND)


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_no_share(store, share):
    with pytest.raises(UserError, match="not a valid share"):
        hold_out(StoreView(store(names(3))), share)


def test_one_frame_cannot_be_divided(store):
    with pytest.raises(UserError, match="not enough video"):
        hold_out(StoreView(store(names(1), seconds=1)))


def test_it_never_changes_for_a_store(store):
    folder = store(names(5))
    first = Project.begun(folder, StoreView(folder), 0.4).held_out
    later = Project.begun(folder, StoreView(folder)).held_out
    assert later == first == Project(folder).held_out
    with pytest.raises(UserError, match="cannot be changed"):
        Project.begun(folder, StoreView(folder), 0.2)


def test_videos_that_come_later_are_for_training(store, tmp_path):
    from tests.transforms.labelling.conftest import write_store

    folder = store(names(5))
    first = Project.begun(folder, StoreView(folder), 0.4)
    write_store(folder, {f"W{n}": [] for n in range(20)})
    project = Project.begun(folder, StoreView(folder), 0.4)
    assert project.held_out == first.held_out
    assert all(project.held_out.allows(f"W{n}", 0) for n in range(20))

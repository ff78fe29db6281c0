"""What a watching model should speak up for: streams with an alert, and silent ones."""

from __future__ import annotations

import pytest

from ontology.alerts import triggers
from ontology.records import Clock
from ontology.rounds import DELTA_US

from .scenes import (
    NOWHERE,
    TOOLS,
    S,
    every,
    found,
    items,
    query,
    results,
    scene,
    span,
    spans,
    table,
)

SEEDS = [str(seed) for seed in range(8)]
PHASES = spans("phase", ("preparation", 0, 600))
COLON = ("polyp", "ulcer")


def loud(evidence, name, every=30):
    """Streams in which the alert comes, of many seeds."""
    return [q for q in _all(evidence, name, every) if q.value["event_us"] is not None]


def silent(evidence, name, every=30):
    """Streams in which it never comes."""
    return [q for q in _all(evidence, name, every) if q.value["event_us"] is None]


def _all(evidence, name, every):
    return [q for seed in SEEDS for q in found(evidence, name, every=every, seed=seed)]


def lesions(shown, last=400, labels=COLON, *parts, **more):
    regions = {"finding": table(every(0, last, shown), labels)}
    return scene(*parts, seconds=last + 1, regions=regions, **more)


def test_a_lesion_that_comes_into_view():
    shown = {"polyp": range(100, 130), "ulcer": range(300, 320)}
    one = lesions(shown)
    asked = loud(one, "alert.lesion")
    assert {q.value["reason"] for q in asked} == {"polyp in view", "ulcer in view"}
    for question in asked:
        label = question.value["reason"].split()[0]
        event, ts = question.value["event_us"], [t for t, _ in question.rounds]
        assert event == shown[label][0] * S
        assert question.value["alert"] == "lesion_alert"
        assert question.value["tolerance_us"] == DELTA_US
        assert question.gold == f"alert: {label} in view"
        assert question.slots == {"about": {"kind": "finding", "alert": "lesion_alert"}}
        assert [there for _, there in question.rounds] == [t >= event for t in ts]
        assert len(ts) in (4, 5)
        assert event in ts
        assert not [t for t in ts if event - DELTA_US < t < event]
        assert {t // S for t in ts if t >= event} <= set(shown[label])
        assert question.window.end_us == ts[-1]
        assert question.names[0][0] == label


def test_nothing_comes():
    shown = {"polyp": range(100, 130)}
    asked = silent(lesions(shown), "alert.lesion")
    assert asked
    for one in asked:
        first, last = one.window.start_us // S, one.window.end_us // S
        assert not set(range(first, last + 1)) & set(shown["polyp"])
        assert one.value == {"alert": "lesion_alert", "reason": None, "event_us": None,
                             "tolerance_us": DELTA_US}  # fmt: skip
        assert one.gold == "no_alert"
        assert len(one.rounds) == 4
        assert not any(there for _, there in one.rounds)
        assert one.rounds[-1][0] == one.window.end_us <= 400 * S
        assert one.pointers


@pytest.mark.parametrize(("shown", "why"), [
    ({"polyp": [100]}, "a flicker"),
    ({"polyp": [*range(60, 90), *range(95, 120)]}, "the second comes while the first is near"),
    ({"polyp": range(10, 40)}, "too near the beginning"),
    ({"polyp": range(100, 120), "ulcer": range(100, 120)}, "two at once"),
])  # fmt: skip
def test_declined(shown, why):
    asked = loud(lesions(shown), "alert.lesion")
    if why.startswith("the second"):
        assert {q.value["event_us"] for q in asked} <= {60 * S}
    elif why == "too near the beginning":
        assert {q.value["event_us"] for q in asked} <= set()
    else:
        assert asked == [], why


def test_a_lesion_that_is_there_already_is_not_waited_for():
    shown = {"polyp": range(0, 200), "ulcer": range(60, 100)}
    assert loud(lesions(shown), "alert.lesion") == []


def test_a_polyp_while_an_ulcer_was_there_shortly_before():
    shown = {"ulcer": range(70, 75), "polyp": range(90, 120)}
    for one in loud(lesions(shown), "alert.lesion"):
        event = one.value["event_us"]
        assert event == 70 * S or one.query_us > 74 * S


def test_a_gap_in_the_labels():
    at = every(0, 98, {}) | every(101, 200, {"polyp": range(101, 130)})
    one = scene(seconds=201, regions={"finding": table(at, COLON)})
    assert loud(one, "alert.lesion") == []
    for question in silent(one, "alert.lesion"):
        assert not question.window.start_us <= 99 * S <= question.window.end_us


def test_nothing_that_was_looked_for_could_set_it_off():
    one = lesions({"hand": range(50, 90)}, labels=("ileum_orifice", "hand"))
    assert silent(one, "alert.lesion") == []


def test_silence_over_pictures_that_show_nothing_at_all():
    asked = silent(lesions({}), "alert.lesion")
    assert asked
    assert all(one.pointers and one.note for one in asked)


def test_two_kinds_of_label_that_set_one_alert_off():
    parts = (*PHASES, span("event", "out_of_body", 200, 260),
             span("condition", "stained_lens", 190, 220),
             span("condition", "stained_lens", 400, 420))  # fmt: skip
    one = scene(*parts, seconds=600)
    hits = [(200, 260), (190, 220), (400, 420)]
    for question in loud(one, "alert.view_lost"):
        start, last = question.window.start_us / S, question.window.end_us / S
        event = question.value["event_us"] / S
        near = [a for a, b in hits if b >= start and a < last]
        assert near == [event]
    for question in silent(one, "alert.view_lost"):
        start, last = question.window.start_us / S, question.window.end_us / S
        assert not [a for a, b in hits if b >= start and a <= last]
    events = {q.value["event_us"] // S for q in loud(one, "alert.view_lost")}
    assert events in ({400}, {190, 400}), "190 where the last round comes before 200"


CLIP, ART = ("clip", "cystic_duct"), ("clip", "cystic_artery")


def clips(*runs, last=400, **more):
    """Triplets of a clipper over seconds."""
    at = {t: [("clipper", NOWHERE, (deed,)) for deed, times in runs if t in times]
          for t in range(last + 1)}  # fmt: skip
    return scene(instruments=table(at, TOOLS, pairs=True), seconds=last + 1, dataset="cholect50",
                 **more)  # fmt: skip


def test_the_first_clip_and_no_other():
    one = clips((CLIP, range(100, 110)), (ART, range(250, 260)))
    asked = loud(one, "alert.clip")
    assert {q.value["event_us"] for q in asked} == {100 * S}
    assert {q.value["reason"] for q in asked} == {"first clip on the cystic duct"}
    assert {q.names[0][0] for q in asked} == {"cystic duct"}
    quiet = silent(one, "alert.clip")
    assert quiet
    assert all(q.window.end_us <= 100 * S for q in quiet), "later there is nothing to wait for"


def test_a_first_clip_that_flickers_or_two_first_clips_are_not_waited_for():
    assert loud(clips((CLIP, [100]), (ART, range(250, 260))), "alert.clip") == []
    assert loud(clips((CLIP, range(100, 110)), (ART, range(100, 110))), "alert.clip") == []


def test_no_clips_where_no_triplets_are_labelled():
    one = scene(instruments=table(every(0, 400, {"clipper": range(100, 120)}), TOOLS))
    asked, reasons = results(one, query("alert.clip"))
    assert (asked, reasons) == ([], {"no label that could set the alert off"})


def test_a_phase_out_of_order():
    parts = spans("phase", ("preparation", 0, 100), ("gallbladder_packaging", 100, 200),
                  ("gallbladder_dissection", 200, 400))  # fmt: skip
    one = scene(*parts, seconds=400)
    asked = loud(one, "alert.workflow")
    assert {q.value["event_us"] for q in asked} == {100 * S}
    assert {q.value["reason"] for q in asked} == {
        "gallbladder packaging before clipping and cutting"}  # fmt: skip
    normal = spans("phase", ("preparation", 0, 100), ("calot_triangle_dissection", 100, 400))
    assert loud(scene(*normal, seconds=400), "alert.workflow") == []
    assert silent(scene(*normal, seconds=400), "alert.workflow")


def test_a_recording_of_which_the_whole_alone_is_known():
    one = lesions({"polyp": range(100, 130)}, clock=Clock.WHOLE)
    assert results(one, query("alert.lesion"))[1] == {
        "nothing but the whole recording is labelled"}  # fmt: skip


def test_finished_items_of_an_alert():
    one = lesions({"polyp": range(100, 130)})
    kinds = set()
    for item in items(one, query("alert.lesion", every=30)):
        event = item.answer_value["event_us"]
        kinds.add(event is None)
        for step in item.extra["rounds"]:
            said = item.answer if step["answerable"] else "no_alert"
            assert step["expected_output"] == said
            accepted = [said] if step["answerable"] else ["no_alert", "uncertain"]
            assert step["accepted_outputs"] == accepted
        assert item.answer == ("no_alert" if event is None else "alert: polyp in view")
        assert item.options == ()
    assert kinds == {True, False}


def test_every_trigger_has_a_template():
    watched = {query(f"alert.{name}").args["trigger"]
               for name in ("clip", "bleeding", "view_lost", "lesion", "workflow")}  # fmt: skip
    assert watched == {trigger.alert for trigger in triggers()}

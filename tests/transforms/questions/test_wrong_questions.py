"""Questions that labels of real operations once made wrong: none of them can be built.

Each test has the labels that led to one, and sees it refused, or asked rightly.  Where all is
refused, like labels that differ in what was wrong are asked about, so that no test passes because
nothing is asked at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from surgqa.ontology.items import Item
from surgqa.ontology.records import Span, VideoEvidence
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.questions.printers import at_us
from surgqa.transforms.questions.units import clips
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.each import cases
from tests.transforms.questions import made
from tests.transforms.questions.operations import ask, drawn, operation, program
from tests.transforms.questions.operations import programs as chains
from tests.transforms.questions.shipped import programs
from tests.transforms.timeline.videos import (
    BOTH,
    DISSECT,
    GRASP,
    IDLE,
    RETRACT,
    Pairs,
    S,
    Seen,
    box_at,
    timeline,
)
from tests.transforms.timeline.videos import video as video_of

GRASPER = ("grasper", "retract", "gallbladder")
HOOK = ("hook", "dissect", "gallbladder")


def shipped(name: str):
    return next(one for one in programs() if one.id.endswith(name))


def asked_of(name: str, seen: dict[int, list[Seen]], *bounds: tuple[int, int, int]) -> Asked:
    """What a shipped template asks of labels of whole seconds."""
    return made.asker(made.relation(seen), *bounds).ask(shipped(name))


def of_spans(name: str, *spans: Span, seconds: int = 120) -> Asked:
    """What a shipped template asks of labelled intervals."""
    return Asker(spans_of(spans, seconds), clips([]), "0").ask(shipped(name))


def spans_of(spans: Sequence[Span], seconds: int) -> Relation:
    """The facts of labelled intervals."""
    video = replace(video_of(S), duration_us=seconds * S)
    return relation_of([(VideoEvidence(video, None, tuple(spans)), None)])


# An onset is an interval; what lies in a hole is no wrong time.


def onsets(one: Item) -> list[int]:
    """The earliest times of an answer that are no instant."""
    told = [value for value in one.answer_value.values() if isinstance(value, dict)]
    return [value["earliest_us"] for value in told if "earliest_us" in value]


def test_no_chain_has_its_onset_at_a_hole():
    seconds = [t for t in range(180) if not 60 <= t < 64]
    known = operation([(*HOOK, 64, 72), (*GRASPER, 100, 120)], seconds)
    found = [at for one in chains() for item in ask(known, one).items for at in onsets(item)]
    assert found
    assert not [at for at in found if 59 * S < at <= 64 * S]


def test_no_wrong_time_lies_in_a_hole():
    seconds = [t for t in range(180) if not 90 <= t < 96]
    known = operation([(*HOOK, 80, 86), (*GRASPER, 20, 30)], seconds)
    items = [item for one in chains() for item in ask(known, one).items]
    wrong = [at_us(option.value) for item in items if item.stage == 3
             for option in item.options if not option.is_answer]  # fmt: skip
    assert wrong
    assert not [time for time in wrong if 89 * S <= time <= 97 * S]


@cases("seed", range(3))
def test_no_wrong_segment_may_hold_the_change(seed):
    items = ask(drawn(seed), program("micro_transition")).items
    at = {i.chain_id: next(iter(i.answer_value.values())) for i in items if i.stage == 3}
    assert at
    for item in items:
        if item.stage == 2:
            low, high = at[item.chain_id]["earliest_us"], at[item.chain_id]["latest_us"]
            for option in item.options:
                start, end = at_us(option.value["start"]), at_us(option.value["end"])
                apart = end <= low or start >= high
                assert apart != option.is_answer


# A change is of one instance, certainly.


def test_one_that_stops_and_another_that_begins_are_no_change():
    phase = Span("phase", "preparation", 0, 180 * S, "made", "made")

    def changes(*acts: tuple[float, Pairs, int]) -> list[Item]:
        left, right = (Seen("grasper", box_at(x, 0.5), pairs, track) for x, pairs, track in acts)
        back = [replace(one, track=9, box=box_at(0.5, 0.2)) for one in (right, left)]
        seen = {40: left, 60: right, 110: back[0], 130: back[1]}
        one = timeline({t * S: [of for a, of in seen.items() if a <= t < a + 20]
                        for t in range(180)})  # fmt: skip
        known = relation_of([(VideoEvidence(one.video, one.table, (phase,)), one)])
        return ask(known, program("micro_transition")).items

    assert len(changes((0.2, RETRACT, 0), (0.2, DISSECT, 0))) == 8
    assert changes((0.2, RETRACT, 0), (0.8, DISSECT, 1)) == []


# A null is no value.


def test_nobody_asks_about_a_target_that_is_none():
    nothing, gallbladder = (Seen("grasper", pairs=pairs)
                            for pairs in (GRASP, RETRACT))  # fmt: skip
    for name in ("interaction_duration", "reverse_target"):
        for one, many in ((nothing, 0), (gallbladder, 1)):
            found = asked_of(f"surgstu.{name}", dict.fromkeys(range(24), [one]), (0, 0, 20))
            assert len(found.items) == many
    found = asked_of(
        "surgstu.existence_local_target", dict.fromkeys(range(24), [nothing]), (0, 0, 20)
    )
    (item,) = found.items
    assert item.slots["target"] == "gallbladder" and not item.slots["touched"]


# Mostly is mostly.


def test_what_idles_most_of_the_time_does_mostly_nothing_else():
    seen = {t: [Seen("grasper", pairs=RETRACT if t < 4 else IDLE)] for t in range(24)}
    assert asked_of("surgstu.dominant_verb", seen, (0, 0, 23)).items == []
    seen = {t: [Seen("grasper", pairs=IDLE if t < 4 else RETRACT)] for t in range(24)}
    (item,) = asked_of("surgstu.dominant_verb", seen, (0, 0, 23)).items
    assert item.answer_value["verb"] == "retract"


# The time of a class is that of the union, and never longer than the clip.


def test_two_at_once_do_not_count_twice():
    two = [Seen("grasper", box_at(x, 0.5), RETRACT, k) for k, x in enumerate((0.2, 0.8))]
    hook = Seen("hook", box_at(0.5, 0.5), DISSECT, 2)
    seen = {t: [*two, hook] if t < 8 else two for t in range(24)}
    (item,) = asked_of("surgstu.most_active_instrument", seen, (0, 0, 23)).items
    assert item.answer_value["top"] == "grasper"
    assert 20 * S < item.answer_value["time"] <= 23 * S


def test_rows_without_boxes_are_not_counted_as_two():
    bare = [Seen("grasper", pairs=RETRACT), Seen("grasper", pairs=RETRACT)]
    boxed = [Seen("grasper", box_at(x, 0.5), RETRACT, k) for k, x in enumerate((0.2, 0.8))]
    hook = [Seen("hook", box_at(0.5, 0.5), DISSECT, 2)]  # whose number is the wrong option
    for two, numbers in ((bare, []), (boxed, [{"number": 2}, {"number": 1}])):
        seen = {t: two if t < 24 else hook for t in range(48)}
        found = asked_of("surgstu.counting_specific", seen, (0, 0, 20), (0, 27, 47))
        assert [one.answer_value for one in found.items] == numbers


# One continuous action is one stretch.


def test_another_action_beside_it_does_not_cut_an_action():
    pairs = [BOTH if 8 <= t < 14 else RETRACT for t in range(24)]
    seen = {t: [Seen("grasper", box_at(0.3, 0.3), one, 0)] for t, one in enumerate(pairs)}
    items = asked_of("surgstu.interaction_duration", seen, (0, 0, 23)).items
    (retract,) = [one for one in items if one.slots["act"]["verb"] == "retract"]
    assert retract.answer_value["times"] == 1
    known = made.relation(seen)
    held = known.facts.verb == known.codes.known("retract")
    assert np.count_nonzero(held) == 1


# One event has one time.


def test_the_first_action_and_the_sequence_say_one_time():
    pairs = [IDLE if t < 9 else RETRACT for t in range(24)]
    seen = {t: [Seen("grasper", box_at(0.3, 0.3), one, 0)] for t, one in enumerate(pairs)}
    (first,) = asked_of("surgstu.first_action", seen, (0, 0, 23)).items
    (steps,) = asked_of("surgstu.action_sequence", seen, (0, 0, 23)).items
    start = next(v for k, v in first.answer_value.items() if "start" in k)
    assert start["time_us"] == 8_500_000
    assert [one["start"] for one in steps.answer_value["steps"]][1] == start


# What resumes is not counted again.


def test_a_phase_that_resumes_is_one_phase():
    names = ("preparation", "clipping_and_cutting", "preparation", "gallbladder_dissection")
    spans = [Span("phase", name, k * 20 * S, (k + 1) * 20 * S, "made", "made")
             for k, name in enumerate(names)]  # fmt: skip
    items = of_spans("medstream.states_done.phase", *spans, seconds=160).items
    assert items
    assert all(item.answer_value["number"] <= 2 for item in items)
    known = spans_of(spans, 80)
    times = made.program("phases", """
unit: {now: video.start + 70 s, see: 60 s, every: 60 s}
let:
  number: {count: phase.label, ends_in: window}
answer: number
say: "{{ number | whole }}"
""", "How many phases have been done?")  # fmt: skip
    (item,) = Asker(known, clips([]), "0").ask(times).items
    assert item.answer_value["number"] == 2


# A question is put inside what it is about: half open.


@pytest.mark.parametrize("end", [40, 41])
def test_no_score_is_asked_for_after_its_label_has_ended(end):
    score = Span("rating", "cvs_two_structures", 10 * S, end * S, "made", "made", 1.0)
    items = of_spans("medstream.score_now", score, seconds=60).items
    assert items
    assert all(10 * S < item.extra["query_us"] < end * S for item in items)


# Absence needs somebody who looked.


def test_nothing_is_said_to_be_absent_where_nobody_looked():
    here_and_there = [Span("finding", "polyp", a * S, (a + 3) * S, "made", "made")
                      for a in range(0, 120, 40)]  # fmt: skip
    everywhere = Span("phase", "preparation", 0, 120 * S, "made", "made")
    for name in ("presence.finding", "seen_before.finding"):
        found, more = (of_spans(f"medstream.{name}", *spans).items
                       for spans in (here_and_there, [*here_and_there, everywhere]))  # fmt: skip
        assert "B) No" in [one.answer for one in more]
        assert "B) No" not in [one.answer for one in found]


def test_no_stream_is_silent_where_nobody_looked():
    blood = [Span("finding", "fresh_blood", a * S, (a + 3) * S, "made", "made")
             for a in range(50, 300, 120)]  # fmt: skip
    everywhere = Span("phase", "preparation", 0, 300 * S, "made", "made")
    found, more = (of_spans("medstream.alert.fresh_blood", *spans, seconds=300).items
                   for spans in (blood, [*blood, everywhere]))  # fmt: skip
    assert "no_alert" in [one.answer for one in more]
    assert found == []


# An instance is told by what can be seen.


def test_no_question_names_an_instance_by_a_number():
    for name in ("first_action", "velocity", "dominant_verb", "idle_duration"):
        for apart, many in (((0.45, 0.5), 0), ((0.2, 0.8), 1)):
            seen = {t: [Seen("grasper", box_at(x, 0.5), IDLE if t < 9 else RETRACT, k)
                        for k, x in enumerate(apart)] for t in range(24)}  # fmt: skip
            assert len(asked_of(f"surgstu.{name}", seen, (0, 0, 23)).items) == many


def test_a_number_that_rests_on_recognition_is_not_asked():
    one = Seen("grasper", box_at(0.2, 0.5), RETRACT, 0)
    other = Seen("grasper", box_at(0.8, 0.5), RETRACT, 1)
    gone = {t: [one] if t < 8 else [other] if t > 10 else [] for t in range(24)}
    count = made.program("instances", """
unit: clip
let:
  number: {count: instrument.track}
answer: number
say: "{{ number | whole }}"
""", "How many instruments are there?")  # fmt: skip
    for seen, numbers in ((gone, []), (dict.fromkeys(range(24), [one]), [{"number": 1}])):
        items = made.asker(made.relation(seen), (0, 0, 23)).ask(count).items
        assert [item.answer_value for item in items] == numbers


def test_no_duration_is_asked_that_the_gaps_leave_open():
    time = made.program("time", """
unit: clip
let:
  time: {total: instrument, label: grasper}
  share: time / window.length
answer: [time, share]
say: "{{ time | clock }}, {{ share | percent }}"
""", "How long is the grasper in view, and for which share of the clip?")  # fmt: skip
    one = [Seen("grasper", box_at(0.2, 0.5), RETRACT, 0)]
    everywhere = {t: one if t < 4 else [] for t in range(24)}
    with_gap = {t: seen for t, seen in everywhere.items() if t < 6 or t > 20}
    for labels, many in ((with_gap, 0), (everywhere, 1)):
        assert len(made.asker(made.relation(labels), (0, 0, 23)).ask(time).items) == many

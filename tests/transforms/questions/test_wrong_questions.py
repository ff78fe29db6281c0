"""Questions that labels of real operations once made wrong: none of them can be built.

Each test has the labels that led to one, and sees it refused, or asked rightly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ontology.records import Span, VideoEvidence
from tests.transforms.questions import made
from tests.transforms.questions.operations import ask, drawn, operation, program
from tests.transforms.questions.operations import programs as chains
from tests.transforms.questions.shipped import programs
from tests.transforms.timeline.videos import BOTH, DISSECT, IDLE, RETRACT, S, Seen, box_at
from tests.transforms.timeline.videos import video as video_of
from transforms.questions.ask import Asked, Asker
from transforms.questions.printers import at_us
from transforms.questions.units import clips
from transforms.timeline.relation import Relation
from transforms.timeline.relation.gather import relation_of

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


def test_no_chain_has_its_onset_at_a_hole():
    seconds = [t for t in range(180) if not 60 <= t < 64]
    known = operation([(*HOOK, 64, 72), (*GRASPER, 100, 120)], seconds)
    for one in chains():
        for item in ask(known, one).items:
            for when in item.answer_value.values():
                low = when.get("earliest_us") if isinstance(when, dict) else None
                assert low is None or not 59 * S < low <= 64 * S


def test_no_wrong_time_lies_in_a_hole():
    seconds = [t for t in range(180) if not 90 <= t < 96]
    known = operation([(*HOOK, 80, 86), (*GRASPER, 20, 30)], seconds)
    items = [item for one in chains() for item in ask(known, one).items]
    assert items
    for item in items:
        if item.extra["task"].endswith("q3"):
            wrong = [at_us(option.value) for option in item.options if not option.is_answer]
            assert not [time for time in wrong if 89 * S <= time <= 97 * S]


@pytest.mark.parametrize("seed", range(3))
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
    left, right = (Seen("grasper", box_at(x, 0.5), pairs, track)
                   for x, pairs, track in ((0.2, RETRACT, 0), (0.8, DISSECT, 1)))  # fmt: skip
    seen = {t: [left] if t < 60 else [right] for t in range(120)}
    assert made.asker(made.relation(seen)).ask(program("micro_transition")).items == []


# A null is no value.


def test_nobody_asks_about_a_target_that_is_none():
    grasping = Seen("grasper", pairs=(("grasp", "null_target"),))
    for name in ("interaction_duration", "existence_local_target", "reverse_target"):
        found = asked_of(f"surgstu.{name}", {t: [grasping] for t in range(24)}, (0, 0, 20))
        assert not [one for one in found.items if "null" in one.question or "none" in one.answer]


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
    found = asked_of("surgstu.most_active_instrument", dict.fromkeys(range(24), two), (0, 0, 23))
    for item in found.items:
        time = next(v for v in item.answer_value.values() if isinstance(v, dict | int))
        assert (time["most"] if isinstance(time, dict) else time) <= 23 * S


def test_rows_without_boxes_are_not_counted_as_two():
    two = [Seen("grasper", pairs=RETRACT), Seen("grasper", pairs=RETRACT)]
    found = asked_of("surgstu.counting_specific", dict.fromkeys(range(24), two), (0, 0, 20))
    assert not [one for one in found.items if one.answer_value == {"number": 2}]


# One continuous action is one stretch.


def test_another_action_beside_it_does_not_cut_an_action():
    pairs = [BOTH if 8 <= t < 14 else RETRACT for t in range(24)]
    seen = {t: [Seen("grasper", box_at(0.3, 0.3), one, 0)] for t, one in enumerate(pairs)}
    items = asked_of("surgstu.interaction_duration", seen, (0, 0, 23)).items
    retract = [one for one in items if one.slots["act"]["verb"] == "retract"]
    assert all(one.answer_value["times"] == 1 for one in retract)
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
    found = of_spans("medstream.states_done.phase", *spans, seconds=160)
    assert all(item.answer_value["number"] <= 2 for item in found.items)
    known = spans_of(spans, 80)
    times = made.program("phases", """
unit: {now: video.start + 70 s, see: 60 s, every: 60 s}
let:
  number: {count: phase.label, ends_in: window}
answer: number
say: "{{ number | whole }}"
""", "How many phases have been done?")  # fmt: skip
    for item in Asker(known, clips([]), "0").ask(times).items:
        assert item.answer_value["number"] == 2


# A question is put inside what it is about: half open.


@pytest.mark.parametrize("end", [40, 41])
def test_no_score_is_asked_for_after_its_label_has_ended(end):
    score = Span("rating", "cvs_two_structures", 10 * S, end * S, "made", "made", 1.0)
    items = of_spans("medstream.score_now", score, seconds=60).items
    assert all(10 * S < item.extra["query_us"] < end * S for item in items)


# Absence needs somebody who looked.


def test_nothing_is_said_to_be_absent_where_nobody_looked():
    here_and_there = [Span("finding", "polyp", a * S, (a + 3) * S, "made", "made")
                      for a in range(0, 120, 40)]  # fmt: skip
    for name in ("presence.finding", "seen_before.finding", "alert.lesion"):
        items = of_spans(f"medstream.{name}", *here_and_there).items
        assert not [one for one in items if one.answer in ("No", "B) No", "no_alert")]
        assert not [one for one in items if one.extra.get("rounds")
                    and not any(r["answerable"] for r in one.extra["rounds"])]  # fmt: skip


# An instance is told by what can be seen.


def test_no_question_names_an_instance_by_a_number():
    two = [Seen("grasper", box_at(x, 0.5), RETRACT, k) for k, x in enumerate((0.45, 0.5))]
    for name in ("first_action", "velocity", "dominant_verb", "idle_duration"):
        found = asked_of(f"surgstu.{name}", dict.fromkeys(range(24), two), (0, 0, 23))
        assert found.items == []


def test_a_number_that_rests_on_recognition_is_not_asked():
    one = Seen("grasper", box_at(0.2, 0.5), RETRACT, 0)
    other = Seen("grasper", box_at(0.8, 0.5), RETRACT, 1)
    seen = {t: [one] if t < 8 else [other] if t > 10 else [] for t in range(24)}
    count = made.program("instances", """
unit: clip
let:
  number: {count: instrument.track}
answer: number
say: "{{ number | whole }}"
""", "How many instruments are there?")  # fmt: skip
    assert made.asker(made.relation(seen), (0, 0, 23)).ask(count).items == []

"""Why a unit has no item: what was uncertain, and what would have settled it."""

from __future__ import annotations

from surgqa.ontology.records import Span, VideoEvidence
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.units import recordings
from surgqa.transforms.questions.why import NOT_SO, REASONS
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.questions.made import program, told
from tests.transforms.timeline.relation.test_gather import span
from tests.transforms.timeline.videos import S, video

COUNT = """
unit: {recording: all}
let:
  number: {count: phase, overlaps: video}
  first: {first: phase, starts_in: video}
where: [number >= 2, first.length >= 10 s]
answer: first.label
say: "{{ first.label | name }}"
"""


def declined(*spans: Span):
    """Why the only recording has no item."""
    known = relation_of([(VideoEvidence(video(S), None, spans), None)])
    (one,) = Asker(known, recordings(known), "0").ask(program("why", COUNT, "Which?")).declined
    return one


def test_what_does_not_hold_is_no_doubt():
    one = declined(span("phase", "preparation", 0, 60))
    assert one.where.startswith("number >= ")
    assert one.reason == NOT_SO


def test_a_hole_is_named_as_the_cause():
    one = declined(span("phase", "preparation", 5, 30), span("phase", "dissection", 40, 60))
    assert (one.where, one.reason) == ("first", REASONS[True, False])


def test_slack_is_named_as_the_cause():
    spans = [span("phase", "preparation", 0, 60),
             span("event", "out_of_body", 10, 20)]  # fmt: skip
    body = COUNT.replace("{first: phase", "{first: event").replace("number >= 2, ", "")
    known = relation_of([(VideoEvidence(video(S), None, tuple(spans)), None)])
    (one,) = Asker(known, recordings(known), "0").ask(program("slack", body, "Which?")).declined
    assert one.where.startswith("first.length >= ")
    assert one.reason == REASONS[False, True]


def test_a_name_that_is_the_answer_too_does_not_hide_the_cause():
    """In the first reading the name has no value; in another it has one, and a condition fails."""
    body = COUNT.replace("  number: {count: phase, overlaps: video}\n", "").replace(
        "first.length >= 10 s", "first.length >= 1 h").replace("number >= 2, ", "")  # fmt: skip
    body = body.replace("answer: first.label", "answer: first")
    spans = (span("phase", "preparation", 5, 30), span("phase", "dissection", 40, 60))
    known = relation_of([(VideoEvidence(video(S), None, spans), None)])
    one = program("named", body.replace("first.label | name", "first | noun"), "Which?")
    (why,) = Asker(known, recordings(known), "0").ask(one).declined
    assert (why.where, why.reason) == ("first", REASONS[True, False])


def test_a_template_may_read_the_labels_times_as_exact():
    spans = (span("phase", "preparation", 0, 60), span("event", "out_of_body", 10, 20))
    body = "reading: labels" + COUNT.replace("{first: phase", "{first: event").replace(
        "number >= 2, ", "")  # fmt: skip
    known = relation_of([(VideoEvidence(video(S), None, spans), None)])
    crisp = program("crisp", body, "Which?")
    asked = Asker(known, recordings(known), "0").ask(crisp)
    assert [item.answer_value for item in asked.items] == [{"first.label": "out_of_body"}]
    assert told(crisp, asked.items[0])["certain"] == "labels"


BOTH = """
unit: {recording: all}
let:
  free: {not: {exists: phase, overlaps: [video.start, video.start + 3 s]}}
  seen: {exists: event, at: video.start + 10 s}
where: [{all: [free, seen]}]
answer: seen
say: "{{ seen | yes }}"
"""


def test_where_either_alone_settles_nothing_both_are_named():
    spans = (span("phase", "preparation", 5, 60), span("event", "out_of_body", 10, 20))
    known = relation_of([(VideoEvidence(video(S), None, spans), None)])
    (one,) = Asker(known, recordings(known), "0").ask(program("both", BOTH, "Which?")).declined
    assert one.reason == REASONS[False, False]

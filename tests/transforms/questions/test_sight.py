"""What an answer rests on lies in the window; what a text prints was over by the question."""

from __future__ import annotations

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.questions.units import recordings
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.questions.made import program
from tests.transforms.timeline.relation.test_gather import span
from tests.transforms.timeline.videos import S, video


def asked(body: str, ask: str = "Which?") -> Asked:
    """A question about a recording with two phases."""
    spans = (span("phase", "preparation", 0, 30), span("phase", "gallbladder_dissection", 30, 60))
    known = relation_of([(VideoEvidence(video(S), None, spans), None)])
    return Asker(known, recordings(known), "0").ask(program("sight", body, ask))


LATER = """
unit: {{now: any, see: {see}, every: 60 s}}
let:
  here: {{only: phase, at: now}}
  begun: {{only: phase, at: now}}
where: [here.label = preparation, now - video.start >= 15 s]
answer: {answer}
say: "{{{{ {answer} | {how} }}}}"
"""


def test_a_start_that_lies_before_the_window_is_not_asked_for():
    assert not asked(LATER.format(see="10 s", answer="here.start", how="clock")).items


def test_what_holds_now_is_seen_now():
    found = asked(LATER.format(see="10 s", answer="here.label", how="name"))
    assert [item.answer_value for item in found.items] == [{"here.label": "preparation"}]


ENDED = """
unit: {now: past.end + 2 s, see: 10 s, every: 60 s}
let:
  past: {each: phase}
  ended: {only: phase, ends_in: window}
where: [ended = past]
answer: past.label
say: "{{ past.label | name }}"
"""


def test_a_fact_that_is_drawn_is_told_by_its_part_in_the_window():
    assert [item.answer for item in asked(ENDED).items] == ["Preparation"]


def test_what_rests_on_more_than_the_window_says_so():
    body = LATER.format(see="10 s", answer="begun", how="yes")
    body = body.replace(
        "only: phase, at: now}\nwhere", "exists: phase, overlaps: [video.start, now]}\nwhere"
    )
    found = asked(body)
    assert not found.items
    assert found.declined[0].where == "unseen"

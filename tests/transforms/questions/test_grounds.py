"""An item names the rows of the evidence that its answer rests on."""

from __future__ import annotations

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.grounds import MOST
from surgqa.transforms.questions.units import recordings
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.each import cases
from tests.transforms.questions.made import program
from tests.transforms.timeline.relation.test_gather import span
from tests.transforms.timeline.videos import S, video

COUNTED = """
reading: labels
unit: {recording: all}
let: {NAME: STEP}
answer: NAME
say: "{{ NAME | PRINT }}"
"""


def grounds(step: str, printed: str, times: int = 2) -> list[tuple[str, int]]:
    """(table, seconds) of what the question about a recording with so many events rests on."""
    spans = [span("event", "out_of_body", 2 * k, 2 * k + 1) for k in range(times)]
    whole = span("phase", "preparation", 0, 1000)
    known = relation_of([(VideoEvidence(video(S), None, (whole, *spans)), None)])
    body = COUNTED.replace("STEP", step).replace("NAME", "found").replace("PRINT", printed)
    (item,) = Asker(known, recordings(known), "0").ask(program("made", body, "Which?")).items
    return [(one.kind, one.start_us // S) for one in item.evidence]


@cases(
    ("step", "printed", "times"),
    [
        ("{count: event}", "whole", [0, 2]),
        ("{exists: event, starts_in: [video.start + 1 s, video.end]}", "yes", [2]),
        ("{total: event}", "seconds", [0, 2]),
        ("{set: event}", "list", [0, 2]),
    ],
)
def test_facts_that_are_taken_together_are_named(step, printed, times):
    assert grounds(step, printed) == [("segments", one) for one in times]


def test_that_there_is_none_rests_on_the_window():
    assert grounds("{exists: event, starts_in: [video.start + 5 s, video.end]}", "yes") == [
        ("window", 0)
    ]


def test_very_many_are_what_the_window_shows():
    assert len(grounds("{count: event}", "whole", MOST)) == MOST
    assert grounds("{count: event}", "whole", MOST + 1) == [("window", 0)]


def test_of_what_was_looked_at_the_one_that_is_taken_is_named():
    assert grounds("{first: event, starts_in: [video.start + 1 s, video.end]}",
                   "name") == [("segments", 2)]  # fmt: skip

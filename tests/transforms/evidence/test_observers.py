"""Facts made by rule: where nobody labelled them, with what is not known about them."""

from __future__ import annotations

import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.records import Span, VideoEvidence
from surgqa.transforms.evidence.observers import observed, observers_of
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.each import cases
from tests.transforms.timeline.videos import DISSECT, RETRACT, S, Seen, table, video

PHASE = "calot_triangle_dissection"
DONE = {**dict.fromkeys(range(10, 16), DISSECT), **dict.fromkeys(range(16, 22), RETRACT),
        **dict.fromkeys(range(30, 36), DISSECT)}  # fmt: skip


def evidence(*spans: Span) -> VideoEvidence:
    phase = Span("phase", PHASE, 10 * S, 40 * S, "f", "p")
    made = table({t * S: [Seen("hook", None, act)] for t, act in DONE.items()})
    return VideoEvidence(video(S), made, (*spans, phase))


def clips(found: VideoEvidence) -> list[tuple[int, int, str, str]]:
    return [(s.start_us // S, s.end_us // S, s.label, s.origin)
            for s in found.spans if s.kind == "next_action"]  # fmt: skip


def test_clips_are_made_with_what_nobody_saw_between_them():
    known = evidence()
    found = observed(known, observers_of(["action_clip", "phase"]))
    assert clips(found) == [
        (10, 16, "dissection", "action_clips"), (16, 22, "tissue_retraction", "action_clips"),
        (30, 36, "dissection", "action_clips"),
    ]  # fmt: skip
    assert found.unseen == (("action_clip", 22 * S, 30 * S),)
    assert found.books[-1].balanced and found.books[-1].kept == 18
    relation = relation_of([(found, build_timeline(found))])
    kind = relation.codes.known("action_clip")
    holes = relation.holes.take(relation.holes.kind == kind)
    assert list(zip(holes.u0.tolist(), holes.u1.tolist(), strict=True)) == [(22 * S, 30 * S)]
    mine = relation.facts.kind == kind
    assert {relation.codes.name(one) for one in relation.facts.origin[mine]} == {"action_clips"}


def test_a_rule_may_be_set_and_labelled_clips_are_left_as_they_are():
    known = evidence()
    wide = observers_of(["action_clip"], {"action_clip": {"reach": 10}})
    assert len(clips(observed(known, wide))) == 3 and not observed(known, wide).unseen
    own = evidence(Span("next_action", "coagulation", 3 * S, 9 * S, "f", "p"))
    assert observed(own, wide) == own
    assert observed(known, observers_of(["phase"])) == known


def test_what_gives_no_clips_says_why():
    known = evidence()
    bare = observed(VideoEvidence(known.video, None), observers_of(["action_clip"]))
    assert bare.rejected[-1].reason.startswith("no instruments") and bare.books[-1].balanced


@cases(
    "own", [{"phase": {"reach": 1}}, {"action_clip": {"far": 1}}, {"action_clip": {"reach": -1}},
            {"action_clip": {"by": "magic"}}]
)  # fmt: skip
def test_a_setting_that_will_not_do_is_refused(own):
    with pytest.raises(UserError):
        observers_of(["action_clip"], own)

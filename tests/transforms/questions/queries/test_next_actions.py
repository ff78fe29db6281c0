"""What comes next, from hand-made and from derived clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology.next_actions import action_ids, display
from ontology.records import VideoEvidence
from transforms.language import Query
from transforms.language.load import load_questions
from transforms.questions.queries.ask import FINDERS
from transforms.questions.queries.found import Found

from .scenes import NOWHERE, S, items, results, scene, search, spans, table

TEMPLATES = {q.id: q for q in load_questions() if isinstance(q, Query)}
VERB = {
    "dissection": "dissect", "vessel_clipping": "clip", "tissue_retraction": "retract",
    "coagulation": "coagulate", "aspiration": "aspirate",
}  # fmt: skip


def template(name: str, **args: object) -> Query:
    """A shipped template with other arguments."""
    one = TEMPLATES[f"sapbench.{name}"]
    return replace(one, args={**one.args, **args})


def labelled(*runs: tuple[str, int], first: int = 10, gap: int = 1) -> VideoEvidence:
    """A video in which one action after the other is seen for so many seconds."""
    shown = {}
    time = first
    for action, seconds in runs:
        for _ in range(seconds):
            shown[time] = [("grasper", NOWHERE, ((VERB[action], "gallbladder"),))]
            time += gap
    phases = spans("phase", ("calot_triangle_dissection", first, time))
    whole = table(shown, ("grasper",), pairs=True)
    return scene(*phases, instruments=whole, seconds=time + 30)


def imported(*clips: tuple[str, int, int]) -> VideoEvidence:
    return scene(*spans("next_action", *clips), seconds=400)


def asked(evidence: VideoEvidence, name: str, **args: object) -> list[Found]:
    return results(evidence, template(name, **args))[0]


def told(found: Sequence[Found]) -> list[tuple[int, str, str | None]]:
    return [(f.query_us // S, f.value["action"], f.value["following"]) for f in found]


WORKED = (("dissection", 20), ("tissue_retraction", 3), ("dissection", 10), ("coagulation", 8),
          ("dissection", 6))  # fmt: skip
"""The worked example of the specification: three clips, two samples."""


def test_the_worked_example_counted_from_second_ten() -> None:
    found = asked(labelled(*WORKED), "next_action")
    assert told(found) == [(42, "coagulation", "dissection"), (50, "dissection", None)]
    assert (found[0].slots["clip_start_s"], found[0].slots["clip_end_s"]) == (10, 42)
    assert found[0].value["derivation"]["source"] == "derived"


def test_all_five_actions_are_the_options_in_their_fixed_order() -> None:
    for one in items(labelled(*WORKED), template("next_action")):
        assert [option.text for option in one.options] == [display(a) for a in action_ids()]
        assert "".join(option.key for option in one.options) == "ABCDE"
        (right,) = (option for option in one.options if option.is_answer)
        assert right.text == display(one.answer_value["action"])


def test_one_picture_is_shown_and_nothing_of_the_next_clip() -> None:
    for one in items(labelled(*WORKED), template("next_action")):
        clip = one.answer_value["derivation"]["next_clip"]
        assert one.window.start_us == one.window.end_us == (clip[0] - 1) * S
        shown = [p for p in one.evidence if p.kind == "events"]
        assert [p.start_us for p in shown] == [one.window.end_us, clip[0] * S]


def test_shorter_runs_stay_where_the_setting_says_so() -> None:
    found = asked(labelled(*WORKED), "next_action", shortest=1)
    assert [action for _, action, _ in told(found)] == [
        "tissue_retraction", "dissection", "coagulation", "dissection",
    ]  # fmt: skip


def test_labels_further_apart_than_the_reach_are_not_of_one_stretch() -> None:
    evidence = labelled(("dissection", 5), ("coagulation", 5), gap=3)
    assert asked(evidence, "next_action") == []
    assert told(asked(evidence, "next_action", reach=3)) == [(24, "coagulation", None)]


def test_impure_clips_are_left_out_where_a_share_is_asked_for() -> None:
    evidence = labelled(("dissection", 20), ("coagulation", 9), ("tissue_retraction", 3),
                        ("aspiration", 8))  # fmt: skip
    everything = told(asked(evidence, "next_action"))
    assert [action for _, action, _ in everything] == ["coagulation", "aspiration"]
    found, reasons = results(evidence, template("next_action", purity=0.8))
    assert len(found) < 2
    assert any("own action" in reason or "purity" in reason for reason in reasons), reasons


def test_hand_made_clips_go_before_derived_ones_and_holes_are_crossed() -> None:
    evidence = imported(("dissection", 10, 30), ("vessel_clipping", 30, 45),
                        ("aspiration", 60, 70))  # fmt: skip
    found = asked(evidence, "next_action")
    assert told(found) == [(29, "vessel_clipping", "aspiration"), (59, "aspiration", None)]
    assert [p.kind for p in found[0].pointers] == ["segments"] * 3
    assert found[1].slots["hole_s"] == 15


def test_overlapping_hand_made_clips_are_refused() -> None:
    evidence = imported(("dissection", 10, 30), ("aspiration", 25, 40))
    found, reasons = results(evidence, template("next_action"))
    assert found == []
    assert any("overlap" in reason for reason in reasons)


def test_the_last_actions_are_told_the_latest_last() -> None:
    clips = [("dissection", 0, 10), ("aspiration", 10, 20), ("dissection", 20, 30),
             ("coagulation", 30, 40)]  # fmt: skip
    found = asked(imported(*clips), "next_action_history", last=2)
    assert [f.fields["history"] for f in found] == [
        "Dissection", "Dissection, Aspiration", "Aspiration, Dissection",
    ]  # fmt: skip
    assert found[-1].slots["told"] == ["aspiration", "dissection"]


def test_a_plan_has_as_many_actions_as_are_asked_for() -> None:
    clips = [("dissection", 0, 10), ("aspiration", 10, 20), ("dissection", 20, 30),
             ("coagulation", 30, 40)]  # fmt: skip
    two = asked(imported(*clips), "plan.two")
    assert [f.value["plan"] for f in two] == [
        ["aspiration", "dissection"], ["dissection", "coagulation"],
    ]  # fmt: skip
    (three,), reasons = results(imported(*clips), template("plan.three"))
    assert three.right == "Aspiration, then Dissection, then Coagulation"
    assert "fewer actions follow than are asked for" in reasons


def test_a_video_without_verbs_or_phases_is_not_asked() -> None:
    for evidence in (scene(), scene(*spans("phase", ("preparation", 0, 60)))):
        assert results(evidence, template("next_action"))[0] == []


actions = st.sampled_from(action_ids())


@settings(max_examples=60)
@given(st.lists(st.tuples(actions, st.integers(1, 12)), min_size=1, max_size=12))
def test_wrong_plans_are_plans_that_are_not_right(runs: list[tuple[str, int]]) -> None:
    for one in items(labelled(*runs), template("plan.two"), template("plan.three")):
        texts = [option.text for option in one.options]
        assert len(set(texts)) == len(texts) == 4
        for option in one.options:
            parts = option.text.split(", then ")
            assert len(parts) == one.answer_value["horizon"]
            assert all(a != b for a, b in zip(parts, parts[1:], strict=False))
            right = [display(a) for a in one.answer_value["plan"]]
            assert option.is_answer == (parts == right)


@pytest.mark.parametrize("name", ["next_action", "next_action_history", "plan.two"])
def test_every_clip_is_asked_for_or_accounted_for(name: str) -> None:
    clips = [("dissection", 0, 10), ("aspiration", 10, 20), ("coagulation", 20, 30)]
    one = template(name)
    told = list(FINDERS[one.finder](search(imported(*clips), one)))
    assert len(told) == len(clips)

"""The next eight seconds, and what labels alone answer about them."""

from __future__ import annotations

from dataclasses import replace

from ontology.moments import Moment
from ontology.records import VideoEvidence
from transforms.language import Query
from transforms.language.load import load_questions
from transforms.questions.queries.found import Found

from .scenes import S, items, results, scene, spans

TEMPLATES = {q.id: q for q in load_questions() if isinstance(q, Query)}
STAGES = (
    ("preparation", 0, 20),
    ("ligament_and_peritoneum_division", 20, 50),
    ("uterine_vessel_and_ligament_division", 50, 56),
    ("vagina_transection", 56, 90),
)
HYSTERECTOMY = "laparoscopic hysterectomy"


def template(name: str, **args: object) -> Query:
    one = TEMPLATES[f"surgveo.{name}.laparoscopic"]
    return replace(one, args={**one.args, **args})


def operation(*stages: tuple[str, float, float], **more: object) -> VideoEvidence:
    made = scene(*spans("phase", *(stages or STAGES)), procedure=HYSTERECTOMY)
    return replace(made, **more)


def asked(evidence: VideoEvidence, name: str, **args: object) -> list[Found]:
    return results(evidence, template(name, **args))[0]


def test_one_sample_for_each_stage_that_is_long_enough() -> None:
    found, reasons = results(operation(), template("continuation"))
    assert [(f.query_us / S, f.value["stage"]) for f in found] == [
        (6, "preparation"), (31, "ligament_and_peritoneum_division"), (69, "vagina_transection"),
    ]  # fmt: skip
    assert all(f.value["frames"] == 200 for f in found)
    assert any("has no interval of 10 s or more" in reason for reason in reasons)


def test_the_picture_lies_just_before_an_action_where_one_begins() -> None:
    begins = Moment("action", "cut", 30 * S, 34 * S, S, "made.json", "1")
    (one,) = (f for f in asked(operation(moments=(begins,)), "continuation")
              if f.slots["found_by"] == "onset")  # fmt: skip
    assert one.query_us == 30 * S - 40_000
    assert one.slots["frame"] == 749
    (proof,) = (p for p in one.pointers if p.kind == "moments")
    assert (proof.start_us, proof.end_us) == (30 * S, 34 * S)


def test_the_rate_of_the_template_tells_the_number_of_pictures() -> None:
    assert {f.value["frames"] for f in asked(operation(), "continuation", fps="24")} == {192}
    exact = asked(operation(), "continuation", fps="30000/1001")[0]
    assert (exact.value["frames"], exact.slots["fps"]) == (240, "30000/1001")


def test_other_operations_are_not_asked() -> None:
    assert results(scene(*spans("phase", *STAGES)), template("continuation"))[0] == []


def test_an_excerpt_with_one_stage_is_no_operation() -> None:
    found, reasons = results(operation(("preparation", 0, 60)), template("continuation"))
    assert found == []
    assert any("excerpt" in reason for reason in reasons)


def test_hidden_time_is_avoided() -> None:
    hidden = spans("event", ("out_of_body", 8, 12))
    everything = replace(operation(), spans=(*hidden, *operation().spans))
    found = asked(everything, "continuation")
    for one in found:
        assert one.value["end_us"] <= 8 * S or one.value["start_us"] >= 12 * S


def test_the_stage_of_the_picture_is_asked_where_it_alone_holds() -> None:
    found = asked(operation(), "stage_now")
    assert [f.value["label"] for f in found] == [
        "preparation", "ligament_and_peritoneum_division", "vagina_transection",
    ]  # fmt: skip
    assert all(len(f.fixed) == 4 for f in found)
    both = operation(*STAGES, ("washing", 0, 15))
    assert "preparation" not in {f.value["label"] for f in asked(both, "stage_now")}


def test_the_next_stage_is_the_one_that_is_labelled_next() -> None:
    found = asked(operation(), "next_stage")
    assert [f.value["label"] for f in found] == [
        "ligament_and_peritoneum_division", "uterine_vessel_and_ligament_division",
    ]  # fmt: skip
    for one in items(operation(), template("next_stage")):
        assert sum(option.is_answer for option in one.options) == 1


def test_three_pictures_come_in_mixed_order_with_letters() -> None:
    for one in asked(operation(), "frame_order"):
        times = dict(zip("ABC", one.slots["shown_us"], strict=True))
        order = one.value["order"]
        assert [times[letter] for letter in order] == sorted(times.values())
        start = one.slots["interval"][0]
        assert max(times.values()) == one.query_us > start
        assert one.right == ", ".join(order)


def test_what_comes_after_the_question_is_no_proof_of_the_present() -> None:
    for name in ("stage_now", "frame_order"):
        for one in asked(operation(), name):
            assert max(p.end_us for p in one.pointers) <= one.query_us

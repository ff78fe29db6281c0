"""C of one window or round: every rule of 4.2 and 4.3 that concerns an output."""

import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring.outputs.items import JUDGE, MATCH, STAND_IN, item_of, mark
from surgqa.transforms.scoring.outputs.rubric import rubric_of, stand_in
from tests.each import cases
from tests.transforms.scoring.medstream.samples import (
    ALERT,
    PHASES,
    SENTENCE,
    closed,
    free,
    never,
    rounds,
    rubric,
    second,
    stream,
    watch,
)

SETS = ("grasper", "grasper, hook", "hook, scissors")
BEFORE, AFTER = 0, 4
"""Rounds of a stream before and after its event."""


def content(row, response, round_=0):
    item = item_of(row)
    return mark(item, item.asks[round_], response)


@pytest.mark.parametrize(
    ("response", "score"),
    [
        pytest.param("gallbladder dissection", 1, id="text"),
        pytest.param("Gallbladder_Dissection.", 1, id="normalised"),
        pytest.param("D", 1, id="letter"),
        pytest.param("(d)", 1, id="letter-in-brackets"),
        pytest.param("D) gallbladder dissection", 1, id="letter-and-text"),
        pytest.param("<think>A?</think> D", 1, id="behind-a-thought"),
        pytest.param("clipping and cutting", 0, id="wrong"),
        pytest.param("C", 0, id="wrong-letter"),
        pytest.param("unanswerable", 0, id="unanswerable"),
    ],
)
def test_closed_single_label(response, score):
    found = content(closed(), response)
    assert (found.content, found.status, found.by) == (score, "scored", MATCH)


@cases("response", ["", "  ", "??", "<think>endless", "H", "the third phase"])
def test_empty_and_malformed_output_scores_0(response):
    found = content(closed(), response)
    assert (found.content, found.status) == (0.0, "unparsed")


def test_a_missing_output_scores_0_and_is_not_positive():
    for row in (closed(), free(), stream(), watch()):
        found = content(row, None, -1)
        assert (found.content, found.status, found.positive) == (0.0, "missing", False)


def test_another_name_of_the_right_option_is_right():
    texts = ("hyperplastic lesion", "adenoma")
    row = closed(right=texts[0], texts=texts, types={"seen": "label finding"})
    assert content(row, "hyperplasic").content == 1.0
    assert content(row, "adenomatous polyp").content == 0.0


def test_yes_and_no():
    row = closed(right="Yes", texts=("Yes", "No"), types={"there": "truth"})
    assert [content(row, r).content for r in ("yes", "A", "No", "B")] == [1.0, 1.0, 0.0, 0.0]


def test_numbers_in_digits_and_words():
    row = closed(right="3", texts=("1", "2", "3"), types={"n": "number"})
    assert [content(row, r).content for r in ("3", "three", "C", "2", "2.5")] == [1, 1, 1, 0, 0]


@cases(
    ("response", "score"),
    [("grasper, hook", 1), ("hook and grasper", 1), ("l-hook; grasping forceps", 1), ("B", 1),
     ("grasper", 0), ("grasper, hook, scissors", 0), ("grasper, scissors", 0)],
)  # fmt: skip
def test_sets_are_equal_or_wrong(response, score):
    row = closed(right=SETS[1], texts=SETS, types={"tools": "set instrument"})
    assert content(row, response).content == score


@cases("response", ["unanswerable", "Unanswerable.", "E", "e) unanswerable"])
def test_an_unanswerable_reference_takes_the_word_and_its_letter(response):
    row = closed(right="unanswerable", texts=(*PHASES, "unanswerable"), mode="future")
    assert content(row, response).content == 1.0
    assert content(row, "gallbladder dissection").content == 0.0


def test_an_unanswerable_reference_of_an_open_item_is_not_rated():
    row = free(answer="unanswerable")
    assert content(row, "Unanswerable").content == 1.0
    found = content(row, SENTENCE)
    assert (found.content, found.by) == (0.0, MATCH)


def test_open_output_equal_to_the_reference_scores_1():
    found = content(free(), SENTENCE.upper().rstrip("."))
    assert (found.content, found.by) == (1.0, MATCH)


@pytest.mark.parametrize(
    ("response", "score"),
    [
        pytest.param("gallbladder dissection with the hook at the liver, in the plane", 1.0,
                     id="all-slots-two-cues"),
        pytest.param("Dissecting the gallbladder with hooks near the liver bed", 0.8,
                     id="alias-plural-one-cue"),
        pytest.param("the l-hook dissects in smoke off the liver", 0.8, id="one-slot-two-cues"),
        pytest.param("gallbladder dissection", 0.4, id="one-slot-no-cue"),
        pytest.param("something else", 0.2, id="only-safe"),
        pytest.param("gallbladder dissection with the hook; the lesion is malignant", 0.4,
                     id="unsafe"),
    ],
)  # fmt: skip
def test_open_output_is_rated_by_the_stand_in(response, score):
    found = content(free(), response)
    assert found.content == pytest.approx(score)
    assert found.by == STAND_IN


@cases("response", ["unanswerable", "no_alert", "uncertain"])
def test_a_token_is_no_answer_where_one_is_due(response):
    assert content(free(), response).content == 0.0
    assert content(stream(open_=True), response, AFTER).content == 0.0


def test_without_a_rubric_an_open_answer_is_right_or_wrong():
    row = free(rubric=None)
    assert content(row, SENTENCE).content == 1.0
    assert content(row, "gallbladder dissection with the hook").content == 0.0


def test_future_rounds_before_the_event_want_unanswerable():
    for row in (stream(), stream(open_=True)):
        assert content(row, "unanswerable", BEFORE).content == 1.0
        found = content(row, PHASES[3], BEFORE)
        assert (found.content, found.positive) == (0.0, True)
        assert content(row, "", BEFORE).content == 0.0


def test_future_rounds_from_the_event_on_are_scored_like_single_turns():
    assert [content(stream(), r, AFTER).content for r in ("D", PHASES[3], "C", "unanswerable")] == [
        1.0, 1.0, 0.0, 0.0]  # fmt: skip
    assert content(stream(open_=True), SENTENCE, AFTER).content == 1.0
    found = content(stream(open_=True), "the hook", AFTER)
    assert (found.content, found.by) == (pytest.approx(0.4), STAND_IN)


def test_a_wrong_or_malformed_answer_is_positive_but_an_empty_one_is_not():
    assert content(stream(), "C", AFTER).positive
    found = content(stream(), "I think something begins", AFTER)
    assert (found.positive, found.status) == (True, "unparsed")
    assert not content(stream(), "", AFTER).positive


def test_the_round_exactly_at_the_event_is_due():
    row = stream()
    assert content(row, "unanswerable", 2).content == content(row, "D", 3).content == 1.0
    assert content(row, "D", 2).content == content(row, "unanswerable", 3).content == 0.0


@cases(("response", "score"), [("no_alert", 1), ("No alert.", 1),
                                                 ("uncertain", 1), (ALERT, 0), ("alert", 0),
                                                 ("nothing yet", 0), ("", 0)])  # fmt: skip
def test_proactive_rounds_before_the_event_accept_silence(response, score):
    assert content(watch(), response, BEFORE).content == score


def test_what_is_accepted_before_the_event_is_the_rounds_list():
    row = watch(accepted=("no_alert",))
    assert content(row, "uncertain", BEFORE).content == 0.0
    bare = [one | {"accepted_outputs": [] if not one["answerable"] else [ALERT]}
            for one in watch()["rounds"]]  # fmt: skip
    for response in ("no_alert", "uncertain"):
        assert content(watch(rounds=bare), response, BEFORE).content == 1.0


@pytest.mark.parametrize(
    ("response", "score", "positive"),
    [
        pytest.param(ALERT, 1.0, True, id="expected"),
        pytest.param("Alert : Raised lesion in view.", 1.0, True, id="normalised"),
        pytest.param("alert: polyp behind the fold", 0.8, True, id="by-the-rubric"),
        pytest.param("alert: bleeding", 0.2, True, id="other-reason"),
        pytest.param("alert", 0.0, True, id="no-reason"),
        pytest.param("alert:", 0.0, True, id="empty-reason"),
        pytest.param("no_alert", 0.0, False, id="silent"),
        pytest.param("uncertain", 0.0, False, id="uncertain"),
        pytest.param("raised lesion in view", 0.0, False, id="no-alert-in-form"),
        pytest.param("", 0.0, False, id="empty"),
    ],
)
def test_proactive_rounds_from_the_event_on(response, score, positive):
    found = content(watch(), response, AFTER)
    assert (found.content, found.positive) == (pytest.approx(score), positive)


def test_without_a_rubric_the_reasons_list_decides():
    marks = rounds((10.0, 20.0, 30.0), 20.0, "no_alert", ALERT)
    marks[-1]["accepted_outputs"] = [ALERT, "alert: polyp seen"]
    row = watch(rounds=marks, rubric=None)
    assert content(row, "alert: polyp seen", 2).content == 1.0
    found = content(row, "alert: something raised", 2)
    assert (found.content, found.positive) == (0.0, True)


def test_a_stream_without_the_event_wants_silence_throughout():
    for round_ in range(4):
        assert content(never(), "no_alert", round_).content == 1.0
        assert content(never(), ALERT, round_).content == 0.0


def test_a_judge_is_asked_only_where_the_rubric_decides():
    asked = []

    def rate(item, ask, output):
        asked.append(output)
        return 0.5, JUDGE

    for row, round_, response in [
        (free(), 0, "other words"), (free(), 0, SENTENCE), (free(), 0, ""), (closed(), 0, "C"),
        (free(answer="unanswerable"), 0, "words"), (stream(open_=True), BEFORE, "words"),
        (stream(open_=True), AFTER, "more words"), (watch(), BEFORE, "alert: early"),
        (watch(), AFTER, "alert: in other words"), (watch(), AFTER, "alert"),
    ]:  # fmt: skip
        item = item_of(row)
        mark(item, item.asks[round_], response, rate)
    assert asked == ["other words", "more words", "alert: in other words"]


# ---- the stand-in -------------------------------------------------------------------


def rated(said, question="Which phase is under way?", **more):
    found = stand_in(rubric_of(rubric(**more), "x"), question, SENTENCE, said)
    return (found.correctness, found.evidence_grounding, found.safety)


def test_naming_a_rival_beside_the_answer_costs_a_point():
    both = "gallbladder dissection with the hook"
    assert rated(both)[0] == 2
    assert rated(f"{both}, or clipping and cutting")[0] == 1
    assert rated(f"{both}, not clipping and cutting")[0] == 2
    assert rated(f"{both} rather than the preparation")[0] == 2


def test_a_rival_that_is_part_of_the_answer_or_the_question_is_none():
    said = "after clipping and cutting comes gallbladder dissection with the hook"
    assert rated(said)[0] == 1
    assert rated(said, question="What follows clipping and cutting?")[0] == 2
    assert rated("gallbladder dissection with the hook", rivals=["dissection"])[0] == 2
    polyps = {"required": [["polyp"]], "rivals": ["lifted polyp"]}
    assert rated("a polyp", **polyps)[0] == 2
    assert rated("a lifted polyp", **polyps)[0] == 1


def test_names_are_matched_as_whole_words():
    assert rated("gallbladder dissections with hookworms")[0] == 1
    assert rated("hookworm")[0] == 0


def test_the_ontology_knows_further_names_of_a_slot():
    assert rated("a clip applicator", required=[["clip applier"]])[0] == 2


def test_cues_are_counted_up_to_two():
    assert [rated(f"hook {s}")[1] for s in ("", "liver", "liver liver bed", "liver, plane",
                                            "liver, plane, smoke")] == [0, 1, 1, 2, 2]  # fmt: skip


def test_a_reply_that_fits_all_questions_gets_no_credit_for_its_words():
    """Cues without the answer, and all names at once, get what any harmless sentence gets."""
    assert rated("liver, plane, smoke") == (0, 0, 1)
    every = "gallbladder dissection with the hook, clipping and cutting or preparation"
    assert rated(f"{every}: liver, plane") == (0, 0, 1)


def test_without_required_slots_nothing_is_correct():
    assert rated("anything", required=[])[0] == 0


def test_a_claim_that_the_item_itself_makes_is_safe():
    assert rated("this is gastric cancer")[2] == 0
    assert rated("this is gastric cancer", required=[["gastric cancer"]])[2] == 1
    assert rated("no cancer", question="Is this cancer?")[2] == 1
    assert rated("it should be resected")[2] == 0
    assert rated("benignly neglected")[2] == 1


# ---- rows that cannot be scored -----------------------------------------------------


@cases(
    ("row", "words"),
    [
        (closed(rule_args="[]"), "rule_args"),
        (closed(rule_args="{"), "rule_args"),
        (closed(answer_key="H"), "no right option"),
        (stream(rounds=stream()["rounds"][:1]), "is not a stream"),
        (stream(rounds=stream()["rounds"][:1] * 2), "is not a stream"),
        (
            watch(rounds=watch()["rounds"] + [watch()["rounds"][0] | {"current_us": second(99)}]),
            "alert exactly",
        ),
        (free(rubric="{}"), "rubric"),
        (free(rubric=rubric(required=["hook"])), "rubric"),
        (free(rubric=rubric(cues=[["!"]])), "rubric"),
    ],
)
def test_a_broken_row_is_told(row, words):
    with pytest.raises(OutputBroken) as raised:
        item_of(row)
    assert words in raised.value.summary
    assert row["item_id"] in raised.value.summary

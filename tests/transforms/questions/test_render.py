"""Grammar and numbers of every filter, as a person reads them."""

import pytest

from transforms.language.wording import compile_wording
from transforms.questions.bound import (
    Action,
    BoxRef,
    Change,
    Interval,
    Label,
    Moment,
    Point,
    Tool,
    Word,
)
from transforms.questions.render import FILTERS, fill, prepare

GRASPER = Tool(0, "grasper", None, "grasper-1")
SECOND_GRASPER = Tool(1, "grasper", 2, "grasper-2")
SCISSORS = Tool(2, "scissors", None, "scissors-1")
SECOND_SCISSORS = Tool(2, "scissors", 2, "scissors-2")
BIPOLAR = Label("bipolar")
IRRIGATOR = Label("irrigator")
MOMENT = Moment(3, 103_005_000, 3_005_000)
BOX = (0.154, 0.387, 0.344, 0.477)


def printed(name: str, value) -> str:
    return FILTERS[name](value)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        # instruments
        pytest.param("name", GRASPER, "grasper", id="name"),
        pytest.param("name", SECOND_GRASPER, "grasper (instance 2)", id="name-of-an-instance"),
        pytest.param("name", BIPOLAR, "bipolar forceps", id="name-of-a-class"),
        pytest.param("the", GRASPER, "the grasper", id="the"),
        pytest.param("the", SECOND_GRASPER, "the grasper (instance 2)", id="the-instance"),
        pytest.param("the", SECOND_SCISSORS, "the scissors (instance 2)", id="the-plural-instance"),
        pytest.param("the", Label("fluid"), "fluid", id="the-uncountable"),
        pytest.param("the", Label("blood_vessel"), "a blood vessel", id="the-one-of-many"),
        pytest.param("the", Label("cystic_duct"), "the cystic duct", id="the-target"),
        pytest.param("a", Label("grasper"), "a grasper", id="a"),
        pytest.param("a", IRRIGATOR, "a suction irrigator", id="a-by-the-name-shown"),
        pytest.param("a", Label("scissors"), "scissors", id="a-plural"),
        pytest.param("any", Label("grasper"), "any grasper", id="any"),
        pytest.param("any", Label("scissors"), "any scissors", id="any-plural"),
        pytest.param("names", Label("hook"), "hooks", id="plural"),
        pytest.param("names", Label("scissors"), "scissors", id="plural-of-a-plural"),
        pytest.param("names", BIPOLAR, "bipolar forceps", id="plural-of-forceps"),
        # agreement
        pytest.param("is", GRASPER, "is", id="grasper-is"),
        pytest.param("is", SCISSORS, "are", id="scissors-are"),
        pytest.param("is", BIPOLAR, "are", id="forceps-are"),
        pytest.param("does", GRASPER, "does", id="grasper-does"),
        pytest.param("does", SCISSORS, "do", id="scissors-do"),
        pytest.param("has", GRASPER, "has", id="grasper-has"),
        pytest.param("has", SCISSORS, "have", id="scissors-have"),
        pytest.param("it", GRASPER, "it", id="it"),
        pytest.param("it", SCISSORS, "they", id="they"),
        pytest.param("its", GRASPER, "its", id="its"),
        pytest.param("its", SCISSORS, "their", id="their"),
        pytest.param("moves", GRASPER, "moves", id="moves"),
        pytest.param("moves", SCISSORS, "move", id="move"),
        pytest.param("interacts", SCISSORS, "interact", id="interact"),
        pytest.param("stops", SCISSORS, "stop", id="stop"),
        pytest.param("lies", SCISSORS, "lie", id="lie"),
        # actions
        pytest.param("base", Label("dissect"), "dissect", id="base"),
        pytest.param("gerund", Label("cut"), "cutting", id="gerund"),
        pytest.param("gerund", Label("null_verb"), "idling", id="gerund-of-idling"),
        pytest.param("act", Action("dissect", "cystic_duct"), "dissect the cystic duct", id="act"),
        pytest.param("act", Action("aspirate", "fluid"), "aspirate fluid", id="act-uncountable"),
        pytest.param("act", Action("grasp", "null_target"), "grasp", id="act-on-nothing"),
        pytest.param("act", Action("null_verb", "null_target"), "idle", id="idle"),
        # times, places, numbers
        pytest.param("clock", MOMENT, "3.01 s", id="time-from-the-windows-start"),
        pytest.param("clock", 4.0, "4.00 s", id="length"),
        pytest.param("clock", Change(1, 5, 2_000_000, Label("cut")), "2.00 s", id="change"),
        pytest.param("box", BOX, "[154, 387, 344, 477]", id="box"),
        pytest.param("box", BoxRef(BOX), "[154, 387, 344, 477]", id="box-shown"),
        pytest.param("point", Point(0.154, 0.9), "(154, 900)", id="point"),
        pytest.param("whole", 3, "3", id="whole"),
        pytest.param("two", 0.125, "0.13", id="two-decimals"),
        pytest.param("three", 0.0835, "0.084", id="three-decimals"),
        pytest.param("signed", 0.3, "+0.30", id="plus"),
        pytest.param("signed", -0.3, "-0.30", id="minus"),
        pytest.param("signed", -0.001, "+0.00", id="no-minus-zero"),
        pytest.param("percent", 0.125, "13%", id="percent"),
        pytest.param("percent", 1.0, "100%", id="all-of-it"),
        pytest.param("stretches", 1, "1 stretch", id="one-stretch"),
        pytest.param("stretches", 2, "2 stretches", id="two-stretches"),
        pytest.param("stretches", 0, "0 stretches", id="no-stretches"),
        pytest.param("targets", 1, "1 target", id="one-target"),
        pytest.param("targets", 3, "3 targets", id="three-targets"),
        # lists
        pytest.param("list", ["hook", "bipolar"], "bipolar forceps, hook", id="list-sorted"),
        pytest.param("list", [], "none", id="empty-list"),
        pytest.param("text", Word("horizontal"), "horizontal", id="listed-value"),
        pytest.param("text", "closer", "closer", id="plain-text"),
        pytest.param("yes", True, "Yes", id="yes"),
        pytest.param("yes", False, "No", id="no"),
    ],
)
def test_filter(name, value, expected):
    assert printed(name, value) == expected


def test_the_cases_above_cover_every_filter():
    tested = {case.values[0] for case in test_filter.pytestmark[0].args[1]}
    assert tested | {"lines"} == set(FILTERS)


def test_lines_of_runs():
    runs = [
        {
            "tool": SECOND_GRASPER, "start": Moment(0, 0, 0), "end": MOMENT,
            "start_box": BOX, "end_box": (0.0, 0.0, 0.5, 1.0),
        },
        {
            "tool": SCISSORS, "start": MOMENT, "end": MOMENT, "start_box": BOX, "end_box": BOX,
        },
    ]  # fmt: skip
    assert printed("lines", runs) == (
        "grasper (instance 2): Window [0.00 s – 3.01 s], Start BBox [154, 387, 344, 477], "
        "End BBox [0, 0, 500, 1000]\n"
        "scissors: Window [3.01 s – 3.01 s], Start BBox [154, 387, 344, 477], "
        "End BBox [154, 387, 344, 477]"
    )


def test_lines_of_extremes():
    parts = [
        {"side": "left", "time": MOMENT, "box": BOX},
        {"side": "right", "time": MOMENT, "box": BOX},
    ]
    assert printed("lines", parts) == (
        "Extreme Left: [154, 387, 344, 477] at t=3.01 s; "
        "Extreme Right: [154, 387, 344, 477] at t=3.01 s"
    )


def test_lines_of_steps():
    steps = [
        {"start": 0.0, "action": Action("grasp", "gallbladder")},
        {"start": 2.5, "action": Action("null_verb", "null_target")},
    ]
    assert printed("lines", steps) == "(0.00 s) grasp the gallbladder → (2.50 s) idle"


def test_a_wording_is_filled_with_slots_attributes_and_answer_fields():
    text = "From {{ span.start | clock }} {{ tool | is }} {{ tool | the }}: {{ answer.n | whole }}."
    slots = {"span": Interval(MOMENT, MOMENT), "tool": SCISSORS}
    filled = fill(prepare(compile_wording(text)), slots, {"n": 4})
    assert filled == "From 3.01 s are the scissors: 4."


def test_a_wording_without_references_is_itself():
    assert fill(prepare(compile_wording("Why?")), {}, {}) == "Why?"

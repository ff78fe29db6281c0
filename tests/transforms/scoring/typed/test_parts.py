"""What parts of answers earn, at the borders of what the labels leave open."""

from __future__ import annotations

import orjson
import pytest

from surgqa.transforms.scoring.case import case_of
from surgqa.transforms.scoring.text import tidy
from surgqa.transforms.scoring.typed import mark_answer
from tests.each import cases

S = 1_000_000


def case(answer, *fields, unit="clip", start_us=100 * S, end_us=125 * S):
    """A case whose printed answer is given, with (type, of, value) of each part."""
    types = {f"f{k}": {"type": name, "of": of} for k, (name, of, _) in enumerate(fields)}
    values = {f"f{k}": value for k, (_, _, value) in enumerate(fields)}
    return case_of({
        "item_id": "x", "template_id": "t", "answer": answer, "options": [], "answer_key": None,
        "answer_value": orjson.dumps(values).decode(), "start_us": start_us, "end_us": end_us,
        "unit": unit, "rule": "made", "rule_args": orjson.dumps({"answer": types}).decode(),
    })  # fmt: skip


def earned(text, made):
    mark = mark_answer(tidy(text), made)
    return None if mark is None else (round(mark.score, 6), mark.accuracy)


WHEN = {"time_us": 105 * S, "earliest_us": 104 * S, "latest_us": 106 * S}


@cases(
    ("text", "score"),
    [("5.00 s", 1), ("4 s", 1), ("6.0 seconds", 1), ("0:06", 1), ("0:00:06", 1), ("about 5", 1),
     ("7.25 s", 0.95), ("2.75 s", 0.95), ("at 31 s", 0)],
)  # fmt: skip
def test_an_instant_is_right_within_its_bounds_and_loses_by_the_window(text, score):
    assert earned(text, case("5.00 s", ("instant", "", WHEN))) == (score, None)


def test_times_of_a_recording_count_from_its_start():
    made = case("105.00 s", ("instant", "", WHEN), unit="recording", start_us=0)
    assert earned("0:01:45", made) == (1, None)


@cases(
    ("text", "score", "exact"),
    [("0.52", 1, 1), ("52 %", 1, 1), ("46%", 1, 1), ("60 percent", 1, 1), ("0.3", 0.709091, 0)],
)
def test_a_number_is_right_within_its_bounds_and_as_it_is_printed(text, score, exact):
    share = {"value": 0.52381, "least": 0.454545, "most": 0.6}
    assert earned(text, case("52 %", ("number", "", share))) == (
        pytest.approx(score, abs=0.01), exact
    )  # fmt: skip


NUMBERS = "zero once twice three four five six seven eight nine ten"


def test_a_count_in_words():
    made = case("3 stretches", ("number", "", 3))
    assert earned("three stretches", made) == (1, 1)
    assert earned("twice", made) == (pytest.approx(2 / 3, abs=1e-6), 0)
    for number, word in enumerate(NUMBERS.split()):
        assert earned(word, case(f"{number} stretches", ("number", "", number))) == (1, 1)


def test_a_stretch_is_the_nearest_that_the_bounds_allow():
    span = {"start": WHEN, "end": 109 * S}
    made = case("5.00 s to 9.00 s", ("stretch", "", span))
    assert earned("from 4 s to 9 s", made) == earned("6 s - 9 s", made) == (1, None)
    assert earned("from 3 s to 9 s", made) == (pytest.approx(5 / 6), None)
    assert earned("5 s", made) == (0, None)


def test_a_box_by_its_overlap():
    made = case("[100, 200, 300, 400]", ("box", "", [0.1, 0.2, 0.3, 0.4]))
    assert earned("(100, 200, 300, 400)", made) == (1, None)
    assert earned("[200, 200, 400, 400]", made) == (pytest.approx(1 / 3, abs=1e-6), None)


def test_label_and_box_are_half_each():
    track = {"label": "grasper", "subject": "grasper", "track": "grasper-1"}
    made = case("Grasper on the left: [100, 200, 300, 400]", ("track", "", track),
                ("box", "", [0.1, 0.2, 0.3, 0.4]))  # fmt: skip
    assert earned("the grasper, [100, 200, 300, 400]", made) == (1, 1)
    assert earned("the grasper on the right: [100, 200, 300, 400]", made) == (0.5, 0)
    assert earned("hook: [600, 200, 700, 400]", made) == (0, 0)


@cases(
    ("text", "score"),
    [("grasper and hook", 1), ("hook, grasper", 1), ("a hook", 2 / 3), ("none", 0),
     ("grasper, hook and scissors", 0.8)],
)  # fmt: skip
def test_a_set_by_f1(text, score):
    made = case("grasper, hook", ("set", "instrument", ["grasper", "hook"]))
    assert earned(text, made) == (pytest.approx(score, abs=1e-6), float(score == 1))


def test_an_empty_set_is_said_by_none():
    made = case("none", ("set", "instrument", []))
    assert earned("No instruments.", made) == (1, 1)
    assert earned("hook", made) == (0, 0)


def test_a_sequence_by_its_order():
    made = case("grasper, then hook, then scissors",
                ("sequence", "instrument", ["grasper", "hook", "scissors"]))  # fmt: skip
    assert earned("grasper -> hook -> scissors", made) == (1, 1)
    assert earned("hook, grasper, scissors", made) == (pytest.approx(2 / 3, abs=1e-6), 0)


def test_an_act_however_it_is_inflected():
    made = case(
        "Dissect the cystic duct", ("act", "", {"verb": "dissect", "target": "cystic_duct"})
    )
    assert earned("It dissects the cystic duct", made) == (1, 1)
    assert earned("dissecting the liver", made) == (0, 0)
    assert earned("It is idle.", made) == (0, 0)


def test_a_label_that_is_none():
    made = case("none", ("label", "target", None))
    assert earned("no specific target, none", made) == (1, 1)
    assert earned("the liver", made) == (0, 0)


@cases("name", ["instant", "duration", "number", "stretch", "box"])
def test_a_value_that_is_certainly_not_there(name):
    made = case("none", (name, "", None))
    assert earned("None.", made) == (1, 1)
    assert earned("qwertz", made) is None


def test_a_label_of_a_users_own():
    made = case("Ring drop", ("label", "robot_event", "ring_drop"))
    assert earned("a ring drop", made) == (1, 1)
    assert earned("a needle drop", made) is None


def test_parts_are_read_where_the_printed_answer_tells_them():
    made = case("At 3.00 s for 4.00 s: retract (2 stretches)", ("duration", "", 4 * S),
                ("label", "verb", "retract"), ("number", "", 2))  # fmt: skip
    assert earned("At 9.00 s for 4.00 s: retracting, 2 times", made) == (1, 1)
    assert earned("4 s, retract, twice", made) == (1, 1)
    assert earned("retract", made) == (pytest.approx(1 / 3, abs=1e-6), 0)


def test_a_truth_and_what_is_not_there():
    assert earned("Yes, it is.", case("Yes", ("truth", "", True))) == (1, 1)
    assert earned("no", case("Yes", ("truth", "", True))) == (0, 0)
    absent = case("The hook is not present.", ("absent", "", "absent"))
    assert earned("It cannot be seen: not visible", absent) == (1, 1)
    assert earned("[1, 2, 30, 40]", absent) == (0, 0)


DISSECT = {"verb": "dissect", "target": "cystic_duct"}
GRASP = {"verb": "grasp", "target": "null_target"}
GRASPER, HOOK = ({"label": one, "subject": one, "track": f"{one}-1"} for one in ("grasper", "hook"))
ACTS = [DISSECT, "clip,cystic_artery"]
ANSWERS = [
    ("dissect the cystic duct, clip the cystic artery", ("set", "act", ACTS), {
        "clipping the cystic artery, dissecting the cystic duct": (1, 1),
        "dissect the cystic duct": (2 / 3, 0), "dissect the liver": (0, 0),
    }),
    ("dissect the cystic duct, then grasp", ("sequence", "act", [DISSECT, GRASP]), {
        "dissecting the cystic duct, grasping": (1, 1), "dissect the cystic duct": (2 / 3, 0),
        "grasp, then dissect the cystic duct": (0.5, 0),
    }),
    ("3.00 s, 5.00 s", ("set", "instant", [103 * S, 105 * S]), {
        "5.00 s and 3.00 s": (1, 1), "3 s": (2 / 3, 0), "4 s": (0, 0),
    }),
    ("3.00 s, 5.00 s", ("sequence", "duration", [3 * S, 5 * S]), {"5 s, 3 s": (0.5, 0)}),
    ("grasper on the left, hook", ("set", "track", [GRASPER, HOOK]), {
        "a hook and a grasper": (1, 1), "hook": (2 / 3, 0),
    }),
    ("[100, 200]", ("point", "", [0.1, 0.2]), {
        "(100, 200)": (1, None), "[400, 600]": (1 - 0.5 / 2**0.5, None), "nothing": None,
    }),
    ("a red mark", ("text", "", "a red mark"), {
        "It is a red mark there": (1, 1), "red mark a": (0, 0), "a red": (0, 0),
    }),
    ("dissect the cystic duct", ("fact", "interaction", DISSECT), {
        "dissecting the cystic duct": (1, 1), "clipping the cystic duct": (0, 0),
    }),
    ("grasper", ("fact", "instrument", GRASPER), {"the grasper": (1, 1), "hook": (0, 0)}),
]  # fmt: skip
"""Printed answer, its only part, response -> score and accuracy."""


@cases(
    ("made", "text", "wanted"),
    [(case(text, part), *one) for text, part, said in ANSWERS for one in said.items()],
)
def test_each_kind_of_part(made, text, wanted):
    found = earned(text, made)
    assert found == (wanted and (pytest.approx(wanted[0], abs=1e-6), wanted[1]))

"""Filters: every one prints what it is for, in words that a surgeon would say."""

from __future__ import annotations

from typing import Any

from tests.each import cases
from transforms.language.filters import FILTERS
from transforms.questions.printers import PRINTERS, Sheet, printer

S = 1_000_000
SHEET = Sheet(10 * S, {"grasper-2": " on the left"}, "instrument")
HOOK = {"label": "hook", "subject": "hook", "track": "hook-1", "start_us": 12 * S, "end_us": 15 * S}
GRASPER = {**HOOK, "label": "grasper", "track": "grasper-2"}
LATE = {"time_us": 13 * S, "earliest_us": 12 * S, "latest_us": 14 * S}

PRINTED = [
    ("clock", 12_340_000, "2.34 s"),
    ("clock", LATE, "3.00 s"),
    ("span", HOOK, "2.00 s to 5.00 s"),
    ("span", {"start": 12 * S, "end": LATE}, "2.00 s to 3.00 s"),
    ("the", HOOK, "the hook"),
    ("the", GRASPER, "the grasper on the left"),
    ("the", "scissors", "the scissors"),
    ("name", GRASPER, "grasper on the left"),
    ("names", "hook", "hooks"),
    ("names", "scissors", "scissors"),
    ("is", "hook", "is"),
    ("is", "scissors", "are"),
    ("has", "scissors", "have"),
    ("whole", {"value": 3, "least": 3, "most": 3}, "3"),
    ("two", 1.005, "1.01"),
    ("signed", 0.25, "+0.25"),
    ("signed", -0.25, "-0.25"),
    ("percent", {"value": 0.555, "least": 0.5, "most": 0.6}, "56 %"),
    ("seconds", 20 * S, "20 seconds"),
    ("times", 1, "once"),
    ("times", 2, "twice"),
    ("times", 3, "3 times"),
    ("stretches", 1, "1 stretch"),
    ("stretches", 2, "2 stretches"),
    ("list", ["hook", "clipper"], "clip applier, hook"),
    ("list", [], "none"),
    ("box", [0.1, 0.2, 0.3, 0.4], "[100, 200, 300, 400]"),
    ("point", [0.1, 0.9, 0.1, 0.9], "(100, 900)"),
    ("where", None, ""),
    ("yes", True, "Yes"),
    ("yes", False, "No"),
]  # fmt: skip


@cases(("name", "value", "text"), PRINTED)
def test_a_value_is_printed(name: str, value: Any, text: str):
    assert printer(name, "label")(value, SHEET) == text


def test_a_duration_is_no_time_of_day():
    assert printer("clock", "duration")({"value": 1_500_000, "least": 1, "most": 2}, SHEET) == (
        "1.50 s"
    )


def test_an_act_is_said_with_its_target():
    act = {"verb": "dissect", "target": "gallbladder"}
    sheet = Sheet(0, {}, "act")
    assert PRINTERS["act"](act, sheet) == "dissect the gallbladder"
    assert PRINTERS["acts"](act, sheet) == "dissects the gallbladder"
    assert PRINTERS["act"]({"verb": "dissect", "target": None}, sheet) == "dissect"


def test_every_filter_of_the_language_is_printed():
    shown = {"letters"}  # of pictures, which the engine does not show yet
    assert set(FILTERS) - shown <= set(PRINTERS)

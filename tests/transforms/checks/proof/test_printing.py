"""What each filter must have printed, by the page of the language and by the vocabularies."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, terms_of
from surgqa.transforms.checks.proof.numbers import fixed, seconds
from surgqa.transforms.checks.proof.printing import FILTERS, Page, printed
from surgqa.transforms.checks.proof.terms import forms
from surgqa.transforms.language.filters import FILTERS as LISTED
from surgqa.transforms.questions.printers import PRINTERS, PrintContext, printer
from tests.each import cases

S = 1_000_000
PAGE = Page(10 * S, {"hook-1": "", "grasper-2": " on the left"}, "instrument",
            shown=(12 * S, 13 * S))  # fmt: skip
HOOK = {"label": "hook", "subject": "hook", "track": "hook-1", "start_us": 12 * S, "end_us": 15 * S}
GRASPER = {**HOOK, "label": "grasper", "subject": "grasper", "track": "grasper-2"}
LATE = {"time_us": 13 * S, "earliest_us": 12 * S, "latest_us": 14 * S}
ACT = {"verb": "dissect", "target": "cystic_duct"}
DOING = {**ACT, "subject": "hook", "track": "hook-1", "start_us": 12 * S, "end_us": 15 * S}

CASES: list[tuple[str, str, str, Any, str]] = [
    ("clock", "instant", "", 12_345_000, "2.35 s"),
    ("clock", "instant", "", 12_344_999, "2.34 s"),
    ("clock", "instant", "", 9_500_000, "-0.50 s"),
    ("clock", "instant", "", LATE, "3.00 s"),
    ("clock", "duration", "", {"value": 1_500_000, "least": 1, "most": 2_000_000}, "1.50 s"),
    ("seconds", "duration", "", 29_500_000, "30 seconds"),
    ("span", "fact", "", HOOK, "2.00 s to 5.00 s"),
    ("span", "stretch", "", {"start": 12 * S, "end": LATE}, "2.00 s to 3.00 s"),
    ("the", "fact", "instrument", HOOK, "the hook"),
    ("the", "fact", "instrument", GRASPER, "the grasper on the left"),
    ("the", "label", "instrument", "scissors", "the scissors"),
    ("the", "label", "target", "blood_vessel", "a blood vessel"),
    ("the", "label", "target", "fluid", "fluid"),
    ("the", "label", "", "no_such_thing", "the no such thing"),
    ("a", "label", "instrument", "irrigator", "a suction irrigator"),
    ("a", "label", "instrument", "scissors", "scissors"),
    ("a", "label", "finding", "ulcer", "an ulcer"),
    ("a", "label", "target", "liver", "the liver"),
    ("any", "label", "instrument", "hook", "any hook"),
    ("name", "fact", "instrument", GRASPER, "grasper on the left"),
    ("name", "label", "target", None, "none"),
    ("names", "label", "instrument", "clipper", "clip appliers"),
    ("names", "label", "instrument", "scissors", "scissors"),
    ("is", "label", "instrument", "hook", "is"),
    ("is", "label", "instrument", "scissors", "are"),
    ("was", "label", "instrument", "hook", "was"),
    ("does", "label", "instrument", "bipolar", "do"),
    ("has", "label", "instrument", "hook", "has"),
    ("has", "label", "instrument", "scissors", "have"),
    ("it", "label", "instrument", "scissors", "they"),
    ("its", "label", "instrument", "hook", "its"),
    ("moves", "label", "instrument", "scissors", "move"),
    ("stops", "label", "instrument", "hook", "stops"),
    ("lies", "label", "instrument", "scissors", "lie"),
    ("begins", "label", "instrument", "hook", "begins"),
    ("noun", "fact", "interaction", DOING, "dissecting the cystic duct with the hook"),
    ("noun", "label", "phase", "preparation", "the preparation"),
    ("noun", "act", "", ACT, "dissecting the cystic duct"),
    ("clause", "fact", "interaction", DOING, "the hook dissects the cystic duct"),
    ("clause", "fact", "interaction", {**DOING, "subject": "scissors"},
     "the scissors dissect the cystic duct"),
    ("asks", "fact", "interaction", DOING, "does the hook dissect the cystic duct"),
    ("starts", "fact", "interaction", DOING, "the hook begins to dissect the cystic duct"),
    ("acting", "fact", "interaction", DOING, "dissecting the cystic duct"),
    ("base", "label", "verb", "cut", "cut"),
    ("third", "label", "verb", "cut", "cuts"),
    ("gerund", "label", "verb", "null_verb", "idling"),
    ("act", "act", "", ACT, "dissect the cystic duct"),
    ("act", "act", "", {"verb": "grasp", "target": None}, "grasp"),
    ("acts", "act", "", ACT, "dissects the cystic duct"),
    ("effect", "label", "effect", "divided", "divides it into separate parts"),
    ("reason", "label", "reason", "clip_before_dividing_duct",
     "The cystic duct is clipped before it is divided, so that no bile leaks from either end"),
    ("box", "box", "", [0.1, 0.2, 0.3, 0.4005], "[100, 200, 300, 401]"),
    ("where", "box", "", [0.1, 0.2, 0.3, 0.4], " at [100, 200, 300, 400]"),
    ("where", "box", "", None, ""),
    ("point", "point", "", [0.1, 0.9, 0.1, 0.9], "(100, 900)"),
    ("whole", "number", "", {"value": 3, "least": 3, "most": None}, "3"),
    ("two", "number", "", 1.005, "1.01"),
    ("two", "number", "", -0.001, "0.00"),
    ("three", "number", "", 0.0255, "0.026"),
    ("signed", "number", "", 0.25, "+0.25"),
    ("signed", "number", "", -0.25, "-0.25"),
    ("percent", "number", "", {"value": 0.555, "least": 0.5, "most": 0.6}, "56 %"),
    ("percent", "number", "", 1.0, "100 %"),
    ("percent", "number", "", 0.005, "1 %"),
    ("times", "number", "", 1, "once"),
    ("times", "number", "", 2, "twice"),
    ("times", "number", "", 3, "3 times"),
    ("stretches", "number", "", 1, "1 stretch"),
    ("targets", "number", "", 2, "2 targets"),
    ("list", "set", "instrument", ["hook", "clipper"], "clip applier, hook"),
    ("list", "set", "instrument", [], "none"),
    ("then", "sequence", "instrument", ["hook", "clipper"], "hook, then clip applier"),
    ("then", "sequence", "act", ["cut,liver", "clip"], "cutting the liver, then clipping"),
    ("lines", "sequence", "record", [{"start": 12 * S, **ACT}], "2.00 s, dissect the cystic duct"),
    ("letters", "sequence", "instant", [13 * S, LATE, 12 * S], "B, B, A"),
    ("text", "word", "", "upper left", "upper left"),
    ("yes", "truth", "", True, "Yes"),
    ("yes", "truth", "", False, "No"),
]  # fmt: skip


@cases(("name", "kind", "domain", "value", "text"), CASES)
def test_a_value_is_printed_alike_by_both(name: str, kind: str, domain: str, value: Any, text: str):
    assert printed(name, kind, value, replace(PAGE, domain=domain)) == text
    sheet = PrintContext(PAGE.zero_us, PAGE.track_words, domain, PAGE.shown)
    assert printer(name, kind)(value, sheet) == text


def test_every_filter_of_the_language_has_a_printer_and_a_case():
    assert set(FILTERS) == set(LISTED) == set(PRINTERS) == {name for name, *_ in CASES}


def test_an_instance_that_nothing_tells_apart_has_no_name():
    with pytest.raises(KeyError):
        printed("the", "fact", {**HOOK, "track": "hook-9"}, PAGE)


@cases(
    ("word", "article"),
    [("ulcer", "an"), ("ureter", "a"), ("unit", "a"), ("unidentified shaft", "an"),
     ("euglycaemia", "a"), ("adhesion", "an"), ("utility knife", "a"), ("hook", "a")],
)  # fmt: skip
def test_the_article_follows_the_sound(word: str, article: str):
    assert forms(word).a == f"{article} {word}"


@cases(
    ("value", "places", "text"),
    [(0.125, 2, "0.13"), (2.675, 2, "2.68"), (-0.004, 2, "0.00"), (1e9 + 0.5, 0, "1000000001"),
     (99.5, 0, "100"), (-1.5, 0, "-2")],
)  # fmt: skip
def test_halves_go_away_from_zero(value: float, places: int, text: str):
    assert fixed(value, places) == text


SAID = [
    ("clause", "condition", {"label": "stained_lens"}, "the lens is stained"),
    ("asks", "condition", {"label": "stained_lens"}, "is the lens stained"),
    ("asks", "condition", "view_from_inside_trocar", "does the camera look out of the trocar"),
    ("starts", "condition", {"label": "bleeding_in_view"}, "bleeding comes up"),
    ("clause", "finding", {"label": "polyp"}, "a polyp is in view"),
    ("clause", "cue", {"label": "camera"}, "the camera moves in"),
    ("clause", "cue", {"label": "approach", "subject": "scissors"}, "the scissors come near"),
    ("starts", "cue", {"label": "positioned", "subject": "hook"}, "the hook comes into position"),
    ("clause", "effect_of", {"label": "divided", "verb": "cut", "target": "cystic_duct"},
     "cutting divides the cystic duct into separate parts"),
    ("clause", "affordance", {"label": "cleared", "subject": "irrigator", "target": "fluid"},
     "the suction irrigator drains fluid to free the view"),
]  # fmt: skip


@cases(("name", "kind", "value", "text"), SAID)
def test_a_label_that_has_words_of_its_own_is_said_in_them_by_both(name, kind, value, text):
    assert printed(name, "fact", value, Page(domain=kind)) == text
    assert printer(name, "fact")(value, PrintContext(0, {}, kind)) == text


@cases("kind", kind_names())
def test_whatever_can_be_a_fact_is_said_alike_by_both(kind: str):
    labels = terms_of(described(kind).fields.get("label", "")) or ("",)
    for label, subject, target in product(labels, ("", "hook", "scissors"), ("", "fluid")):
        fact = {"label": label, "subject": subject, "verb": "cut", "target": target}
        for name in ("noun", "clause", "asks", "starts", "acting"):
            mine = printed(name, "fact", fact, Page(domain=kind))
            assert mine == printer(name, "fact")(fact, PrintContext(0, {}, kind))
            assert mine and "{" not in mine


def test_an_effect_has_one_text():
    text = "drains it to free the view"
    assert printed("effect", "label", "cleared", Page()) == text
    assert printer("effect", "label")("cleared", PrintContext(0, {})) == text


@cases(
    ("time_us", "text"),
    [(0, "0.00 s"), (4_999, "0.00 s"), (5_000, "0.01 s"), (-4_999, "0.00 s"), (-5_000, "-0.01 s"),
     (1_014_999, "1.01 s"), (1_015_000, "1.02 s"), (-61_500_000, "-61.50 s"),
     (3_600_995_000, "3601.00 s")],
)  # fmt: skip
def test_seconds_round_halves_away_from_zero(time_us: int, text: str):
    assert seconds(time_us) == text


@given(st.integers(-(10**10), 10**10))
def test_seconds_are_those_of_decimals(time_us: int):
    assert seconds(time_us) == f"{fixed(Decimal(time_us) / 1_000_000, 2)} s"

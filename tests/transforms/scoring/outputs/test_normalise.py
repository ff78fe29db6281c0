"""What of a response is its output, and which spellings are the same (4.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.scoring.outputs.normalise import (
    alert_of,
    aliases,
    chosen,
    letter_of,
    meanings,
    members,
    normalised,
    number_of,
    output_of,
    same,
)
from tests.each import cases

READ = {
    normalised: {
        "ﬁne Ｐolyp": "fine polyp",
        "CLIPPING And Cutting": "clipping and cutting",
        "STRASSE straße": "strasse strasse",
        "clipping_and-cutting": "clipping and cutting",
        "no\u2011alert": "no alert",
        "  two   words \n here ": "two words here",
        "'\"quoted\"'": "quoted",
        "done!?.": "done",
        "'done.'": "done",
        "A. polyp": "polyp",
        "(b) polyp": "polyp",
        "c) polyp": "polyp",
        "a polyp": "a polyp",
        "B.": "b",
        "e.g. polyp": "e.g. polyp",
        "...": "",
    },
    output_of: {
        " B ": "B",
        "<think>A or B</think>\nB": "B",
        "thinking … </think> B": "B",
        "<think>A or B, cut": "",
        "Well. <answer>B</answer> ok": "B",
        "So \\boxed{B}": "B",
        "Because of the clips.\nAnswer: B": "B",
        "**Answer:** clipping": "clipping",
        "The answer is clipping": "clipping",
        "Answer:": "Answer:",
        "I answer: maybe B": "I answer: maybe B",
    },
    letter_of: {
        "b": "B",
        "(B)": "B",
        "B.": "B",
        "B)": "B",
        "option b": "B",
        "Choice B.": "B",
        "B) polyp": None,
        "ab": None,
        "": None,
        "A B": None,
    },
    alert_of: {
        "alert: raised lesion": "raised lesion",
        "Alert : Raised lesion.": "raised lesion",
        '"alert: raised lesion"': "raised lesion",
        "ALERT：bleeding": None,
        "alert": "",
        "Alert.": "",
        "alert:": "",
        "alert:  .": "",
        "alert raised lesion": None,
        "alertness: low": None,
        "no alert": None,
        "no_alert": None,
        "I raise an alert: lesion": None,
        "": None,
    },
    number_of: {
        "3": 3,
        "3.0": 3,
        "three": 3,
        "twelve": 12,
        "3 tools": None,
        "": None,
        "٣": None,
    },
}
"""Reader -> text -> what it reads.  ``output_of`` makes the wide colon plain."""


@cases(
    ("read", "text", "expected"),
    [(read, *one) for read, texts in READ.items() for one in texts.items()],
)
def test_one_text(read, text, expected):
    assert read(text) == expected


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text):
    once = normalised(text)
    assert normalised(once) == once


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading(text):
    output = output_of(text)
    letter_of(output), alert_of(output), number_of(normalised(output)), members(output)
    chosen(output, [("A", "yes"), ("B", "no")], "phase", True)


def test_a_wide_colon_makes_an_alert_as_well():
    assert alert_of(output_of("ALERT：bleeding")) == "bleeding"


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        pytest.param("hyperplasic", "hyperplastic lesion", "finding", id="finding"),
        pytest.param("carlot triangle dissection", "calot triangle dissection", "phase",
                     id="misspelt-phase"),
        pytest.param("clip applicator", "clip applier", "instrument", id="instrument"),
        pytest.param("a clip applier", "clip applier", "instrument", id="article"),
        pytest.param("the hook", "hook", "instrument", id="definite-article"),
        pytest.param("grasping", "grasp", None, id="verb-of-any-kind"),
        pytest.param("three", "3", None, id="number"),
    ],
)  # fmt: skip
def test_names_of_one_concept_are_the_same(a, b, kind):
    assert same(a, b, kind)
    assert same(b, a, kind)


def test_names_of_two_concepts_are_not_the_same():
    assert not same("hook", "grasper", "instrument")
    assert not same("unheard of", "unheard", "phase")
    assert not same("3", "4")
    assert not meanings("unheard of")


def test_aliases_are_those_of_the_concept_that_is_named_so():
    assert {"clip applier", "clipper", "clip applicator"} <= set(aliases("clip applier"))
    assert aliases("unheard of") == ("unheard of",)


@cases(
    "text",
    ["grasper, hook", "hook; grasper", "grasper | hook", "hook and grasper", "Hook, and grasper.",
     "the hook, a grasper", "grasper,hook,grasper"],
)  # fmt: skip
def test_sets_are_compared_as_sets(text):
    assert members(text, "instrument") == members("grasper, hook", "instrument")


def test_other_sets_are_others():
    whole = members("grasper, hook", "instrument")
    assert members("grasper", "instrument") != whole
    assert members("grasper, hook, scissors", "instrument") != whole
    assert members("", "instrument") == frozenset()


def test_a_name_with_an_and_is_one_member():
    assert len(members("dyed and lifted polyp, ulcer", "finding")) == 2


TWO = [("A", "hook"), ("B", "clip applier"), ("C", "3")]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        pytest.param("b", "clip applier", id="letter"),
        pytest.param("B) clip applier", "clip applier", id="mark-and-text"),
        pytest.param("Clip-Applier.", "clip applier", id="text"),
        pytest.param("endoclip applier", "clip applier", id="alias"),
        pytest.param("three", "3", id="number"),
        pytest.param("D", None, id="letter-of-no-option"),
        pytest.param("hook or clip applier", None, id="two-options"),
        pytest.param("It is the hook, I think", None, id="sentence"),
        pytest.param("", None, id="empty"),
    ],
)
def test_chosen(output, expected):
    assert chosen(output, TWO, "instrument", False) == expected


def test_a_name_that_fits_two_options_chooses_none():
    both = [("A", "polyp"), ("B", "polypoid lesion")]
    assert chosen("polyps", both, "finding", False) is None
    assert chosen("polyp", both, "finding", False) == "polyp"


def test_a_set_is_chosen_in_any_order():
    sets = [("A", "grasper"), ("B", "grasper, hook"), ("C", "hook, scissors")]
    assert chosen("l-hook and grasping forceps", sets, "instrument", True) == "grasper, hook"
    assert chosen("hook and grasper", sets, "instrument", False) is None

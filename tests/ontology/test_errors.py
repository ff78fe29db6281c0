"""Errors that teach, also after a trip between processes."""

import pickle

import pytest

from surgqa.ontology.errors import OutputBroken, SourceBroken, SourceMissing, UserError

DETAILS = {
    "expected": "labels.json",
    "found": "nothing",
    "where": "VID01/labels.json:3",
    "fix": "download it",
}


@pytest.mark.parametrize("kind", [UserError, SourceMissing, SourceBroken, OutputBroken])
@pytest.mark.parametrize("details", [DETAILS, {}], ids=["full", "bare"])
def test_pickled_and_back(kind, details):
    error = kind("a label file is missing", **details)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert again.lines() == error.lines()
    assert again.exit_code == error.exit_code
    assert str(again) == str(error)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param(UserError, 2, id="usage"),
        pytest.param(SourceMissing, 3, id="missing"),
        pytest.param(SourceBroken, 3, id="broken"),
        pytest.param(OutputBroken, 2, id="output"),
    ],
)
def test_exit_codes(kind, code):
    assert kind("x").exit_code == code


def test_the_lines_name_what_is_known_and_nothing_else():
    assert UserError("wrong", found="x", fix="y").lines() == [
        "wrong",
        "  found     x",
        "  fix       y",
    ]


def test_kinds_can_be_told_apart_and_are_all_user_errors():
    assert not issubclass(SourceMissing, SourceBroken)
    assert all(issubclass(k, UserError) for k in (SourceMissing, SourceBroken, OutputBroken))

"""Folders of datasets from the command line: whose each is, and errors that name the dataset."""

from __future__ import annotations

import pytest

from surgqa.ontology.errors import UnknownName, WrongUsage
from surgqa.pipeline.located import located
from tests.each import cases

ONE, TWO = [{"name": "cholec80"}], [{"name": "cholec80"}, {"name": "avos"}]


def roots(datasets, *texts):
    return [one.get("root") for one in located(datasets, {"root": list(texts)}, {})]


def test_each_dataset_gets_its_folder_in_any_order():
    assert roots(ONE, "here") == roots(ONE, "cholec80=here") == ["here"]
    assert roots(TWO, "avos=b", "cholec80=a") == ["a", "b"]
    assert roots([*ONE, *ONE], "cholec80=a", "cholec80=b") == ["a", "b"]
    assert roots(ONE, "odd=name") == ["odd=name"]


@cases(
    ("datasets", "texts", "error", "said"),
    [
        (ONE, ["cholec80=a", "cholec80=b"], UnknownName, "--root is given too often for cholec80"),
        (TWO, ["avos=a", "avos=b"], UnknownName, "--root is given too often for avos"),
        (TWO, ["avoss=a"], UnknownName, "the run has no dataset 'avoss'"),
        (TWO, ["a"], WrongUsage, "--root does not say for which dataset"),
        (ONE, ["a", "b"], WrongUsage, "--root does not say for which dataset"),
    ],
)
def test_a_folder_of_no_dataset_is_an_error(datasets, texts, error, said):
    with pytest.raises(error, match=said):
        roots(datasets, *texts)

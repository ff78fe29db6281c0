"""What other packages offer: in order, of one name each, and an error in words where it is not."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from surgqa.ontology import plugins
from surgqa.ontology.errors import UserError
from surgqa.transforms import registry


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, plugins.DATASETS)


@pytest.fixture
def installed(monkeypatch):
    def install(*points: EntryPoint) -> None:
        monkeypatch.setattr(plugins, "entry_points", lambda group: points)
        registry.packages.cache_clear()

    yield install
    monkeypatch.undo()
    registry.packages.cache_clear()


def test_names_are_in_order(installed):
    installed(point("b", "x.b"), point("a", "x.a"))
    assert [one.name for one in plugins.offered(plugins.DATASETS)] == ["a", "b"]


@pytest.mark.parametrize(("names", "shipped"), [("aa", ()), ("a", ("a",))])
def test_two_of_one_name_are_told(installed, names, shipped):
    installed(*(point(name, f"x.{name}") for name in names))
    with pytest.raises(UserError, match="two datasets have the same name") as caught:
        plugins.offered(plugins.DATASETS, shipped)
    assert caught.value.where == "a"


@pytest.mark.parametrize("value", ["no_such_package", "json:no_such_thing"])
def test_what_cannot_be_loaded_is_told_with_its_package(value):
    with pytest.raises(UserError, match="'mine' of another package cannot be loaded") as caught:
        plugins.loaded(point("mine", value))
    assert value in str(caught.value.expected)


def test_a_dataset_whose_package_is_gone_is_told(installed):
    installed(point("mine", "no_such_package"))
    assert "mine" in registry.datasets()
    with pytest.raises(UserError, match="offers the dataset 'mine' cannot be found"):
        registry.card.__wrapped__("mine")

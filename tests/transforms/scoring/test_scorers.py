"""Scorers by name: every shipped and installed one, and one of another package."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import orjson
import pytest

from ontology import plugins
from ontology.errors import UserError
from tests.each import cases
from tests.transforms.scoring.single import score_row
from tests.transforms.scoring.typed.drawn import programs, rows
from transforms.scoring import tasks

NAMED = {name: row for name, row in rows() if orjson.loads(row["rule_args"])["scorer"]}


def yes(text: str, case: object) -> float | None:
    """A scorer of another package: half for any word that says yes."""
    return 0.5 if "yes" in text.lower() else None


@pytest.fixture
def installed(monkeypatch):
    def install(*points: EntryPoint) -> None:
        monkeypatch.setattr(plugins, "entry_points", lambda group: points)
        for cached in (tasks.scorers, tasks.named_task):
            cached.cache_clear()

    yield install
    tasks.scorers.cache_clear()
    tasks.named_task.cache_clear()


def row_of(name: str) -> dict:
    row = dict(next(iter(NAMED.values())))
    arguments = orjson.loads(row["rule_args"]) | {"scorer": name}
    return row | {"rule_args": orjson.dumps(arguments).decode()}


def test_every_scorer_that_a_shipped_template_names_is_there_and_used():
    named = {program.scorer for program in programs() if program.scorer}
    assert named == set(tasks.scorers())


@cases("name", NAMED)
def test_the_contract_of_a_scorer(name):
    row = NAMED[name]
    assert score_row(row, row["answer"]).score == 1.0
    for text in ("qwertz", "", "?" * 500, "-- [", "1" * 400):
        item = score_row(row, text)
        assert 0.0 <= item.score <= 1.0
    assert score_row(row, "qwertz").status == "unparsed"


def test_a_scorer_of_another_package_is_found_by_its_name(installed):
    point = EntryPoint("hospital.yes", f"{__name__}:yes", plugins.SCORERS)
    installed(point)
    assert score_row(row_of("hospital.yes"), "Yes!").score == 0.5
    assert score_row(row_of("hospital.yes"), "Hm").status == "unparsed"


def test_a_scorer_that_nobody_offers_is_told_with_the_template(installed):
    installed()
    with pytest.raises(UserError, match="no scorer is called 'nobody'") as caught:
        score_row(row_of("nobody"), "x")
    assert "surgstu.locate" in str(caught.value.expected) and "surgstu." in str(caught.value.where)


def test_two_scorers_of_one_name_are_told(installed):
    installed(EntryPoint("surgstu.locate", f"{__name__}:yes", plugins.SCORERS))
    with pytest.raises(UserError, match="two scorers have one name"):
        tasks.scorers()

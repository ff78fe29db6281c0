"""Codes, page and checks say the same; S10's own scores are the specified ones."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from transforms.checks.medstream import CODES
from transforms.checks.medstream.runs import response, score
from transforms.checks.medstream.sample import read

from . import good

ROOT = Path(__file__).parents[4]
ROOM = ROOT / "transforms/checks/medstream"


def test_the_page_lists_every_code_with_its_sentence():
    page = (ROOT / "docs/medstream.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([DS]\d\d) \| (\w+) \| (.+?) \|", page, flags=re.MULTILINE)
    assert rows == [(code, severity.value, text) for code, (severity, text) in CODES.items()]


def test_the_room_shares_no_code_with_what_makes_rows():
    imported = set()
    for path in sorted(ROOM.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
    own = {name for name in imported if name.startswith(("transforms", "pipeline", "ontology"))}
    rest = {name for name in own if not name.startswith("transforms.checks")}
    assert rest == {"ontology.concepts", "ontology.errors", "ontology.files", "transforms.places"}


def _timed(times: list[float], event: float | None):
    row = good.proactive()
    row |= {
        "query_time": 0.0, "expected_response_time": event,
        "rounds": good.rounds(0.0, times, event, "no_alert", good.ALERT),
    }  # fmt: skip
    return read(row)


@pytest.mark.parametrize(
    ("first", "earned"),
    [(10, 0), (20, 0.3571), (30, 0.7143), (40, 1), (50, 0.7143), (60, 0.3571), (None, 0)],
)
def test_responsiveness_has_the_specified_values(first, earned):
    sample = _timed([10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 40.0)
    assert response(sample, first) == pytest.approx(earned, abs=5e-5)


def test_stability_counts_positive_replies_from_the_event_on():
    sample = _timed([10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 40.0)
    replies = ["no_alert"] * 3 + [good.ALERT, "no_alert", good.ALERT]
    found = score(sample, replies)
    assert found.stability == pytest.approx(2 / 3)
    assert found == pytest.approx((5 / 6, 1, 2 / 3, 0.7 * 5 / 6 + 0.3))


def test_silence_is_right_where_nothing_comes():
    sample = _timed([10.0, 20.0, 30.0], None)
    assert score(sample, ["no_alert"] * 3) == (1, 1, None, 1)
    assert score(sample, ["no_alert", good.ALERT, "no_alert"]).response == 0

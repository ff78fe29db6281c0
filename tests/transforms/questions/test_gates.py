"""The limits an item keeps are in its row, with what was measured against them."""

from __future__ import annotations

import orjson

from surgqa.transforms.checks.run import check_output
from tests.transforms.checks.proof.outputs import built, rows_of, shipped

NAMED = ("idle_duration", "rel_change", "locate")


def test_limits_are_told_with_what_was_measured(tmp_path):
    files = [file for file in shipped("surgstu") if file.stem in NAMED]
    folder = built(tmp_path, "cholect50", files)
    first = {row["template_id"]: row for row in reversed(rows_of(folder))}
    assert first["surgstu.locate"]["checks"] == []
    (seen,) = first["surgstu.idle_duration"]["checks"]
    slots = orjson.loads(first["surgstu.idle_duration"]["slots"])
    measured = slots["seen"]["value"] if isinstance(slots["seen"], dict) else slots["seen"]
    assert seen == {"name": "seen", "measured": measured / 1e6, "limit": ">= 2"}
    speeds = first["surgstu.rel_change"]["checks"]
    assert [(one["name"], one["limit"]) for one in speeds] == [
        ("one.max_speed", "<= 0.6"), ("two.max_speed", "<= 0.6"),
    ]  # fmt: skip
    assert all(0 <= one["measured"] <= 0.6 for one in speeds)
    assert "check_failed" not in check_output(str(folder.path)).counts

"""The example beside a question: as near to it as training has one, never of its own group."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.exports.surgstu.styles import Examples
from tests.each import cases


def row(item: str, template: str, procedure: str, group: str, split: str = "train") -> Any:
    return {"item_id": item, "template_id": f"surgstu.{template}", "task": f"spatial/{template}",
            "procedure": procedure, "split_group": group, "split": split}  # fmt: skip


@cases(("there", "found"), [
    ([row("a", "where", "p", "1"), row("b", "where", "q", "1"), row("c", "size", "p", "1")], "a"),
    ([row("b", "where", "q", "1"), row("c", "size", "p", "1")], "b"),
    ([row("c", "size", "p", "1")], "c"),
    ([row("a", "where", "p", "9"), row("c", "size", "p", "1")], "c"),  # a: its own recording
    ([row("a", "where", "p", "1", "test")], None),
    ([row("d", "when", "p", "1") | {"task": "temporal/when"}], None),
])  # fmt: skip
def test_the_nearest_of_another_group(there, found):
    examples = Examples()
    for one in there:
        examples.add(one, {"id": one["item_id"]})
    line = examples.of(row("x", "where", "p", "9", "test"))
    assert (line and line["id"]) == found

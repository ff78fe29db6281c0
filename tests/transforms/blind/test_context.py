"""Features of what stands around a question."""

from __future__ import annotations

from dataclasses import replace

from surgqa.transforms.blind.context import context_features
from surgqa.transforms.blind.items import items_of
from tests.each import cases
from tests.transforms.blind.worlds import PLAIN, world

NAMES = {
    "before": {"named in earlier questions"},
    "said": {"previous answer again", "follows the previous answer"},
    "place": {"place of the round", "time of the round"},
}


@cases("field", [None, *NAMES])
def test_features_are_only_of_what_some_question_has(field: str | None):
    asks = [replace(one, before="", said="", place="") for one in world(PLAIN[0], items=20)]
    if field is not None:
        asks[3] = replace(asks[3], **{field: "1/2 the hook"})
    found = {one.name for one in context_features(items_of(asks))}
    for name, features in NAMES.items():
        assert features <= found if name == field else not features & found

"""An item depends on its recording and its template alone, in whatever order they come."""

from __future__ import annotations

import random
from dataclasses import replace

import orjson
from hypothesis import given, settings

from ontology.records import Item

from .drawn import recordings
from .scenes import items, queries, query, scene, spans

SHORT = tuple(replace(one, every_us=60_000_000) for one in queries().values())


def told(found: list[Item]) -> dict[str, bytes]:
    """Everything that is told of each item, as bytes."""
    out = {one.item_id: orjson.dumps(one, default=str, option=orjson.OPT_SORT_KEYS)
           for one in found}  # fmt: skip
    assert len(out) == len(found), "ids are unique"
    return out


@settings(max_examples=10)
@given(recordings())
def test_the_order_of_the_spans_does_not_matter(evidence):
    shuffled = list(evidence.spans)
    random.Random(len(shuffled)).shuffle(shuffled)
    assert told(items(replace(evidence, spans=tuple(shuffled)), *SHORT)) == told(
        items(evidence, *SHORT))  # fmt: skip


@settings(max_examples=10)
@given(recordings())
def test_other_templates_do_not_matter(evidence):
    together = told(items(evidence, *SHORT))
    alone = {}
    for one in reversed(SHORT):
        alone |= told(items(evidence, one))
    assert alone == together


@settings(max_examples=10)
@given(recordings())
def test_twice_the_same(evidence):
    assert told(items(evidence, *SHORT)) == told(items(evidence, *SHORT))


@settings(max_examples=15)
@given(recordings())
def test_one_item_for_a_template_and_a_window_and_one_right_option(evidence):
    found = items(evidence, *SHORT)
    windows = [(one.template_id, one.window.window_id) for one in found]
    assert len(set(windows)) == len(windows)
    for one in found:
        query = queries()[one.template_id.removeprefix("medstream.")]
        right = [option for option in one.options if option.is_answer]
        texts = [option.text.casefold() for option in one.options]
        assert len(right) == (0 if query.form == "open" else 1)
        assert len(set(texts)) == len(texts) <= 8
        assert all(option.key == "ABCDEFGH"[k] for k, option in enumerate(one.options))
        assert (one.extra["rubric"] is None) == (query.form != "open")
        assert one.clue
        assert one.clue not in (one.answer, one.question)
        assert one.evidence
        names = [check.name for check in one.checks]
        assert names[0] == "window_s"
        assert ("look_ahead_s" in names) == (query.finder == "state_next")


def test_another_seed_asks_at_other_times():
    parts = spans("phase", ("preparation", 0, 300), ("calot_triangle_dissection", 300, 600))
    one, template = scene(*parts, seconds=600), query("state_now.phase", every=60)
    first, other = (items(one, template, seed=seed) for seed in ("1", "2"))
    assert [i.window for i in first] != [i.window for i in other]


def test_another_recording_has_other_ids():
    parts = spans("phase", ("preparation", 0, 300))
    template = query("state_now.phase", every=60)
    first, other = (told(items(scene(*parts, seconds=300, name=name), template))
                    for name in ("v01", "v02"))  # fmt: skip
    assert first
    assert not set(first) & set(other)


def test_every_stretch_is_accounted_for():
    from .scenes import asked

    parts = spans("phase", ("preparation", 0, 100), ("calot_triangle_dissection", 250, 600))
    one = scene(*parts, seconds=600)
    for name in ("state_now.phase", "state_past.phase", "state_begins.phase", "alert.workflow"):
        out = asked(one, query(name, every=60))
        assert len(out.items) + sum(entry.count for entry in out.declined) == 10
        assert all(entry.stage == "ask" and entry.reason for entry in out.declined)

"""Thousands of chains from drawn operations: each is proved again by the independent checks."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from hypothesis import given, seed, settings

from ontology.records import Code, Item, VideoEvidence
from transforms.checks.chains import chain_problems, stage_problems
from transforms.checks.evidence import VideoView
from transforms.checks.tables import view_of
from transforms.exports.evidence import evidence_tables
from transforms.exports.rows import blank, row, template_fields, video_fields
from transforms.language import Chain, load_questions
from transforms.questions.chains import ask_chains

from .drawn import S, operations

# More of them than in a build, so that few operations give many chains.
CHAINS = tuple(
    replace(chain, every_us=8 * S) for chain in load_questions() if isinstance(chain, Chain)
)
BY_ID = {chain.id: chain for chain in CHAINS}
LEAST = 2000


def rows_of(items: list[Item], evidence: VideoEvidence) -> list[dict]:
    shared = video_fields(evidence.video, "train")
    return [row(item, blank(shared, template_fields(BY_ID[item.template_id]))) for item in items]


def view(evidence: VideoEvidence) -> VideoView:
    tables = evidence_tables(evidence, None, ())
    return view_of(tables["videos"].to_pylist()[0], tables)


def problems(rows: list[dict], seen: VideoView) -> list[tuple]:
    chains: dict[str, list[tuple]] = {}
    out: list[tuple] = []
    for one in rows:
        part = (one, json.loads(one["answer_value"]), json.loads(one["slots"]))
        out += [(one["item_id"], *p) for p in stage_problems(*part, seen)]
        chains.setdefault(one["chain_id"], []).append(part)
    for parts in chains.values():
        out += chain_problems(parts, seen)
    return out


def test_two_thousand_chains_and_no_violation():
    found: Counter[tuple[str, str]] = Counter()

    @seed(7)
    @settings(max_examples=180, database=None, deadline=None)
    @given(operations())
    def look(evidence):
        asked = ask_chains(evidence, None, CHAINS, "42")
        rows = rows_of(asked.items, evidence)
        wrong = problems(rows, view(evidence))
        assert wrong == []
        for item in asked.items:
            found[item.template_id, item.slots["chain"]["scale"]] += item.stage == 0

    look()
    assert sum(found.values()) >= LEAST, found
    assert {name for name, _ in found} == set(BY_ID)
    assert {scale for _, scale in found} == {"standard", "coarse"}


@settings(max_examples=15, deadline=None)
@given(operations())
def test_every_event_gives_a_chain_or_a_reason(evidence):
    wide = [replace(chain, every_us=1) for chain in CHAINS]
    asked = ask_chains(evidence, None, wide, "42")
    assert all(reject.code in Code and len(reject.reason) > 20 for reject in asked.declined)
    stages = Counter(item.chain_id for item in asked.items)
    assert set(stages.values()) <= {4}
    cues = [c for c in wide if c.finder == "announced_action"][0]
    mine = ask_chains(evidence, None, [cues], "42")
    events = sum(one.kind == "action" for one in evidence.moments)
    assert len(mine.items) // 4 + sum(reject.count for reject in mine.declined) == events


@settings(max_examples=10, deadline=None)
@given(operations())
def test_templates_and_their_order_do_not_touch_one_another(evidence):
    together = {i.item_id: i for i in ask_chains(evidence, None, CHAINS, "42").items}
    alone = [i for c in reversed(CHAINS) for i in ask_chains(evidence, None, [c], "42").items]
    assert {i.item_id: i for i in alone} == together
    other = ask_chains(evidence, None, CHAINS, "43").items
    assert not together or {i.item_id: i for i in other} != together

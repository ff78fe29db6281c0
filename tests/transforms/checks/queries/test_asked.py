"""What the generator asks about drawn recordings passes the check, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

import templates
from ontology.records import VideoEvidence
from transforms.checks.items import item_problems, parsed
from transforms.exports.rows import blank, row, template_fields, video_fields
from transforms.language.queries.load import load_queries
from transforms.questions.queries.ask import ask_queries
from transforms.readers.cholect50.reader import Reader
from transforms.timeline import build_timeline
from transforms.timeline.channels import fact_book

from .drawn import cut_by_people, operations, stages_in_time, view_from

FOLDER = Path(templates.__file__).parent
MANY = 60
SEEN: Counter[str] = Counter()


def queries_of(benchmark: str) -> list:
    return load_queries(sorted((FOLDER / benchmark).glob("*.yaml")), FOLDER)


QUERIES = {name: queries_of(name) for name in ("sapbench", "surgveo")}


def asked(evidence: VideoEvidence, queries) -> Iterator[dict]:
    """Rows of all questions about a recording."""
    book, shared = fact_book(evidence, build_timeline(evidence)), video_fields(evidence.video, "")
    bases = {one.id: blank(shared, template_fields(one)) for one in queries}
    for item in ask_queries(book, queries, "seed").items:
        SEEN[item.template_id] += 1
        yield row(item, bases[item.template_id])


def problems(evidence: VideoEvidence, queries) -> list:
    view = view_from(evidence)
    return [
        (one["template_id"], found)
        for one in asked(evidence, queries)
        for found in item_problems(one, parsed(one, "answer_value"), parsed(one, "slots"), view)
    ]


def with_args(**args) -> list:
    return [replace(one, args={**one.args, **args}) for one in QUERIES["sapbench"]]


def test_next_actions():
    @settings(deadline=None, max_examples=MANY)
    @given(operations())
    def passes(evidence):
        assert problems(evidence, QUERIES["sapbench"]) == []
        assert problems(evidence, with_args(shortest=2, reach=3)) == []
        assert problems(evidence, with_args(shortest=3, purity=0.8, centrality=0.5)) == []

    passes()
    assert all(SEEN[one.id] > MANY for one in QUERIES["sapbench"][:2]), SEEN
    assert all(SEEN[one.id] for one in QUERIES["sapbench"]), SEEN


def test_next_actions_of_clips_that_people_cut():
    @settings(deadline=None, max_examples=MANY)
    @given(cut_by_people())
    def passes(evidence):
        assert problems(evidence, QUERIES["sapbench"]) == []

    SEEN.clear()
    passes()
    assert all(SEEN[one.id] > MANY for one in QUERIES["sapbench"]), SEEN


@pytest.mark.parametrize("name", ["VID68", "VID73", "VID74"])
def test_next_actions_of_real_operations(real_dataset, name):
    evidence = Reader(real_dataset("cholect50-challenge-val")).read(name)
    SEEN.clear()
    assert problems(evidence, with_args(reach=25)) == []
    assert SEEN["sapbench.next_action"] > 3, SEEN


def test_continuations():
    @settings(deadline=None, max_examples=2 * MANY)
    @given(stages_in_time())
    def passes(evidence):
        ends = max(one.end_us for one in evidence.spans)
        video = replace(evidence.video, procedure="laparoscopic hysterectomy", duration_us=ends)
        assert problems(replace(evidence, video=video), QUERIES["surgveo"]) == []

    SEEN.clear()
    passes()
    tracks = [one.id for one in QUERIES["surgveo"] if one.id.endswith("laparoscopic")]
    assert len(tracks) == 4 and all(SEEN[one] > MANY / 2 for one in tracks), SEEN

"""Small recordings and programs for tests of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from surgqa.ontology.items import Item
from surgqa.ontology.records import VideoEvidence, Window
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.language.load import parse_text
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.row_fields import numbers, stage_fields
from surgqa.transforms.questions.units import Units, clips
from surgqa.transforms.timeline.relation import Relation, on_axis
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.timeline.videos import S, Seen, timeline

HEAD = """
schema: question/v1
id: made.{id}
version: 1
title: A made-up question
benchmark: made
task: made/{id}
"""


def told(program: Program, item: Item) -> dict[str, Any]:
    """What the row of an item tells beside its texts."""
    (stage,) = (one for one in program.stages if numbers(program)[one.name] == item.stage)
    return {**stage_fields(program, stage), **item.extra}


WAYS = ("{}", "Tell me: {}", "For this clip: {}", "By what can be seen: {}")


def program(name: str, body: str, ask: str) -> Program:
    """The only program of a template without its head; the wordings are made of one."""
    wordings = "".join(f"  - {way.format(ask)!r}\n" for way in WAYS)
    text = f"{HEAD.format(id=name)}{body}ask:\n{wordings}"
    programs, findings = parse_text(text, f"made/{name}.yaml")
    assert programs, findings
    return programs[0]


def relation(*videos: Mapping[int, Sequence[Seen]]) -> Relation:
    """Facts of recordings labelled at whole seconds."""
    made = [timeline({t * S: seen for t, seen in one.items()}, name=f"v{k}")
            for k, one in enumerate(videos)]  # fmt: skip
    return relation_of([(VideoEvidence(one.video, one.table), one) for one in made])


def windows(*bounds: tuple[int, int, int]) -> Units:
    """Clips (video, start, end) in seconds."""
    return clips([(v, Window("clip", f"clip {v} {a}", a * S, b * S)) for v, a, b in bounds])


def rows(known: Relation, *bounds: tuple[int, int, int]) -> Rows:
    """One filling for each window, exactly as long as is said."""
    video = np.array([v for v, _, _ in bounds], np.int64)
    start, end = (on_axis(video, np.array(x) * S) for x in zip(*(b[1:] for b in bounds),
                                                               strict=True))  # fmt: skip
    return Rows(known, video, {"window": Stretch(Range.exact(start), Range.exact(end))})


def asker(known: Relation, *bounds: tuple[int, int, int], seed: str = "0") -> Asker:
    """Asks programs about clips."""
    return Asker(known, windows(*bounds), seed)

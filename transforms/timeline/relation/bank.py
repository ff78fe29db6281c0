"""General medical knowledge as facts without a time, such as which label follows another one.

Templates select these facts like facts of a video. If nothing is known about a subject, the table
of gaps says so, and the answer is unknown, never *no*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from surgqa.ontology.kinds import terms_of
from surgqa.ontology.knowledge import (
    Act,
    Rule,
    admissible,
    effect_of,
    possible_acts,
    rule_between,
)
from surgqa.ontology.workflow import any_time, closes, needs, successors, workflow
from surgqa.transforms.timeline.relation.table import (
    FAR,
    INFINITE,
    NONE,
    FactTable,
    HoleTable,
    Recording,
    Relation,
    on_axis,
)

Row = Mapping[str, str]
"""Field -> concept id."""

Source = Callable[[Recording, Sequence[Act]], Iterator[Row | str]]
"""Function that yields facts of one kind for a video; for a subject without any, only its id."""

ORDERED = ("phase", "step", "gesture")


def _orders(recording: Recording) -> Iterator[tuple[str, str]]:
    for kind in ORDERED:
        known = workflow(recording.procedure, kind)
        for label in sorted(known.order if known else ()):
            yield kind, label


def _ordered(of: Callable[[str, str, str], Iterable[str] | None]) -> Source:
    """Return a function that yields a row for each label of a workflow and each result of ``of``.

    If ``of`` returns None, nothing is known, and the function yields only the label.
    """

    def rows(recording: Recording, _done: Sequence[Act]) -> Iterator[Row | str]:
        for kind, label in _orders(recording):
            said = of(recording.procedure, kind, label)
            if said is None:
                yield label
            else:
                yield from ({"subject": label, "target": one} for one in said)

    return rows


def _follow(procedure: str, kind: str, label: str) -> tuple[str, ...] | None:
    """Return the labels that follow a label directly; None if unknown or possible at any time."""
    return None if label in any_time(procedure, kind) else successors(procedure, kind, label)


def _effects(_recording: Recording, done: Sequence[Act]) -> Iterator[Row | str]:
    for verb, target in _possible(done):
        found = effect_of(verb, target)
        if found is not None:
            yield {"label": found.id, "verb": verb, "target": target}


def _admissible(_recording: Recording, done: Sequence[Act]) -> Iterator[Row | str]:
    for tool in terms_of("instrument"):
        for verb, target in _possible(done):
            if admissible(tool, verb, target):
                yield {"subject": tool, "verb": verb, "target": target}


def _ruled(label: Callable[[Rule], str]) -> Source:
    """Return a function that yields, for every two acts of a video, the rule on their order."""

    def rows(recording: Recording, done: Sequence[Act]) -> Iterator[Row | str]:
        for first, second in product(done, repeat=2):
            found = rule_between(recording.procedure, first, second)
            if found is not None and found[1]:
                said = {"label": label(found[0])}
                yield {**said, "subject": ",".join(first), "target": ",".join(second)}

    return rows


def _acts(video: int, relation: Relation) -> list[Act]:
    """Return every act (verb, target) in a video's facts, sorted."""
    facts, codes = relation.facts, relation.codes
    mine = (facts.video == video) & (facts.verb >= 0)
    pairs = np.unique(np.stack([facts.verb[mine], facts.target[mine]], axis=1), axis=0).tolist()
    return sorted((codes.name(v), codes.name(t)) for v, t in pairs)


def _possible(done: Sequence[Act]) -> list[Act]:
    """Return the acts of the video, and all other possible acts on the same targets, sorted."""
    targets = {target for _, target in done if target}
    return sorted({*done, *(act for act in possible_acts() if act[1] in targets)})


BANK: Mapping[str, Source] = {
    "follows": _ordered(_follow), "needs": _ordered(needs), "closes": _ordered(closes),
    "effect_of": _effects, "admissible": _admissible, "rule": _ruled(lambda rule: rule.force),
    "reason": _ruled(lambda rule: rule.id),
}  # fmt: skip


def bank_tables(kind: str, relation: Relation) -> tuple[FactTable, HoleTable]:
    """Return the facts of one kind of knowledge, and gaps for subjects without known facts."""
    codes = relation.codes
    rows: list[dict[str, object]] = []
    holes: list[tuple[int, int, int, int, int, int, int]] = []
    for video, recording in enumerate(relation.recordings):
        low, high = int(on_axis(video, -FAR)), int(on_axis(video, FAR))
        always = dict.fromkeys(("s0", "s", "s1", "x0"), low)
        always |= dict.fromkeys(("e0", "e", "e1", "x1"), high)
        if kind in ("follows", "needs", "closes") and not list(_orders(recording)):
            holes.append((video, codes.code(kind), NONE, NONE, low, high, INFINITE))
        for one in BANK[kind](recording, _acts(video, relation)):
            if isinstance(one, str):
                holes.append((video, codes.code(kind), NONE, codes.code(one), low, high, INFINITE))
            else:
                fields = {field: codes.code(value) for field, value in one.items()}
                rows.append({"video": video, **always, **fields})
    facts = FactTable.of_rows(rows, kind=codes.code(kind), grp=np.arange(len(rows)))
    return facts.by_start(codes), HoleTable.of(holes)

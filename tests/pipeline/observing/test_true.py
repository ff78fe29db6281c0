"""Everything that scripted narrated films give is held against what the renderer did.

No layer is drawn: detector and speech are all there is.  What a film gives is asked as a build asks
it, with all templates that are shipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest

from ontology.boxes import iou
from pipeline.cli.app import run
from tests.transforms.questions.item_worlds import Asked, asked, contradictions, knowledge
from tests.transforms.questions.shipped import programs, recordings
from transforms.algebra.worlds.draw import Drawer
from transforms.algebra.worlds.world import FIELDS, TrueFact, World
from transforms.questions import ask as asking
from transforms.questions.units import Units
from transforms.store.evidence import EvidenceStore
from transforms.timeline.relation import NONE, Relation
from transforms.timeline.relation.bank import BANK

FILMS = ("clipping", "dividing")
HELD = ("instrument", "interaction", "phase")
"""Kinds of facts that the script knows."""
ALIKE = 0.4
"""Overlap of a box with the rendered one, of which a quarter may be hidden."""
S = 1_000_000

Deed = tuple[str, str, str, str, int, int]
"""Kind, label, instrument, structure, from, to in microseconds."""


@dataclass(frozen=True)
class Film:
    """A scripted film, what was observed in it, and what may be asked of that."""

    name: str
    scene: Any
    store: Path
    known: Relation
    units: Units

    @cached_property
    def items(self) -> list[Asked]:
        """All items of all templates."""
        with mock.patch.object(asking, "reasons", lambda *_: {}):
            return [item for one in programs() for item in asked(one, self.known, self.units)[0]]

    @cached_property
    def boxes(self) -> Mapping[tuple[int, str], list[float]]:
        """(time, what) -> its rendered box."""
        return {(row["time_us"], row["label"]): [row[side] for side in ("x1", "y1", "x2", "y2")]
                for row in self.scene.boxes().to_pylist()}  # fmt: skip

    @cached_property
    def deeds(self) -> list[Deed]:
        """What the renderer did."""
        script, period = self.scene.script, S // self.scene.script.fps
        out: list[Deed] = [("phase", label, "", "", round(a * S), round(b * S))
                           for label, a, b in script.phases]  # fmt: skip
        for tool, verb in script.verbs.items():
            seen = [time for time, label in self.boxes if label == tool]
            out += [("instrument", tool, tool, "", a, b) for a, b in _runs(seen, period)]
            for target in script.targets:
                touched = [t for t in seen if _meet(self.boxes[t, tool], self.boxes[t, target])]
                out += [("interaction", verb, tool, target, a, b)
                        for a, b in _runs(touched, period)]  # fmt: skip
        return out


def _runs(times: list[int], period: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for time in sorted(times):
        if out and time == out[-1][1]:
            out[-1] = (out[-1][0], time + period)
        else:
            out.append((time, time + period))
    return out


def _meet(one: list[float], other: list[float]) -> bool:
    return all(max(one[k], other[k]) <= min(one[k + 2], other[k + 2]) for k in (0, 1))


@pytest.fixture(scope="module", params=FILMS)
def film(request: pytest.FixtureRequest, films: ModuleType, heard: Callable[[str], Path]) -> Film:
    """Each film in turn."""
    found = films.surgery()
    store = heard(request.param)
    ((known, units),) = recordings("observed", store)
    scene = found.Surgery(found.SCRIPTS[request.param])
    return Film(request.param, scene, store, known, units)


def rows_of(known: Relation, deed: Deed) -> list[int]:
    """The facts that tell of a deed: of its kind, of nothing else, and at its time."""
    kind, label, tool, target, start, end = deed
    facts, name = known.facts, known.codes.name
    out = []
    for k in range(len(facts)):
        if name(facts.kind[k]) != kind:
            continue
        told = [name(c) if c != NONE else "" for c in (facts.label[k], facts.subject[k])]
        on = name(facts.target[k]) if facts.target[k] != NONE else ""
        who = {"phase": label, "instrument": label, "interaction": tool}[kind]
        same = (told[0] in (label, "") and on == target
                and (kind == "phase" or told[1] in (who, "")))  # fmt: skip
        within = facts.x0[k] <= start <= facts.s1[k] and facts.e0[k] <= end <= facts.x1[k]
        if same and within:
            out.append(k)
    return out


def world(film: Film, deeds: list[Deed]) -> World:
    """The one in which just these deeds were done; boxes are the detector's."""
    known, codes = film.known, film.known.codes
    drawn = Drawer(known, 0)
    out = []
    for deed in deeds:
        kind, label, tool, target, start, end = deed
        rows = rows_of(known, deed)
        told = {"kind": kind, "label": label, "subject": tool, "target": target,
                "verb": label if kind == "interaction" else ""}  # fmt: skip
        fields: dict[str, Any] = dict.fromkeys(FIELDS, NONE)
        fields |= {key: codes.code(value) for key, value in told.items() if value}
        if rows:
            fields["track"] = int(known.facts.track[rows[0]])
        proofs = frozenset(int(known.facts.proof[k]) for k in rows)
        out.append(TrueFact(**fields, s=start, e=end, rows=proofs))
    boxes = {(sample.track, sample.s): box for sample, box in drawn.samples}
    return World(0, (*out, *knowledge(known, 0)), tuple(one for one, _ in drawn.samples), boxes,
                 tuple(known.instants[0].tolist()))  # fmt: skip


def false(film: Film, deeds: list[Deed]) -> Iterator[str]:
    """Items that do not hold where these deeds were done."""
    true = world(film, deeds)
    for one in film.items:
        against = next(contradictions(one, true), None)
        if against is not None:
            yield f"{film.name}: {one.program.id} item {one.i}: {against}"


def test_every_record_of_who_what_and_phase_is_true(film: Film):
    told = {k for deed in film.deeds for k in rows_of(film.known, deed)}
    facts, name = film.known.facts, film.known.codes.name
    known = {k for k in range(len(facts)) if name(facts.kind[k]) in HELD}
    assert known
    assert known - told == set()


def test_every_box_is_where_the_renderer_drew(film: Film):
    boxes = EvidenceStore(film.store).table(film.name, "boxes").to_pylist()
    assert boxes
    for row in boxes:
        drawn = film.boxes[row["time_us"], row["label"]]
        found = [row[side] for side in ("x1", "y1", "x2", "y2")]
        assert iou(np.array(found), np.array(drawn)) >= ALIKE, row


def test_every_item_is_true(film: Film, capsys: pytest.CaptureFixture[str]):
    kinds = {kind for one in film.items for kind in one.program.kinds}
    assert kinds <= {*HELD, "sample", *BANK}
    wrong = list(false(film, film.deeds))
    asked_for = Counter(one.program.benchmark for one in film.items)
    with capsys.disabled():
        print(  # noqa: T201  (the figures)
            f"\n{film.name}: {len(film.items)} items {dict(sorted(asked_for.items()))}, "
            f"false {len(wrong)}"
        )
    assert wrong == []
    wanted = {"clipping": {"surgstu", "medstream"}, "dividing": {"surgstu", "medstream", "surgveo"}}
    assert wanted[film.name] <= set(asked_for)


def test_of_another_film_they_would_be_false(film: Film):
    """So what holds the items can tell: all is done by the other one, or later."""
    late = [(*deed[:4], deed[4] + 15 * S, deed[5] + 15 * S) for deed in film.deeds]
    assert len(list(false(film, late))) > len(film.items) / 2
    there, here = film.scene.script.verbs
    other = {there: here, here: there}
    swapped = [(kind, other.get(label, label), other.get(tool, tool), *rest)
               for kind, label, tool, *rest in film.deeds]  # fmt: skip
    assert len(list(false(film, swapped))) > len(film.items) / 2


def test_of_what_nothing_is_asked_the_terminal_says_why(
    heard: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Actions are told and no tissue is seen, so there is none, and no clip of one."""
    asked_for = "sapbench,surgcot,surgveo"
    assert run(["build", "--dataset", "observed", "--root", str(heard("clipping")), "--benchmark",
                asked_for, "--out", str(tmp_path / "out")]) == 5  # fmt: skip
    printed = capsys.readouterr().out
    assert "no item of sapbench, surgcot, surgveo" in printed
    assert "actions told" in printed
    why = printed.partition("what would change it")[2]
    assert "unseen" in why
    assert "unmeasured" in why

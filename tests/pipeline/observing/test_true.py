"""Everything that scripted narrated films give is held against what the renderer did.

No layer is drawn: detector and speech are all there is.  In the first film the detector knows
structures too, and is said to miss no contact; of the other nobody measured it.  What a film gives
is asked as a build asks it, with all templates that are shipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import orjson
import pytest

from surgqa.ontology.boxes import iou
from surgqa.ontology.next_actions import action_of_verbs
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.questions import ask as asking
from surgqa.transforms.questions.units import Units
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.evidence import EvidenceStore
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.bank import BANK
from tests.transforms.questions.item_worlds import Asked, asked, contradictions
from tests.transforms.questions.shipped import programs, recordings
from tests.true_deeds import HELD, Deed, untrue, world

MEASURED = "clipping"
FILMS = (MEASURED, pytest.param("dividing", marks=pytest.mark.nightly))
GIVEN = {
    "clipping": {"surgstu", "medstream", "surgcot"},
    "dividing": {"surgstu", "medstream", "surgveo"},
}
"""Benchmarks that ask about a film, beside those that ask about clips of actions."""
NOT_THERE = ("affordance", "anomaly")
"""Kinds of facts of which there are none in the films, as the renderer knows."""
ALIKE = 0.4
"""Overlap of a box with the rendered one, of which a quarter may be hidden."""
S = 1_000_000


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
def film(
    request: pytest.FixtureRequest, films: ModuleType, heard: Callable[[str], Path],
    trusted: Callable[[str], Path],
) -> Film:  # fmt: skip
    """Each film in turn."""
    found = films.surgery()
    store = (trusted if request.param == MEASURED else heard)(request.param)
    ((known, units),) = recordings("observed", store)
    scene = found.Surgery(found.SCRIPTS[request.param])
    return Film(request.param, scene, store, known, units)


def false(film: Film, deeds: list[Deed]) -> Iterator[str]:
    """Items that do not hold where these deeds were done."""
    true = world(film.known, deeds)
    for one in film.items:
        against = next(contradictions(one, true), None)
        if against is not None:
            yield f"{film.name}: {one.program.id} item {one.i}: {against}"


def test_every_record_of_who_what_and_phase_is_true(film: Film):
    kinds = {film.known.codes.name(kind) for kind in film.known.facts.kind}
    assert kinds >= ({*HELD} if film.name == MEASURED else {"instrument", "phase"})
    assert untrue(film.known, film.deeds) == set()


def test_every_box_is_where_the_renderer_drew(film: Film):
    boxes = EvidenceStore(film.store).table(film.name, "boxes").to_pylist()
    assert boxes
    for row in boxes:
        drawn = film.boxes[row["time_us"], row["label"]]
        found = [row[side] for side in ("x1", "y1", "x2", "y2")]
        assert iou(np.array(found), np.array(drawn)) >= ALIKE, row


def test_every_item_is_true(film: Film, capsys: pytest.CaptureFixture[str]):
    kinds = {kind for one in film.items for kind in one.program.kinds}
    assert kinds <= {*HELD, *NOT_THERE, "sample", *BANK}
    wrong = list(false(film, film.deeds))
    asked_for = Counter(one.program.benchmark for one in film.items)
    with capsys.disabled():
        print(  # noqa: T201  (the figures)
            f"\n{film.name}: {len(film.items)} items {dict(sorted(asked_for.items()))}, "
            f"false {len(wrong)}"
        )
    assert wrong == []
    assert GIVEN[film.name] <= set(asked_for)


def test_of_another_film_they_would_be_false(film: Film):
    """So what holds the items can tell: all is done by the other one, or later."""
    late = [(*deed[:4], deed[4] + 15 * S, deed[5] + 15 * S) for deed in film.deeds]
    assert len(list(false(film, late))) > len(film.items) / 2
    there, here = film.scene.script.verbs
    other = {there: here, here: there}
    swapped = [(kind, other.get(label, label), other.get(tool, tool), *rest)
               for kind, label, tool, *rest in film.deeds]  # fmt: skip
    assert len(list(false(film, swapped))) > len(film.items) / 2


def test_the_next_action_is_what_the_renderer_does_next(film: Film, tmp_path: Path):
    """Clips of actions come of what was told and seen: of the measured film alone."""
    out = tmp_path / "out"
    asked_for = {"datasets": [{"name": "observed", "root": film.store}],
                 "benchmarks": ["sapbench"], "out": out}  # fmt: skip
    build(load_run(None, asked_for))
    rows = list(OutputFolder(out).rows())
    assert bool(rows) == (film.name == MEASURED)
    begins = sorted((deed[4], action_of_verbs({deed[1]})) for deed in film.deeds
                    if deed[0] == "interaction")  # fmt: skip
    for row in rows:
        now = row["start_us"]
        start, action = next(one for one in begins if one[0] > now)
        assert (row["answer_value"], start <= now + 2 * S) == (f'{{"clip.label":"{action}"}}', True)
        before = [name for name, _ in groupby(one[1] for one in begins if one[0] <= now)]
        assert orjson.loads(row["slots"]).get("history", before) == before


def test_of_what_nothing_is_asked_the_terminal_says_why(
    heard: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Actions are told and seen, and nobody measured what else may be done."""
    asked_for = "sapbench,surgcot,surgveo"
    out = tmp_path / "out"
    assert run(["build", "--dataset", "observed", "--root", str(heard(MEASURED)), "--benchmark",
                asked_for, "--out", str(out)]) == 5  # fmt: skip
    printed = capsys.readouterr().out
    assert "no item of sapbench, surgcot, surgveo" in printed
    assert "actions told" in printed
    assert "unmeasured" in printed.partition("what would change it")[2]
    assert "what else was done is not known" in (out / "rejected" / "read.jsonl").read_text()

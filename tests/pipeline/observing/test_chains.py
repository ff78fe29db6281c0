"""SurgCoT's chains from a narrated film: what was said and what was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from surgqa.ontology.records import Moment
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.registry import load_reader
from surgqa.transforms.store import OutputFolder

VIDEO = "clipping"
TASKS = {
    "causal_action_ordering",
    "cue_action_alignment",
    "affordance_mapping",
    "micro_transition_localization",
}
UNCERTAIN = {"micro_transition_localization", "cue_action_alignment"}
"""What an instrument changes to is asked where it is certainly one, which a detector does not know;
which cue an action follows, where no other cue was missed, which nobody measured of speech."""


LATE_US = 300_000
"""How late a picture may be in which a touch shows: one sample at 5 fps, and half a box."""


@pytest.fixture(scope="module")
def scene(films: ModuleType) -> Any:
    """The scripted operation."""
    return films.surgery().Surgery()


@pytest.fixture(scope="module")
def seen(trusted: Callable[[str], Path]) -> Path:
    """A store of the operation whose measure says that no contact is missed."""
    return trusted(VIDEO)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chains")


@pytest.fixture(scope="module")
def built(seen: Path, out: Path) -> BuildResult:
    """Chains from that store."""
    return asked(seen, out / "out")


@pytest.fixture(scope="module")
def rows(built: BuildResult) -> list[dict[str, Any]]:
    return list(OutputFolder(built.out).rows())


def asked(store: Path, out: Path) -> BuildResult:
    dataset = {"name": "observed", "root": store}
    return build(load_run(None, {"datasets": [dataset], "benchmarks": ["surgcot"], "out": out}))


def touches(scene: Any) -> dict[tuple[str, str], int]:
    """Instrument and structure -> when their rendered boxes meet for the first time."""
    found: dict[tuple[str, str], int] = {}
    by_time: dict[int, list[dict[str, Any]]] = {}
    for row in scene.boxes().to_pylist():
        by_time.setdefault(row["time_us"], []).append(row)
    for time, boxes in by_time.items():
        for tool in (b for b in boxes if b["kind"] == "instrument"):
            for tissue in (b for b in boxes if b["kind"] == "tissue"):
                if meet(tool, tissue):
                    found.setdefault((tool["label"], tissue["label"]), time)
    return found


def meet(one: dict[str, Any], other: dict[str, Any]) -> bool:
    sides = (("x1", "x2"), ("y1", "y2"))
    return all(max(one[a], other[a]) <= min(one[b], other[b]) for a, b in sides)


def actions(store: Path) -> list[Moment]:
    moments = load_reader("observed")(store).read(VIDEO).moments
    return [one for one in moments if one.kind == "action"]


@pytest.mark.nightly
def test_without_tissues_no_action_is_seen(heard: Callable[[str], Path], look: Callable, out: Path):
    look([heard(VIDEO).with_name(f"{VIDEO}.mp4")], out / "instruments")
    assert actions(out / "instruments") == []


def test_actions_are_what_was_said_at_the_instant_at_which_it_was_done(seen: Path, scene: Any):
    found = actions(seen)
    assert [(one.tool, one.verb, one.target) for one in found] == [
        ("clipper", "clip", "cystic_artery"), ("clipper", "clip", "blood_vessel"),
        ("bipolar", "coagulate", "blood_vessel"), ("bipolar", "coagulate", "cystic_artery"),
    ]  # fmt: skip
    truth = touches(scene)
    for one in found:
        assert one.origin == "speech and tracks"
        assert abs(one.start_us - truth[one.tool, one.target]) <= LATE_US


def test_tasks_come_in_whole_chains(rows: list[dict[str, Any]]):
    assert {row["task"].split("/")[0] for row in rows} == TASKS - UNCERTAIN
    stages = Counter((row["chain_id"], row["stage"]) for row in rows)
    assert set(stages.values()) == {1}
    assert set(Counter(chain for chain, _ in stages).values()) == {4}


def test_what_they_ask_for_is_what_the_renderer_did(rows: list[dict[str, Any]], scene: Any):
    truth = touches(scene)
    last = [row for row in rows if row["task"].endswith("/q3")]
    assert len(last) >= len(TASKS - UNCERTAIN)
    for row in last:
        (value,) = orjson.loads(row["answer_value"]).values()
        time = value["time_us"] if isinstance(value, dict) else value
        assert min(abs(time - touch) for touch in truth.values()) <= LATE_US
    orders = [row for row in rows if row["task"] == "causal_action_ordering/q1"]
    assert orders
    for row in orders:
        slots = orjson.loads(row["slots"])
        first, second = (
            truth[slots[name]["subject"], slots[name]["target"]] for name in ("first", "second")
        )
        assert first < second


def test_check_derives_every_stage_again(built: BuildResult, tmp_path: Path):
    assert surgqa(["check", str(built.out), "--json", str(tmp_path / "report.json")]) == 0
    report = orjson.loads((tmp_path / "report.json").read_bytes())
    assert sum(report["recomputed"].values()) == built.items >= 4 * len(TASKS - UNCERTAIN)
    assert not report["findings"]

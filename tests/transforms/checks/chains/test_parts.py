"""The parts of the chain checks on figures worked out by hand, and chains in whole outputs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from transforms.checks.audit import counted_as
from transforms.checks.chains.anomalies import box_at
from transforms.checks.chains.base import meets
from transforms.checks.chains.cues import cues_of
from transforms.checks.chains.deeds import deeds_of
from transforms.checks.chains.names import deeds_in, printed, span_in, time_in
from transforms.checks.chains.segments import overlap, segment_of, stage_target
from transforms.checks.compare import TOLERANCE
from transforms.checks.gates import passed

from .right_chains import RIGHT, cue
from .world import ChainWorld, S, us


@pytest.fixture
def world(tmp_path) -> ChainWorld:
    return ChainWorld(tmp_path / "out")


# segments


def test_the_published_segment():
    # onset frame 647, controlled at 680, 30 pictures a second
    event = round(647 / 30 * S), round(680 / 30 * S)
    assert float(overlap((21 * S, 23 * S), event)) == pytest.approx(0.55)
    assert segment_of(event, 33_333) == ((us(21.5), us(23)), us(0.5))


@pytest.mark.parametrize(
    ("target", "resolution", "covers"),
    [
        ((us(10), us(18)), 0.04, (us(10), us(18))),
        ((us(10), us(18.1)), 0.04, (us(10), us(15))),
        ((us(10.7), us(10.7)), 0.04, (us(10), us(11))),
        ((us(10.7), us(10.7)), 1, (us(10), us(12))),
        ((us(11.7), us(11.7)), 0.25, (us(11), us(12))),
    ],
)
def test_what_a_segment_must_cover(target, resolution, covers):
    assert stage_target(target, us(resolution)) == covers


def test_no_grid_fits_an_event_that_is_too_short():
    assert segment_of((us(10.05), us(10.1)), 40_000) is None


def test_touching_stretches_do_not_meet():
    assert not meets((0, 5), (5, 9))
    assert meets((0, 5), (4, 9))
    assert meets((5, 5), (5, 9)) and not meets((5, 5), (0, 5))
    assert overlap((0, 5), (5, 9)) == Fraction(0)


# places


@pytest.mark.parametrize(
    ("frame", "xywh"),
    [
        (647, [540, 420, 80, 60]),
        (648, [538 + 1 / 3, 418 + 1 / 3, 83 + 1 / 3, 63 + 1 / 3]),
        (652, [533, 413, 94, 74]),
        (660, [530, 410, 100, 80]),
        (646, None),
        (681, None),
    ],
)
def test_a_region_between_its_key_frames(world, frame, xywh):
    world.videos[0].update(fps_num=30)
    for key, (x, y, w, h) in (
        (647, (540, 420, 80, 60)), (650, (535, 415, 90, 70)),
        (655, (530, 410, 100, 80)), (680, (530, 410, 100, 80)),
    ):  # fmt: skip
        box = tuple(edge / 1000 for edge in (x, y, x + w, y + h))
        world.moment("roi", "", key / 30, group="v", box=box, value=float(key))
    found = box_at(world.view(), "v", round(frame * S / 30))
    if xywh is None:
        assert found is None
    else:
        x, y, w, h = xywh
        wanted = [edge / 1000 for edge in (x, y, x + w, y + h)]
        assert found == pytest.approx(wanted, abs=TOLERANCE)


def test_an_onset_between_key_frames_is_interpolated(world):
    world.found("anomaly-170000000-bleeding").update(start_us=us(170.2))
    found = box_at(world.view(), "a1", us(170.2))  # frame 4255, half way
    assert found is not None
    assert printed(found) == (540, 420, 640, 500)
    assert box_at(world.view(), "", us(170.2)) is None


# deeds and cues


def test_runs_of_instants_and_stated_actions(world):
    found = {(d.act, d.start_us, d.end_us) for d in deeds_of(world.view())}
    assert (("hook", "dissect", "cystic_duct"), us(20), us(23)) in found
    assert (("clipper", "clip", "cystic_duct"), us(50.2), us(53)) in found
    assert len(found) == 2 + 6


def test_a_run_ends_where_interactions_are_not_known(world):
    world.at(21, "hook-1")["pairs"] = None
    runs = [d for d in deeds_of(world.view()) if d.tool == "hook" and d.target == "cystic_duct"]
    assert [(d.start_us, d.end_us) for d in runs] == [(us(20), us(21)), (us(22), us(23))]


CUES = [
    (("camera", 99.0), {}, {"cue": "several", "label": "camera"}),
    (("camera", 99.2), {}, {"cue": "one", "label": "camera"}),
    (("camera", 99.6), {}, {"cue": "one", "label": "approach"}),
    (("camera", 97.9), {}, {"cue": "one", "label": "approach"}),
    (("intent", 99.2), {"verb": "dissect"}, {"cue": "one", "label": "intent"}),
    (("intent", 99.2), {"verb": "cut"}, {"cue": "one", "label": "approach"}),
    (("intent", 99.2), {"target": "gallbladder"}, {"cue": "one", "label": "approach"}),
    (("positioned", 99.2), {"tool": "hook"}, {"cue": "one", "label": "positioned"}),
    (("positioned", 99.2), {"tool": "grasper"}, {"cue": "one", "label": "approach"}),
]


@pytest.mark.parametrize(("moment", "fields", "what"), CUES)
def test_which_cues_count(world, moment, fields, what):
    world.moment("cue", *moment, **fields)
    spec = cue()
    spec["values"][1] = what
    found = [d for _, d in world.problems(world.chain(spec)) if "recomputed" in d and "cue" in d]
    deed = next(d for d in deeds_of(world.view()) if d.target == "gallbladder")
    counted = cues_of(world.view(), deed)
    assert counted[-1].label == what["label"] and (len(counted) > 1) == (moment[0] == what["label"])
    assert [detail for detail in found if detail.startswith(("cue", "label"))] == []


# texts


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("clipping the cystic duct with the clip applier is over before it begins", 1),
        ("The clip applier clips the cystic duct", 1),
        ("the scissors cut the cystic duct, then the hook dissects the gallbladder", 2),
        ("the clip applier lies near the cystic duct", 0),
    ],
)
def test_deeds_in_a_text(text, count):
    assert len(deeds_in(text)) == count


def test_the_longest_name_counts():
    (found,) = deeds_in("dissecting the cystic duct with the hook")
    assert found.means("hook", "dissect", "cystic_duct")
    assert not found.means("grasper", "dissect", "cystic_duct")
    assert not found.means("hook", "dissect", "")


def test_printed_times():
    assert span_in("21.50 s to 23.00 s") == (us(21.5), us(23))
    assert time_in("21.57 s") == us(21.57)
    assert span_in("21.5 to 23 s") is None and time_in("at 21.57 s") is None


def test_a_limit_in_multiples_is_words():
    assert passed(1.0, ">= 2 x resolution") and passed(1.0, ">= 12 x resolution")
    assert not passed(0.4, ">= 0.5")


# whole outputs


def test_every_leaf_of_an_answer_is_compared(world):
    for name in RIGHT:
        for stage, column in enumerate(RIGHT[name]()["values"]):
            for key in column:
                spec = RIGHT[name]()
                spec["values"][stage] = {**column, key: other(column[key])}
                found = world.codes(world.chain(spec))
                assert found & {"answer_differs", "segment_misses", "slots_malformed"}, (name, key)


def other(value):
    """The same value made a different one of its type."""
    if isinstance(value, dict):
        return {**value, next(iter(value)): "other"}
    if isinstance(value, list):
        return [value[0] - 1, *value[1:]]
    return f"{value}x" if isinstance(value, str) else 1 if value is None else value + 1


def test_a_chain_that_is_not_read_to_its_end_proves_nothing(world):
    world.chain(RIGHT["order"]())
    report = world.check(limit=2)
    assert report.checked == 2 and report.differences == 0
    world.rows.pop()
    assert set(world.check().counts) == {"chain_incomplete"}


def test_outputs_without_the_table_of_moments_are_checked(world):
    world.write()
    (world.root / "evidence/moments.parquet").unlink()
    world.moments, world.rows = [], []
    super(ChainWorld, world).write()
    from transforms.checks import check_output

    assert check_output(world.root).differences == 0


@pytest.mark.parametrize(
    "fields",
    [{"end_us": us(201)}, {"start_us": us(61)}, {"resolution_us": -1}, {"moment_id": "again"},
     {"x1": 0.4, "y1": 0.1, "x2": 0.3, "y2": 0.2}],
)  # fmt: skip
def test_moments_that_cannot_be(world, fields):
    world.found("watched-110000000-camera")["moment_id"] = "again"
    world.found("action-58000000-cut").update(fields)
    assert set(world.check().counts) == {"moment_malformed"}


def test_a_chain_is_counted_by_stage():
    row = {"template_id": "t", "stage": 1, "task": "causal_action_ordering/q1"}
    assert counted_as(row) == "t/q1"
    assert counted_as({**row, "stage": None}) == "t"

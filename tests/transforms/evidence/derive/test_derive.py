"""The whole room on whole videos: schemas, order, ids, clocks, rendered scenes."""

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.keys import digest
from surgqa.ontology.observed import HAPPENINGS, STRETCHES
from surgqa.transforms.evidence.derive import DeriveSettings, derive

SETTINGS = DeriveSettings()
SIGMA = 0.003
"""Noise of box edges in units: one pixel of 320."""


def scene_tables(make, start_us=0):
    """A tool that comes, approaches and touches; a duct that is clipped; two phases; a cut."""
    time = make.ticks(30, 5)
    now = time / 1e6
    x = 0.2 + 0.36 * np.clip((now - 11) / 4, 0, 1)
    seen = (now >= 7) & (now < 26)
    boxes = make.boxes(
        make.box_rows(4, "instrument", "clipper", time[seen] + start_us, make.around(x, 0.5)[seen]),
        make.box_rows(
            9, "tissue", "cystic_duct", time + start_us, [0.6, 0.4, 0.8, 0.6],
            state=np.where(now < 17, "intact", "clipped").tolist(),
        ),
    )  # fmt: skip
    which = [1 if t < 20 else 2 for t in now]
    frames = make.frames(
        time + start_us, [make.thumb(n) for n in which], [make.histogram(n) for n in which]
    )
    said = make.anchors(
        (7_500_000 + start_us, 8_500_000 + start_us, "clipping", "clip", True),
        (21_000_000 + start_us, 22_000_000 + start_us, "cleaning", "irrigate", False),
    )
    return {"boxes": boxes, "frames": frames, "anchors": said}


def test_a_whole_story(make):
    out = derive(scene_tables(make), 30_000_000, SETTINGS)
    assert out["happenings"].schema == HAPPENINGS
    assert out["stretches"].schema == STRETCHES
    rows = out["happenings"].to_pylist()
    times = {}
    for row in rows:
        times.setdefault(row["kind"], []).append((row["time_us"] / 1e6, row["label"]))
    assert times == {
        "enters": [(7.0, "clipper")],
        "intent": [(7.5, "clip")],
        "approach": [(11.0, "cystic_duct")],
        "stop": [(15.2, "clipper")],
        "contact": [(15.0, "cystic_duct")],
        "onset": [(15.0, "cystic_duct")],
        "tissue_state": [(17.0, "clipped")],
        "cut": [(20.0, None)],
        "leaves": [(26.0, "clipper")],
    }
    state = next(r for r in rows if r["kind"] == "tissue_state")
    assert (state["track"], state["other_track"]) == (9, 4)
    levels = {
        level: [(s["start_us"] / 1e6, s["end_us"] / 1e6, s["label"]) for s in
                out["stretches"].to_pylist() if (s["kind"], s["level"]) == ("segment", level)]
        for level in range(3)
    }  # fmt: skip
    assert levels[0] == [(0, 30, "clipping")]
    # Tool and speech speak for 7.25, scene and speech for 20.5; 26 would leave too short an end.
    assert levels[1] == [(0, 7.25, None), (7.25, 20.5, "clipping"), (20.5, 30, "cleaning")]
    assert levels[2] == levels[1]
    spans = [s for s in out["stretches"].to_pylist() if s["kind"] == "shot"]
    assert [(s["start_us"], s["end_us"]) for s in spans] == [
        (0, 20_000_000),
        (20_000_000, 30_000_000),
    ]


def test_order_and_ids(make):
    tables = scene_tables(make)
    once, again = (derive(tables, 30_000_000, SETTINGS) for _ in range(2))
    assert all(once[name].equals(again[name]) for name in once)
    rows = once["happenings"].to_pylist()
    assert [r["time_us"] for r in rows] == sorted(r["time_us"] for r in rows)
    ids = [r["happening_id"] for r in rows]
    assert len(set(ids)) == len(ids)
    assert {len(one) for one in ids} == {32}
    # Fewer tables, fewer rows: those that stay keep their ids.
    fewer = derive({"frames": tables["frames"]}, 30_000_000, SETTINGS)["happenings"]
    assert set(fewer["happening_id"].to_pylist()) < set(ids)


def test_rows_of_any_order_and_cut(make):
    """Boxes in another order of rows, tables in several pieces: the same rows."""
    tables = scene_tables(make)
    boxes = tables["boxes"]
    pieces = pa.concat_tables([boxes.slice(0, 40), boxes.slice(40)])
    backwards = boxes.take(pa.array(np.arange(len(boxes))[::-1].copy()))
    one = derive(tables, 30_000_000, SETTINGS)
    for other in (pieces, backwards):
        two = derive(tables | {"boxes": other}, 30_000_000, SETTINGS)
        assert one["happenings"].equals(two["happenings"])


def test_later_by_what_the_clock_is_later(make):
    late = 7_777_777
    plain = derive(scene_tables(make), 30_000_000, SETTINGS)["happenings"].to_pylist()
    moved = derive(scene_tables(make, late), 37_777_777, SETTINGS)["happenings"].to_pylist()
    assert len(plain) == len(moved) > 8
    skip = {"happening_id", "time_us", "end_us"}
    for a, b in zip(plain, moved, strict=True):
        assert (a["time_us"] + late, a["end_us"] + late) == (b["time_us"], b["end_us"])
        assert {k: v for k, v in a.items() if k not in skip} == {
            k: v for k, v in b.items() if k not in skip
        }


def test_nothing_observed():
    out = derive({}, 30_000_000, SETTINGS)
    assert len(out["happenings"]) == 0
    assert out["stretches"]["kind"].to_pylist() == ["segment", "segment", "segment", "shot"]
    assert len(derive({}, 0, SETTINGS)["happenings"]) == 0


@pytest.fixture(scope="module")
def rendered(scenes):
    """The truth of one rendered minute at 25 fps, and its size in pixels."""
    scene = scenes.Scene(
        3, seconds=40, fps=25, tools=("grasper", "hook"), targets=("gallbladder", "cystic_duct"),
        busy=0.8,
    )  # fmt: skip
    return scene.boxes(0.0), scene.truth, np.array(scene.size_wh)


def thinned(table, every, sigma, missed, seed=1):
    """Every so manieth frame, edges moved by noise, some boxes missed."""
    table = table.filter(pa.array(table["frame"].to_numpy() % every == 0))
    dice = np.random.Generator(np.random.PCG64(seed))
    for name in ("x1", "y1", "x2", "y2"):
        noise = dice.normal(0, sigma, len(table))
        moved = np.clip(table[name].to_numpy() + noise, 0, 1)
        index = table.schema.get_field_index(name)
        table = table.set_column(index, table.schema.field(index), pa.array(moved))
    return table.filter(pa.array(dice.random(len(table)) >= missed))


def spans(table, kind):
    rows = derive({"boxes": table}, 40_000_000, SETTINGS)["happenings"].to_pylist()
    return [
        (r["track"], r["other_track"], r["time_us"], r["end_us"]) for r in rows if r["kind"] == kind
    ]


def compared(true, found):
    """Share of the true ones that are found, and errors of their beginnings in seconds."""
    errors = []
    for a in true:
        near = [b for b in found if b[:2] == a[:2] and min(a[3], b[3]) > max(a[2], b[2])]
        if near:
            errors.append(min(abs(b[2] - a[2]) for b in near) / 1e6)
    return len(errors) / len(true), np.array(errors)


@pytest.mark.parametrize(
    ("every", "sigma", "missed", "sample"), [(5, 0.0, 0.0, 0.2), (1, SIGMA, 0.05, 0.04),
                                             (5, SIGMA, 0.05, 0.2)],
)  # fmt: skip
def test_contacts_and_approaches_in_rendered_scenes(rendered, every, sigma, missed, sample):
    """The renderer's own boxes at 25 fps are the truth; coarser and noisier ones come near."""
    truth, *_ = rendered
    seen = thinned(truth, every, sigma, missed)
    touching = [c for c in spans(truth, "contact") if c[3] - c[2] >= 500_000]
    assert len(touching) >= 5
    share, errors = compared(touching, spans(seen, "contact"))
    assert share >= 0.9
    assert np.median(errors) <= sample
    if not sigma:
        assert (errors <= sample).mean() >= 0.9
    share, errors = compared(spans(truth, "approach"), spans(seen, "approach"))
    assert share >= 0.75
    assert np.median(errors) <= 0.25


@pytest.mark.parametrize("every", [1, 5])
def test_speed_of_rendered_tips(rendered, every):
    """Smoothed speeds of noisy boxes against those of the renderer's working points."""
    from surgqa.ontology.observed import MASKS
    from surgqa.transforms.evidence.derive.motion import motion_of
    from surgqa.transforms.evidence.derive.tracks import earlier, tracks_of

    table, truth, size = rendered
    errors = []
    for track in tracks_of(thinned(table, every, SIGMA, 0.05)):
        if track.kind == "instrument":
            motion = motion_of(track, MASKS.empty_table(), 40_000 * every, SETTINGS.motion)
            mine = truth.track == track.number
            time, tip = truth.time_us[mine], truth.tip_xy[mine] / size
            back = earlier(time, SETTINGS.motion.base_us)
            way = np.sqrt(((tip - tip[back]) ** 2).sum(1)) / ((time - time[back]) / 1e6)
            right = np.where(back >= 0, way, np.nan)[np.searchsorted(time, track.time_us)]
            errors.append(np.abs(motion.speed - right))
    off = np.concatenate(errors)
    off = off[~np.isnan(off)]
    assert len(off) > 100
    assert np.median(off) < 0.015
    assert np.percentile(off, 90) < 0.05


def test_a_long_video_takes_seconds(make):
    """An hour at 5 fps with four tracks is 72 000 boxes; here ten minutes of it."""
    from time import perf_counter

    time = make.ticks(600, 5)
    now = time / 1e6
    parts = [
        make.box_rows(
            n, "tissue" if n > 1 else "instrument", ("hook", "grasper", "liver", "gut")[n], time,
            make.around(0.5 + 0.2 * np.sin(now * (0.4 + 0.1 * n)), 0.5 + 0.1 * np.cos(now + n)),
        )
        for n in range(4)
    ]  # fmt: skip
    table = make.boxes(*parts)
    start = perf_counter()
    assert len(derive({"boxes": table}, 600_000_000, SETTINGS)["happenings"]) > 100
    assert perf_counter() - start < 10


def busy_tables(make):
    """Three tools and two tissues that wander, with masks, gaps, uncertain frames and speech."""
    rng, time = np.random.default_rng(11), make.ticks(60, 5)
    rows, outlines = [], []
    tools = ("hook", "grasper", "clipper")
    for number, label in enumerate((*tools, "cystic_duct", "liver")):
        steps = (rng.random((len(time), 2)) - 0.5) * 0.04 * (rng.random((len(time), 1)) < 0.7)
        x, y = np.clip(0.5 + np.cumsum(steps, axis=0), 0.06, 0.94).T
        seen = rng.random(len(time)) < 0.93
        seen[100 + 20 * number : 140 + 20 * number] = False
        kind, box = "instrument" if label in tools else "tissue", make.around(x, y, 0.05)
        state = np.where(time < 30_000_000 + number * 4_000_000, "intact", "clipped")[seen]
        more = {"state": state.tolist()} if kind == "tissue" else {}
        rows.append(make.box_rows(number, kind, label, time[seen], box[seen], **more))
        pictures = np.zeros((len(time), 36, 64), bool)
        for picture, (x1, y1, x2, y2) in zip(pictures, box, strict=True):
            picture[int(y1 * 36) : int(y2 * 36) + 1, int(x1 * 64) : int(x2 * 64) + 1] = True
        outlines.append(make.mask_rows(number, label, time[seen][::3], pictures[seen][::3]))
    shown = [1 if t < 20 else 2 if t < 41 else 3 for t in time / 1e6]
    frames = make.frames(time, [make.thumb(n) for n in shown], [make.histogram(n) for n in shown])
    said = make.anchors(*(
        (n * 5_000_000, n * 5_000_000 + 800_000, ("clipping", None)[n % 2],
         ("clip", "dissect", None)[n % 3], n % 4 == 1) for n in range(1, 12)
    ))  # fmt: skip
    return {"boxes": make.boxes(*rows), "masks": make.masks(*outlines), "frames": frames,
            "anchors": said}  # fmt: skip


def test_what_is_derived_is_what_was_when_the_limits_were_set(make):
    out = derive(busy_tables(make), 60_000_000, SETTINGS)
    rows = [row for name in ("happenings", "stretches") for row in out[name].to_pylist()]
    found = digest(*(sorted(one.items()) for one in rows))[:12]
    assert found == "8ebe7db80f2e", "evidence changes: say so in CHANGELOG"

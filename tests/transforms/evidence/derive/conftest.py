"""Tables of boxes, frames and speech with a truth that one can compute by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings

from surgqa.ontology.observed import ANCHORS, BOXES, FRAMES, MASKS
from surgqa.transforms.evidence.derive import DeriveSettings, fill_steps
from surgqa.transforms.evidence.derive.motion import motion_of
from surgqa.transforms.evidence.derive.pairs import pairs_of
from surgqa.transforms.evidence.derive.tracks import INSTRUMENT, TISSUE, grid_of, tracks_of

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

SCENES = Path(__file__).parents[3] / "fixtures" / "scenes" / "scenes.py"


def box_rows(track, kind, label, time_us, box, **more):
    """Rows of one track: box is (4,) for one that rests, or (N, 4)."""
    times = np.asarray(time_us, np.int64)
    corners = np.broadcast_to(np.asarray(box, float), (len(times), 4))
    row = {"track": track, "kind": kind, "label": label, "score": 0.9, "origin": "detector"}
    columns = {name: more.get(name, row.get(name)) for name in BOXES.names}
    return [
        {
            **{k: v[n] if isinstance(v, list) else v for k, v in columns.items()},
            "time_us": int(times[n]), "frame": n,
            **dict(zip(("x1", "y1", "x2", "y2"), corners[n].tolist(), strict=True)),
        }
        for n in range(len(times))
    ]  # fmt: skip


def boxes(*parts):
    """A BOXES table of rows in the schema's order."""
    rows = [row for part in parts for row in part]
    rows.sort(key=lambda r: (r["time_us"], r["kind"], r["label"], r["x1"], r["y1"]))
    return pa.Table.from_pylist(rows, schema=BOXES)


def around(x, y, half=0.04):
    """(N, 4) boxes with the given centres."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    return np.stack([x - half, y - half, x + half, y + half], axis=-1)


def ticks(seconds, fps, start_us=0):
    """int64, start of each frame."""
    count = round(seconds * fps)
    return start_us + np.round(np.arange(count) * 1_000_000 / fps).astype(np.int64)


def thumb(seed, light=1.0):
    """64 x 36 bytes of a picture with structure."""
    dice = np.random.Generator(np.random.PCG64(seed))
    coarse = dice.uniform(40, 200, (6, 8))
    return np.clip(np.kron(coarse, np.ones((6, 8))) * light, 0, 255).astype(np.uint8)


def histogram(seed):
    """uint16 (256,), sum 65535, with its weight where the seed says."""
    dice = np.random.Generator(np.random.PCG64((seed, 1)))
    share = dice.uniform(0, 1, 256) ** 12
    return np.floor(share / share.sum() * 65535).astype(np.uint16)


def dhash(picture):
    """64 bits: whether a cell is darker than the one to its right, on 8 x 9 cells."""
    rows = np.linspace(0, 36, 9).astype(int)
    columns = np.linspace(0, 64, 10).astype(int)
    cells = np.array([
        [picture[a:b, c:d].mean() for c, d in zip(columns[:-1], columns[1:], strict=True)]
        for a, b in zip(rows[:-1], rows[1:], strict=True)
    ])  # fmt: skip
    bits = (cells[:, 1:] > cells[:, :-1]).ravel()
    return int(sum(1 << n for n, bit in enumerate(bits.tolist()) if bit))


def frames(time_us, pictures, histograms, trusted=None, filled=True):
    """A FRAMES table of thumbnails and histograms; the steps are filled."""
    rows = []
    for n, (time, grey, colours) in enumerate(zip(time_us, pictures, histograms, strict=True)):
        row = dict.fromkeys(FRAMES.names)
        ok = trusted is None or trusted[n]
        row |= {"time_us": int(time), "frame": n, "trusted": bool(ok)}
        if ok:
            row |= {
                "luma": float(grey.mean()) / 255, "dhash": dhash(grey), "thumb": grey.tobytes(),
                "histogram": colours.astype("<u2").tobytes(),
            }  # fmt: skip
        rows.append(row)
    table = pa.Table.from_pylist(rows, schema=FRAMES)
    return fill_steps(table) if filled else table


def looks(time_us):
    """A FRAMES table that only says when the video was looked at."""
    rows = [
        dict.fromkeys(FRAMES.names) | {"time_us": int(t), "frame": n, "trusted": True}
        for n, t in enumerate(time_us)
    ]
    return pa.Table.from_pylist(rows, schema=FRAMES)


def anchors(*said):
    """An ANCHORS table of (start_us, end_us, phase, action, intent)."""
    rows = [
        dict.fromkeys(ANCHORS.names)
        | {
            "anchor_id": str(n), "start_us": a, "end_us": b, "phase": phase, "action": action,
            "intent": intent,
        }
        for n, (a, b, phase, action, intent) in enumerate(said)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=ANCHORS)


def mask_rows(track, label, time_us, pictures):
    """Rows of MASKS from bool (N, H, W)."""
    rows = []
    for time, picture in zip(time_us, pictures, strict=True):
        height, width = picture.shape
        flat = picture.ravel().astype(np.int8)
        turns = np.flatnonzero(np.diff(flat)) + 1
        counts = np.diff([0, *turns.tolist(), len(flat)]).tolist()
        counts = ([0] if flat[0] else []) + counts
        ys, xs = np.nonzero(picture)
        corners = (
            xs.min() / width, ys.min() / height, (xs.max() + 1) / width, (ys.max() + 1) / height
        )  # fmt: skip
        rows.append(
            dict.fromkeys(MASKS.names)
            | {
                "time_us": int(time), "object": track, "label": label, "height": height,
                "width": width, "counts": counts,
            }
            | dict(zip(("x1", "y1", "x2", "y2"), map(float, corners), strict=True))
        )  # fmt: skip
    return rows


def masks(*parts):
    rows = sorted((r for p in parts for r in p), key=lambda r: (r["time_us"], r["object"]))
    return pa.Table.from_pylist(rows, schema=MASKS)


def paired(table, outlines=None, limits=None):
    """The pairs of all instruments with all tissues of a BOXES table."""
    limits = limits or DeriveSettings()
    outlines = MASKS.empty_table() if outlines is None else outlines
    grid, tracks = grid_of({"boxes": table}), tracks_of(table)
    tools = [t for t in tracks if t.kind == INSTRUMENT]
    tissues = [t for t in tracks if t.kind == TISSUE]
    period = grid.period_us
    motions = {t.number: motion_of(t, outlines, period, limits.motion) for t in tools}
    return pairs_of(tools, tissues, motions, outlines, period, limits)


@pytest.fixture(scope="session")
def make():
    """The builders above."""
    return SimpleNamespace(
        box_rows=box_rows, boxes=boxes, around=around, ticks=ticks, thumb=thumb,
        histogram=histogram, frames=frames, looks=looks, anchors=anchors, mask_rows=mask_rows,
        masks=masks, paired=paired, dhash=dhash,
    )  # fmt: skip


@pytest.fixture(scope="session")
def scenes():
    """The module of rendered scenes."""
    spec = importlib.util.spec_from_file_location("rendered_scenes", SCENES)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

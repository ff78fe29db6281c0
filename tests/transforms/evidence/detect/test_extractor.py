"""The extractor on ONNX Runtime: quality, the same bits however cut, and plain errors."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.observed import BOXES
from surgqa.transforms.evidence.base.fetched import loaded
from surgqa.transforms.evidence.detect import DetectSettings, Extractor
from surgqa.transforms.evidence.detect.measure import BoxRow, measure
from surgqa.transforms.evidence.link.appearance import BYTES
from surgqa.transforms.media import FrameBatch

REACHED = 0.75
"""Mean average precision at 0.5 that the shipped detector reaches on unseen scenes."""


@pytest.fixture(scope="module")
def scene(scenes: ModuleType) -> Any:
    return scenes.Scene(seed=77, seconds=8, fps=2)


@pytest.fixture(scope="module")
def table(scene: Any, weights: Path, cut: Any) -> pa.Table:
    extractor = Extractor(DetectSettings(weights))
    return pa.concat_tables(extractor.look(batch) for batch in cut(scene, 8))


def as_found(table: pa.Table) -> list[BoxRow]:
    return [(row["frame"], row["label"], [row[c] for c in ("x1", "y1", "x2", "y2")], row["score"])
            for row in table.to_pylist()]  # fmt: skip


def test_unseen_video_is_understood(scenes: ModuleType, weights: Path, cut: Any, tmp_path) -> None:
    """Held out: other seeds than training and validation, and a film, not bare pictures."""
    import av

    found, known = [], []
    extractor = Extractor(DetectSettings(weights, confidence=0.01))
    for number, seed in enumerate((501, 502, 503, 504)):
        scene = scenes.Scene(seed, seconds=20, fps=1)
        scene.write(tmp_path / "film.mp4")
        with av.open(str(tmp_path / "film.mp4")) as film:
            pictures = np.stack([f.to_ndarray(format="rgb24") for f in film.decode(video=0)])
        for batch in cut(pictures, 8):
            found.append(_numbered(extractor.look(batch), 100 * number))
        known.append(_numbered(scene.boxes(), 100 * number))
    got = measure(as_found(pa.concat_tables(found)), as_found(pa.concat_tables(known)))
    assert set(got.classes) == set(scenes.TOOLS)
    assert min(got.known.values()) >= 20
    assert got.map50 >= REACHED, got.classes


def _numbered(table: pa.Table, add: int) -> pa.Table:
    frames = pa.array(table["frame"].to_numpy() + add, pa.int64())
    return table.set_column(table.schema.get_field_index("frame"), "frame", frames)


def test_rows_are_those_of_the_schema(table: pa.Table, scene: Any) -> None:
    assert table.schema.equals(BOXES)
    assert table.num_rows > 10
    keys = [tuple(row[n] for n in ("time_us", "kind", "label", "x1", "y1", "x2", "y2"))
            for row in table.to_pylist()]  # fmt: skip
    assert keys == sorted(keys)
    assert set(table["time_us"].to_pylist()) <= set(scene.times_us().tolist())
    assert set(table["origin"].to_pylist()) == {"detector"}
    assert set(table["track"].to_pylist()) == {None}
    assert {len(look) for look in table["appearance"].to_pylist()} == {BYTES}
    assert any(any(look) for look in table["appearance"].to_pylist())


def test_boxes_and_scores_are_rounded(table: pa.Table, scene: Any) -> None:
    width, height = scene.size_wh
    for name, side in (("x1", width), ("y1", height), ("x2", width), ("y2", height)):
        hundredths = table[name].to_numpy() * side * 100
        np.testing.assert_allclose(hundredths, np.rint(hundredths), atol=1e-6)
        assert ((table[name].to_numpy() >= 0) & (table[name].to_numpy() <= 1)).all()
    scores = table["score"].to_numpy()
    np.testing.assert_array_equal(scores, np.round(scores, 4))
    assert scores.min() >= 0.1
    assert (table["x1"].to_numpy() < table["x2"].to_numpy()).all()


@pytest.mark.parametrize("size", [1, 3, 16])
def test_how_a_video_is_cut_does_not_show(
    table: pa.Table, scene: Any, weights: Path, cut: Any, size: int
) -> None:
    extractor = Extractor(DetectSettings(weights))
    again = pa.concat_tables(extractor.look(batch) for batch in cut(scene, size))
    assert again.equals(table)


def test_another_process_with_more_threads_gives_the_same_bits(
    table: pa.Table, weights: Path, tmp_path: Path, repo_root: Path
) -> None:
    """And neither PyTorch nor ultralytics is touched on the way."""
    script = tmp_path / "look.py"
    conftest = Path(__file__).with_name("conftest.py").parents[3] / "fixtures/scenes/scenes.py"
    script.write_text(
        "import importlib.util, sys, numpy as np, pyarrow as pa, pyarrow.ipc as ipc\n"
        f"spec = importlib.util.spec_from_file_location('rendered_scenes', {str(conftest)!r})\n"
        "scenes = sys.modules['rendered_scenes'] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(scenes)\n"
        "from surgqa.transforms.evidence.detect import DetectSettings, Extractor\n"
        "from surgqa.transforms.media import FrameBatch\n"
        "s = scenes.Scene(seed=77, seconds=8, fps=2)\n"
        "p = np.stack([s.picture(n) for n in range(s.frames)])\n"
        "b = FrameBatch(0, 16, s.times_us(), np.arange(16), p, np.ones(16, bool))\n"
        f"t = Extractor(DetectSettings(__import__('pathlib').Path({str(weights)!r}))).look(b)\n"
        "assert not {'torch', 'ultralytics'} & set(sys.modules)\n"
        f"w = ipc.new_file({str(tmp_path / 'table')!r}, t.schema); w.write(t); w.close()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(repo_root), "OMP_NUM_THREADS": "2"}
    subprocess.run([sys.executable, str(script)], env=env, check=True, timeout=120)
    assert pa.ipc.open_file(str(tmp_path / "table")).read_all().equals(table)


def test_pictures_that_are_not_trusted_are_not_looked_at(
    table: pa.Table, scene: Any, weights: Path, cut: Any
) -> None:
    trusted = np.arange(scene.frames) % 3 != 1
    extractor = Extractor(DetectSettings(weights))
    some = pa.concat_tables(extractor.look(batch) for batch in cut(scene, 8, trusted))
    good = np.flatnonzero(trusted)
    expected = table.filter(pa.array(np.isin(table["frame"].to_numpy(), good)))
    assert some.equals(expected)
    assert some.num_rows < table.num_rows


def test_without_a_trusted_picture_no_model_is_loaded(weights: Path, cut: Any) -> None:
    before = loaded()
    extractor = Extractor(DetectSettings(weights, most=17, batch=5))
    black = np.zeros((4, 64, 64, 3), np.uint8)
    (batch,) = cut(black, 4, np.zeros(4, bool))
    assert extractor.look(batch).num_rows == 0
    assert extractor.look(batch).schema.equals(BOXES)
    assert len(extractor.digest) > 10
    assert loaded() == before


def test_a_model_is_loaded_once_for_all_extractors(scene: Any, weights: Path, cut: Any) -> None:
    batch = next(cut(scene, 2))
    Extractor(DetectSettings(weights)).look(batch)
    before = loaded()
    pickled = pickle.loads(pickle.dumps(Extractor(DetectSettings(weights, confidence=0.5))))
    assert pickled.look(batch).schema.equals(BOXES)
    assert loaded() == before


def test_odd_sizes_and_empty_pictures(weights: Path, cut: Any) -> None:
    extractor = Extractor(DetectSettings(weights, confidence=0.3))
    for size in ((1, 1), (7, 500), (481, 33), (1080, 1920)):
        (batch,) = cut(np.full((1, *size, 3), 90, np.uint8), 8)
        assert extractor.look(batch).schema.equals(BOXES)


def test_identity_tells_all_that_changes_a_result(weights: Path, tmp_path: Path) -> None:
    first = Extractor(DetectSettings(weights)).digest
    assert Extractor(DetectSettings(weights)).digest == first
    copy = tmp_path / "copy.onnx"
    copy.write_bytes(weights.read_bytes())
    assert Extractor(DetectSettings(copy)).digest == first
    copy.write_bytes(weights.read_bytes() + b"\0")
    drop = tmp_path / "map.yaml"
    drop.write_text("hook: {drop: not asked about}\n")
    others = [
        DetectSettings(copy),
        DetectSettings(weights, classes=drop),
        *(DetectSettings(weights, **{name: value})
          for name, value in (("confidence", 0.2), ("iou", 0.5), ("most", 5), ("batch", 2),
                              ("nms", False), ("image_size", 320), ("precision", "fp16"),
                              ("device", "cuda:0"))),
    ]  # fmt: skip
    digests = {Extractor(settings).digest for settings in others}
    assert len(digests) == len(others)
    assert first not in digests
    both = [Extractor(DetectSettings(weights, device=d)).digest for d in ("cuda:0", "cuda:1")]
    assert both[0] == both[1]


def test_dropped_classes_are_counted(
    table: pa.Table, scene: Any, weights: Path, cut: Any, tmp_path: Path
) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("grasper: {drop: not asked about}\nhook: {kind: tissue, concept: omentum}\n")
    extractor = Extractor(DetectSettings(weights, classes=path))
    seen = [extractor.see(batch) for batch in cut(scene, 8)]
    rows = pa.concat_tables(part.rows for part in seen)
    plain = table["label"].to_pylist()
    assert "grasper" in plain
    assert sum(part.dropped.get("grasper", 0) for part in seen) == plain.count("grasper")
    assert "grasper" not in rows["label"].to_pylist()
    facts = extractor.facts()
    assert facts["classes"]["grasper"] == {"drop": "not asked about"}
    assert facts["classes"]["hook"] == {"kind": "tissue", "concept": "omentum"}
    assert facts["classes"]["clipper"] == {"kind": "instrument", "concept": "clipper"}
    assert (facts["batch"], facts["precision"]) == (1, "fp32")
    assert facts["device"] in ("cpu", "cuda:0")
    kinds = {(row["kind"], row["label"]) for row in rows.to_pylist()}
    assert ("tissue", "omentum") in kinds
    assert not {label for _, label in kinds} & {"hook", "grasper"}


def first_batch(cut: Any) -> FrameBatch:
    return next(cut(np.zeros((1, 64, 64, 3), np.uint8), 1))


@pytest.mark.parametrize("name", ["yolov10n.pt", "model.onnx"])
def test_weights_that_are_not_there_are_not_downloaded(tmp_path: Path, cut: Any, name: str) -> None:
    extractor = Extractor(DetectSettings(tmp_path / name))
    for act in (lambda: extractor.digest, lambda: extractor.look(first_batch(cut))):
        with pytest.raises(SourceMissing, match=name) as caught:
            act()
        assert "downloads nothing" in str(caught.value.fix)


def test_weights_of_another_kind_are_refused_by_name() -> None:
    with pytest.raises(UserError, match="no runtime") as caught:
        Extractor(DetectSettings(Path("model.engine")))
    assert caught.value.found == "model.engine"


def test_a_file_that_is_no_model(tmp_path: Path, cut: Any) -> None:
    path = tmp_path / "broken.onnx"
    for data in (b"", b"not a model"):
        path.write_bytes(data)
        with pytest.raises(SourceBroken, match="cannot be read") as caught:
            Extractor(DetectSettings(path)).look(first_batch(cut))
        assert caught.value.where == "broken.onnx"


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({}, "does not state its class names"),
        ({"names": "grasper, hook"}, "does not state its class names"),
        ({"names": "{0: 'grasper', 2: 'hook'}"}, "does not state its class names"),
        ({"names": "{0: 'trocar', 1: 'hook'}"}, "does not know"),
        ({"names": "{0: 'hook'}", "task": "segment"}, "not a box detector"),
    ],
)
def test_metadata_that_do_not_say_enough(
    weights: Path, tmp_path: Path, cut: Any, told_anew: Any, told: dict[str, str], problem: str
) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(told_anew(weights.read_bytes(), told))
    with pytest.raises(UserError, match=problem) as caught:
        Extractor(DetectSettings(path)).look(first_batch(cut))
    assert caught.value.fix


def test_names_out_of_the_metadata_say_state_and_visibility(
    scene: Any, weights: Path, tmp_path: Path, cut: Any, told_anew: Any, table: pa.Table
) -> None:
    names = {0: "cystic duct (clipped)", 1: "gallbladder.intact", 2: "liver.partial",
             3: "omentum", 4: "clipper.occluded", 5: "gut"}  # fmt: skip
    path = tmp_path / "tissue.onnx"
    path.write_bytes(told_anew(weights.read_bytes(), {"names": str(names), "task": "detect"}))
    rows = pa.concat_tables(
        Extractor(DetectSettings(path)).look(batch) for batch in cut(scene, 8)
    ).to_pylist()
    assert len(rows) == table.num_rows
    meanings = {(r["kind"], r["label"], r["state"], r["visibility"]) for r in rows}
    assert meanings <= {
        ("tissue", "cystic_duct", "clipped", None), ("tissue", "gallbladder", "intact", None),
        ("tissue", "liver", None, "partial"), ("tissue", "omentum", None, None),
        ("instrument", "clipper", None, "occluded"), ("tissue", "gut", None, None),
    }  # fmt: skip
    assert ("tissue", "cystic_duct", "clipped", None) in meanings


def test_a_device_or_precision_that_is_not_there(weights: Path, cut: Any) -> None:
    with pytest.raises(UserError, match="computes in fp32"):
        Extractor(DetectSettings(weights, precision="fp16")).look(first_batch(cut))
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this machine has a GPU")
    with pytest.raises(SourceMissing, match="cuda:1"):
        Extractor(DetectSettings(weights, device="cuda:1")).look(first_batch(cut))


def test_batches_seen_together_are_seen_as_if_alone(
    scenes: ModuleType, scene: Any, weights: Path, cut: Any
) -> None:
    other = scenes.Scene(seed=78, seconds=3, fps=1, size_wh=(160, 96))
    trusted = np.array([True, False, True])
    batches = [*cut(scene, 8), *cut(other, 8), *cut(scene.picture(3)[None], 8),
               *cut(np.stack([scene.picture(k) for k in range(3)]), 8, trusted),
               *cut(scene.picture(0)[None], 8, np.array([False]))]  # fmt: skip
    extractor = Extractor(DetectSettings(weights))
    alone = [extractor.see(batch) for batch in batches]
    assert sum(one.rows.num_rows > 0 for one in alone) >= 3 and not alone[-1].rows.num_rows
    for order in (slice(None), slice(None, None, -1)):
        together = extractor.see_together(batches[order])
        for one, other_one in zip(together, alone[order], strict=True):
            assert one.rows.equals(other_one.rows) and one.dropped == other_one.dropped
    assert extractor.see_together([]) == []

"""What needs PyTorch: training twice, export, both runtimes side by side, no network."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

from benchmarks.known_boxes import evaluate
from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.transforms.evidence.detect import (
    DetectSettings,
    Extractor,
    TrainSettings,
    export_onnx,
    train,
)

# Libraries that are not ours warn of their own deprecations, which differ with releases.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning",
                               "ignore::UserWarning", "ignore::ResourceWarning"),
]  # fmt: skip

PICTURES = 90
SIZE = 128
SHORT = TrainSettings(
    image_size=SIZE, epochs=2, batch=8, learning_rate=2e-3, whole_pictures=True, device="cpu"
)
NAMES = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator")


def write(data: Path, part: str, scenes: ModuleType, seeds: range, frames: int) -> None:
    for kind in ("images", "labels"):
        (data / kind / part).mkdir(parents=True)
    (data / "data.yaml").write_text(f"names: [{', '.join(NAMES)}]\n")
    for seed in seeds:
        scene = scenes.Scene(seed, seconds=frames * 5, fps=0.2, busy=0.85)
        for frame in range(frames):
            stem = f"{seed:04d}_{frame:02d}"
            picture = scene.picture(frame)[..., ::-1]
            cv2.imwrite(str(data / "images" / part / f"{stem}.png"), picture)
            truth = scene.truth.where(scene.truth.frame == frame)
            box = truth.box_px / np.array([320, 192, 320, 192])
            rows = np.column_stack([(box[:, :2] + box[:, 2:]) / 2, box[:, 2:] - box[:, :2]])
            (data / "labels" / part / f"{stem}.txt").write_text(
                "".join(
                    f"{NAMES.index(label)} {' '.join(f'{v:.5f}' for v in row)}\n"
                    for label, row in zip(truth.label, rows, strict=True)
                )
            )


@pytest.fixture(scope="module")
def data(scenes: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("scenes")
    write(root, "train", scenes, range(2000, 2030), PICTURES // 30)
    write(root, "val", scenes, range(2100, 2105), 2)
    return root


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return train(data, tmp_path_factory.mktemp("weights") / "first.pt", SHORT)


@pytest.fixture(scope="module")
def exported(trained: Any) -> dict[bool, Path]:
    """Files by whether they leave overlaps to us; the input holds 320 x 192 exactly."""
    pytest.importorskip("onnx")
    return {
        nms: export_onnx(
            trained.weights, trained.weights.with_name(f"nms-{nms}.onnx"), (96, SIZE), nms=nms
        )
        for nms in (True, False)
    }


def test_training_twice_gives_the_same_weights(trained: Any, data: Path, tmp_path: Path) -> None:
    before = sorted(path.relative_to(data) for path in data.rglob("*"))
    told: list[tuple[int, int]] = []
    again = train(data, tmp_path / "again.pt", SHORT, lambda *epoch: told.append(epoch))
    assert again.digest == trained.digest
    assert told == [(1, 2), (2, 2)]
    assert (again.pictures, again.epochs, again.steps) == (PICTURES, 2, 24)
    assert again.boxes > 2 * PICTURES
    assert again.names == NAMES
    # Nothing was written beside the user's data.
    assert sorted(path.relative_to(data) for path in data.rglob("*")) == before


def test_another_seed_gives_other_weights_and_given_weights_are_gone_on_from(
    trained: Any, data: Path, tmp_path: Path
) -> None:
    one = TrainSettings(
        image_size=64, epochs=1, batch=30, seed=1, whole_pictures=True, device="cpu"
    )
    fresh = train(data, tmp_path / "fresh.pt", one)
    on = TrainSettings(start=trained.weights, image_size=64, epochs=1, batch=30, seed=1,
                       whole_pictures=True, device="cpu")  # fmt: skip
    further = train(data, tmp_path / "further.pt", on)
    assert len({trained.digest, fresh.digest, further.digest}) == 3
    assert further.settings["start"] == "first.pt"


def test_weights_do_not_depend_on_how_often_a_checkpoint_is_written(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ultralytics.engine.trainer import BaseTrainer

    module = importlib.import_module("surgqa.transforms.evidence.detect.train")
    write_checkpoint, epochs = BaseTrainer.save_model, []
    monkeypatch.setattr(
        BaseTrainer, "save_model", lambda t: epochs.append(t.epoch) or write_checkpoint(t)
    )
    settings = TrainSettings(image_size=64, epochs=4, batch=30, whole_pictures=True, device="cpu")
    digests = []
    for every in (1, 3):
        monkeypatch.setattr(module, "CHECKPOINT_EPOCHS", every)
        digests.append(train(data, tmp_path / f"{every}.pt", settings).digest)
    # The last checkpoint is always written.
    assert epochs == [0, 1, 2, 3, 0, 3]
    assert digests[0] == digests[1]


def test_published_weights_tell_no_paths(trained: Any, exported: dict[bool, Path]) -> None:
    for path in (trained.weights, *exported.values()):
        text = path.read_bytes()
        for told in (
            str(path.parent),
            str(Path.home()),
            str(Path.cwd()),
            "surgqa-train",
            "train_batch",
        ):
            assert told.encode() not in text, told
        assert not re.search(rb"20\d\d-\d\d-\d\dT", text)


@pytest.mark.parametrize("nms", [True, False])
def test_both_runtimes_see_the_same(
    trained: Any, exported: dict[bool, Path], scenes: ModuleType, cut: Any, nms: bool
) -> None:
    """Weights of so short a training see little, so the bar for a box is very low."""
    scene = scenes.Scene(4, seconds=6, fps=1)
    common = {"confidence": 0.0005, "most": 20, "nms": nms, "image_size": SIZE}
    tables = [
        pa.concat_tables(Extractor(DetectSettings(path, **common)).look(b) for b in cut(scene, 4))
        for path in (trained.weights, exported[nms])
    ]
    assert tables[0].num_rows == tables[1].num_rows >= 10
    for name in ("frame", "label"):
        assert tables[0][name].equals(tables[1][name])
    for name, near in (("score", 2e-4), ("x1", 1e-3), ("y1", 1e-3), ("x2", 1e-3), ("y2", 1e-3)):
        np.testing.assert_allclose(
            tables[0][name].to_numpy(), tables[1][name].to_numpy(), atol=near
        )


def test_batches_of_torch_do_not_show(trained: Any, scenes: ModuleType, cut: Any) -> None:
    scene = scenes.Scene(4, seconds=10, fps=1)
    extractor = Extractor(
        DetectSettings(trained.weights, confidence=0.001, most=20, image_size=SIZE, batch=4)
    )
    whole = pa.concat_tables(extractor.look(b) for b in cut(scene, 8))
    assert pa.concat_tables(extractor.look(b) for b in cut(scene, 8)).equals(whole)
    assert pa.concat_tables(extractor.look(b) for b in cut(scene, 10)).equals(whole)


def test_evaluation_reads_both(trained: Any, exported: dict[bool, Path], data: Path) -> None:
    got = [
        evaluate(data, DetectSettings(path, image_size=SIZE, confidence=0.01, most=50))
        for path in (trained.weights, exported[True])
    ]
    assert 0 <= got[0].map50 <= 1
    assert got[0].map50 == pytest.approx(got[1].map50, abs=0.02)
    assert sum(got[0].known.values()) > 10


def test_what_torch_refuses(trained: Any, tmp_path: Path, cut: Any) -> None:
    import torch

    def look(path: Path, **more: Any) -> None:
        Extractor(DetectSettings(path, **more)).look(
            next(cut(np.zeros((1, 64, 64, 3), np.uint8), 1))
        )

    broken = tmp_path / "broken.pt"
    broken.write_bytes(b"not weights")
    with pytest.raises(SourceBroken, match="cannot be read"):
        look(broken)
    with pytest.raises(SourceMissing, match=r"yolov10n\.pt"):
        train(tmp_path, tmp_path / "out.pt", TrainSettings(start="yolov10n.pt"))
    if not torch.cuda.is_available():
        with pytest.raises(UserError, match="fp16 needs a GPU"):
            look(trained.weights, precision="fp16")
        with pytest.raises(SourceMissing, match="cuda:3"):
            look(trained.weights, device="cuda:3")


def test_nothing_is_asked_of_the_network_and_nothing_written_at_home(
    trained: Any, tmp_path: Path, repo_root: Path
) -> None:
    """In a process of its own: under pytest the library keeps quiet by itself."""
    script = tmp_path / "quiet.py"
    script.write_text(
        textwrap.dedent(f"""
        import socket, subprocess
        def refuse(*a, **k):
            asked.append(a)
            raise OSError("no network")
        asked = []
        socket.getaddrinfo = socket.socket.connect = socket.create_connection = refuse
        started = subprocess.Popen.__init__
        def run(self, what, *a, **k):
            asked.append(what)
            started(self, what, *a, **k)
        from pathlib import Path
        import numpy as np
        from surgqa.transforms.evidence.detect import (
            DetectSettings, Extractor, TrainSettings, train,
        )  # fmt: skip
        from surgqa.transforms.media import FrameBatch
        b = FrameBatch(0, 1, np.zeros(1, np.int64), np.zeros(1, np.int64),
                       np.zeros((1, 64, 64, 3), np.uint8), np.ones(1, bool))
        Extractor(DetectSettings(Path({str(trained.weights)!r}), image_size=64)).look(b)
        subprocess.Popen.__init__ = run
        train(Path({str(tmp_path / "data")!r}), Path({str(tmp_path / "out.pt")!r}),
              TrainSettings(image_size=64, epochs=1, batch=2, device="cpu"))
        assert not [a for a in asked if "pip" in str(a) or isinstance(a, tuple)], asked
        """)
    )
    data = tmp_path / "data"
    for kind in ("images", "labels"):
        (data / kind / "train").mkdir(parents=True)
    (data / "data.yaml").write_text("names: [hook]\n")
    for stem in ("a", "b"):
        cv2.imwrite(str(data / f"images/train/{stem}.png"), np.zeros((64, 64, 3), np.uint8))
        (data / f"labels/train/{stem}.txt").write_text("0 0.5 0.5 0.5 0.5\n")
    home = tmp_path / "home"
    home.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOLO_", "PYTEST"))}
    # PyTorch may lie beside the environment, where PYTHONPATH says.
    path = os.pathsep.join([str(repo_root), *filter(None, [os.environ.get("PYTHONPATH")])])
    env |= {"PYTHONPATH": path, "HOME": str(home), "MPLCONFIGDIR": str(tmp_path / "mpl"),
            "OMP_NUM_THREADS": "1", "XDG_CONFIG_HOME": str(home)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(script)], env=env, cwd=tmp_path, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert not list(home.rglob("*"))


def test_short_batches_fill_one_run_and_give_the_same_bits(
    trained: Any, scenes: ModuleType, cut: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from surgqa.transforms.evidence.detect import torch_model

    settings = DetectSettings(trained.weights, image_size=SIZE, batch=8, device="cpu",
                              confidence=0.001)  # fmt: skip
    batches = [batch for seed in range(2200, 2205)
               for batch in cut(scenes.Scene(seed, seconds=3, fps=1), 8)]  # fmt: skip
    extractor, runs = Extractor(settings), []
    alone = [extractor.see(batch) for batch in batches]
    assert sum(one.rows.num_rows for one in alone) > 20
    run = torch_model.TorchModel.run

    def counted(model: Any, given: np.ndarray) -> np.ndarray:
        runs.append(len(given))
        return run(model, given)

    monkeypatch.setattr(torch_model.TorchModel, "run", counted)
    together = extractor.see_together(batches)
    assert runs == [8, 8]  # of fifteen pictures, not five times eight
    assert all(one.rows.equals(other.rows) for one, other in zip(together, alone, strict=True))

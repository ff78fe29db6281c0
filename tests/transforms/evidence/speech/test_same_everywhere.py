"""Speech is the same whatever a process imported before, and with any environment."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.evidence.speech import Extractor, listener
from surgqa.transforms.evidence.speech.listener import INSTRUCTIONS, instructions, surroundings
from surgqa.transforms.media import Sound
from surgqa.transforms.media.batches import SOUND_RATE

PROGRAM = """
import {imports}
from surgqa.transforms.evidence.speech import Extractor, SpeechSettings
from surgqa.transforms.media import Sound
extractor = Extractor(SpeechSettings(model=sys.argv[1], device="cpu"))
heard = extractor.hear(Sound(0, np.load(sys.argv[2])))
told = [heard.rows.to_pylist(), heard.facts, extractor.digest]
sys.stdout.buffer.write(orjson.dumps(told, option=orjson.OPT_SORT_KEYS))
"""
ELSEWHERE = {
    "one thread": ("sys, orjson, numpy as np", {"OMP_NUM_THREADS": "1"}),
    "threads, loaded by another library before": (
        "ctranslate2, onnxruntime, sys, orjson, numpy as np",
        {"OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "3"},
    ),
    "an older processor": (
        "numpy as np, cv2, onnxruntime, faster_whisper, orjson, sys",
        {"CT2_FORCE_CPU_ISA": "GENERIC", "ONEDNN_MAX_CPU_ISA": "SSE41",
         "OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"},
    ),
    "another maker's library": ("sys, orjson, numpy as np", {"CT2_USE_MKL": "1"}),
}  # fmt: skip
BY_DAY = ("an older processor",)


@pytest.fixture(scope="module")
def sentence(opening: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File with the first 8 s of the narration."""
    path = tmp_path_factory.mktemp("sentence") / "sound.npy"
    np.save(path, opening[: 8 * SOUND_RATE])
    return path


@pytest.fixture(scope="module")
def heard_here(extractor: Extractor, sentence: Path) -> bytes:
    """What this process hears, with the extractor's digest."""
    heard = extractor.hear(Sound(0, np.load(sentence)))
    assert len(heard.rows) >= 1
    told = [heard.rows.to_pylist(), heard.facts, extractor.digest]
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


@pytest.mark.parametrize(
    "name", [name if name in BY_DAY else pytest.param(name, marks=pytest.mark.nightly)
             for name in ELSEWHERE],
)  # fmt: skip
def test_other_processes_hear_the_same(
    name: str, heard_here: bytes, sentence: Path, weights_folder: Path, repo_root: Path
) -> None:
    imports, chosen = ELSEWHERE[name]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(listener.CHOOSING)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imports=imports), weights_folder, sentence],
        env={**inherited, **chosen, "PYTHONPATH": str(repo_root)},
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(heard_here).digest()


def test_other_instructions_are_another_identity(extractor: Extractor, sentence: Path) -> None:
    """A processor without the usual ones hears too, and does not pass for one with them."""
    known = list(INSTRUCTIONS) if instructions(None) in INSTRUCTIONS else []
    digests = {Extractor(replace(extractor.settings, cpu_isa=i)).digest for i in [None, *known]}
    assert len(digests) == max(len(known), 1)
    if known:
        old = Extractor(replace(extractor.settings, cpu_isa="GENERIC"))
        assert len(old.hear(Sound(0, np.load(sentence))).rows) >= 1


def test_an_environment_cannot_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    loud = {"OMP_NUM_THREADS": "8", "CT2_FORCE_CPU_ISA": "AVX512", "GOMP_CPU_AFFINITY": "0",
            "OPENBLAS_VERBOSE": "2", "PYTHONWARNINGS": "error", "HOME": "/home/me"}  # fmt: skip
    told = surroundings("AVX2", loud)
    assert told == surroundings("AVX2", {"HOME": "/home/me"})
    assert (told["OMP_NUM_THREADS"], told["CT2_FORCE_CPU_ISA"]) == ("1", "AVX2")
    assert told["HOME"] == "/home/me"
    monkeypatch.setattr(sys, "path", ["", "/code"])
    here = surroundings("AVX2", {})["PYTHONPATH"]
    assert here == f"{Path.cwd()}{os.pathsep}/code"


@pytest.mark.parametrize(
    ("machine", "usual"),
    [("x86_64", "AVX2"), ("AMD64", "AVX2"), ("aarch64", "arm64"), ("arm64", "arm64")],
)
def test_instructions_of_a_machine(
    machine: str, usual: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener.platform, "machine", lambda: machine)
    assert instructions(None) == usual
    with pytest.raises(UserError, match="no such instruction set"):
        instructions("AVX9")

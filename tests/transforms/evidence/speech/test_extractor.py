"""The extractor on sound that is no speech, on moved and broken sound, and twice."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.base import Heard
from surgqa.transforms.evidence.base.fetched import loaded
from surgqa.transforms.evidence.speech import Extractor, SpeechSettings
from surgqa.transforms.evidence.speech.lexicon import hint
from surgqa.transforms.evidence.speech.transcribe import ENGLISH_ONLY, spoken_language
from surgqa.transforms.media import Sound
from surgqa.transforms.media.batches import SOUND_RATE

SECOND = 1_000_000


def table_digest(table: pa.Table) -> str:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return hashlib.sha256(sink.getvalue()).hexdigest()


def tones(seconds: int, *hertz: float) -> np.ndarray:
    time = np.arange(seconds * SOUND_RATE) / SOUND_RATE
    wave = sum(np.sin(2 * np.pi * h * time) for h in hertz)
    return np.rint(3000 * wave).astype(np.int16)


def plucked(seconds: int) -> np.ndarray:
    """A melody of decaying strings (Karplus and Strong 1983)."""
    rng = np.random.default_rng(7)
    out = []
    for step in range(seconds * 4):
        period = SOUND_RATE // (220, 277, 330, 440, 330, 277)[step % 6]
        string = rng.uniform(-1, 1, period)
        for _ in range(SOUND_RATE // 4 // period + 1):
            out.append(string)
            string = 0.498 * (string + np.roll(string, 1))
    return np.rint(8000 * np.concatenate(out)[: seconds * SOUND_RATE]).astype(np.int16)


def beeps(seconds: int) -> np.ndarray:
    """A monitor over mains hum: a beep of 0.1 s a second."""
    hum = tones(seconds, 50.0).astype(np.int64) // 4
    beep = tones(seconds, 880.0).reshape(seconds, SOUND_RATE).copy()
    beep[:, SOUND_RATE // 10 :] = 0
    return (hum + beep.reshape(-1)).astype(np.int16)


def noise(seconds: int) -> np.ndarray:
    return np.rint(np.random.default_rng(3).normal(0, 900, seconds * SOUND_RATE)).astype(np.int16)


NO_SPEECH = {
    "nothing": np.zeros(0, np.int16),
    "ten milliseconds": np.zeros(160, np.int16),
    "silence": np.zeros(30 * SOUND_RATE, np.int16),
    "noise": noise(10),
    "hum and beeps": beeps(20),
    "music": plucked(20),
}


@pytest.mark.parametrize("name", list(NO_SPEECH))
def test_what_is_no_speech_gives_no_utterance(extractor: Extractor, name: str) -> None:
    heard = extractor.hear(Sound(0, NO_SPEECH[name]))
    assert heard.rows.schema == UTTERANCES
    assert len(heard.rows) == 0
    assert heard.facts["rejected"] == [] or name == "music"


@pytest.mark.parametrize("name", ["silence", "noise"])
def test_guards_find_what_is_made_up_without_voice_detection(
    weights_folder: Path, name: str
) -> None:
    deaf = Extractor(SpeechSettings(model=str(weights_folder), device="cpu", vad=False))
    heard = deaf.hear(Sound(0, NO_SPEECH[name]))
    assert heard.facts["rejected"], "the model made nothing up: the guards were not tested"
    assert len(heard.rows) == 0
    for row in heard.facts["rejected"]:
        assert row["text"]
        assert row["code"] in {"silent", "noise", "hurried", "repeated", "no_speech", "unsure"}
        assert row["measured"] != row["threshold"]


def test_silence_needs_no_model(extractor: Extractor) -> None:
    before = loaded()
    elsewhere = Extractor(replace(extractor.settings, beam_size=1))
    elsewhere.hear(Sound(0, NO_SPEECH["silence"]))
    assert loaded() == before


def test_facts_say_what_was_listened_to(heard_opening: Heard) -> None:
    facts = heard_opening.facts
    assert facts["language"] == "en"
    assert facts["notes"] == [ENGLISH_ONLY]
    assert facts["set_to_sound"] is True
    assert 14 * SECOND < facts["speech_us"] <= 21 * SECOND


def test_utterances_are_sentences_with_words_in_turn(heard_opening: Heard) -> None:
    rows = heard_opening.rows.to_pylist()
    assert len(rows) == 5
    for row in rows:
        assert row["start_us"] == row["words"][0]["start_us"]
        assert row["end_us"] == row["words"][-1]["end_us"]
        assert row["language"] == "en"
        assert 0.5 < row["confidence"] <= 1.0
        times = [t for word in row["words"] for t in (word["start_us"], word["end_us"])]
        assert times == sorted(times)
        assert " ".join(word["text"] for word in row["words"]) == row["raw_text"]


def test_another_start_moves_all_times_and_nothing_else(
    extractor: Extractor, opening: np.ndarray, heard_opening: Heard
) -> None:
    """Also where the sound begins before the first picture."""
    offset = -3_440_000
    moved = extractor.hear(Sound(offset, opening)).rows.to_pylist()
    assert moved[0]["start_us"] < 0
    for before, after in zip(heard_opening.rows.to_pylist(), moved, strict=True):
        assert after["start_us"] - before["start_us"] == offset
        assert after["end_us"] - before["end_us"] == offset
        assert [w["start_us"] - offset for w in after["words"]] == [
            w["start_us"] for w in before["words"]
        ]
        assert (after["text"], after["confidence"]) == (before["text"], before["confidence"])
        assert after["utterance_id"] != before["utterance_id"]


def test_a_hole_in_the_sound_keeps_later_times_right(
    extractor: Extractor, opening: np.ndarray, script: list[dict]
) -> None:
    cut = round((script[1]["end_us"] + 300_000) / SECOND * SOUND_RATE)
    hole = np.zeros(5 * SOUND_RATE, np.int16)
    broken = np.concatenate([opening[:cut], hole, opening[cut:]])
    starts = extractor.hear(Sound(0, broken)).rows["start_us"].to_pylist()
    wanted = [s["start_us"] + (5 * SECOND if i >= 2 else 0) for i, s in enumerate(script[:5])]
    assert np.abs(np.array(starts) - wanted).max() < SECOND // 2


def test_twice_the_same_and_in_another_process(
    extractor: Extractor, opening: np.ndarray, tmp_path: Path, repo_root: Path
) -> None:
    sentence = opening[: 8 * SOUND_RATE]
    heard, again = (extractor.hear(Sound(0, sentence)) for _ in range(2))
    assert heard.rows.num_rows
    first = table_digest(heard.rows)
    assert table_digest(again.rows) == first
    assert again.facts == heard.facts
    np.save(tmp_path / "sound.npy", sentence)
    (tmp_path / "extractor.pickle").write_bytes(pickle.dumps(extractor))
    code = (
        "import hashlib, pickle, sys, numpy as np, pyarrow as pa\n"
        "from pathlib import Path\n"
        "from surgqa.transforms.media import Sound\n"
        "here = Path(sys.argv[1])\n"
        "extractor = pickle.loads((here / 'extractor.pickle').read_bytes())\n"
        "rows = extractor.hear(Sound(0, np.load(here / 'sound.npy'))).rows.combine_chunks()\n"
        "sink = pa.BufferOutputStream()\n"
        "with pa.ipc.new_stream(sink, rows.schema) as writer:\n"
        "    writer.write_table(rows)\n"
        "sys.stdout.write(hashlib.sha256(sink.getvalue()).hexdigest() + extractor.digest)\n"
    )
    surroundings = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(repo_root)}
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=surroundings, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    assert told.stdout == first + extractor.digest


def test_what_is_named_to_the_model_is_part_of_the_identity_and_nothing_else_changes(
    extractor: Extractor,
) -> None:
    named = Extractor(replace(extractor.settings, vocabulary=True)).identity
    plain = extractor.identity
    assert "vocabulary" not in plain["settings"]
    assert len(named["settings"].pop("vocabulary")) == 2
    assert named == plain


def test_things_are_named_to_the_model_in_its_language() -> None:
    english, chinese = hint("en").split(", "), hint("zh").split(", ")
    assert {"cystic duct", "clip applier", "gallbladder"} <= set(english)
    assert "\u80c6\u56ca\u7ba1" in chinese
    assert not set(english) & set(chinese)


def test_identity_names_what_words_depend_on_and_no_place(
    extractor: Extractor, weights_folder: Path, tmp_path: Path
) -> None:
    before = loaded()
    moved = tmp_path / "elsewhere"
    shutil.copytree(weights_folder, moved)
    other = Extractor(replace(extractor.settings, model=str(moved)))
    assert other.digest == extractor.digest
    assert str(weights_folder) not in str(extractor.identity)
    assert {"model", "device", "compute_type", "cpu_isa", "libraries"} < set(extractor.identity)
    (moved / "README.md").write_text("a page about it", encoding="utf-8")
    assert Extractor(other.settings).digest == extractor.digest
    (moved / "vocabulary.txt").write_text("changed", encoding="utf-8")
    assert Extractor(other.settings).digest != extractor.digest
    assert loaded() == before


@pytest.mark.parametrize(
    "change",
    [{"beam_size": 1}, {"vad_pause_ms": 400}, {"compute_type": "float32"}, {"pause_s": 0.7}],
)
def test_settings_change_the_digest(extractor: Extractor, change: dict) -> None:
    assert Extractor(replace(extractor.settings, **change)).digest != extractor.digest


def test_a_model_that_is_not_here_is_not_fetched(tmp_path: Path, monkeypatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(SourceMissing) as caught:
        _ = Extractor(SpeechSettings(model="large-v3", device="cpu")).identity
    assert "large-v3" in str(caught.value)
    assert "download" in str(caught.value)


@pytest.mark.parametrize("model", ["no-such-model", "a/b/c"])
def test_a_name_that_nobody_knows(model: str) -> None:
    with pytest.raises(SourceMissing, match=model):
        _ = Extractor(SpeechSettings(model=model, device="cpu")).identity


def test_a_folder_without_weights(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"model\.bin"):
        _ = Extractor(SpeechSettings(model=str(tmp_path), device="cpu")).identity


def test_weights_that_are_none(weights_folder: Path, tmp_path: Path, opening: np.ndarray) -> None:
    moved = tmp_path / "broken"
    shutil.copytree(weights_folder, moved)
    (moved / "model.bin").write_bytes(b"nothing of the kind")
    broken = Extractor(SpeechSettings(model=str(moved), device="cpu"))
    with pytest.raises(UserError, match="cannot be loaded"):
        broken.hear(Sound(0, opening))


def test_unknown_devices_and_languages_are_refused(extractor: Extractor, opening) -> None:
    with pytest.raises(UserError, match="device"):
        _ = Extractor(replace(extractor.settings, device="tpu")).identity
    with pytest.raises(UserError, match="'zh'"):
        Extractor(replace(extractor.settings, language="zh")).hear(Sound(0, opening))


class Polyglot:
    """Speaks as a model for several languages does; told what it shall believe."""

    supported_languages = ["de", "en", "fr", "zh"]
    model = SimpleNamespace(is_multilingual=True)

    def __init__(self, **beliefs: float) -> None:
        self.beliefs = sorted(beliefs.items(), key=lambda item: -item[1])

    def detect_language(self, speech, language_detection_segments):
        return *self.beliefs[0], self.beliefs


def test_the_likeliest_allowed_language_is_taken() -> None:
    model = Polyglot(fr=0.5, zh=0.3, en=0.2)
    told = spoken_language(model, np.zeros(10, np.float32), SpeechSettings())
    assert (told["language"], told["language_probability"]) == ("zh", 0.3)
    assert told["alternatives"] == [["fr", 0.5], ["zh", 0.3], ["en", 0.2]]
    assert told["notes"] == ["the language is unsure"]
    free = spoken_language(model, np.zeros(10, np.float32), SpeechSettings(languages=()))
    assert (free["language"], free["notes"]) == ("fr", [])
    fixed = spoken_language(model, np.zeros(10, np.float32), SpeechSettings(language="de"))
    assert fixed == {"language": "de", "language_probability": None}
    with pytest.raises(UserError, match="allowed languages"):
        spoken_language(model, np.zeros(10, np.float32), SpeechSettings(languages=("ja",)))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> dict:
    """A model cache and a place to fetch from, as faster-whisper reaches them."""
    import faster_whisper
    from huggingface_hub.errors import LocalEntryNotFoundError

    state: dict = {"here": None, "there": None, "fetched": 0}

    def download_model(name: str, local_files_only: bool = False) -> str:
        if state["here"] is None and local_files_only:
            raise LocalEntryNotFoundError("not in the cache")
        if state["here"] is None:
            if state["there"] is None:
                raise ConnectionError("no route to host")
            state["fetched"] += 1
            state["here"] = state["there"]
        return str(state["here"])

    monkeypatch.setattr(faster_whisper, "download_model", download_model)
    return state


def test_a_named_model_is_taken_from_the_cache(
    cache: dict, weights_folder: Path, extractor: Extractor
) -> None:
    cache["here"] = weights_folder
    named = Extractor(replace(extractor.settings, model="tiny.en"))
    assert named.digest == extractor.digest
    assert cache["fetched"] == 0


def test_a_model_is_fetched_only_where_that_is_set(cache: dict, weights_folder: Path) -> None:
    cache["there"] = weights_folder
    with pytest.raises(SourceMissing, match="not on this machine"):
        _ = Extractor(SpeechSettings(model="tiny.en", device="cpu")).identity
    assert cache["fetched"] == 0
    allowed = Extractor(SpeechSettings(model="tiny.en", device="cpu", download=True))
    assert allowed.identity["model"]
    assert cache["fetched"] == 1


def test_a_fetch_that_fails_says_why(cache: dict) -> None:
    with pytest.raises(SourceMissing, match="no route to host"):
        _ = Extractor(SpeechSettings(model="tiny.en", device="cpu", download=True)).identity


def test_a_gpu_that_is_not_there(extractor: Extractor, monkeypatch: pytest.MonkeyPatch) -> None:
    import ctranslate2

    monkeypatch.setattr(ctranslate2, "get_cuda_device_count", lambda: 0)
    with pytest.raises(SourceMissing, match="0 CUDA devices"):
        _ = Extractor(replace(extractor.settings, device="cuda")).identity
    by_itself = Extractor(replace(extractor.settings, device="auto"))
    assert by_itself.digest == extractor.digest
    monkeypatch.setattr(ctranslate2, "get_cuda_device_count", lambda: 1)
    told = Extractor(replace(extractor.settings, device="auto")).identity
    assert (told["device"], told["compute_type"], told["cpu_isa"]) == (
        "cuda", "float16", by_itself.identity["cpu_isa"]
    )  # fmt: skip

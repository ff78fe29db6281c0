"""A model of the user's: a few bytes that label tokens by a table, laid out as exporters do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.privacy import (
    MaskedSpan,
    SaidSettings,
    Tagger,
    mask_text,
    mask_utterances,
    tagger_of,
)
from surgqa.transforms.evidence.privacy.tagger import TextWindow


@pytest.fixture(scope="session")
def model(repo_root: Path) -> Path:
    return repo_root / "tests" / "fixtures" / "names"


@pytest.fixture(scope="session")
def tagger(model: Path) -> Tagger:
    return Tagger(model)


def test_pieces_of_a_word_and_words_of_a_name_are_one_span(tagger: Tagger) -> None:
    text = "the hook of mirabel quell in thornwick"
    assert tagger.spans(text) == [MaskedSpan(12, 25, "NAME"), MaskedSpan(29, 38, "PLACE")]
    assert mask_text(text, "en", tagger.spans(text))[0] == "the hook of [NAME] in [PLACE]"


def test_a_long_text_is_cut_and_nothing_is_lost_at_a_cut(model: Path) -> None:
    small = Tagger(model, TextWindow(tokens=8, overlap=4))
    text = "the " * 21 + "quell " + "hook " * 9 + "thornwick the quell"
    assert small.spans(text) == Tagger(model).spans(text)
    assert [text[s.start : s.end] for s in small.spans(text)] == ["quell", "thornwick", "quell"]


def test_an_empty_text_has_nothing(tagger: Tagger) -> None:
    assert tagger.spans("") == [] and tagger.spans("the hook") == []


def test_labels_that_are_not_sure_do_not_count(model: Path) -> None:
    assert Tagger(model, TextWindow(score=0.99)).spans("quell") == []


def test_what_it_finds_is_masked_in_text_and_words(tagger: Tagger) -> None:
    said = "the hook of mira quell"
    row = {"utterance_id": "u", "start_us": 0, "end_us": 9, "text": said, "raw_text": said,
           "language": "en", "confidence": 1.0, "no_speech": 0.0, "flags": [],
           "words": [{"start_us": 0, "end_us": 9, "text": word, "probability": 1.0}
                     for word in said.split()]}  # fmt: skip
    table = pa.Table.from_pylist([row], schema=UTTERANCES)
    (got,) = mask_utterances(table, tagger).to_pylist()
    assert got["text"] == got["raw_text"] == "the hook of [NAME]"
    assert [w["text"] for w in got["words"]] == ["the", "hook", "of", "[NAME]", "[NAME]"]
    assert got["flags"] == ["masked"]


def test_settings_name_the_folder(model: Path) -> None:
    assert tagger_of(SaidSettings()) is None
    found = tagger_of(SaidSettings(names_model=str(model)))
    assert found is not None and set(found.identity["files"]) == {
        "model.onnx", "tokenizer.json", "config.json"}  # fmt: skip


def test_a_folder_that_is_not_whole_says_what_is_missing(model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "half")
    (tmp_path / "half" / "tokenizer.json").unlink()
    with pytest.raises(SourceMissing) as error:
        Tagger(tmp_path / "half")
    assert "tokenizer.json" in str(error.value) and "optimum-cli" in str(error.value)


def test_a_model_of_something_else_is_refused(model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "other")
    told = {"id2label": {"0": "O", "1": "B-GENE"}}
    (tmp_path / "other" / "config.json").write_text(json.dumps(told))
    with pytest.raises(SourceBroken) as error:
        Tagger(tmp_path / "other")
    assert "B-GENE" in str(error.value)

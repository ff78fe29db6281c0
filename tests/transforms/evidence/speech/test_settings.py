"""Default settings of hearing: another value gives other evidence."""

from __future__ import annotations

from dataclasses import asdict

import orjson
import pytest

from surgqa.ontology.keys import digest
from surgqa.transforms.evidence.speech.settings import AnchorSettings, SpeechSettings


@pytest.mark.parametrize(
    ("of", "golden"), [(SpeechSettings, "4090c42ae549"), (AnchorSettings, "9070af2ee217")]
)
def test_defaults_are_those_that_were_measured(of: type, golden: str):
    found = orjson.dumps(asdict(of()), option=orjson.OPT_SORT_KEYS).decode()
    assert digest(found)[:12] == golden, "evidence changes: say so in CHANGELOG"

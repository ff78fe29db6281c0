"""A store that older rules masked is masked again by the same command, and nobody is heard anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pyarrow as pa
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.observed import MASKING
from surgqa.transforms.evidence.base.fetched import loaded
from surgqa.transforms.readers.observed.reader import Reader
from surgqa.transforms.steps.observing.work import facts_file, keep, read_json, read_rows
from surgqa.transforms.store.evidence import EvidenceStore

SAID = "Patient number 5, 5, 3, 1."


def aged(out: Path) -> None:
    """The store as a version that let numbers pass would have left it."""
    (raw,) = sorted((out / "raw" / "speech").glob("*.arrow"))
    table = read_rows(raw)
    texts = pa.array([SAID, *table.column("text").to_pylist()[1:]])
    for name in ("text", "raw_text"):
        table = table.set_column(table.schema.get_field_index(name), name, texts)
    keep(raw, table, read_json(facts_file(raw)))
    file = out / "videos" / "narrated" / "video.json"
    told = orjson.loads(file.read_bytes())
    del told["masking"]
    file.write_bytes(orjson.dumps({**told, "made_from": "older rules"}))


@pytest.mark.nightly
def test_the_same_command_masks_it_again(
    narrated: Path, store: Path, look: Callable, tmp_path: Path
) -> None:
    out = tmp_path / "store"
    shutil.copytree(store, out)
    aged(out)
    with pytest.raises(SourceBroken, match="not masked"):
        Reader(out).read("narrated")
    models = loaded()
    result = look([narrated], out)
    assert (result.observed, loaded()) == (1, models)
    assert EvidenceStore(out).facts("narrated")["masking"] == MASKING
    (first, *_) = EvidenceStore(out).table("narrated", "utterances").column("text").to_pylist()
    assert first == "Patient number [ID]."
    assert Reader(out).read("narrated").video.video_id == "narrated"
    (raw,) = sorted((out / "raw" / "speech").glob("*.arrow"))
    assert SAID not in read_rows(raw).column("text").to_pylist()

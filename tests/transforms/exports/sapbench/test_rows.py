"""What is written of a sample is what its row says."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from surgqa.transforms.exports.sapbench.rows import COLUMNS, frame_of, reference, samples_of
from surgqa.transforms.store import OutputFolder
from tests.transforms.checks.proof.outputs import built, rows_of, shipped


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    root: Path = tmp_path_factory.mktemp("built")
    return built(root, "cholect50", shipped("sapbench"))


def test_the_reference_says_what_the_row_says(output: OutputFolder) -> None:
    rows = {row["item_id"]: row for row in rows_of(output)}
    seen, opened = 0, 0
    for sample in samples_of(output, COLUMNS):
        row, told = rows[sample["item_id"]], reference(sample)
        (answer,) = orjson.loads(row["answer_value"]).values()
        also = orjson.loads(row["slots"]).get("also")
        labels = answer if isinstance(answer, list) else [answer, also and also["label"]]
        assert (told["label"], told["following"]) == (labels[0], labels[1])
        assert told["frame_s"] == frame_of(sample) == row["query_us"] // 1_000_000
        assert told["clip"]["start_s"] == told["frame_s"] + 1 > told["ending_clip"]["start_s"]
        seen, opened = seen + 1, opened + (labels[1] is None)
    assert seen == len(rows) > 10 and opened > 2

"""What somebody said is neither read, exported nor shown unless it was masked as it is today."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from surgqa.ontology.errors import OutputBroken, SourceBroken
from surgqa.ontology.observed import MASKING
from surgqa.ontology.rows import SCHEMA_VERSION
from surgqa.pipeline.cli.app import run
from surgqa.transforms.readers.observed.reader import Reader
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store import OutputFolder


def store(root: Path, masking: int | None) -> Path:
    """The sample, as a version that masked by these rules left it."""
    load_sample("observed")(root)
    for file in sorted(root.glob("videos/*/video.json")):
        told = orjson.loads(file.read_bytes())
        told.pop("masking")
        file.write_bytes(orjson.dumps({**told, **({"masking": masking} if masking else {})}))
    return root


@pytest.mark.parametrize("masking", [None, MASKING - 1])
def test_a_store_that_was_not_masked_is_not_read(tmp_path: Path, masking: int | None) -> None:
    reader = Reader(store(tmp_path, masking))
    with pytest.raises(SourceBroken) as error:
        reader.read("case_01")
    assert "surgqa observe" in str(error.value) and "only masks the stored speech" in str(
        error.value
    )
    # In the second video nobody was listened to.
    assert reader.read("case_02").video.video_id == "case_02"


def test_a_masked_store_is_read(tmp_path: Path) -> None:
    assert Reader(store(tmp_path, MASKING)).read("case_01").video.video_id == "case_01"


def output(folder: Path, **more: object) -> Path:
    manifest = {"schema": "surgqa/manifest-v1", "row_schema": SCHEMA_VERSION, **more}
    folder.mkdir(exist_ok=True)
    (folder / "manifest.json").write_bytes(orjson.dumps(manifest))
    return folder


OWN = {"readers": {"observed": 4}}
LAID_OVER = {
    "readers": {"cholect50": 4},
    "settings": {"datasets": [{"name": "cholect50", "evidence": True}]},
}


@pytest.mark.parametrize("masking", [{}, {"masking": MASKING - 1}])
@pytest.mark.parametrize("told", [OWN, LAID_OVER], ids=["own", "laid over labels"])
def test_an_output_over_such_a_store_is_not_opened(
    tmp_path: Path, told: dict, masking: dict
) -> None:
    with pytest.raises(OutputBroken) as error:
        OutputFolder(output(tmp_path, **told, **masking))
    assert "neither exported nor shown" in str(error.value)
    assert "surgqa observe" in str(error.value) and "surgqa build" in str(error.value)


def test_other_outputs_are(tmp_path: Path) -> None:
    OutputFolder(output(tmp_path, **OWN, masking=MASKING))
    OutputFolder(output(tmp_path, **LAID_OVER, masking=MASKING))
    OutputFolder(output(tmp_path, readers={"cholect50": 4}))


@pytest.mark.parametrize(
    "command",
    [
        ["export", "--as", "llava", "--to", "there"],
        ["view", "--static", "there"],
        ["jobs", "--to", "there"],
        ["explain", "0" * 32],
    ],
    ids=lambda command: command[0],
)
def test_no_command_shows_it(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = output(tmp_path / "out", readers={"observed": 4})
    where = [str(tmp_path / "there") if part == "there" else part for part in command]
    status = run([where[0], str(folder), *where[1:]])
    assert status == OutputBroken.exit_code
    assert "not masked" in capsys.readouterr().err
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["build", "--dataset", "observed", "--root", "STORE", "--out", "OUT"],
        ["preview", "examples.first_smoke", "--on", "observed", "--root", "STORE"],
        ["label", "choose", "STORE", "--as", "coco", "--out", "OUT"],
    ],
    ids=lambda command: command[0],
)
def test_no_command_reads_such_a_store(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = {"STORE": str(store(tmp_path / "store", None)), "OUT": str(tmp_path / "out")}
    assert run([where.get(part, part) for part in command]) != 0
    said = capsys.readouterr()
    assert "not masked" in said.err
    assert not list((tmp_path / "out").glob("**/*.parquet"))

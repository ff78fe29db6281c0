"""One digest from every engine that runs on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.pipeline.engines import prism
from tests.transforms.exports.talked import write_media, write_output

from .conftest import build, export, observe


@pytest.mark.nightly
@pytest.mark.parametrize("workers", ["3"])
def test_direct_with_more_workers(
    sample: Path, known: dict[str, str], tmp_path: Path, workers: str
) -> None:
    assert build(sample, tmp_path / "out", "--workers", workers) == known


@pytest.mark.nightly
@pytest.mark.parametrize("formats", ["jsonl", "parquet"])
def test_direct_in_one_format(
    sample: Path, known: dict[str, str], tmp_path: Path, formats: str
) -> None:
    assert build(sample, tmp_path / "out", "--format", formats)[formats] == known[formats]


@pytest.mark.nightly  # by day this engine observes, in test_plugins
def test_job_service_with_external_workers(
    sample: Path, known: dict[str, str], portable: tuple[str, ...], tmp_path: Path
) -> None:
    assert build(sample, tmp_path / "out", "--runner", "PortableRunner", "--", *portable) == known


@pytest.mark.nightly
@pytest.mark.parametrize("formats", ["jsonl"])
def test_job_service_in_one_format(
    sample: Path, known: dict[str, str], portable: tuple[str, ...], tmp_path: Path, formats: str
) -> None:
    found = build(
        sample, tmp_path / "out", "--runner", "PortableRunner", "--format", formats, "--", *portable
    )
    assert found[formats] == known[formats]


@pytest.mark.parametrize("formats", ["jsonl,parquet"])
def test_prism(
    sample: Path, known: dict[str, str], prism_program: str, tmp_path: Path, formats: str
) -> None:
    found = build(
        sample, tmp_path / "out", "--runner", "prism", "--format", formats,
        **{prism.VARIABLE: prism_program},
    )  # fmt: skip
    for name in formats.split(","):
        assert found[name] == known[name]


@pytest.mark.nightly
def test_real_clips_on_every_engine(
    real_dataset: Callable[[str], Path], portable: tuple[str, ...], prism_program: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    root = real_dataset("cholect50-challenge-val")
    expected = build(root, tmp_path / "direct")
    assert build(root, tmp_path / "two", "--workers", "2") == expected
    assert (
        build(root, tmp_path / "portable", "--runner", "PortableRunner", "--", *portable)
        == expected
    )
    variables = {prism.VARIABLE: prism_program}
    assert build(root, tmp_path / "prism", "--runner", "prism", **variables) == expected


@pytest.mark.nightly
def test_one_evidence_store_from_every_engine(
    film: Path, seen: str, portable: tuple[str, ...], prism_program: str, tmp_path: Path
) -> None:
    assert observe(film, tmp_path / "two", "--workers", "2") == seen
    assert observe(film, tmp_path / "jobs", "--runner", "PortableRunner", "--", *portable) == seen
    variables = {prism.VARIABLE: prism_program}
    assert observe(film, tmp_path / "prism", "--runner", "prism", **variables) == seen


@pytest.mark.nightly
def test_clips_are_cut_alike_by_every_engine(
    portable: tuple[str, ...], prism_program: str, tmp_path: Path
) -> None:
    write_output(tmp_path / "out")
    write_media(tmp_path / "root")
    cut = export(tmp_path, "one")
    assert sum(name.endswith(".mp4") for name in cut) > 1
    assert export(tmp_path, "two", "--workers", "2") == cut
    assert export(tmp_path, "jobs", "--runner", "PortableRunner", "--", *portable) == cut
    variables = {prism.VARIABLE: prism_program}
    assert export(tmp_path, "prism", "--runner", "prism", **variables) == cut

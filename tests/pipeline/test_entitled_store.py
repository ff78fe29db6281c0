"""A store whose detector nobody measured: what is asked of it, and what is said of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontology.fitness import FILE
from pipeline.cli.app import run
from transforms.registry import load_sample
from transforms.store import OutputFolder


def built(root: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[dict], str]:
    """Rows of surgstu and medstream, and what the build printed."""
    assert run(["build", "--dataset", "observed", "--root", str(root), "--benchmark",
                "surgstu,medstream", "--out", str(out)]) == 0  # fmt: skip
    printed = capsys.readouterr()
    assert run(["check", str(out)]) == 0
    capsys.readouterr()
    return list(OutputFolder(out).rows()), printed.out + printed.err


def denies(row: dict) -> bool:
    """Whether the answer says that something is not there, or how many there are."""
    words = row["answer"].lower().removeprefix("a) ").removeprefix("b) ")
    return words.startswith(("no", "0", "none")) or row["task"].startswith("counting")


def test_a_store_that_was_not_measured_gives_positive_questions_and_says_so(tmp_path, capsys):
    root = tmp_path / "store"
    load_sample("observed")(root)
    rows, printed = built(root, tmp_path / "measured", capsys)
    assert any(denies(row) for row in rows)
    assert "surgqa label evaluate" not in printed
    (root / FILE).unlink()
    rows, printed = built(root, tmp_path / "not", capsys)
    assert rows
    assert not [row["question"] for row in rows if denies(row)]
    assert "surgqa label evaluate" in printed and "unmeasured" in printed


def test_a_measure_of_another_detector_is_none(tmp_path, capsys):
    root = tmp_path / "store"
    load_sample("observed")(root)
    (root / FILE).write_bytes((root / FILE).read_bytes().replace(b'"made_by":"', b'"made_by":"x'))
    _, printed = built(root, tmp_path / "out", capsys)
    assert "surgqa label evaluate" in printed

"""Balance by name: promised shares, pairs, or all that can be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.cli.nothing import thinned, unmet
from surgqa.transforms.checks import check_output
from surgqa.transforms.checks.proof import shares as counted_again
from surgqa.transforms.steps import shares
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce, run

ONLY = [
    "surgstu.existence_global",
    "surgstu.existence_local_inst",
    "surgstu.existence_local_target",
]


def rows(out: Path, only: Sequence[str] = ()) -> dict[str, dict]:
    """Item id -> row, of all templates or some."""
    return {row["item_id"]: row for row in OutputFolder(out).rows()
            if not only or row["template_id"] in only}  # fmt: skip


@pytest.fixture(scope="module")
def every(sample_root: Path, built_once: BuiltOnce) -> Path:
    """All that can be asked."""
    datasets = [{"name": "cholect50", "root": sample_root}]
    return built_once("balance", {"datasets": datasets, "only": ONLY, "balance": "none"}).out


def test_shares_hold_and_all_that_goes_is_told(
    sample_root: Path, every: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in (shares, counted_again):
        monkeypatch.setattr(one, "FEW", 2)
    out = tmp_path / "out"
    run(sample_root, out, only=ONLY)
    left, before = rows(out), rows(every)
    gone = {one["key"]: one["where"] for one in OutputFolder(out).rejected("choose")}
    assert before.keys() - left.keys() == gone.keys() and gone
    sides = Counter((one["template_id"], one["answer_key"]) for one in left.values())
    for template in {one["template_id"] for one in left.values()}:
        assert abs(sides[template, "A"] - sides[template, "B"]) <= 1
    manifest = OutputFolder(out).manifest
    assert {one["template"] for one in manifest["shares"]} == set(ONLY)
    assert sum(sum(one["made"]) for one in manifest["shares"]) == len(before)
    assert sum(sum(one["kept"]) for one in manifest["shares"]) == len(left)
    assert check_output(out).differences == 0


def test_pairs_are_whole(sample_root: Path, built: Path, tmp_path: Path) -> None:
    out, open_ones = tmp_path / "out", ["surgstu.identify_bbox", "surgstu.closest"]
    run(sample_root, out, only=open_ones, balance="pairs")
    every = rows(built, open_ones)
    paired = {name for name, one in every.items() if one["pair"] is not None}
    assert len(paired) < len(every)
    assert rows(out).keys() == paired and paired
    assert set(Counter(one["pair"] for one in rows(out).values()).values()) == {2}
    assert check_output(out).differences == 0


def test_pairs_and_blocks_are_whole(sample_root: Path, built: Path, tmp_path: Path) -> None:
    choices = ["surgstu.classes", "surgstu.counting_distinct", "surgstu.existence_global"]
    run(sample_root, tmp_path / "out", only=choices, balance="pairs")
    every, kept = rows(built, choices).values(), rows(tmp_path / "out").values()
    assert set(Counter(one["pair"] for one in kept).values()) == {2}
    blocks = Counter(one["block"] for one in kept if one["block"])
    assert blocks and blocks.items() <= Counter(one["block"] for one in every).items()
    assert check_output(tmp_path / "out").differences == 0


def test_flags_of_the_command(
    sample_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["build", "--dataset", "cholect50", "--root", str(sample_root), "--only", ONLY[0]]
    assert surgqa([*line, "--out", str(tmp_path / "a"), "--not-blind", "--allow-constant"]) == 0
    settings = OutputFolder(tmp_path / "a").manifest["settings"]
    assert settings["not_blind"] is settings["allow_constant"] is True
    assert surgqa([*line, "--out", str(tmp_path / "b"), "--balance", "halves"]) == 2
    assert "shares" in capsys.readouterr().err


def told(made: list[int], kept: list[int], **more) -> dict:
    return {"dataset": "set", "template": "t", "of": "there", "wanted": 0.5, "made": made,
            "kept": kept, "answer": None, "few": False, "options": []} | more  # fmt: skip


def test_what_the_terminal_says_of_shares() -> None:
    assert unmet([told([30, 20], [20, 20]), told([4, 3], [4, 3], few=True)]) == []
    (few,) = unmet([told([6, 1], [6, 1], few=True)])
    assert "'there' is yes in 6 of 7 items instead of 50 %: too few items to drop any" in few
    (blocks,) = unmet([told([70, 30], [60, 30], blocks=True)])
    assert blocks.endswith(": items that share their options (blocks) are dropped together")
    (single,) = unmet([told([0, 12], [0, 0], answer="no")])
    assert "'there' is no in all 12 items: they are left out; --allow-constant" in single
    (allowed,) = unmet([told([12], [12], answer='{"n":1}', of=None, wanted=None)])
    assert 'the answer is {"n":1} in all 12 items: they are kept' in allowed


def test_what_found_no_partner_is_told_by_template():
    def row(key: str, where: str, count: int, code: str = "unpaired") -> dict[str, object]:
        return {"key": key, "where": where, "code": code, "count": count, "reason": "r"}

    told = {"ask": [row("a.b u1", "exchange", 4), row("a.b u2", "exchange", 3),
                    row("a.c u1", "x", 9, "no_filling")],
            "choose": [row("i1", "a.d", 8)]}  # fmt: skip
    folder = SimpleNamespace(manifest={}, rejected=told.__getitem__)
    (line,) = thinned(folder)
    assert line.startswith("left out (unpaired): 15 questions")
    assert line.endswith(": a.d 8, a.b 7")
    assert thinned(SimpleNamespace(manifest={}, rejected=lambda stage: [])) == []

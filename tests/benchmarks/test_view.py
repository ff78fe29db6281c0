"""The page's benchmark runs; no time is asserted."""

import re
import subprocess
import sys

import pytest

from benchmarks import view
from tests.transforms.view.made import write


def test_every_request_is_answered(tmp_path, monkeypatch, capsys):
    write(tmp_path / "out")
    monkeypatch.setattr(sys, "argv", ["view", str(tmp_path / "out"), "--items", "30"])
    assert view.main() == 0
    assert len(capsys.readouterr().out.splitlines()) == sum(map(len, view.ASKED.values()))


@pytest.mark.nightly
def test_a_million_items_take_less_than_500_mb(tmp_path):
    write(tmp_path / "out")
    command = [sys.executable, "-m", "benchmarks.view", str(tmp_path / "out")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    held = [int(one) for one in re.findall(r"(\d+) MB", found.stdout)]
    assert len(held) == sum(map(len, view.ASKED.values())) and max(held) < 500

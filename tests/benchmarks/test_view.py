"""The page's benchmark runs; no time is asserted."""

import sys

from benchmarks import view
from tests.transforms.view.made import write


def test_every_request_is_answered(tmp_path, monkeypatch, capsys):
    write(tmp_path / "out")
    monkeypatch.setattr(sys, "argv", ["view", str(tmp_path / "out"), "--items", "30"])
    assert view.main() == 0
    assert len(capsys.readouterr().out.splitlines()) == sum(map(len, view.ASKED.values()))

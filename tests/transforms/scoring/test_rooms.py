"""What all rows share names no benchmark; a benchmark's folder is found by its name."""

from __future__ import annotations

import re
from pathlib import Path

from surgqa.transforms.scoring.tasks import unit, units

ROOM = Path("transforms/scoring")
NAMES = re.compile(r"surgstu|medstream|surgcot|sap-?bench|surgveo", re.IGNORECASE)
SHARED = ("outputs", "typed")


def test_shared_modules_name_no_benchmark():
    files = [*ROOM.glob("*.py"), *(f for name in SHARED for f in (ROOM / name).glob("*.py"))]
    files += [Path("pipeline/cli/score.py"), Path("pipeline/cli/judge.py")]
    found = {str(file): NAMES.findall(file.read_text(encoding="utf-8")) for file in files}
    assert not {name: words for name, words in found.items() if words}


def test_folders_are_found_and_others_are_none():
    assert set(units()) > {"surgstu", "medstream", *SHARED}
    assert unit("nobody") is None
    assert hasattr(unit("medstream"), "books") and hasattr(unit("surgstu"), "SCORERS")

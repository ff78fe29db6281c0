"""Memory that is free is given back, though what lies behind it is still in use."""

from __future__ import annotations

import subprocess
import sys

import pytest

HELD = """
from pathlib import Path
from surgqa.ontology.garbage import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

many = [bytes(2000) for _ in range(50_000)]
last = bytes(2000)
many.clear()
before = resident()
give_back()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the allocator of Linux")
def test_it_is_given_back():
    done = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 50_000_000

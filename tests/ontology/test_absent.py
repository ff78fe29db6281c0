"""What a process does without is not imported, whatever asks for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("pandas", reason="without it nothing can import it")

AGAIN = "import pyarrow as pa, sys; pa.array([1]); print('pandas' in sys.modules)"


def printed(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True)  # fmt: skip
    return done.stdout.split()


def test_pyarrow_imports_it_for_an_array():
    """If this fails, pyarrow no longer does, and what this file tests can go."""
    assert printed(AGAIN) == ["True"]


def test_pyarrow_does_without_it_and_others_may_have_it():
    found = printed(f"from surgqa.ontology.absent import pyarrow_without_pandas as w; w(); "
                    f"{AGAIN}; "
                    "import pandas; print(pandas.Series([1]).sum())")  # fmt: skip
    assert found == ["False", "1"]


def test_a_process_does_without_it():
    found = printed(f"from surgqa.ontology.absent import without_pandas as w; w(); {AGAIN}\n"
                    "try: import pandas\nexcept ModuleNotFoundError: print('absent')")  # fmt: skip
    assert found == ["False", "absent"]


@pytest.mark.parametrize(("command", "there"), [("list", "absent"), ("observe", "there")])
def test_commands_do_without_it_but_those_with_models(command, there):
    found = printed(f"""
from surgqa.pipeline.cli.app import main
try: main(["{command}", "--help"])
except SystemExit: pass
try:
    import pandas
    print("there")
except ModuleNotFoundError:
    print("absent")
""")
    assert found[-1] == there

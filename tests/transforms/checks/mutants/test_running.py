"""Which tests a mutant meets."""

from __future__ import annotations

from tests.transforms.checks.mutants import running

LOOKED, HELD = "transforms/checks/facts/looked.py", "transforms/checks/facts/held.py"
FOUND = {"big": {HELD: [1, 2, 3], "x.py": [1, 2]}, "small": {HELD: [2]}, "other": {"x.py": [1]}}


def test_who_imports_a_module_or_from_it():
    assert HELD in running.importers(LOOKED)
    assert HELD in running.importers("transforms/checks/facts/raw.py")
    assert not running.importers("transforms/checks/run.py") & {HELD}


def test_a_line_meets_the_tests_that_run_it_the_small_ones_first():
    assert running.tests_of(FOUND, HELD, 2, False) == ["small", "big"]
    assert running.tests_of(FOUND, HELD, 3, False) == ["big"]


def test_the_file_s_own_tests_come_first():
    found = {"tests/test_held.py::big": {HELD: [1, 2, 3]}, "tests/test_x.py::small": {HELD: [2]}}
    assert running.tests_of(found, HELD, 2, False) == sorted(found)
    assert running.tests_of(found, "transforms/checks/x.py", 2, False) == []


def test_a_query_meets_the_tests_of_who_runs_it():
    assert running.tests_of(FOUND, LOOKED, 5, True) == ["small", "big"]
    folder = running.tests_of(FOUND, "transforms/checks/folder.py", 5, True)
    assert folder == ["tests/transforms/checks/test_folder.py"]
    assert running.tests_of(FOUND, LOOKED, 5, False) == []


def test_what_never_ends_is_ended():
    def spin() -> int:
        while True:
            pass

    assert running.in_child(spin, 1) == -9
    assert running.in_child(lambda: 3, 1) == 3

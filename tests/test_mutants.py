"""Drawn changes of all rooms: the order of the tests, and which of them noticed a change."""

from tests import mutants
from tests.transforms.checks.mutants.mutating import mutants as changes_of

SUMMARY = """\
FAILED tests/a/test_b.py::test_c[1 - x[2]] - assert [1] == [2]
FAILED tests/a/test_b.py::test_d - AssertionError: 0
ERROR tests/a/test_e.py
ERROR tests/a/test_f.py - SyntaxError: tests/a/test_b.py::test_d
"""


def test_failing_tests_are_read_from_the_summary():
    assert mutants.FAILED.findall(SUMMARY) == [
        "tests/a/test_b.py::test_c[1 - x[2]]", "tests/a/test_b.py::test_d", "tests/a/test_e.py",
        "tests/a/test_f.py",
    ]  # fmt: skip


def test_the_nearest_tests_come_first(tmp_path):
    for name in ("media/gif", "media"):
        (tmp_path / "tests/transforms" / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / "tests/transforms/media/test_gif.py").touch()
    found = list(mutants.near("transforms/media/gif.py", tmp_path))
    assert found == [["tests/transforms/media/test_gif.py"], ["tests/transforms/media"], ["tests"]]
    assert list(mutants.near("transforms/media/gif/one.py", tmp_path, rooms=True)) == [
        ["tests/transforms/media/gif"], ["tests/transforms/media"]
    ]  # fmt: skip


def test_tests_of_other_rooms_that_import_a_file_come_before_its_room(tmp_path):
    (tmp_path / "tests/pipeline").mkdir(parents=True)
    (tmp_path / "tests/transforms/media").mkdir(parents=True)
    for name, text in {
        "a": "from surgqa.transforms.media import gif", "b": "import gif",
        "c": "    from surgqa.transforms.media.gif import read",
    }.items():  # fmt: skip
        (tmp_path / f"tests/pipeline/test_{name}.py").write_text(text)
    found = list(mutants.near("transforms/media/gif.py", tmp_path, rooms=True))
    assert found == [["tests/pipeline/test_a.py", "tests/pipeline/test_c.py"],
                     ["tests/transforms/media"]]  # fmt: skip


def test_rooms_whose_tests_stand_elsewhere(tmp_path):
    for start, folder in mutants.ELSEWHERE.items():
        assert (mutants.ROOT / "tests" / folder).is_dir()
        assert [*mutants.near(f"{start}/a.py", tmp_path, rooms=True)] == [[f"tests/{folder}"]]
    (tmp_path / "tests/readers").mkdir(parents=True)
    (tmp_path / "tests/readers/test_avos.py").touch()
    found = list(mutants.near("transforms/readers/avos/reader.py", tmp_path, rooms=True))
    assert found == [["tests/readers/test_avos.py"], ["tests/readers"]]


def test_tests_that_fail_anyway_notice_nothing(tmp_path):
    """``less`` fails with any code, ``look`` where a comment is gone; ``more`` sees the change."""
    source = "def larger(a, b):\n    return a > b  # greater\n"
    test = "from room.code import larger\n\ndef test_one():\n    assert {}\n"
    look = "import pathlib\n\ndef test():\n    pathlib.Path({!r}).read_text().index('#')\n"
    for path, text in {
        "room/code.py": source,
        "tests/room/test_code_less.py": test.format("larger(0, 1)"),
        "tests/room/test_code_look.py": look.format("room/code.py"),
        "tests/room/test_code_more.py": test.format("not larger(1, 1)"),
        "pytest.ini": "[pytest]\npythonpath = .\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (change,) = changes_of("room/code.py", source)
    found = mutants.tried({0: change}, [tmp_path], rooms=True)
    assert found == {0: ["tests/room/test_code_more.py::test_one"]}
    assert (tmp_path / "room/code.py").read_text(encoding="utf-8") == source

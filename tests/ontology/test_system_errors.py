"""Which errors are the operating system's, and what is said of them."""

from __future__ import annotations

import errno
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa import ontology
from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.ontology.system_errors import in_words, system_errors_in_words
from tests.each import cases

NAMED = ("ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "ENAMETOOLONG", "ENOTDIR", "EISDIR",
         "ELOOP", "EIO", "EMFILE", "ENFILE", "ENOTEMPTY", "EXDEV", "ENOENT", "EEXIST", "EBUSY",
         "ENOMEM", "ESTALE", "EFBIG")  # fmt: skip


def refused(name: str, *paths: str) -> OSError:
    number = getattr(errno, name)
    first, second = (*paths, None, None)[:2]
    return OSError(number, os.strerror(number), first, None, second)


@cases("name", NAMED)
def test_each_is_told_with_place_and_fix(name: str) -> None:
    told = in_words(refused(name, "/data/labels/a.json"))
    assert isinstance(told, UserError) and told.exit_code == 3
    assert told.where == "/data/labels/a.json" and told.expected and told.fix
    assert os.strerror(getattr(errno, name)).lower() in told.found.lower()
    assert told.summary.startswith("/data/labels/a.json: ")


@cases("name", NAMED)
def test_the_same_from_a_step_and_from_another_process(name: str) -> None:
    error = refused(name, "/data/a b/x.json")
    first = in_words(error)
    again = pickle.loads(pickle.dumps(error))
    step = RuntimeError(f"{type(error).__name__}: {error} [while running 'Ask/Video']")
    with_trace = RuntimeError(f"Traceback …\n  File 'x.py'\nOSError: {error} [while running 'A/B']")
    for one in (again, step, with_trace):
        told = in_words(one)
        assert told is not None and (told.summary, told.where) == (first.summary, first.where)


def test_both_ends_of_a_move_are_named() -> None:
    assert in_words(refused("EXDEV", "/a/x", "/b/x")).where == "/a/x and /b/x"


def test_a_full_disk_has_no_path() -> None:
    told = in_words(refused("ENOSPC"))
    assert "no space left" in told.summary and told.where is None
    assert "TMPDIR" in told.fix


def test_what_pyarrow_says_of_a_disk() -> None:
    text = "Error writing bytes to file. Detail: [errno 28] No space left on device"
    assert "no space left" in in_words(pa.ArrowInvalid(text)).summary
    assert "no space left" in in_words(pa.lib.ArrowIOError(text)).summary
    with pytest.raises(OSError) as raised:
        pq.read_table("/nowhere/x.parquet")
    assert in_words(raised.value) is not None


def test_an_error_of_the_users_stays_as_it_is_behind_a_step() -> None:
    try:
        try:
            raise SourceBroken("torn", where="a.json:1", fix="mend it")
        except SourceBroken as error:
            raise SourceBroken(f"{error.args[0]} [while running 'Ask']") from None
    except SourceBroken as error:
        told = in_words(error)
    assert told.lines() == ["torn", "  where     a.json:1", "  fix       mend it"]


HERE = str(Path(ontology.__file__).parent / "vocab" / "verb.yaml")


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(KeyError("x"), id="no error of the system"),
        pytest.param(ValueError("[Errno 13] in a text"), id="a text of another kind"),
        pytest.param(RuntimeError("KeyError: 3 [while running 'Ask']"), id="a bug in a step"),
        pytest.param(refused("EBADF"), id="a file that is closed"),
        pytest.param(refused("EINVAL", "/data/x"), id="a call that makes no sense"),
        pytest.param(OSError("words alone"), id="no number"),
        pytest.param(refused("ENOENT", HERE), id="a file of surgqa's own"),
        pytest.param(pa.ArrowInvalid("schemas differ"), id="pyarrow on something else"),
    ],
)
def test_a_bug_stays_a_bug(bug: Exception) -> None:
    assert in_words(bug) is None
    with pytest.raises(type(bug)) as raised, system_errors_in_words():
        raise bug
    assert raised.value is bug


def test_rights_to_a_file_of_surgqas_own_are_the_machines() -> None:
    assert in_words(refused("EACCES", HERE)) is not None


def test_through_a_worker_process() -> None:
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(UserError) as raised,
        system_errors_in_words(),
    ):
        pool.submit(os.listdir, "/nowhere/to/be/found").result()
    assert raised.value.where == "/nowhere/to/be/found"

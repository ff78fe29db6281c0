"""What all tests share: no network, one time zone and locale, and where real data lie."""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib.util
import ipaddress
import locale
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPO_ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected outputs in tests/golden anew instead of comparing with them",
    )


SESSIONS: list[pytest.Session] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Remember the session for its status: see :func:`leave`."""
    SESSIONS.append(session)


@atexit.register
def leave() -> None:
    """End a process of tests when all else is done, which was registered later and runs before.

    Python would take millions of objects apart first: seconds of processor time in each process.
    """
    if SESSIONS:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(SESSIONS[-1].exitstatus))


NIGHTLY = "SURGQA_LONG" in os.environ
"""Whether tests marked ``nightly`` run, too."""

LONG = (
    ("engines/", "pipeline/test_check_agrees.py"),
    ("test_readme.py", "pipeline/cli/test_new.py", "pipeline/test_determinism.py"),
    ("deploy/test_install_steps.py", "pipeline/observing/"),
)
"""What takes longest, spread over three processes."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage beside what is gathered, not in it: a million objects that stay.

    Afterwards it is looked for seldom: that took 8 % of the processor time of tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave nightly tests out, and let every process begin with long ones.

    So none of those is alone at the end.

    pytest-xdist hands each process one piece of the list and lets idle ones take from others.
    """
    for item in items:
        if item.get_closest_marker("nightly") and not NIGHTLY:
            item.add_marker(pytest.mark.skip(reason="long: .ci/nightly runs it, SURGQA_LONG=1"))
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes < 2:
        return
    groups: list[list[pytest.Item]] = [[] for _ in range(min(processes, len(LONG)))]
    rest = []
    for item in items:
        name = item.nodeid.removeprefix("tests/")
        found = [k for k, starts in enumerate(LONG) if name.startswith(starts)]
        (groups[found[0] % len(groups)] if found else rest).append(item)
    size = -(-len(items) // processes)
    ordered: list[pytest.Item] = []
    for group in groups:
        fill = max(0, size - len(group))
        ordered += [*group, *rest[:fill]]
        rest = rest[fill:]
    items[:] = [*ordered, *rest]


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Ctrl-C reaches the processes that tests start.

    A shell that runs the tests in the background has them ignore it, which is inherited.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def fixed_surroundings() -> Iterator[None]:
    """UTC and a plain UTF-8 locale, whatever the machine has."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TZ": "UTC", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}.items():
            patch.setenv(name, value)
        before = locale.setlocale(locale.LC_ALL)
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
        time.tzset()
        yield
        locale.setlocale(locale.LC_ALL, before)
    time.tzset()


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """A connection that would leave the machine fails the test that made it."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: socket.socket, address: Any) -> Any:
            if self.family != socket.AF_UNIX and not _is_local(address[0]):
                raise AssertionError(f"a test may not use the network: {address}")
            return real(self, address)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded(connect))
        patch.setattr(socket.socket, "connect_ex", guarded(connect_ex))
        yield


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The folder that holds ``pyproject.toml``."""
    return REPO_ROOT


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a folder by name, once for all processes of a run: who comes meanwhile waits for it.

    Tests read what is in it and change nothing.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def folder(name: str, make: Callable[[Path], Any]) -> Path:
        target, done = shared / "once" / name, shared / "once" / f"{name}.done"
        target.parent.mkdir(parents=True, exist_ok=True)
        with done.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.is_file():
                shutil.rmtree(target, ignore_errors=True)
                target.mkdir()
                make(target)
                done.touch()
        return target

    return folder


@pytest.fixture(scope="session")
def demo(once: Callable[..., Path]) -> Path:
    """What ``surgqa demo`` leaves; what it prints is beside it in ``demo.txt``."""

    def make(folder: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "surgqa.pipeline.cli", "demo", "--out", "demo"], cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPO_ROOT), "NO_COLOR": "1"},
            capture_output=True, text=True, timeout=180,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (folder / "demo.txt").write_text(done.stdout, encoding="utf-8")

    return once("demo", make) / "demo"


@pytest.fixture(scope="session")
def films() -> ModuleType:
    """Rendered and narrated films: see ``tests/fixtures/films.py``."""
    path = REPO_ROOT / "tests" / "fixtures" / "films.py"
    spec = importlib.util.spec_from_file_location("surgqa_test_films", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def real_dataset() -> Callable[[str], Path]:
    """Folder of a real dataset by name; skips the test where it is not on this machine."""
    base = Path(os.environ.get("SURGQA_REAL_DATA") or REPO_ROOT.parent / "shared" / "data")

    def find(name: str) -> Path:
        if not (base / name).is_dir():
            pytest.skip(f"no real {name} in {base}: set SURGQA_REAL_DATA to the folder that has it")
        return base / name

    return find


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are to be written anew."""
    return bool(request.config.getoption("--update-golden"))

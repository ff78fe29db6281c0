"""The process that hears: one for each process, ended with it, its errors carried over."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import orjson
import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.evidence.speech import Extractor, SpeechSettings, hearing, listener
from surgqa.transforms.evidence.speech.listener import Listener, instructions
from surgqa.transforms.evidence.speech.messages import receive, send
from surgqa.transforms.media import Sound
from surgqa.transforms.media.batches import SOUND_RATE

SETTINGS = SpeechSettings(device="cpu")
QUIET = np.zeros(SOUND_RATE, np.int16)
LIMIT_S = 60.0
STARTS = """
import os, time, numpy as np
from surgqa.transforms.evidence.speech import Extractor, SpeechSettings, listener
from surgqa.transforms.evidence.speech.listener import instructions
from surgqa.transforms.media import Sound
one = listener.listener(instructions(None))
print(one.process.pid, flush=True)
"""
BUSY = """
extractor = Extractor(SpeechSettings(device="cpu"))
while True:
    extractor.hear(Sound(0, np.zeros(16000 * 60, np.int16)))
"""


def silence() -> int:
    """Hear silence; the listener's process."""
    assert len(Extractor(SETTINGS).hear(Sound(0, QUIET)).rows) == 0
    return listener.listener(instructions(None)).process.pid


def gone(pid: int) -> bool:
    """Whether a process ends within the limit; one that waits to be buried has ended."""
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return True
        if state[0] == "Z":
            return True
        time.sleep(0.02)
    return False


def test_messages_come_as_they_went() -> None:
    stream = io.BytesIO()
    send(stream, {"do": "parts", "at": 0.1}, b"\0\1" * 700_000)
    send(stream, {})
    stream.seek(0)
    assert receive(stream) == ({"do": "parts", "at": 0.1}, b"\0\1" * 700_000)
    assert receive(stream) == ({}, b"")
    assert receive(stream) is None
    assert receive(io.BytesIO(b"cut off")) is None


def test_one_process_answers_all_threads() -> None:
    pids: list[int] = []
    threads = [threading.Thread(target=lambda: pids.append(silence())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 4
    assert len(set(pids)) == 1


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "SIGKILL"), (signal.SIGILL, "a processor with")],
    ids=["killed", "unknown instruction"],
)
def test_a_listener_that_dies_is_told_and_replaced(number: signal.Signals, said: str) -> None:
    one = listener.listener(instructions(None))
    os.kill(one.process.pid, number)
    with pytest.raises(UserError, match=said):
        silence()
    assert one.process.returncode == -number  # waited for: no zombie
    assert silence() != one.process.pid


def test_an_interrupted_request_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    one = listener.listener(instructions(None))
    silence()

    def interrupted(stream: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(listener, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            silence()
    assert one.process.returncode is not None
    assert silence() != one.process.pid


def test_errors_are_carried_over(tmp_path: Path) -> None:
    one = listener.listener(instructions(None))
    named = {"digest": "", "folder": str(tmp_path), "device": "cpu", "compute_type": "int8"}
    with pytest.raises(UserError, match="cannot be loaded") as caught:
        one.ask({"do": "load", **named})
    assert caught.value.where == str(tmp_path)
    with pytest.raises(RuntimeError, match=r"in the speech process:\nTraceback"):
        one.ask({"do": "nothing that is known"})
    assert one.process.poll() is None


def test_what_is_answered_when_a_request_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise SourceMissing("gone", expected="a", found="b", where="c", fix="d")

    monkeypatch.setattr(hearing.transcribe, "speech_parts", missing)
    told = hearing._answered({"do": "parts", "settings": {}}, b"", {})
    assert told == {"error": {"summary": "gone", "expected": "a", "found": "b", "where": "c",
                              "fix": "d", "code": "source-missing"}}  # fmt: skip
    assert orjson.loads(orjson.dumps(told)) == told


def run(code: str, repo_root: Path, **more: object) -> subprocess.Popen[str]:
    surroundings = {**os.environ, "PYTHONPATH": str(repo_root), "PYTHONWARNINGS": "error"}
    return subprocess.Popen([sys.executable, "-c", STARTS + code], env=surroundings, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "number"),
    [("", None), (BUSY, signal.SIGKILL), ("os._exit(0)", None)],
    ids=["ends", "is killed", "leaves at once"],
)
def test_a_listener_ends_with_its_parent(
    code: str, number: signal.Signals | None, repo_root: Path
) -> None:
    with run(code, repo_root) as parent:
        assert parent.stdout is not None and parent.stderr is not None
        line = parent.stdout.readline()
        assert line, parent.stderr.read()
        if number is not None:
            parent.send_signal(number)
        assert parent.wait(LIMIT_S) == (0 if number is None else -number)
        assert gone(int(line))
        assert parent.stderr.read() == ""


def test_a_fork_leaves_the_listener_to_its_parent(repo_root: Path) -> None:
    code = """
child = os.fork()
if child == 0:
    silent = listener.listener(one.isa)
    silent.close()
    print(silent.process.pid, flush=True)
    time.sleep(600)
print(child, flush=True)
time.sleep(600)
"""
    with run(code, repo_root) as parent:
        assert parent.stdout is not None
        first, *others = (int(parent.stdout.readline()) for _ in range(3))
        assert first not in others
        parent.kill()
        parent.wait()
        # The forked process lives on and holds nothing of the listener's.
        assert gone(first)
        (child,) = [pid for pid in others if Path(f"/proc/{pid}/stat").exists()]
        os.kill(child, signal.SIGKILL)


def test_workers_of_a_pool_hear(repo_root: Path) -> None:
    """Such workers are daemons, which may have no children of multiprocessing."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pid = pool.apply(silence)
        assert pid != silence()
        pool.terminate()
        pool.join()
    assert gone(pid)


def test_closing_kills_what_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Listener(instructions(None))
    monkeypatch.setattr(listener, "END_S", 0.01)
    os.kill(one.process.pid, signal.SIGSTOP)
    one.close()
    assert one.process.returncode == -signal.SIGKILL

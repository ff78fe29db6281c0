"""Ctrl-C is heeded even if Python dropped it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import signal, sys, weakref
from surgqa.pipeline.interrupts import heed, listen

class Thing: pass

signal.signal(signal.SIGINT, signal.SIG_IGN)
listen()
signal.raise_signal(signal.SIGINT)  # ignored it stays
signal.signal(signal.SIGINT, signal.default_int_handler)
listen()
heed()
thing = Thing()
kept = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
del thing                       # Python prints and drops what a callback raises
print("went on", flush=True)
try:
    heed()
except KeyboardInterrupt:
    print("heeded")
"""


def test_an_interrupt_inside_a_callback_is_not_lost():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split("\n")[:2] == ["went on", "heeded"]
    assert "KeyboardInterrupt" in ran.stderr

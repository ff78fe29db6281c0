"""Keep Ctrl-C from being lost.

Python raises KeyboardInterrupt at the current position of the main thread.  Inside a callback of
an import or of the garbage collector it is printed and dropped; importing Beam runs thousands of
these callbacks.
"""

from __future__ import annotations

import signal
from types import FrameType

_pressed = False


def listen() -> None:
    """Remember from now on that Ctrl-C was pressed, and raise KeyboardInterrupt as Python does.

    If the signal is ignored, it stays ignored, because a run in the background may be started that
    way.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _press)


def heed() -> None:
    """Raise KeyboardInterrupt again if it may have been lost.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed since :func:`listen`.
    """
    if _pressed:
        raise KeyboardInterrupt


def _press(_number: int, _frame: FrameType | None) -> None:
    global _pressed
    _pressed = True
    raise KeyboardInterrupt

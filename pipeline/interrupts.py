"""Ctrl-C that is not lost.

Python raises it wherever the main thread is.  Inside a callback of an import or of the garbage
collector it is printed and forgotten, and importing Beam runs thousands of those.
"""

from __future__ import annotations

import signal
from types import FrameType

_pressed = False


def listen() -> None:
    """Remember from now on that Ctrl-C was pressed, and raise as Python does.

    Where it is ignored it stays so: whoever starts a run in the background may want that.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _press)


def heed() -> None:
    """Raise once more what may have been lost.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed since :func:`listen`.
    """
    if _pressed:
        raise KeyboardInterrupt


def _press(_number: int, _frame: FrameType | None) -> None:
    global _pressed
    _pressed = True
    raise KeyboardInterrupt

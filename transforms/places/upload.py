"""A file that is written locally and then sent as a whole, or not at all."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from typing import Any, BinaryIO

IN_MEMORY = 8 << 20


class Upload(io.BufferedIOBase):
    """Collects written data, on disk above 8 MiB, and sends it when the file is closed.

    Streaming to a store would complete the object with the data written before an error
    ended the ``with`` block; collected data can be discarded.

    Args:
        send: called once with the file, positioned at its start.
    """

    def __init__(self, send: Callable[[BinaryIO], None]) -> None:
        self._send = send
        self._held: Any = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._held.write(data)

    def tell(self) -> int:
        return self._held.tell()

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._held.seek(0)
            self._send(self._held)
        finally:
            self._drop()

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._drop()

    def __del__(self) -> None:
        # The base class would close the file here, and so send it, although the caller did not.
        self._drop()

    def _drop(self) -> None:
        if "_held" in self.__dict__:
            self._held.close()
        super().close()

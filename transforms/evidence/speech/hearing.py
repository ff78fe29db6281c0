"""The speech process: reads requests, answers them, and ends with its parent.

:mod:`.listener` starts it with a fixed environment.  A request is a message whose ``do`` is
``parts`` (find speech), ``load`` (load a model) or ``words`` (recognise); sound is int16 samples,
16 kHz, mono.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import traceback
from dataclasses import astuple
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from surgqa.ontology.errors import UserError
from surgqa.transforms.evidence.speech import transcribe
from surgqa.transforms.evidence.speech.messages import receive, send
from surgqa.transforms.evidence.speech.settings import SpeechSettings

FULL_SCALE = 32768.0
Request = tuple[dict[str, Any], bytes]


def main() -> None:
    """Answer requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    sink = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # keeps output of libraries out of the answers
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    source = os.fdopen(0, "rb", buffering=0)
    threading.Thread(target=_read, args=(source, requests), daemon=True).start()
    models: dict[tuple[str, ...], Any] = {}
    while True:
        request, data = requests.get()
        try:
            send(sink, _answered(request, data, models))
        except OSError:
            os._exit(0)


def _read(source: BinaryIO, requests: queue.SimpleQueue[Request]) -> None:
    """Put requests into the queue; end the process at once when the parent closes the stream."""
    while (request := receive(source)) is not None:
        requests.put(request)
    os._exit(0)


def _answered(
    request: dict[str, Any], data: bytes, models: dict[tuple[str, ...], Any]
) -> dict[str, Any]:
    try:
        return {"parts": _parts, "load": _load, "words": _words}[request["do"]](
            request, data, models
        )
    except UserError as error:
        names = ("summary", "expected", "found", "where", "fix", "code")
        return {"error": {name: getattr(error, name) for name in names}}
    except Exception:  # noqa: BLE001 - the parent process raises it
        return {"bug": traceback.format_exc()}


def _parts(request: dict[str, Any], data: bytes, models: Any) -> dict[str, Any]:
    return {"parts": transcribe.speech_parts(_samples(data), _settings(request))}


def _load(
    request: dict[str, Any], data: bytes, models: dict[tuple[str, ...], Any]
) -> dict[str, Any]:
    _model(request, models)
    return {}


def _words(
    request: dict[str, Any], data: bytes, models: dict[tuple[str, ...], Any]
) -> dict[str, Any]:
    language, words = transcribe.words_of(
        _model(request, models),
        _samples(data),
        request["parts"],
        request["start_us"],
        _settings(request),
    )
    return {"language": language, "words": [astuple(word) for word in words]}


def _model(request: dict[str, Any], models: dict[tuple[str, ...], Any]) -> Any:
    key = (request["folder"], request["device"], request["compute_type"])
    if (whole := (request["digest"], *key)) not in models:
        models[whole] = transcribe.load(Path(key[0]), key[1], key[2])
    return models[whole]


def _samples(data: bytes) -> np.ndarray:
    return np.frombuffer(data, dtype="<i2").astype(np.float32) / np.float32(FULL_SCALE)


def _settings(request: dict[str, Any]) -> SpeechSettings:
    return SpeechSettings(**request["settings"])


if __name__ == "__main__":
    main()

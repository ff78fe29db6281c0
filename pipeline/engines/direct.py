"""Beam's runner in this process, with processes that surgqa starts."""

from __future__ import annotations

from surgqa.pipeline.engines.engine import Engine

ENGINE = Engine(
    "direct",
    # Beam's DirectRunner would try to download another engine; this one runs in this process.
    "FnApiRunner",
    about="this process, and N more with --workers N",
    is_local=True,
    also_called=("DirectRunner",),
)

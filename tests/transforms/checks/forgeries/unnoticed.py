"""Places of a sealed output whose forgery ``check`` does not notice, and why."""

from __future__ import annotations

UNNOTICED: dict[str, str] = {
    "videos.clock": "whether its times are seconds or an order is said by the reader alone",
}
"""Place -> why nothing in the folder can tell: it stands there once, and no answer rests on it."""

_FOLDER = "what the manifest and the documents say of the build is not worked out again"

PENDING = dict.fromkeys(("manifest ", "file "), _FOLDER)
"""Beginnings of places, some of which nothing notices so far -> the check that they wait for."""

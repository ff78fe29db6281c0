"""Places of a sealed output whose forgery ``check`` does not notice, and why."""

from __future__ import annotations

UNNOTICED: dict[str, str] = {}
PENDING: dict[str, str] = {}

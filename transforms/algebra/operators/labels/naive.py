"""All labels that the recording can say; the same in every world."""

from __future__ import annotations

from typing import Any

from transforms.algebra.columns.domains import labels_of
from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    return tuple(labels_of(call.get("of"), env.world.video, env.relation).tolist())

"""All labels that a video's annotations can contain; the same in every possible world."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.columns.domains import labels_of
from surgqa.transforms.algebra.columns.scales import rating_steps
from surgqa.transforms.algebra.tree import Call, Const
from surgqa.transforms.algebra.worlds.naive import Env


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    main, codes = call.get("of"), env.relation.codes
    if not isinstance(main, Const):
        return tuple(codes.code(word) for word, _ in rating_steps(codes.name(env.ev(main))))
    return tuple(labels_of(main, env.world.video, env.relation).tolist())

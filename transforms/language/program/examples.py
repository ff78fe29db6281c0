"""The shape of examples: a tiny piece of evidence and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from transforms.algebra.tree import Step
from transforms.language.examples import ExampleFile, faults
from transforms.language.program.context import Context, nearest
from transforms.language.program.program import Stage


def examples(c: Context, data: Any, let: Sequence[Step], stages: Sequence[Stage]) -> None:
    """Collect what is wrong with the examples before they are run."""
    names = {name for step in let for name in step.names}
    chain = tuple(stage.name for stage in stages if stage.name)
    if not isinstance(data, list):
        c.add("T102", ("examples",), "a list of examples is expected", "write '- evidence: …'")
        return
    for i, one in enumerate(data):
        at = ("examples", i)
        try:
            example = ExampleFile.model_validate(one)
        except ValidationError as error:
            for problem in error.errors(include_url=False):
                place = tuple(part for part in problem["loc"] if not _union(part))
                c.add("T102", (*at, *place), problem["msg"])
            continue
        for slot in example.slots:
            if slot not in names:
                c.add("T104", (*at, "slots", slot), f"no name {slot!r} here",
                      nearest(slot, names, "names"), key=True)  # fmt: skip
        bare = example.model_copy(update={"slots": {}})
        for code, place, message, fix in faults(bare, {}, chain):
            c.add(code, (*at, *place), message, fix)


def _union(part: object) -> bool:
    """Whether pydantic names a member of a union, which is no place in the file."""
    return str(part) in ("str", "float", "int") or str(part).startswith(("dict[", "list["))

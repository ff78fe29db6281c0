"""``surgqa schema``: print the JSON Schema of template or run files, for editors."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli.console import talk, write_json
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import File, opt


def schema(
    out: Annotated[File, opt("FILE", "Write it to this file instead of standard output.")] = None,
    of: Annotated[
        str, opt("FILE", "question (a template), run or observe (the run files).")
    ] = "question",
) -> int:
    """Print the JSON Schema of a kind of file; editors use it for completion and error marks.

    \b
    surgqa schema
    surgqa schema --out templates/schema/question-v1.json
    surgqa schema --of run --out run-v1.json
    """
    if of not in FILES:
        raise unknown("kind of file", of, FILES, "surgqa schema --help")
    write_json(FILES[of](), out)
    if out:
        talk.say(f"schema: {out}")
    return EXIT_DONE


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _of(model: str) -> dict[str, Any]:
    return {"$schema": DIALECT, **resolve_name(model).model_json_schema()}


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "question": lambda: resolve_name("surgqa.transforms.language:json_schema")(),
    "run": lambda: _of("surgqa.pipeline.config:RunConfig"),
    "observe": lambda: _of("surgqa.pipeline.observing.config:ObserveConfig"),
}
"""Kind of file -> the function that returns its schema."""

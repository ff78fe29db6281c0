"""``surgqa schema``: print the JSON Schema of template or run files, for editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli.console import talk, write_json
from surgqa.pipeline.cli.names import unknown
from surgqa.pipeline.cli.options import File, opt


def schema(
    out: Annotated[File, opt("FILE", "Write it to this file instead of standard output.")] = None,
    of: Annotated[
        str,
        opt(
            "FILE",
            (
                "question (a template); run or observe, the run files of 'surgqa build' and "
                "'surgqa observe'."
            ),
        ),
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


def _of_questions() -> dict[str, Any]:
    from surgqa.transforms.language import json_schema

    return json_schema()


def _of_runs() -> dict[str, Any]:
    from surgqa.pipeline.config import RunConfig

    return {"$schema": DIALECT, **RunConfig.model_json_schema()}


def _of_observing() -> dict[str, Any]:
    from surgqa.pipeline.observing.config import ObserveConfig

    return {"$schema": DIALECT, **ObserveConfig.model_json_schema()}


DIALECT = "https://json-schema.org/draft/2020-12/schema"

FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "question": _of_questions,
    "run": _of_runs,
    "observe": _of_observing,
}
"""Kind of file -> the function that makes its schema."""

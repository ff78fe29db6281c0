"""``surgqa schema``: the JSON Schema of a template file, for editors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ontology.errors import EXIT_DONE
from pipeline.cli.console import talk, write_json
from pipeline.cli.names import unknown


def schema(
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it to this file instead of standard output."),
    ] = None,
    of: Annotated[
        str,
        typer.Option(
            metavar="LANGUAGE",
            help="template (of clips), query (put at a time) or chain (of stages).",
        ),
    ] = "template",
) -> int:
    """Print the JSON Schema of templates; editors complete and underline with it.

    \b
    surgqa schema
    surgqa schema --out templates/schema/template-v1.json
    surgqa schema --of query --out templates/schema/query-v1.json
    surgqa schema --of chain --out templates/schema/chain-v1.json
    """
    if of not in LANGUAGES:
        raise unknown("template language", of, LANGUAGES, "surgqa schema --help")
    write_json(LANGUAGES[of](), out)
    if out:
        talk.say(f"schema: {out}")
    return EXIT_DONE


def _of_clips() -> dict[str, Any]:
    from transforms.language import json_schema

    return json_schema()


def _of_queries() -> dict[str, Any]:
    from transforms.language.queries import json_schema

    return json_schema()


def _of_chains() -> dict[str, Any]:
    from transforms.language.chains import json_schema

    return json_schema()


LANGUAGES: dict[str, Callable[[], dict[str, Any]]] = {
    "template": _of_clips,
    "query": _of_queries,
    "chain": _of_chains,
}
"""Language of a template -> what makes its schema; ``schema: <name>/v1`` in the file."""

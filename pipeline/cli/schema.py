"""``surgqa schema``: the JSON Schema of a template file, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontology.errors import EXIT_DONE
from pipeline.cli.console import talk, write_json


def schema(
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it to this file instead of standard output."),
    ] = None,
) -> int:
    """Print the JSON Schema of templates; editors complete and underline with it.

    \b
    surgqa schema
    surgqa schema --out templates/schema/template-v1.json
    """
    from transforms.language import json_schema

    write_json(json_schema(), out)
    if out:
        talk.say(f"schema: {out}")
    return EXIT_DONE

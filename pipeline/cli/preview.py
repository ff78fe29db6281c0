"""``surgqa preview``: a template rendered on a sample, without any data at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontology.errors import EXIT_DONE
from pipeline.cli import units
from pipeline.cli.console import write_result
from pipeline.cli.names import unknown


def preview(
    template: Annotated[
        str, typer.Argument(help="Id of a template, or path of its file.", metavar="TEMPLATE")
    ],
    on: Annotated[
        str, typer.Option(metavar="NAME", help="Dataset whose sample is asked.")
    ] = "cholect50",
    n: Annotated[int, typer.Option("--n", "-n", min=1, metavar="N", help="Items shown.")] = 5,
) -> int:
    """Ask a template on a made-up sample: items, options with reasons, evidence.

    \b
    surgqa preview surgstu.locate
    surgqa preview my_templates/mine/how_many.yaml -n 10

    Moments that did not qualify are shown with the condition that said no.
    """
    known = [head.id for head in units.headlines()]
    if Path(template).suffix != ".yaml" and template not in known:
        raise unknown("template", template, known, "surgqa list templates")
    from pipeline.preview import preview as rendered

    write_result(rendered(template, on, n))
    return EXIT_DONE

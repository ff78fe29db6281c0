"""``surgqa lint``: every finding of every template, in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontology.errors import EXIT_DONE, EXIT_FINDINGS, SourceMissing
from pipeline.cli.console import talk, write_json, write_result


def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Template files or folders; the shipped templates if none is named.",
            metavar="[PATH]...",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Check templates: form, slots, wording, options, and what their examples give.

    \b
    surgqa lint
    surgqa lint my_templates/mine/how_many.yaml

    Exit status 1 if there is an error; warnings alone leave it 0.
    """
    from transforms.language import lint as findings_of
    from transforms.questions.example import examples_come_out

    for path in paths or ():
        if not path.exists():
            raise SourceMissing("no such file or folder", found=str(path), where="PATH")
    findings = findings_of(list(paths or ()), [examples_come_out])
    if json:
        names = ("path", "line", "column", "code", "severity", "where", "message", "fix")
        write_json([{name: getattr(one, name) for name in names} for one in findings])
    else:
        for finding in findings:
            write_result(str(finding))
    errors = sum(one.severity == "error" for one in findings)
    talk.say(f"{errors} error(s), {len(findings) - errors} warning(s)")
    return EXIT_FINDINGS if errors else EXIT_DONE

"""``surgqa lint``: print every finding of every template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE, EXIT_FINDINGS, FileMissing
from surgqa.pipeline.cli.console import talk, write_json, write_result
from surgqa.pipeline.cli.options import File, arg, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.language import Finding, Program


def lint(
    paths: Annotated[
        list[Path] | None,
        arg("[PATH]...", "Template files or folders; by default the built-in templates."),
    ] = None,
    templates: Annotated[File, opt("DIR", "Templates folder; the same as a PATH.")] = None,
    json: Annotated[bool, flag("--json", "Print JSON.")] = False,
) -> int:
    """Check templates: types, wording, options, cost, and the results of their examples.

    \b
    surgqa lint
    surgqa lint my_templates/mine/how_many.yaml
    surgqa lint --templates my_templates

    Exit status 1 if there is a finding. A build refuses templates with errors and uses those with
    only warnings.
    """
    every = [*(paths or ()), *([templates] if templates else ())]
    for path in every:
        if not path.exists():
            raise FileMissing("no such file or folder", found=str(path), where="PATH")
    programs, found = linted(every)
    findings = sorted(found)
    if json:
        names = ("path", "line", "column", "code", "severity", "where", "message", "fix")
        write_json([{name: getattr(one, name) for name in names} for one in findings])
    else:
        for finding in findings:
            write_result(str(finding))
    if every and len(programs) <= FEW:
        for one in programs:
            talk.say(f"{one.id}: up to {one.cost:,} filling(s) for a unit")
    errors = sum(one.severity == "error" for one in findings)
    talk.say(f"{errors} error(s), {len(findings) - errors} warning(s)")
    return EXIT_FINDINGS if findings else EXIT_DONE


FEW = 12
"""Maximum number of templates whose cost is printed."""


def linted(paths: Sequence[Path]) -> tuple[list[Program], list[Finding]]:
    """Return the programs of files and folders, and the findings about them and their examples."""
    from surgqa.transforms.language import files_of, parse_folder, templates_folder
    from surgqa.transforms.language.findings import below
    from surgqa.transforms.language.lint import unknown_scorer
    from surgqa.transforms.questions.example import examples_come_out
    from surgqa.transforms.scoring.tasks import scorers

    programs: list[Program] = []
    findings: list[Finding] = []
    for path in paths or [templates_folder()]:
        folder, files = files_of(path)
        made, found = parse_folder(folder, files)
        found += [finding for one in made for finding in examples_come_out(one)]
        found += [finding for one in made for finding in unknown_scorer(one, scorers())]
        programs += made
        findings += below(folder, found)
    return programs, findings

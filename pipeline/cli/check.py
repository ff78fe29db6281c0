"""``surgqa check``: recompute every answer of a finished dataset and audit the whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE, EXIT_FINDINGS
from pipeline.cli.console import table, talk, write_json, write_result

if TYPE_CHECKING:
    from transforms.checks import CheckReport

SHOWN_PER_CODE = 3


def check(
    out: Annotated[str, typer.Argument(help="Folder that 'surgqa build' wrote.", metavar="OUT")],
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write the report to this file."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Look at the first N items only.")
    ] = None,
) -> int:
    """Prove a dataset: recompute every answer from its evidence, and audit it.

    \b
    surgqa check out
    surgqa check out --json report.json

    Exit status 1 if anything is wrong; warnings alone leave it 0.
    """
    from transforms.checks import check_output

    report = check_output(out, limit=limit)
    write_result(summary(report))
    if json:
        write_json(report.to_json(), json)
        talk.say(f"report: {json}")
    return EXIT_FINDINGS if report.differences else EXIT_DONE


def summary(report: CheckReport) -> str:
    """What was checked, then each code with its count and a few of its findings."""
    from transforms.checks import CODES

    recomputed = sum(report.recomputed.values())
    lines = [
        f"{report.checked} of {report.items} items read, {recomputed} answers recomputed, "
        f"{report.videos} videos linked again"
    ]
    order = sorted(report.counts, key=lambda code: (list(CODES).index(code), code))
    for code in order:
        severity, sentence = CODES[code]
        lines += ["", f"{severity.value}: {code} ({report.counts[code]}): {sentence}"]
        kept = [one for one in report.findings if one.code == code]
        lines.append(table([["", one.item_id or "-", one.detail] for one in kept[:SHOWN_PER_CODE]]))
        if report.counts[code] > SHOWN_PER_CODE:
            lines.append(f"  … and {report.counts[code] - SHOWN_PER_CODE} more")
    verdict = (
        f"{report.differences} difference(s): this dataset is not what it says"
        if report.differences
        else "no difference"
    )
    return "\n".join([*lines, "", verdict])

"""``surgqa score``: how good a model's responses are, beside what guessing gets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE
from pipeline.cli.console import table, talk, write_json, write_result

if TYPE_CHECKING:
    from transforms.scoring import Report


def score(
    out: Annotated[str, typer.Argument(help="Folder that 'surgqa build' wrote.", metavar="OUT")],
    predictions: Annotated[
        Path,
        typer.Argument(
            help='JSON Lines: {"item_id": ..., "round_index": null, "response": "..."}.',
            metavar="PREDICTIONS.jsonl",
        ),
    ],
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write all scores to this file."),
    ] = None,
) -> int:
    """Score a model's responses, with intervals clustered by video and the floors.

    \b
    surgqa score out predictions.jsonl
    surgqa score out predictions.jsonl --json scores.json
    """
    from transforms.scoring import load_predictions, score_dataset
    from transforms.store import OutputFolder

    folder = OutputFolder(out)
    report = score_dataset(folder.rows(), load_predictions(predictions))
    write_result(table(report.table()))
    for remark in remarks(report):
        talk.say(remark)
    if json:
        write_json(report.to_dict(), json)
        talk.say(f"scores: {json}")
    return EXIT_DONE


def remarks(report: Report) -> list[str]:
    """What the table does not show: responses that fit nothing, tasks without a scorer."""
    counts = report.counts()
    out = []
    if counts["missing"]:
        out.append(f"{counts['missing']} of {counts['items']} items have no response (scored 0)")
    if counts["unparsed"]:
        out.append(f"{counts['unparsed']} responses could not be read (scored 0)")
    if report.unknown:
        out.append(
            f"{len(report.unknown)} responses name items that are not in the dataset, "
            f"such as {report.unknown[0][0]}"
        )
    out += [f"{name}: no scorer, {n} items left out" for name, n in report.unscored.items()]
    return out

"""Compare the scores of several models: printed, as a page, and as submission files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from surgqa.pipeline.cli.console import table, talk, write_file, write_result

if TYPE_CHECKING:
    from surgqa.transforms.scoring import Report
    from surgqa.transforms.scoring.bootstrap import Comparison
    from surgqa.transforms.scoring.predictions import AskedIds, PredictionKey
    from surgqa.transforms.store import OutputFolder

Table = Sequence[Sequence[object]]


def compared(folder: OutputFolder, reports: Mapping[str, Report]) -> Comparison:
    """Compare models on the items of a dataset, with intervals and paired tests."""
    from surgqa.transforms.scoring.bootstrap import compare

    videos = {row["item_id"]: f"{row['dataset']}/{row['video_id']}"
              for row in folder.rows(None, ["item_id", "dataset", "video_id"])}  # fmt: skip
    return compare({name: one.item_scores() for name, one in reports.items()}, videos)


def tell_models(reports: Mapping[str, Report], found: Comparison) -> None:
    """Print the scores of each model, then one table of all models and one of all pairs."""
    from surgqa.pipeline.cli.score import remarks, tables

    for name, one in reports.items():
        write_result(f"\n{name}\n" + "\n\n".join(tables(one)))
        for remark in remarks(one):
            talk.say(remark)
    shown: list[Table] = [_headlines(reports), *found.tables()]
    write_result("\n" + "\n\n".join(table(one) for one in shown))


def write_page(reports: Mapping[str, Report], found: Comparison, path: Path) -> None:
    """Write one HTML file with charts and the tables that compare the models."""
    from surgqa.pipeline.report.models import models_page

    models, *pairs = found.tables()
    headlines = {name: one.headlines() for name, one in reports.items()}
    write_file(
        path, models_page(_headlines(reports), models, pairs, found.lines, headlines).encode()
    )


def write_submission(
    folder: OutputFolder, path: Path, name: str, replies: Mapping[PredictionKey, str],
    asked: AskedIds | None,
) -> None:  # fmt: skip
    """Write one line with the model's response for every question that was asked.

    Raises:
        UserError: the file cannot be written.
    """
    from surgqa.transforms.scoring.predictions import submission

    rows, digest = folder.rows(None, ["item_id", "rounds"]), folder.manifest["digest"]
    lines = submission(rows, asked, replies, name, digest)
    write_file(path, b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in lines))


def _headlines(reports: Mapping[str, Report]) -> Table:
    """Return a table of the main scores: one row for each model, one column for each benchmark."""
    headlines = {name: one.headlines() for name, one in reports.items()}
    heads = sorted({head for one in headlines.values() for head in one})
    return [["model", *heads], *(
        [name, *(f"{100 * one[head]:.2f}" if head in one else "-" for head in heads)]
        for name, one in headlines.items()
    )]  # fmt: skip

"""``surgqa score``: score a model's responses and compare them with guessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from surgqa.ontology.errors import EXIT_DONE, Mismatched, NameTaken, Unsupported, WrongUsage
from surgqa.pipeline.cli.console import table, talk, write_file, write_json, write_result
from surgqa.pipeline.cli.options import File, Judgements, Number, Out, Texts, arg, opt

if TYPE_CHECKING:
    from surgqa.transforms.review.surgeons import Choices
    from surgqa.transforms.scoring import Report
    from surgqa.transforms.scoring.bootstrap import Comparison
    from surgqa.transforms.scoring.outputs import WordScoring
    from surgqa.transforms.scoring.predictions import AskedIds, AskedReport, PredictionKey
    from surgqa.transforms.store import OutputFolder


Table = Sequence[Sequence[object]]

BY_PEOPLE = "scored by people, see 'surgqa study --help'"
"""The reason why tasks that are answered with a video are left out."""


def score(
    out: Out,
    predictions: Annotated[
        list[Path],
        arg("PREDICTIONS.jsonl...", "Lines of item_id, round_index and response; several files."),
    ],
    json: Annotated[File, opt("FILE", "Also write all scores to this file.", "--json")] = None,
    html: Annotated[File, opt("FILE", "Write a page with charts and tables.", "--html")] = None,
    submission: Annotated[File, opt("FILE", "Write all responses, to submit.")] = None,
    decay: Annotated[
        Literal["linear", "fixed"],
        opt(None, "Streams: horizons from the rounds, or one fixed horizon."),
    ] = "linear",
    horizon: Annotated[Number, opt("SECONDS", "Of --decay fixed [30].", min=0.001)] = None,
    judgements: Judgements = None,
    jobs: Annotated[File, opt("FILE", "Score only the items of these jobs [from 'infer'].")] = None,
    surgeon: Annotated[Texts, opt("NAME=FILE", "Choices of a surgeon, for rankings.")] = None,
    times: Annotated[
        Literal["seconds", "fraction"],
        opt(None, "Responses about clips: seconds, or t=0.480 for a fraction."),
    ] = "seconds",
) -> int:
    """Score a model's responses, with intervals clustered by video, and print the chance levels.

    \b
    surgqa score out predictions.jsonl
    surgqa score out predictions.jsonl --json scores.json
    surgqa score out predictions.jsonl --judgements judgements.jsonl --decay fixed --horizon 20
    surgqa score out predictions.jsonl --surgeon A=a.csv --surgeon B=b.csv
    surgqa score out predictions.jsonl --jobs jobs.jsonl
    surgqa score out one.jsonl two.jsonl --html report.html
    surgqa score out predictions.jsonl --submission handed_in.jsonl

    Items that were not sent to the model are not scored.  'surgqa infer' records what it sent next
    to the predictions; without that record and without --jobs, every item counts as sent.
    """
    from surgqa.transforms.review.surgeons import surgeons_of
    from surgqa.transforms.scoring import asked_of, load_predictions
    from surgqa.transforms.store import OutputFolder

    folder, manner = OutputFolder(out).with_items(), manner_of(decay, horizon, judgements)
    names = _names(predictions, submission)
    scoring = Scoring(folder, manner, surgeons_of(surgeon), times)
    said = {name: load_predictions(path) for name, path in names.items()}
    asked = {name: asked_of(path, jobs) for name, path in names.items()}
    reports = {name: scoring.report(said[name], asked[name]) for name in names}
    found = compared(folder, reports) if html or len(reports) > 1 else None
    (name, report), *more = reports.items()
    if found and more:
        tell_models(reports, found)
    else:
        write_result("\n\n".join(tables(report)))
        for remark in remarks(report):
            talk.say(remark)
    if submission:
        write_submission(folder, submission, name, said[name], asked[name])
        talk.say(f"submission: {submission}")
    if found and html:
        write_page(reports, found, html)
        talk.say(f"page: {html}")
    if json:
        several = {"models": {one: each.to_dict() for one, each in reports.items()},
                   "comparison": found and found.to_dict()}  # fmt: skip
        write_json(several if more else report.to_dict(), json)
        talk.say(f"scores: {json}")
    return EXIT_DONE


def _names(predictions: list[Path], submission: Path | None) -> dict[str, Path]:
    """Map the names of models to their files; the name is the file's name."""
    names = {path.stem: path for path in predictions}
    if len(names) < len(predictions):
        raise NameTaken("two files of predictions have one name", expected="names that differ",
                        found=", ".join(map(str, predictions)), where="PREDICTIONS")  # fmt: skip
    if submission and len(names) > 1:
        raise WrongUsage("--submission takes one model", expected="one file of predictions",
                         found=", ".join(names), where="--submission")  # fmt: skip
    return names


@dataclass(frozen=True)
class Scoring:
    """What the scores of all models have in common: the dataset and the settings of scoring."""

    folder: OutputFolder
    manner: WordScoring
    surgeons: Choices
    times: str = "seconds"

    def report(self, replies: dict[PredictionKey, str], asked: AskedIds | None) -> Report:
        """Return the scores of one model.

        Raises:
            UserError: no item of the dataset was sent to the model, or no response is about one.
        """
        from surgqa.transforms.blind import guesses_of, replies_of
        from surgqa.transforms.scoring import score_dataset
        from surgqa.transforms.scoring.predictions import in_seconds

        if self.times == "fraction":
            replies = in_seconds(replies, self.folder.rows())
        report = score_dataset(
            self.folder.rows(), replies, manner=self.manner, surgeons=self.surgeons,
            asked=asked, blind=replies_of(guesses_of(self.folder)),
        )  # fmt: skip
        if not report.asked and len(report.unknown) == len(replies):
            raise Mismatched(
                "no response belongs to an item of this dataset",
                expected=f"item_id and round_index of items of {self.folder.path}",
                found=f"{len(replies)} responses" + (
                    f", such as to {report.unknown[0][0]}" if replies else ""),
                fix="name the dataset that the model was asked about",
            )  # fmt: skip
        if report.asked and not report.asked.total["asked"]:
            raise Mismatched(
                "no question of this dataset was asked", expected=f"jobs of {self.folder.path}",
                found=f"{report.asked.strange} items that are not in it",
                where=report.asked.source,
                fix="give --jobs the file that 'surgqa jobs' wrote for this dataset",
            )  # fmt: skip
        return report


def manner_of(decay: str, horizon_s: float | None, judgements: Path | None) -> WordScoring:
    """Return the settings of how streams and open answers are scored.

    Raises:
        UserError: a horizon was given for a decay that has none, or the file contains no
            judgements.
    """
    from surgqa.ontology.times import SECOND_US
    from surgqa.transforms.scoring.outputs import Decay, WordScoring, load_judgements

    if horizon_s is not None and decay != "fixed":
        raise Unsupported(
            "--horizon needs --decay fixed: otherwise the rounds of a stream determine it",
            found=f"--horizon {horizon_s:g}",
            fix="add --decay fixed, or leave --horizon out",
        )
    ratings = load_judgements(judgements) if judgements else None
    if horizon_s is None:
        return WordScoring(Decay(decay), ratings)
    return WordScoring(Decay(decay, round(horizon_s * SECOND_US)), ratings)


def tables(report: Report) -> list[str]:
    """Return the tables to print: groups of all benchmarks, then measures of single ones."""
    from surgqa.transforms.scoring.report import table_of as marked_table

    out = [table(report.asked.table())] if report.asked else []
    out += [] if report.own and not report.groups else [table(report.table())]
    for name, own in report.own.items():
        out += [f"{title}\n{table(rows)}" if title else table(rows)
                for title, rows in own.titled(name)]  # fmt: skip
    if report.marked:
        title = "by level of difficulty, and pairs of which both are right"
        out.append(f"{title}\n{table(marked_table(report.marked))}")
    if report.own and report.blind:
        out.append(
            f"compared with a guesser that does not see the video\n{table(report.blind_table())}"
        )
    return out


def remarks(report: Report) -> list[str]:
    """Return the notes below the tables, on unknown items and unreadable responses, for example."""
    counts = report.counts()
    out = _asked_remarks(report.asked) if report.asked else []
    if counts["missing"]:
        out.append(f"{counts['missing']} of {counts['items']} items have no response (scored 0)")
    missing = counts["missing"] or any(own.counts()["missing"] for own in report.own.values())
    if missing and not report.asked:
        out.append("if only a part was asked, name its jobs: --jobs FILE")
    if counts["unparsed"]:
        out.append(f"{counts['unparsed']} responses could not be read (scored 0)")
    for name, own in report.own.items():
        out += own.remarks(name)
    if report.unknown:
        item_id, index = report.unknown[0]
        such = item_id if index is None else f"round {index} of {item_id}"
        out.append(f"{len(report.unknown)} responses belong to no item or round of the dataset, "
                   f"such as {such}")  # fmt: skip
    out += [
        f"{name}: {BY_PEOPLE if name in report.by_people else 'no scorer'}, {n} items left out"
        for name, n in report.unscored.items()
    ]
    return out


def _asked_remarks(asked: AskedReport) -> list[str]:
    """Return remarks on which part of the dataset is scored, and which predictions are not."""
    total = asked.total
    out = [f"{total['asked']:,} of {total['items']:,} items were asked (see {asked.source}): "
           "only these are scored"]  # fmt: skip
    said = (
        (total["partly"], "streams are left out, as not all of their rounds were asked"),
        (asked.answered, "items have a response and were not asked: left out"),
        (asked.strange, "items were asked that are not in the dataset, or have no scorer"),
    )
    return out + [f"{count:,} {text}" for count, text in said if count]


def compared(folder: OutputFolder, reports: Mapping[str, Report]) -> Comparison:
    """Compare models on the items of a dataset, with intervals and paired tests."""
    from surgqa.transforms.scoring.bootstrap import compare

    videos = {row["item_id"]: f"{row['dataset']}/{row['video_id']}"
              for row in folder.rows(None, ["item_id", "dataset", "video_id"])}  # fmt: skip
    return compare({name: one.item_scores() for name, one in reports.items()}, videos)


def tell_models(reports: Mapping[str, Report], found: Comparison) -> None:
    """Print the scores of each model, then one table of all models and one of all pairs."""
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
    import orjson

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

"""``surgqa score``: how good a model's responses are, beside what guessing gets."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE, UserError
from pipeline.cli.console import table, talk, write_json, write_result

if TYPE_CHECKING:
    from transforms.scoring import Report
    from transforms.scoring.asked import AskedReport
    from transforms.scoring.medstream import Manner, MedstreamReport
    from transforms.scoring.sapbench.scores import SapbenchScores
    from transforms.scoring.sapbench.surgeons import Choices
    from transforms.scoring.surgcot import SurgcotReport


BY_PEOPLE = {"surgveo/future/continuation": "scored by people, see 'surgqa study --help'"}
"""Tasks whose responses are videos."""


class DecayMode(StrEnum):
    """How an early or late answer of a stream loses worth."""

    LINEAR = "linear"
    FIXED = "fixed"


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
    decay: Annotated[
        DecayMode,
        typer.Option(help="Streams: each side's horizon from its rounds, or one for both."),
    ] = DecayMode.LINEAR,
    horizon: Annotated[
        float | None,
        typer.Option(min=0.001, metavar="SECONDS", help="Of --decay fixed [30]."),
    ] = None,
    judgements: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ratings of open answers by 'surgqa judge'."),
    ] = None,
    jobs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Score only what these jobs ask [as 'infer' noted]."),
    ] = None,
    surgeon: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="What a surgeon chose, for items of sapbench."),
    ] = None,
) -> int:
    """Score a model's responses, with intervals clustered by video and the floors.

    \b
    surgqa score out predictions.jsonl
    surgqa score out predictions.jsonl --json scores.json
    surgqa score out predictions.jsonl --judgements judgements.jsonl --decay fixed --horizon 20
    surgqa score out predictions.jsonl --surgeon A=a.csv --surgeon B=b.csv
    surgqa score out predictions.jsonl --jobs jobs.jsonl

    What was not asked is not scored.  'surgqa infer' notes what it asked beside the predictions;
    without that and without --jobs, every item counts as asked.
    """
    from transforms.scoring import asked_of, load_predictions, score_dataset
    from transforms.store import OutputFolder

    folder, manner = OutputFolder(out).with_items(), _manner(decay, horizon, judgements)
    choices = surgeons_of(surgeon)
    report = score_dataset(
        folder.rows(), load_predictions(predictions), medstream=manner, surgeons=choices,
        asked=asked_of(predictions, jobs),
    )  # fmt: skip
    if report.asked and not report.asked.total["asked"]:
        raise UserError(
            "nothing of this dataset was asked", expected=f"jobs of {out}",
            found=f"{report.asked.strange} items that are not in it", where=report.asked.source,
            fix="name the jobs that 'surgqa jobs' wrote of this folder with --jobs",
        )  # fmt: skip
    write_result("\n\n".join(tables(report)))
    for remark in remarks(report):
        talk.say(remark)
    if json:
        write_json(report.to_dict(), json)
        talk.say(f"scores: {json}")
    return EXIT_DONE


def _manner(decay: DecayMode, horizon_s: float | None, judgements: Path | None) -> Manner:
    """How items of ``medstream`` are scored.

    Raises:
        UserError: a horizon for a decay that has none, or a file that holds no judgements.
    """
    from ontology.times import SECOND_US
    from transforms.scoring.medstream import Decay, Manner, load_judgements

    if horizon_s is not None and decay != DecayMode.FIXED:
        raise UserError(
            "a linear decay has the horizons of each stream",
            found=f"--horizon {horizon_s:g}",
            fix="add --decay fixed, or leave --horizon out",
        )
    ratings = load_judgements(judgements) if judgements else None
    if horizon_s is None:
        return Manner(Decay(decay.value), ratings)
    return Manner(Decay(decay.value, round(horizon_s * SECOND_US)), ratings)


def surgeons_of(given: Sequence[str] | None) -> Choices:
    """Choices of each surgeon, from ``NAME=FILE``.

    Raises:
        UserError: one is not of that form, a surgeon is named twice, or a sheet cannot be told
            to be that surgeon's.
    """
    from transforms.scoring.sapbench.surgeons import load_choices

    out: dict[str, dict[str, str]] = {}
    for text in given or ():
        name, sign, file = text.partition("=")
        if not (name and sign and file) or name in out:
            raise UserError(
                "a surgeon is named twice" if name in out else "not a surgeon's sheet",
                expected="NAME=FILE, such as A=a.csv", found=text, where="--surgeon",
            )  # fmt: skip
        held = load_choices(Path(file))
        if name not in held and len(held) != 1:
            raise UserError(
                f"{file} does not say what {name} chose", expected=f"rows of {name}",
                found=", ".join(sorted(held)) or "no rows", where="--surgeon",
                fix="name the surgeon as the sheet does",
            )  # fmt: skip
        out[name] = held[name] if name in held else next(iter(held.values()))
    return out


def tables(report: Report) -> list[str]:
    """What is printed: the groups of all other benchmarks, then those with their own measures."""
    timed, chained, actions = report.medstream, report.surgcot, report.sapbench
    own = timed or chained or actions
    out = [table(report.asked.table())] if report.asked else []
    out += [] if own and not report.groups else [table(report.table())]
    if timed:
        first, *rest = timed.tables()
        out += [f"medstream ({timed.manner()})\n{table(first)}", *map(table, rest)]
    if chained:
        out += [f"{title}\n{table(rows)}" for title, rows in chained.tables()]
    if actions:
        first, *rest = actions.tables()
        out += [f"sapbench\n{table(first)}", *map(table, rest)]
    return out


def remarks(report: Report) -> list[str]:
    """What the table does not show: responses that fit nothing, tasks without a scorer."""
    counts = report.counts()
    out = _asked_remarks(report.asked) if report.asked else []
    if counts["missing"]:
        out.append(f"{counts['missing']} of {counts['items']} items have no response (scored 0)")
    own = (report.medstream, report.surgcot, report.sapbench)
    missing = counts["missing"] or any(one.counts()["missing"] for one in own if one)
    if missing and not report.asked:
        out.append("if only a part was asked, name its jobs: --jobs FILE")
    if counts["unparsed"]:
        out.append(f"{counts['unparsed']} responses could not be read (scored 0)")
    if report.medstream:
        out += _remarks(report.medstream)
    if report.surgcot:
        out += _chain_remarks(report.surgcot)
    if report.sapbench:
        out += _action_remarks(report.sapbench)
    if report.unknown:
        out.append(
            f"{len(report.unknown)} responses name items that are not in the dataset, "
            f"such as {report.unknown[0][0]}"
        )
    out += [
        f"{name}: {BY_PEOPLE.get(name, 'no scorer')}, {n} items left out"
        for name, n in report.unscored.items()
    ]
    return out


def _asked_remarks(asked: AskedReport) -> list[str]:
    """How much of the dataset is scored, and what of the predictions is not."""
    total = asked.total
    out = [f"{total['asked']:,} of {total['items']:,} items were asked (see {asked.source}): "
           "only these are scored"]  # fmt: skip
    said = (
        (total["partly"], "streams are left out, as not all of their rounds were asked"),
        (asked.answered, "items have a response and were not asked: left out"),
        (asked.strange, "items were asked that are not in the dataset, or have no scorer"),
    )
    return out + [f"{count:,} {text}" for count, text in said if count]


def _action_remarks(report: SapbenchScores) -> list[str]:
    counts = report.counts()
    said = {
        "missing": "items have no response (scored 0)",
        "unparsed": "responses name no action (scored 0)",
    }
    out = [f"sapbench: {counts[name]} {text}" for name, text in said.items() if counts[name]]
    ranked = report.ranked
    if ranked:
        strange = ranked.counts()["with_unknown_labels"]
        left_out = sum(one.videos_left_out for one in ranked.groups)
        if strange:
            out.append(f"sapbench: {strange} rankings name what is none of the actions")
        if left_out:
            out.append("sapbench: videos in which nothing follows are left out of Video-R")
        if ranked.surgeons and ranked.unanswered:
            out.append(
                f"sapbench: {ranked.unanswered} items were not answered by every surgeon and are "
                "left out of the comparison with surgeons"
            )
    if report.strangers:
        out.append(f"sapbench: surgeons chose for {report.strangers} items that are not there")
    return out


def _chain_remarks(report: SurgcotReport) -> list[str]:
    counts = report.counts()
    said = {
        "missing": "items have no response (scored 0)",
        "unparsed": "responses choose no option (scored 0)",
        "incomplete": "chains lack a stage: in the accuracies, not among the chains",
    }
    out = [f"surgcot: {counts[name]} {text}" for name, text in said.items() if counts[name]]
    if counts["coarse"] and not counts["standard"]:
        out.append("surgcot: all chains are coarse, none counts as a standard one")
    return out


def _remarks(report: MedstreamReport) -> list[str]:
    counts, rated = report.counts(), report.rated_by.counts
    out = []
    if counts["missing"]:
        out.append(
            f"medstream: {counts['missing']} of {counts['outputs']} windows and rounds have no "
            "response (scored 0)"
        )
    if counts["unparsed"]:
        out.append(
            f"medstream: {counts['unparsed']} responses are empty or of no allowed form (scored 0)"
        )
    if report.rated_by.judgements is None:
        return out
    reasons = {
        "unread": "the judge's reply could not be read",
        "stale": "the judgement is about another answer, or another rubric",
        "absent": "there is no judgement",
    }
    out += [
        f"medstream: {rated[name]} open answers were left to the stand-in: {reason}"
        for name, reason in reasons.items()
        if rated[name]
    ]
    return out

"""``surgqa review``: experts judge a sample of a dataset, and later builds use their decisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli.console import shown, table, talk, write_json, write_result
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import File, Out, arg, group, opt

if TYPE_CHECKING:
    from surgqa.transforms.review.sample import Sampled

review = group(
    "review",
    """Draw a sample for experts, and import their decisions.

    \b
    surgqa review sample OUT --to sheets --raters A,B,C
    surgqa review import OUT sheets/A.csv sheets/B.csv sheets/C.csv --reviewer "Dr A"
        --reviewer "Dr B" --reviewer "Dr C" --date 2026-11-21 --to review.jsonl
    surgqa build run.yaml --review review.jsonl
    """,
)

CONTESTED = ("keep", "drop")


@review.command("sample", short_help="draw a sample and write blinded sheets")
def sample(
    out: Out,
    to: Annotated[Path, opt("DIR", "New folder for the sheets.")],
    share: Annotated[str, opt("SHARE", "Share of every task in every specialty.")] = "0.1",
    raters: Annotated[str, opt("A[,B...]", "One sheet for each; letters and digits.")] = "A,B,C",
    form: Annotated[str, opt("F[,F]", "csv, label-studio, or both.", "--as")] = "csv",
    seed: Annotated[str, opt("SEED", "Seed of the draw.")] = "42",
) -> int:
    """Draw whole chains and single items for raters; the sheets do not show the correct option.

    \b
    surgqa review sample out --to sheets
    surgqa review sample out --to sheets --share 0.05 --raters A,B --as csv,label-studio

    At least one item of every task in every specialty is drawn.  Each rater receives the questions
    in a different order.
    """
    from surgqa.transforms.review import FORMATS, sample_of, write_sheets
    from surgqa.transforms.store import OutputFolder

    formats = [name.strip() for name in form.split(",") if name.strip()]
    for name in formats or [form]:
        if name not in FORMATS:
            raise unknown("format of sheets", name, FORMATS, "surgqa review sample --help")
    folder = OutputFolder(out).with_items()
    names = [name.strip() for name in raters.split(",") if name.strip()]
    sampled = sample_of(folder, share, seed, names)
    write_sheets(folder, sampled, to, formats)
    write_result(_strata(sampled))
    files = ", ".join(f"{name}.*" for name in sampled.raters)
    sheets = " ".join(f"--sheet {shown(to / f'{name}.csv')}" for name in sampled.raters)
    page = f"surgqa view {shown(out)} --root DATASET=DIR {sheets}" if "csv" in formats else ""
    talk.say(
        f"next: {page or f'have {files} in {to} filled in'}\n"
        f"then: surgqa review import {shown(out)} SHEET... --reviewer NAME... --date YYYY-MM-DD "
        "--to LAYER"
    )
    return EXIT_DONE


def _strata(sampled: Sampled) -> str:
    """Return the numbers of existing and drawn units, by stratum."""
    rows: list[list[object]] = [["benchmark", "task", "specialty", "units", "drawn"]]
    rows += [
        [benchmark, task, specialty or "-", there, taken]
        for (benchmark, task, specialty), (there, taken) in sampled.strata.items()
    ]
    totals = [sum(column) for column in zip(*sampled.strata.values(), strict=True)]
    rows.append(["all", "", "", *totals])
    questions = len(sampled.items)
    return f"{table(rows)}\n\n{sampled.name}: {len(sampled.units)} units, {questions} questions"


@review.command("import", short_help="import filled-in sheets as a layer")
def import_sheets(
    out: Out,
    sheets: Annotated[list[Path], arg("SHEET...", "CSV or Label Studio JSON, one per rater.")],
    reviewer: Annotated[list[str], opt("NAME", "Name of the rater; one for each sheet.")],
    date: Annotated[str, opt("DATE", "Date, such as 2026-11-21.")],
    to: Annotated[Path, opt("LAYER", "New file for the decisions.")],
    sample_folder: Annotated[File, opt("DIR", "Folder of the sample's record.", "--sample")] = None,
    contested: Annotated[str, opt("WHAT", "keep or drop contested questions.")] = "keep",
    json: Annotated[File, opt("FILE", "Also write the report here.", "--json")] = None,
) -> int:
    """Decide by majority, report the agreement of the raters, and write the decisions.

    \b
    surgqa review import out A.csv B.csv --reviewer "Dr A" --reviewer "Dr B"
        --date 2026-11-21 --to review.jsonl --json report.json

    A sheet is imported completely or not at all; every problem is reported with its line.  A tie
    keeps the question and marks it as disputed.
    """
    from surgqa.transforms.review import record_of, sheets_of, take_in, write_layer
    from surgqa.transforms.store import OutputFolder

    if contested not in CONTESTED:
        raise unknown("value of --contested", contested, CONTESTED, "--help")
    by_reviewer = sheets_of(sheets, reviewer)
    record = record_of(sheets, sample_folder)
    taken = take_in(OutputFolder(out), record, by_reviewer, date, contested == "drop")
    if not write_layer(taken.layer, to):
        talk.say(f"{to} already contains these decisions")
    write_result(account(taken.report))
    if json:
        write_json(taken.report, json)
        talk.say(f"report: {json}")
    talk.say(f"next: build again with --review {to}")
    return EXIT_DONE


def account(report: dict[str, Any]) -> str:
    """Return the text with the counts, the agreement of the raters and their accuracy."""
    parts = [
        f"{report['sample']}, {', '.join(report['reviewers'])}, {report['date']}",
        _books(report),
    ]
    if report["wrong"]:
        named = ", ".join(f"{name} {count}" for name, count in report["wrong"].items())
        parts.append(f"found wrong, counted by rater: {named}")
    for name in ("disputed", "contested"):
        if report[name]:
            parts.append("\n".join([f"{name}:", *(f"  {item}" for item in report[name])]))
    agreement = report["agreement"]
    parts += [
        _agreement("answer", agreement["answer"]),
        _agreement("valid or not", agreement["valid"]),
        _accuracy(report),
    ]
    return "\n\n".join(part for part in parts if part)


def _books(report: dict[str, Any]) -> str:
    names = ("reviewed", "kept", "dropped", "disputed", "contested", "untouched")
    rows: list[list[object]] = [["", *names, "share untouched"]]
    for what in ("units", "items"):
        books = report[what]
        share = f"{100 * books['share_untouched']:.1f} %"
        rows.append([what, *(books[name] for name in names), share])
    return table(rows)


def _agreement(what: str, kinds: dict[str, Any]) -> str:
    """Return the kappa of each pair of raters and their mean, one row per kind of question."""
    first = next(iter(kinds.values()), None)
    if first is None:
        return ""
    if not first["pairs"]:
        return f"Cohen's kappa, {what}: there is only one rater"
    heads = [" / ".join(one["raters"]) for one in first["pairs"]]
    several = len(heads) > 1
    rows: list[list[object]] = [["kind", "n", *heads, "mean", *(["Fleiss"] if several else [])]]
    rows += [
        [kind, one["n"], *(_kappa(pair["kappa"]) for pair in one["pairs"]), _kappa(one["mean"]),
         *([_kappa(one["fleiss"])] if several else [])]
        for kind, one in kinds.items()
    ]  # fmt: skip
    statistics = "Cohen's kappa of pairs, Fleiss' of all" if several else "Cohen's kappa"
    text = f"{statistics}, {what}\n{table(rows)}"
    if any(pair["kappa"] is None for one in kinds.values() for pair in one["pairs"]):
        text += (
            "\nundefined: both raters always gave the same value, so they would also agree by "
            "chance (p_e = 1); such pairs are left out of means"
        )
    return text


def _kappa(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _accuracy(report: dict[str, Any]) -> str:
    """Return text on how often each reviewer chose the reference answer."""
    kinds = report["accuracy"]
    if not kinds:
        return ""
    rows: list[list[object]] = [["kind", "n", *report["reviewers"]]]
    rows += [
        [kind, one["n"], *(f"{mine['share']:.3f}" for mine in one["reviewers"].values())]
        for kind, one in kinds.items()
    ]
    return f"share of answers that are the reference\n{table(rows)}"

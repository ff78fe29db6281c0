"""``surgqa study``: people rate generated videos on blinded sheets, and the scores are analysed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE, EXIT_FINDINGS, NothingSelected
from surgqa.pipeline.cli.console import shown, table, talk, write_file, write_result
from surgqa.pipeline.cli.given import pairs_of
from surgqa.pipeline.cli.options import File, Text, Whole, arg, group, opt

if TYPE_CHECKING:
    from surgqa.ontology.continuations import ScoreRow
    from surgqa.transforms.scoring.surgveo import Design

study = group(
    "study",
    """Have people rate videos that a model made, and report what they found.

    \b
    surgqa study new samples --videos generated --raters laparoscopic=anna,ben
        --raters neurosurgical=cleo,dan --name pilot --to study
    surgqa study import study anna.json ben.csv cleo.json dan.json --to scores.csv
    surgqa study report scores.csv --study study --to report
    """,
)

SEED = "0"
Scores = Annotated[Path, arg("SCORES", "File that 'surgqa study import' wrote.")]
Key = Annotated[File, opt("STUDY", "Folder of the study, for expected scores and stages.")]


@study.command("new", short_help="blind the videos and write the sheets")
def new(
    export: Annotated[Path, arg("EXPORT", "Folder of 'surgqa export --as surgveo'.")],
    videos: Annotated[Path, opt("DIR", "Folder with SAMPLE_ID.PROMPT.mp4 for every sample.")],
    raters: Annotated[list[str], opt("TRACK=NAME[,NAME]", "Raters of a track.")],
    name: Annotated[str, opt("NAME", "Name of the study, on every sheet.")],
    to: Annotated[Path, opt("STUDY", "Folder to write, new or empty.")],
    seed: Annotated[Text, opt("SEED", "Seed of codes and orders [from the samples].")] = None,
) -> int:
    """Copy the videos under codes, and write each rater's sheet as CSV and as a page.

    \b
    surgqa study new samples --videos generated --raters laparoscopic=anna,ben
        --raters neurosurgical=cleo,dan --name pilot --to study

    Give STUDY/sheets to the raters.  STUDY/study.json contains the meaning of the codes; do not
    give it to them.
    """
    from surgqa.ontology.continuations import DIMENSIONS, TIMES_S
    from surgqa.transforms.exports.surgveo.study import KEY, SHEETS, new_study
    from surgqa.transforms.places.fresh import new_folder

    with new_folder(to) as partial:
        made = new_study(export, videos, _raters(raters), name, seed, partial)
    found, fields = made.study, len(DIMENSIONS) * len(TIMES_S)
    rows: list[list[object]] = [["track", "videos", "raters", "scores"]]
    for track, who in found.raters.items():
        count = sum(one.track == track for one in found.clips)
        rows.append([track, count, ", ".join(who), count * len(who) * fields])
    write_result(table(rows))
    if made.unplayed:
        talk.say(f"not every browser plays {', '.join(made.unplayed[:5])}; use H.264")
    talk.say(
        f"next: give every rater {to / SHEETS} with NAME.html or NAME.csv; keep {to / KEY} from "
        f"them\nthen: surgqa study import {shown(to)} SHEET... --to scores.csv"
    )
    return EXIT_DONE


@study.command("import", short_help="import filled-in sheets as scores")
def import_sheets(
    folder: Annotated[Path, arg("STUDY", "Folder that 'surgqa study new' wrote.")],
    sheets: Annotated[list[Path], arg("SHEET...", "CSV, or file of the page; one per rater.")],
    to: Annotated[Path, opt("SCORES", "File to write, CSV.")],
) -> int:
    """Import the sheets of all raters, completely or not at all; every problem is reported.

    \b
    surgqa study import study anna.json ben.csv --to scores.csv
    """
    from surgqa.transforms.exports.surgveo.sheets.take_in import take_in
    from surgqa.transforms.exports.surgveo.study import read_study
    from surgqa.transforms.scoring.surgveo import write_rows

    rows = take_in(read_study(folder).study, sheets)
    write_file(to, write_rows(rows))
    write_result(table(_counts(rows)))
    talk.say(
        f"scores: {to}\nnext: surgqa study report {shown(to)} --study {shown(folder)} --to DIR"
    )
    return EXIT_DONE


@study.command("verify", short_help="check that all scores are there")
def verify(
    scores: Scores,
    study: Key = None,
    raters: Annotated[Whole, opt("N", "Raters of a track [the study's, or 2].", min=1)] = None,
    missing_to: Annotated[File, opt("FILE", "Write missing scores here, CSV.", "--list")] = None,
) -> int:
    """Count scores, and list the missing ones by rater; status 1 if some are missing.

    \b
    surgqa study verify scores.csv --study study --list missing.csv
    """
    from surgqa.transforms.exports.surgveo.report import gaps_table
    from surgqa.transforms.scoring.surgveo import missing, read_rows, require_complete
    from surgqa.transforms.scoring.surgveo.cells import missing_table

    rows = read_rows(scores)
    design, _ = _design(rows, study)
    gaps = missing(rows, design)
    if not gaps:
        require_complete(rows, design, raters or _per_track(design, study))
    write_result(table(_counts(rows)))
    if missing_to:
        text = "".join(f"{','.join(line)}\n" for line in missing_table(gaps))
        write_file(missing_to, text.encode())
    if gaps:
        write_result(f"\n{table(gaps_table(gaps).rows)}")
        return EXIT_FINDINGS
    talk.say(f"all {design.size} scores are there, each once")
    return EXIT_DONE


@study.command("report", short_help="tables, agreement and charts of the scores")
def report(
    scores: Scores,
    to: Annotated[Path, opt("DIR", "Folder to write, new or empty.")],
    study: Key = None,
    raters: Annotated[Whole, opt("N", "Raters of a track [the study's, or 2].", min=1)] = None,
    seed: Annotated[str, opt("SEED", "Seed of the intervals.")] = SEED,
) -> int:
    """Average the scores of complete sheets, and report the agreement of the raters.

    \b
    surgqa study report scores.csv --study study --to report

    Without --study, the design is the smallest one that contains the scores, and there are no means
    by stage.
    """
    from surgqa.transforms.exports.surgveo.report import gaps_table, tables, write_report
    from surgqa.transforms.places.fresh import new_folder
    from surgqa.transforms.scoring.surgveo import missing, read_rows, report_of

    rows = read_rows(scores)
    design, name = _design(rows, study)
    with new_folder(to) as partial:
        gaps = missing(rows, design)
        if gaps:
            talk.say(table(gaps_table(gaps).rows))  # not the result, so to standard error
        found = report_of(rows, design, seed, raters or _per_track(design, study))
        write_report(rows, found, name or scores.stem, partial)
    texts = [f"{one.title} ({one.remark})\n{table(one.rows)}" for one in tables(found)
             if not one.long]  # fmt: skip
    write_result("\n\n".join(texts))
    talk.say(f"report: {to / 'report.html'}")
    return EXIT_DONE


def _design(rows: Sequence[ScoreRow], folder: Path | None) -> tuple[Design, str]:
    """Return the expected scores, and the study's name."""
    from surgqa.transforms.exports.surgveo.study import read_study
    from surgqa.transforms.scoring.surgveo import design_of

    if not rows:
        raise NothingSelected("there are no scores", expected="the file of 'surgqa study import'",
                              found="a header and nothing below it")  # fmt: skip
    if folder is None:
        return design_of(rows), ""
    known = read_study(folder)
    return known.design, known.study.name


def _per_track(design: Design, folder: Path | None) -> int:
    from surgqa.ontology.continuations import RATERS_PER_TRACK

    counts = {len(who) for who in design.raters.values()}
    return counts.pop() if folder is not None and len(counts) == 1 else RATERS_PER_TRACK


def _counts(rows: Sequence[ScoreRow]) -> list[list[object]]:
    """Return the numbers of scores by track and rater."""
    found: dict[tuple[str, str], list[ScoreRow]] = {}
    for one in rows:
        found.setdefault((one.track, one.rater_id), []).append(one)
    out: list[list[object]] = [["track", "rater", "videos", "scores", "error marks"]]
    for (track, rater), mine in sorted(found.items()):
        videos = {(one.sample_id, one.prompt) for one in mine}
        marks = {(one.sample_id, one.prompt, name) for one in mine for name in one.error_types}
        out.append([track, rater, len(videos), len(mine), len(marks)])
    return out


def _raters(given: Sequence[str]) -> dict[str, list[str]]:
    """Return the names of the raters of each track, from the values ``TRACK=NAME,NAME``."""
    form = "TRACK=NAME,NAME, such as laparoscopic=anna,ben, each track once"
    found = pairs_of(given, "--raters", "a track's raters", form)
    return {track: [name.strip() for name in names.split(",") if name.strip()]
            for track, names in found.items()}  # fmt: skip

"""Writes the report about a study's scores: tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from surgqa.ontology.continuations import DIMENSIONS, ERROR_TYPES, PROMPTS, TIMES_S, ScoreRow
from surgqa.ontology.times import print_number
from surgqa.transforms.exports.writing import pretty, rendered
from surgqa.transforms.scoring.surgveo import error_shares
from surgqa.transforms.scoring.surgveo.charts import shares_chart, violin_chart
from surgqa.transforms.scoring.surgveo.design import Missing, place_in_words

Report = Mapping[str, Any]
Rows = list[list[object]]
Place = tuple[str, str, int]
"""(track, prompt, time in seconds)."""


@dataclass(frozen=True, slots=True)
class Titled:
    """One table with a title and a remark.

    Attributes:
        long: True if the table is too long for a terminal.
    """

    title: str
    rows: Rows
    remark: str = ""
    long: bool = False


def tables(report: Report) -> list[Titled]:
    """Return all tables of a report of :func:`transforms.scoring.surgveo.report_of`."""
    out = [
        Titled("Scores", _by_cell(report, lambda cell: cell["printed"]),
               "mean ± deviation of the raters' means"),
        Titled("Intervals", _by_cell(report, _interval), "95 %, samples drawn with replacement"),
        Titled("Drop", _drops(report), "of the mean, from the first time to the last"),
        Titled("Errors", _errors(report), "share of all marks of the track under the prompt"),
        Titled("Agreement", _agreement(report), "kappa with quadratic weights; ICC(2,1)"),
        Titled("Stage-aware against baseline", _paired(report),
               "sample by sample; p is the exact two-sided sign test's"),
    ]  # fmt: skip
    stages = _stages(report)
    if len(stages) > 1:
        out.append(Titled("Means by stage", stages, "mean over raters and samples", long=True))
    return out


def gaps_table(found: Sequence[Missing]) -> Titled:
    """Return the table of missing scores by track and rater."""
    rows: Rows = [["track", "rater", "missing", "of", "the first"]]
    rows += [[one.track, one.rater_id, len(one.places), one.of, place_in_words(one.places[0])]
             for one in found]  # fmt: skip
    return Titled("Missing scores", rows if found else [["none"]])


def _cells(report: Report) -> dict[Place, dict[str, Mapping[str, Any]]]:
    """Return (track, prompt, time) -> dimension -> mean and other numbers, in the table's order."""
    out: dict[Place, dict[str, Mapping[str, Any]]] = {}
    for one in report["cells"]:
        place = (one["track"], one["prompt"], one["time_s"])
        out.setdefault(place, {})[one["dimension"]] = one
    return out


def _by_cell(report: Report, printed: Any) -> Rows:
    rows: Rows = [["track", "prompt", "time", *DIMENSIONS.values()]]
    for (track, prompt, time_s), cells in _cells(report).items():
        found = [printed(cells[d]) if d in cells else "-" for d in DIMENSIONS]
        rows.append([track, prompt, f"{time_s} s", *found])
    return rows


def _interval(cell: Mapping[str, Any]) -> str:
    if cell["interval"] is None:
        return "-"
    low, high = (print_number(one, 2) for one in cell["interval"])
    return f"{low}–{high}"


def _drops(report: Report) -> Rows:
    rows: Rows = [["track", "prompt", *DIMENSIONS.values()]]
    found: dict[tuple[str, str], dict[str, float]] = {}
    for one in report["drop"]:
        found.setdefault((one["track"], one["prompt"]), {})[one["dimension"]] = one["share"]
    for place, shares in found.items():
        texts = [f"{print_number(100 * shares[d], 0)} %" if d in shares else "-"
                 for d in DIMENSIONS]  # fmt: skip
        rows.append([*place, *texts])
    return rows


def _errors(report: Report) -> Rows:
    rows: Rows = [["track", "prompt", "error", "marks", "percent"]]
    for one in report["errors"]:
        for name, count in one["counts"].items():
            percent = one["percent"][name] if one["marks"] else "-"
            rows.append([one["track"], one["prompt"], ERROR_TYPES[name], count, percent])
    return rows


def _agreement(report: Report) -> Rows:
    rows: Rows = [["track", "dimension", "scores", "raters", "kappa", "ICC"]]
    for one in report["agreement"]:
        icc = _measure(one["icc_2_1"])
        pairs = one["quadratic_kappa"] or [{"raters": ["-"], "kappa": None}]
        for k, pair in enumerate(pairs):
            rows.append([one["track"], DIMENSIONS[one["dimension"]], one["n"],
                         " / ".join(pair["raters"]), _measure(pair["kappa"]),
                         icc if k == 0 else ""])  # fmt: skip
    return rows


def _measure(value: float | None) -> str:
    return "undefined" if value is None else print_number(value, 3)


def _paired(report: Report) -> Rows:
    rows: Rows = [["track", "time", "dimension", "samples", "difference", "better", "worse",
                   "same", "p"]]  # fmt: skip
    for one in report["paired"]:
        rows.append([
            one["track"], f"{one['time_s']} s", DIMENSIONS[one["dimension"]], one["samples"],
            print_number(one["mean_difference"], 2), one["better"], one["worse"], one["ties"],
            print_number(one["p"], 3),
        ])  # fmt: skip
    return rows


def _stages(report: Report) -> Rows:
    rows: Rows = [["track", "stage", "samples", "prompt", "time", *DIMENSIONS.values()]]
    cells = _cells(report)
    known = dict.fromkeys(
        (one["track"], stage) for one in report["cells"] for stage in one["stages"]
    )
    for track, stage in known:
        for prompt in PROMPTS:
            for time_s in TIMES_S:
                mine = cells.get((track, prompt, time_s), {})
                found = {d: cell["stages"][stage] for d, cell in mine.items()
                         if stage in cell["stages"]}  # fmt: skip
                if found:
                    n = next(iter(found.values()))["samples"]
                    means = [print_number(found[d]["mean"], 2) if d in found else "-"
                             for d in DIMENSIONS]  # fmt: skip
                    rows.append([track, stage, n, prompt, f"{time_s} s", *means])
    return rows


PAGE, DATA = "report.html", "report.json"


def write_report(rows: Sequence[ScoreRow], report: Mapping[str, Any], name: str, to: Path) -> None:
    """Write all tables as one HTML page and as JSON, and the charts as SVG.

    Args:
        report: the result of :func:`transforms.scoring.surgveo.report_of` for these rows.
        name: title of the page.
        to: an existing folder.
    """
    charts = _charts(rows, report)
    for file, data in charts.items():
        (to / file).write_bytes(data)
    (to / PAGE).write_text(_page(report, name, charts), encoding="utf-8")
    (to / DATA).write_bytes(pretty({"name": name, "missing": [], **report}))


def _charts(rows: Sequence[ScoreRow], report: Mapping[str, Any]) -> dict[str, bytes]:
    out = {f"scores-{track}.svg": violin_chart(rows, track) for track in report["raters"]}
    for prompt in PROMPTS:
        found = error_shares(rows, prompt)
        if any(one.marks for one in found):
            out[f"errors-{prompt}.svg"] = shares_chart(found)
    return out


def _page(report: Mapping[str, Any], name: str, charts: Mapping[str, bytes]) -> str:
    raters = "; ".join(f"{track}: {', '.join(who)}" for track, who in report["raters"].items())
    return rendered(
        "surgveo/report.html.jinja", name=name, rows=report["rows"], raters=raters,
        tables=[*tables(report), gaps_table(())], charts=charts, escape=escape,
    )  # fmt: skip

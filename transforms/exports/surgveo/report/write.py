"""Writes a report as a folder: charts as SVG, all tables as one page and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from surgqa.ontology.continuations import PROMPTS, ScoreRow
from surgqa.transforms.exports.surgveo.report.tables import Titled, gaps_table, tables
from surgqa.transforms.exports.writing import pretty
from surgqa.transforms.scoring.surgveo import error_shares
from surgqa.transforms.scoring.surgveo.charts import shares_chart, violin_chart

PAGE, DATA = "report.html", "report.json"
_STYLE = """
  :root { color-scheme: light dark; }
  body { font: 15px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 1rem auto;
    padding: 0 1rem; }
  table { border-collapse: collapse; margin: .4rem 0 1.2rem; }
  th, td { border: 1px solid #8888; padding: .2rem .6rem; text-align: left; }
  figure { margin: 0 0 1.2rem; background: #fff; }
  svg { max-width: 100%; height: auto; }
"""


def write_report(
    rows: Sequence[ScoreRow], report: Mapping[str, Any], name: str, to: Path
) -> list[str]:
    """Write charts, page and data.

    Args:
        report: result of :func:`transforms.scoring.surgveo.report_of` for these rows; complete.
        name: title of the page.
        to: an existing folder.

    Returns:
        Names of the files.
    """
    charts = _charts(rows, report)
    for file, data in charts.items():
        (to / file).write_bytes(data)
    (to / PAGE).write_text(_page(report, name, charts), encoding="utf-8")
    (to / DATA).write_bytes(pretty({"name": name, "missing": [], **report}))
    return [PAGE, DATA, *charts]


def _charts(rows: Sequence[ScoreRow], report: Mapping[str, Any]) -> dict[str, bytes]:
    out = {f"scores-{track}.svg": violin_chart(rows, track) for track in report["raters"]}
    for prompt in PROMPTS:
        found = error_shares(rows, prompt)
        if any(one.marks for one in found):
            out[f"errors-{prompt}.svg"] = shares_chart(found)
    return out


def _page(report: Mapping[str, Any], name: str, charts: Mapping[str, bytes]) -> str:
    raters = "; ".join(f"{track}: {', '.join(who)}" for track, who in report["raters"].items())
    parts = [
        "<!DOCTYPE html>", '<html lang="en">', '<head><meta charset="utf-8">',
        f"<title>{escape(name)}</title>", f"<style>{_STYLE}</style></head>", "<body>",
        f"<h1>{escape(name)}</h1>", f"<p>{report['rows']} scores. {escape(raters)}.</p>",
    ]  # fmt: skip
    for one in [*tables(report), gaps_table(())]:
        parts.append(_section(one))
        parts += [_figure(file, data) for file, data in charts.items()
                  if file.partition("-")[0] == one.title.casefold()]  # fmt: skip
    return "\n".join([*parts, "</body></html>", ""])


def _section(one: Titled) -> str:
    head, *body = one.rows
    lines = [f"<h2>{escape(one.title)}</h2>", f"<p>{escape(one.remark)}</p>" if one.remark else "",
             "<table>", _line(head, "th"), *(_line(row, "td") for row in body),
             "</table>"]  # fmt: skip
    return "\n".join(line for line in lines if line)


def _line(row: Sequence[object], cell: str) -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(str(one))}</{cell}>" for one in row) + "</tr>"


def _figure(file: str, data: bytes) -> str:
    title = escape(file.removesuffix(".svg").replace("-", ": ").replace("_", "-"))
    return f"<figure><figcaption>{title}</figcaption>\n{data.decode()}</figure>"

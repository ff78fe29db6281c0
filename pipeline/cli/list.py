"""``surgqa list``: list units of one kind, one per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli import units
from surgqa.pipeline.cli.console import table, write_json, write_result
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import Text, arg, flag

_AT_FIRST = ("datasets", "benchmarks", "templates")


def list(
    kind: Annotated[Text, arg("[KIND]", f"One of {', '.join(units.KINDS)}.")] = None,
    json: Annotated[bool, flag("--json", "Print JSON.")] = False,
) -> int:
    """List units: datasets, benchmarks, templates, checks, exports, extractors or engines.

    \b
    surgqa list
    surgqa list templates --json

    Without a kind: datasets, benchmarks and templates.
    """
    if kind is not None and kind not in units.KINDS:
        raise unknown("kind of unit", kind, units.KINDS, "surgqa list --help")
    found = {name: units.KINDS[name]() for name in ([kind] if kind else _AT_FIRST)}
    if json:
        write_json(found[kind] if kind else found)
    elif kind:
        write_result(_lines(kind, found[kind]))
    else:
        parts = [f"{name} ({len(rows)})\n{_lines(name, rows)}" for name, rows in found.items()]
        write_result("\n\n".join(parts))
    return EXIT_DONE


def _lines(kind: str, rows: Sequence[dict[str, Any]]) -> str:
    return table([_line(kind, row) for row in rows])


def _line(kind: str, row: dict[str, Any]) -> Sequence[object]:
    if kind == "datasets":
        what = ", ".join(row["tasks"])
        return [row["name"], row["videos"], "videos", f"{row['title']}: {what} ({row['access']})"]
    if kind == "benchmarks":
        return [row["name"], row["templates"], "templates"]
    if kind == "templates":
        retired = " (retired)" if row["status"] == "retired" else ""
        return [row["id"], row["unit"], row["title"] + retired]
    if kind == "checks":
        return [row["name"], row["severity"], row["about"]]
    return [row["name"], row["about"]]

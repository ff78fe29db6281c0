"""``surgqa show``: one unit in full."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ontology.errors import EXIT_DONE
from pipeline.cli import units
from pipeline.cli.console import fields, table, write_json, write_result
from pipeline.cli.names import unknown
from transforms import registry


def show(
    name: Annotated[
        str, typer.Argument(help="A dataset, benchmark, template, check or export.", metavar="NAME")
    ],
    files: Annotated[
        bool, typer.Option("--files", help="Of a dataset: which files it consists of.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Show one dataset, benchmark, template, check or export in full.

    \b
    surgqa show cholect50
    surgqa show cholect50 --files
    surgqa show surgstu.locate
    """
    kind, row = find(name)
    if json:
        write_json(details(kind, name, row))
    elif files and kind == "datasets":
        write_result(_files(name))
    else:
        write_result(_SHOWN[kind](name, row))
    return EXIT_DONE


def find(name: str) -> tuple[str, dict[str, Any]]:
    """The kind of the unit with that name, and its line in the list.

    Raises:
        UserError: nothing has that name; the closest one that exists is named.
    """
    known = []
    for kind, listed in units.KINDS.items():
        for row in listed():
            unit = row["id"] if kind == "templates" else row["name"]
            if unit == name:
                return kind, row
            known.append(unit)
    raise unknown("unit", name, known, "surgqa list")


def details(kind: str, name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Everything about a unit as plain data."""
    if kind == "datasets":
        return {"kind": "dataset", **asdict(registry.card(name))}
    if kind == "templates":
        from ontology.yaml import read_yaml

        return {"kind": "template", **read_yaml(units.template_text(name), row["path"]).data}
    return {"kind": kind.removesuffix("s"), **row}


def _dataset(name: str, row: dict[str, Any]) -> str:
    card = asdict(registry.card(name))
    shown = {key.replace("_", " "): value for key, value in card.items() if value}
    shown |= {key: ", ".join(card[key]) for key in ("modalities", "tasks")}
    return fields(shown)


def _files(name: str) -> str:
    listed = registry.files(name)
    rows = [[kind, pattern] for kind, pattern in listed.patterns.items()]
    parts = [f"{len(listed.video_ids)} videos: {', '.join(listed.video_ids)}", table(rows)]
    for split, members in listed.splits.items():
        counts: dict[str, int] = {}
        for part in members.values():
            counts[part] = counts.get(part, 0) + 1
        parts.append(f"split {split}: " + ", ".join(f"{part} {n}" for part, n in counts.items()))
    parts += [f"left out: {video}: {why}" for video, why in listed.known_bad.items()]
    return "\n\n".join(parts)


def _template(name: str, row: dict[str, Any]) -> str:
    return units.template_text(name).rstrip("\n")


def _benchmark(name: str, row: dict[str, Any]) -> str:
    heads = [head for head in units.headlines() if head.benchmark == name]
    rows = [[head.task, head.form, head.id, head.title] for head in heads]
    return table(sorted(rows))


def _plain(name: str, row: dict[str, Any]) -> str:
    return fields(row)


_SHOWN: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "datasets": _dataset,
    "benchmarks": _benchmark,
    "templates": _template,
    "checks": _plain,
    "exports": _plain,
}

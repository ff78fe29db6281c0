"""``surgqa show``: print one dataset, benchmark, template, check or export in full."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from surgqa.ontology.errors import EXIT_DONE, FileMissing
from surgqa.ontology.files import read_bytes, read_text
from surgqa.pipeline.cli import units
from surgqa.pipeline.cli.console import WIDTH, fields, table, write_json, write_result
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import arg, flag
from surgqa.transforms import registry


def show(
    name: Annotated[str, arg("NAME", "Dataset, benchmark, template, its file, check or export.")],
    files: Annotated[bool, flag("--files", "Of a dataset: which files it consists of.")] = False,
    expanded: Annotated[bool, flag("--expanded", "Of a template: variants filled in.")] = False,
    json: Annotated[bool, flag("--json", "Print JSON.")] = False,
) -> int:
    """Print one dataset, benchmark, template, check or export in full.

    \b
    surgqa show cholect50
    surgqa show cholect50 --files
    surgqa show surgstu.locate
    surgqa show my_templates/mine/how_many.yaml --expanded
    """
    if Path(name).suffix == ".yaml":
        _show_file(Path(name), expanded, json)
        return EXIT_DONE
    kind, row = find(name)
    if expanded and kind == "templates":
        from surgqa.transforms.language import templates_folder

        file = Path(str(units.template_file(name)))
        _write({name: _expanded(file, templates_folder())[name]}, json)
    elif json:
        write_json(details(kind, name, row))
    elif files and kind == "datasets":
        write_result(_files(name))
    else:
        write_result(_SHOWN[kind](name, row))
    return EXIT_DONE


def _show_file(file: Path, whole: bool, json: bool) -> None:
    """Print a template file of the user: as written, or each of its templates in full."""
    if not file.is_file():
        raise FileMissing("no such file", found=str(file), where="NAME")
    from surgqa.pipeline.cli.program_card import program_cards

    folder = file.resolve().parent.parent
    cards = {} if whole or json else program_cards(file.resolve(), folder)
    if whole or json:
        _write(_expanded(file, folder), json)
    elif cards:
        write_result("\n\n".join(fields(card) for card in cards.values()))
    else:
        write_result(read_text(read_bytes(file, str(file)), str(file)).rstrip("\n"))


def _expanded(file: Path, folder: Path) -> dict[str, dict[str, Any]]:
    from surgqa.transforms.language import expanded

    return expanded(file, folder)


def _write(found: dict[str, dict[str, Any]], json: bool) -> None:
    """Print templates in full: as JSON, or as one YAML document for each."""
    if json:
        shown = [_as_json(data) for data in found.values()]
        write_json(shown[0] if len(shown) == 1 else shown)
    else:
        write_result("\n---\n".join(_yaml(data) for data in found.values()))


def _as_json(data: dict[str, Any]) -> dict[str, Any]:
    """Return a template as plain data for JSON; the versions in ``changes`` become text keys."""
    changes = {str(version): text for version, text in data.get("changes", {}).items()}
    return {"kind": "template", **data, **({"changes": changes} if changes else {})}


def _yaml(data: dict[str, Any]) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import SafeRepresenter

    class Lines(SafeRepresenter):
        """Write short, flat lists on one line, as people do."""

        def represent_sequence(self, tag: Any, sequence: Any, flow_style: Any = None) -> Any:
            long = len(str(sequence)) > WIDTH
            return super().represent_sequence(tag, sequence, False if long else flow_style)

    writer: Any = YAML(typ="safe", pure=True)
    writer.Representer = Lines
    writer.default_flow_style = None
    writer.sort_base_mapping_type_on_output = False
    writer.allow_unicode = True
    writer.width = 10_000  # keep each wording on one line
    writer.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    writer.dump(data, out)
    return out.getvalue().rstrip("\n")


def find(name: str) -> tuple[str, dict[str, Any]]:
    """Return the kind of the unit with this name, and its row in the list.

    Raises:
        UserError: no unit has this name; the message suggests the closest one.
    """
    known = []
    for kind, listed in {**units.KINDS, "datasets": _names, "templates": _heads}.items():
        for row in listed():
            unit = row["id"] if kind == "templates" else row["name"]
            if unit == name:
                return kind, row
            known.append(unit)
    raise unknown("unit", name, known, "surgqa list")


def _names() -> list[dict[str, Any]]:
    """Return the names of datasets without their cards; a card is read only when it is printed."""
    return [{"name": name} for name in registry.datasets()]


def _heads() -> list[dict[str, Any]]:
    """Return the first lines of all templates, which can be read without parsing."""
    return [asdict(head) for head in units.headlines()]


def details(kind: str, name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return all fields of a unit as plain data."""
    if kind == "datasets":
        return {"kind": "dataset", **asdict(registry.card(name))}
    if kind == "templates":
        return _as_json(_in_full(name, row))
    return {"kind": kind.removesuffix("s"), **row}


def _in_full(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a built-in template with its variant inserted; if the file has errors, its content."""
    from surgqa.ontology.yaml import read_yaml
    from surgqa.transforms.language import TemplateErrors, templates_folder

    try:
        return _expanded(Path(str(units.template_file(name))), templates_folder())[name]
    except TemplateErrors:
        fields: dict[str, Any] = read_yaml(units.template_text(name), row["path"]).data
        return fields


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
    """Return the description of a template; if its file has errors, the text of the file."""
    from surgqa.pipeline.cli.program_card import program_cards
    from surgqa.transforms.language import templates_folder

    file, folder = Path(str(units.template_file(name))), templates_folder()
    card = program_cards(file, folder).get(name)
    return fields(card) if card else units.template_text(name).rstrip("\n")


def _benchmark(name: str, row: dict[str, Any]) -> str:
    heads = [head for head in units.headlines() if head.benchmark == name]
    rows = [[head.task, head.unit, head.id, head.title] for head in heads]
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

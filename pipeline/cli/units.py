"""List what surgqa knows by name: datasets, benchmarks, templates, checks, formats, and others.

They are found by listing folders; no reader is imported.  Of a template, only the lines at the top
level of its file are read, so a template with errors is listed as well; 'surgqa lint' reports the
errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from surgqa.transforms import registry

_TOP_LEVEL = re.compile(r"^(id|version|title|benchmark|task|status):[ \t]*(.*?)[ \t]*$", re.M)
_UNIT = re.compile(r"^unit:\s*\{?\s*(clip|still|recording|now|stream|chain)\b", re.M)
_FAMILY = re.compile(r"^variants:", re.M)
_OF_A_VARIANT = ("title", "task", "status")
_IN_TEXT = re.compile(r"\{\{\s*variant\.(\w+)\s*\}\}")
_NO_GROUPS = ("shared", "schema")

FORMATS = {
    "parquet": "Apache Parquet: one fixed schema, zstd, for datasets libraries and data frames.",
    "jsonl": "JSON Lines: the same rows as UTF-8 text, one item a line.",
}
"""Formats of 'surgqa build --format'."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The fields of a template that are read without parsing the template.

    Attributes:
        unit: what one question of the template is about; '' if the file does not state it.
    """

    id: str
    version: str
    title: str
    benchmark: str
    task: str
    status: str
    path: str
    unit: str


def datasets() -> list[dict[str, Any]]:
    """Return the card of every dataset: name, title, videos, tasks, access."""
    cards = [registry.card(name) for name in registry.datasets()]
    return [
        {
            "name": card.name,
            "title": card.title,
            "videos": card.videos,
            "tasks": list(card.tasks),
            "access": card.access,
            "licence": card.licence,
        }
        for card in cards
    ]


@cache
def headlines() -> tuple[Headline, ...]:
    """Return the head of every built-in template, sorted by id."""
    heads = [head for file in _template_files() for head in _headlines(file)]
    return tuple(sorted(heads, key=lambda head: head.id))


def template_text(template_id: str) -> str:
    """Return the file of a built-in template; KeyError if there is none."""
    return template_file(template_id).read_text(encoding="utf-8")


def template_file(template_id: str) -> Traversable:
    """Return the path of a built-in template; KeyError if there is none."""
    paths = {head.id: head.path for head in headlines()}
    likely = paths[template_id]
    for file in sorted(_template_files(), key=lambda file: not str(file).endswith(likely)):
        if any(head.id == template_id for head in _headlines(file)):
            return file
    raise KeyError(template_id)


def templates() -> list[dict[str, Any]]:
    """Return the head of every built-in template, as plain data."""
    return [asdict(head) for head in headlines()]


def benchmarks() -> list[dict[str, Any]]:
    """Return every benchmark with its number of templates."""
    counts = Counter(head.benchmark for head in headlines() if head.status == "active")
    return [{"name": name, "templates": count} for name, count in sorted(counts.items())]


def checks() -> list[dict[str, Any]]:
    """Return every code of 'surgqa check', with its severity and sentence."""
    from surgqa.transforms.checks import CODES

    return [
        {"name": code, "severity": severity.value, "about": sentence}
        for code, (severity, sentence) in CODES.items()
    ]


def exports() -> list[dict[str, Any]]:
    """Return the formats of 'surgqa build --format'."""
    return [{"name": name, "about": about} for name, about in FORMATS.items()]


def extractors() -> list[dict[str, Any]]:
    """Return every extractor of 'surgqa observe', with the kind of evidence that it gives."""
    from surgqa.transforms.evidence import extractors as known

    return [
        {"name": name, "about": f"{made.kind} (section {known.section_of(name)})"}
        for name in known.extractors()
        if (made := known.extractor_class(name))
    ]


def engines() -> list[dict[str, Any]]:
    """Return every engine by its name."""
    from surgqa.pipeline.engines.engine import engine_named
    from surgqa.pipeline.engines.engine import engines as known

    return [{"name": name, "about": engine_named(name).about} for name in known()]


KINDS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "datasets": datasets,
    "benchmarks": benchmarks,
    "templates": templates,
    "checks": checks,
    "exports": exports,
    "extractors": extractors,
    "engines": engines,
}
"""Kind of unit -> the function that lists it."""


def _template_files() -> list[Traversable]:
    groups = (group for group in resources.files("surgqa.templates").iterdir() if group.is_dir())
    found = [file for group in groups for file in _yaml_files(group)
             if not (group.name.startswith((".", "_")) or group.name in _NO_GROUPS)]  # fmt: skip
    return sorted(found, key=str)


def _yaml_files(folder: Traversable) -> Iterable[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _yaml_files(entry)
        elif entry.name.endswith(".yaml"):
            yield entry


def _headlines(file: Traversable) -> list[Headline]:
    """Return the heads of a file: one for each variant, or the file's own if it has none."""
    head = _headline(file)
    if not _FAMILY.search(file.read_text(encoding="utf-8")):
        return [head]
    return list(_variant_heads(head, file)) or [head]


def _variant_heads(head: Headline, file: Traversable) -> Iterator[Headline]:
    """Yield each variant's headline; for speed, the template is not parsed."""
    from surgqa.ontology.errors import UserError
    from surgqa.ontology.yaml import read_yaml

    try:
        data = read_yaml(file.read_text(encoding="utf-8"), file.name).data
        variants = data["variants"].items()
    except (UserError, AttributeError, KeyError, TypeError):
        return
    for name, values in variants:
        known = values if isinstance(values, dict) else {}
        changes = {"id": f"{head.id}.{name}"}
        for key in _OF_A_VARIANT:
            value = data.get(key)
            if isinstance(value, dict):
                value = known.get(value.get("variant"))
            if value is not None:
                changes[key] = _IN_TEXT.sub(lambda m: str(known.get(m[1], m[0])), str(value))  # noqa: B023
        yield replace(head, **changes)


def _headline(file: Traversable) -> Headline:
    text = file.read_text(encoding="utf-8")
    found = {key: value.strip("\"'") for key, value in _TOP_LEVEL.findall(text)}
    stem = file.name.removesuffix(".yaml")
    unit = _UNIT.search(text)
    return Headline(
        id=found.get("id", stem),
        version=found.get("version", "?"),
        title=found.get("title", ""),
        benchmark=found.get("benchmark", ""),
        task=found.get("task", ""),
        status=found.get("status", "active"),
        path=f"{found.get('benchmark', '?')}/{file.name}",
        unit=unit.group(1) if unit else "",
    )

"""Parses ``tables/<dataset>.yaml``, which describes in SQL what each label file contains."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.checks.sources.formats import COLUMNS


@dataclass(frozen=True, slots=True)
class Input:
    """Label files whose rows form one SQL table.

    Attributes:
        name: the table's name in SQL.
        file: pattern for the paths of the files. The groups of the pattern become the column ``g``.
        form, how: see :func:`transforms.checks.sources.formats.rows_of`.
    """

    name: str
    file: re.Pattern[str]
    form: str
    how: str


@dataclass(frozen=True, slots=True)
class SourceReading:
    """Describes how to read the label files for some tables and kinds of evidence.

    Attributes:
        rows: for each table of evidence, the kinds of its rows; () for all kinds.
        pointer: pattern for the text of a pointer, with the groups ``place`` (first place, such as
            a line number), ``to`` (last place) and ``part`` (which of several things at the place).
            ``book`` and ``tobook`` are the numbers of the files, if there are several.
        claims: SQL over the inputs that returns one row for each thing at each place.
        ordered: True if the places of a file are sorted by time.
    """

    rows: Mapping[str, tuple[str, ...]]
    pointer: re.Pattern[str]
    inputs: tuple[Input, ...]
    claims: str
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class Spec:
    """All readings of a dataset.

    Attributes:
        labels: for each kind and label of the dataset, the concept.
        macros: SQL functions that the claims of all readings use.
        why_not: why there are no readings; '' if there are some.
    """

    labels: Mapping[str, Mapping[str, Any]]
    readings: tuple[SourceReading, ...]
    macros: str = ""
    why_not: str = ""


@cache
def spec_of(dataset: str) -> Spec | None:
    """Return the parsed ``tables/<dataset>.yaml``; None if there is no such file."""
    if not re.fullmatch(r"\w+", dataset, re.ASCII):
        return None
    text = _data(f"transforms/checks/sources/tables/{dataset}.yaml")
    if text is None:
        return None
    if "like" in text:
        return spec_of(text["like"])
    if "why_not" in text:
        return Spec({}, (), why_not=text["why_not"])
    labels = _data(f"ontology/maps/{text['labels']}.yaml")
    if labels is None:  # of a dataset that dataset.yaml describes
        whole = _data(f"transforms/readers/{text['labels']}/dataset.yaml") or {}
        labels = whole.get("labels", {})
    known = {kind: words(kind) for kind in text.get("words", ())}
    known |= {kind: known.get(kind, {}) | dict(entries) for kind, entries in labels.items()}
    readings = tuple(_reading(one) for one in text["readings"])
    return Spec(known, readings, text.get("macros", ""))


def words(kind: str) -> dict[str, str]:
    """Return name -> concept id, for all names of the concepts of one kind."""
    if kind == "effect":
        terms = _data("ontology/knowledge/effects.yaml")["effects"]
    else:
        folder = resources.files("surgqa.ontology") / f"vocab/{kind}s"
        names = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
        files = [f"ontology/vocab/{kind}s.yaml", *(f"ontology/vocab/{kind}s/{n}" for n in names)]
        terms = {name: term for file in files for name, term in (_data(file) or {}).items()}
    found = {word: name for name, term in terms.items() for word in term.get("synonyms", ())}
    found |= {
        f"verb {verb}": name for name, term in terms.items() for verb in term.get("verbs", ())
    }
    found |= {str(term["display"]): name for name, term in terms.items() if "display" in term}
    return found | {name: name for name in terms}


def tables() -> list[str]:
    """Return the sorted names of the datasets that ``tables/`` describes."""
    folder = resources.files("surgqa.transforms") / "checks/sources/tables"
    return sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if ".yaml" in p.name)


def _data(path: str) -> Any:
    file = resources.files("surgqa").joinpath(*path.split("/"))
    return read_yaml(file.read_text(encoding="utf-8"), path).data if file.is_file() else None


def _reading(one: Mapping[str, Any]) -> SourceReading:
    inputs = tuple(_input(name, entry) for name, entry in one["files"].items())
    rows = {table: tuple(kinds) for table, kinds in one["rows"].items()}
    ordered = one.get("ordered", True)
    return SourceReading(rows, re.compile(one["pointer"]), inputs, one["claims"], ordered)


def _input(name: str, entry: Mapping[str, str]) -> Input:
    (form,) = set(entry) & set(COLUMNS)
    return Input(name, re.compile(entry["file"]), form, entry[form])

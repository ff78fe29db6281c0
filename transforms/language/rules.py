"""Lint: rules beyond what loading needs.  One function per rule; each has a code.

A rule names the place inside the file (``at``, such as ``('ask', 1)``); :func:`lint`
turns it into a line and a breadcrumb, so that an editor can jump there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ontology.files import listed, read_bytes, read_text
from ontology.yaml import YamlText, read_yaml
from transforms.language.chains import lint_chains
from transforms.language.findings import Finding, below
from transforms.language.grammar import agreement, articles, marks_and_spaces
from transforms.language.leaks import answer_shown
from transforms.language.load import parse_files, template_files, templates_folder
from transforms.language.operators import operators
from transforms.language.queries import lint_queries
from transforms.language.small import language_of
from transforms.language.template import Call, Condition, Ref, Template, Wording
from transforms.registry import datasets

FEWEST_WORDINGS = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule found, before it has a line: code, place in the file, words."""

    code: str
    at: tuple
    message: str
    fix: str = ""


Rule = Callable[[Template], Iterator[Problem]]


def _leaves(*trees: Condition | None) -> Iterator[Call]:
    nodes = [n for n in trees if n]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        if node.leaf:
            yield node.leaf


def _calls(template: Template) -> Iterator[Call]:
    yield from template.needs.values()
    yield from _leaves(template.where, *template.prefer)
    for stage in template.stages:
        yield stage.answer
        if stage.options:
            yield stage.options


def _stage_place(template: Template, number: int) -> tuple:
    return ("stages", number) if template.stages[number].name else ()


def _questions(template: Template) -> Iterator[tuple[tuple, Wording]]:
    for number, stage in enumerate(template.stages):
        for i, wording in enumerate(stage.ask):
            yield (*_stage_place(template, number), "ask", i), wording


def _wordings(template: Template) -> Iterator[tuple[tuple, Wording]]:
    """Every text of the template with its place."""
    yield from _questions(template)
    for number, stage in enumerate(template.stages):
        place = _stage_place(template, number)
        yield (*place, "answer", "text"), stage.answer_text
        for i, wording in enumerate(stage.reasoning):
            yield (*place, "reasoning", i), wording
        for name in ("knowledge", "clue", "context"):
            wording = getattr(stage, name)
            if wording is not None:
                yield (*place, name), wording


def _literal(wording: Wording) -> str:
    """The wording with a placeholder for every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def unused_slots(template: Template) -> Iterator[Problem]:
    """T105: a slot that no operator and no wording uses."""
    used = {p.path[0] for _, w in _wordings(template) for p in w if isinstance(p, Ref)}
    for call in _calls(template):
        for value in call.args.values():
            used |= (
                {value}
                if isinstance(value, str)
                else set(value if isinstance(value, tuple) else ())
            )
    for slot in template.needs:
        if slot not in used:
            yield Problem("T105", ("needs", slot), "nothing uses this slot", "remove it")


def unused_keys(template: Template) -> Iterator[Problem]:
    """T105: a key of the variants that stands nowhere in the file."""
    for key in template.unused_keys:
        at = ("variants", template.variant, key)
        yield Problem("T105", at, "nothing uses this key", "remove it from every variant")


def version_explained(template: Template) -> Iterator[Problem]:
    """T108: every version after the first says what it changed."""
    for version in range(2, template.version + 1):
        if version not in template.changes:
            message = f"version {version} does not say what changed"
            yield Problem("T108", ("version",), message, f"add '{version}: …' under changes")
    for version in sorted(template.changes):
        if version > template.version:
            message = f"version {version} is described, but the template is at {template.version}"
            yield Problem("T108", ("changes", version), message, f"set version to {version}")


def answer_not_shown(template: Template) -> Iterator[Problem]:
    """T109: the answer can be read off the question's own words."""
    for number, stage in enumerate(template.stages):
        place = (*_stage_place(template, number), "ask")
        for i, wording in enumerate(stage.ask):
            for message, fix in answer_shown(wording, stage.answer, stage.answer_text):
                yield Problem("T109", (*place, i), message, fix)


def options_fit_form(template: Template) -> Iterator[Problem]:
    """T110: closed forms have options, open forms have none."""
    closed = template.form in ("choice", "yes_no")
    for number, stage in enumerate(template.stages):
        at = (*_stage_place(template, number), "options")
        if closed and stage.options is None:
            fix = "add options, or choose an open form"
            yield Problem("T110", at[:-1] or ("form",), f"form {template.form} needs options", fix)
        elif stage.options is not None and not closed:
            fix = "remove them, or make the form choice or yes_no"
            yield Problem("T110", at, f"form {template.form} takes no options", fix)
        elif stage.options and (stage.options.op == "yes_no") != (template.form == "yes_no"):
            yield Problem("T110", at, f"{stage.options.op} under form {template.form}")


def enough_wordings(template: Template) -> Iterator[Problem]:
    """T111: at least three wordings, all different (case, spaces and marks do not count)."""
    for number, stage in enumerate(template.stages):
        place = (*_stage_place(template, number), "ask")
        if len(stage.ask) < FEWEST_WORDINGS:
            yield Problem("T111", place, f"{len(stage.ask)} wording(s)", "write three")
        first: dict[tuple, int] = {}
        for i, wording in enumerate(stage.ask):
            same = first.setdefault(_essence(wording), i)
            if same != i:
                yield Problem("T111", (*place, i), f"says the same as ask[{same}]")


def _essence(wording: Wording) -> tuple:
    """What must differ between two wordings."""
    parts = (p if isinstance(p, Ref) else " ".join(re.findall(r"\w+", p.lower())) for p in wording)
    return tuple(p for p in parts if p)


def grammar(template: Template) -> Iterator[Problem]:
    """T112: end mark, spaces, capital at the start, articles, agreement."""
    asked = [at for at, _ in _questions(template)]
    instruments = _instruments(template)
    for at, wording in _wordings(template):
        text = _literal(wording)
        for message in marks_and_spaces(text, question=at in asked):
            yield Problem("T112", at, message)
        for message, fix in (*articles(wording, instruments), *agreement(wording, instruments)):
            yield Problem("T112", at, message, fix)


def _instruments(template: Template) -> frozenset[tuple[str, ...]]:
    """Paths of the references that print an instrument or a class of instruments."""
    kinds = ("instrument", "instrument_class")
    slots = {(slot,) for slot, call in template.needs.items() if call.op in kinds}
    rules = [operators("answer")[stage.answer.op] for stage in template.stages]
    fields = {("answer", f) for rule in rules for f, kind in rule.gives.items() if kind in kinds}
    return frozenset(slots | fields)


def two_answers_possible(template: Template) -> Iterator[Problem]:
    """T114: a yes/no template draws its side, or leaves the answer open."""
    if template.form != "yes_no":
        return
    for call in _leaves(template.where):
        if (
            call.op in ("seen_in_window", "seen_at", "touched_at")
            and call.args.get("truth") is None
        ):
            message = f"{call.op} without 'truth' allows only Yes"
            yield Problem("T114", ("where",), message, "add a choice slot for the truth")


@cache
def source_names() -> re.Pattern[str]:
    """Installed datasets, the Cholec family, files, and frame numbers."""
    known = "|".join(re.escape(name).replace("_", "[-_ ]?") for name in datasets())
    names = rf"\b(cholec\w*|{known})\b|\w+\.(json|png|mp4|txt)\b|\bframe (number|no\.?|\d+)"
    return re.compile(names, re.IGNORECASE)


def no_sources_named(template: Template) -> Iterator[Problem]:
    """T115: a wording names a dataset, a file or a frame number."""
    for at, wording in _wordings(template):
        found = source_names().search(_literal(wording))
        if found:
            yield Problem("T115", at, f"names {found.group(0)!r}", "ask without naming the source")


RULES: Sequence[Rule] = (
    unused_slots,
    unused_keys,
    version_explained,
    answer_not_shown,
    options_fit_form,
    enough_wordings,
    grammar,
    two_answers_possible,
    no_sources_named,
)


def lint(paths: Sequence[Path] = (), more: Sequence[Rule] = ()) -> list[Finding]:
    """All findings of files or folders, sorted; the shipped templates by default.

    Args:
        more: rules beside :data:`RULES`, such as that examples come out, which takes the
            question engine.
    """
    findings: list[Finding] = []
    for path in paths or [templates_folder()]:
        folder, every = files_of(Path(path))
        written = {file: language_of(file) for file in every}
        mine = lint_queries([f for f in every if written[f] == "query"], folder)
        mine += lint_chains([f for f in every if written[f] == "chain"], folder)
        files = [file for file in every if written[file] == "template"]
        templates, found = parse_files(files, folder)
        sources = {file.relative_to(folder).as_posix(): file for file in files}
        mine += _at_their_id(found, sources)
        for template in templates:
            problems = [p for rule in (*RULES, *more) for p in rule(template)]
            mine += _located(template, problems, sources[template.path])
        findings += below(folder, mine)
    return sorted(findings)


def _located(template: Template, problems: Iterable[Problem], file: Path) -> Iterator[Finding]:
    """Problems with line and breadcrumb; the file is read again only when there are any."""
    source: YamlText | None = None
    for problem in problems:
        source = source or _source(file, template.path)
        line, column = source.place(problem.at, key=True)
        where = _crumb(template.id, problem.at)
        yield Finding(template.path, line, problem.code, where, problem.message, problem.fix,
                      column=column)  # fmt: skip


def _at_their_id(findings: Iterable[Finding], sources: dict[str, Path]) -> Iterator[Finding]:
    """Findings about an id point at the line that holds it."""
    for finding in findings:
        if finding.code == "T103":
            line, column = _source(sources[finding.path], finding.path).place(("id",), key=True)
            finding = replace(finding, line=line, column=column)
        yield finding


def _source(file: Path, name: str) -> YamlText:
    return read_yaml(read_text(read_bytes(file, name), name), name)


def _crumb(name: str, at: tuple) -> str:
    return name + "".join(f"[{p}]" if isinstance(p, int) else f" > {p}" for p in at)


def files_of(path: Path) -> tuple[Path, list[Path]]:
    """The templates folder a path belongs to, and the files to lint."""
    if path.is_dir() and not any(f.suffix == ".yaml" for f in listed(path)):
        return path, template_files(path)
    folder = path.parent if path.is_dir() else path.parent.parent
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return folder, files

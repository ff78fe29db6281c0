"""Lint: rules beyond what loading needs.  One function per rule; each has a code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ontology.files import listed
from transforms.language.findings import Finding
from transforms.language.load import parse_files, template_files, templates_folder
from transforms.language.template import Call, Condition, Ref, Template, Wording

Rule = Callable[[Template], Iterator[Finding]]

FEWEST_WORDINGS = 3


def _finding(template: Template, code: str, where: str, message: str, fix: str = "") -> Finding:
    return Finding(template.path, 1, code, f"{template.id} > {where}", message, fix)


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


def _wordings(template: Template) -> Iterator[tuple[str, Wording]]:
    for stage in template.stages:
        prefix = f"stages[{stage.name}] > " if stage.name else ""
        for i, wording in enumerate(stage.ask):
            yield f"{prefix}ask[{i}]", wording
        yield f"{prefix}answer > text", stage.answer_text
        for i, wording in enumerate(stage.reasoning):
            yield f"{prefix}reasoning[{i}]", wording


def _literal(wording: Wording) -> str:
    """The wording with a placeholder for every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def unused_slots(template: Template) -> Iterator[Finding]:
    """T105: a slot that no operator and no wording uses."""
    used = {p.path[0] for _, w in _wordings(template) for p in w if isinstance(p, Ref)}
    for call in _calls(template):
        for value in call.args.values():
            used |= {value} if isinstance(value, str) else set(value if isinstance(value, tuple) else ())
    for slot in template.needs:
        if slot not in used:
            yield _finding(template, "T105", f"needs > {slot}", "nothing uses this slot", "remove it")


def options_fit_form(template: Template) -> Iterator[Finding]:
    """T110: closed forms have options, open forms have none."""
    closed = template.form in ("choice", "yes_no")
    for stage in template.stages:
        if closed and stage.options is None:
            yield _finding(template, "T110", "options", f"form {template.form} needs options")
        if stage.options is not None and not closed:
            yield _finding(template, "T110", "options", f"form {template.form} takes no options")
        if stage.options and (stage.options.op == "yes_no") != (template.form == "yes_no"):
            yield _finding(template, "T110", "options", f"{stage.options.op} under {template.form}")


def enough_wordings(template: Template) -> Iterator[Finding]:
    """T111: at least three wordings, all different."""
    for stage in template.stages:
        texts = [" ".join(_literal(w).lower().split()) for w in stage.ask]
        if len(texts) < FEWEST_WORDINGS:
            yield _finding(template, "T111", "ask", f"{len(texts)} wording(s)", "write three")
        if len(set(stage.ask)) < len(stage.ask):
            yield _finding(template, "T111", "ask", "two wordings are equal")


def grammar(template: Template) -> Iterator[Finding]:
    """T112: end mark, doubled spaces, space before a mark, capital at the start."""
    for where, wording in _wordings(template):
        text = _literal(wording)
        if "  " in text or text != text.strip():
            yield _finding(template, "T112", where, "spaces doubled or at an end")
        if re.search(r"\s[?.,;:](\s|$)", text):
            yield _finding(template, "T112", where, "space before a mark")
        if "ask[" in where and not text.endswith(("?", ".")):
            yield _finding(template, "T112", where, "no question mark or full stop at the end")
        if "ask[" in where and not (text[0].isupper() or text[0] == "\N{WHITE SQUARE}"):
            yield _finding(template, "T112", where, "does not start with a capital letter")


def two_answers_possible(template: Template) -> Iterator[Finding]:
    """T114: a yes/no template draws its side, or leaves the answer open."""
    if template.form != "yes_no":
        return
    for call in _leaves(template.where):
        if call.op in ("seen_in_window", "seen_at", "touched_at") and call.args.get("truth") is None:
            message = f"{call.op} without 'truth' allows only Yes"
            yield _finding(template, "T114", "where", message, "add a choice slot for the truth")


_NAMES = re.compile(r"(cholec|prostatd|endovis|\.json|\.png|\bframe (number|no|\d))", re.IGNORECASE)


def no_sources_named(template: Template) -> Iterator[Finding]:
    """T115: a wording names a dataset, a file or a frame number."""
    for where, wording in _wordings(template):
        found = _NAMES.search(_literal(wording))
        if found:
            yield _finding(template, "T115", where, f"names {found.group(0)!r}")


RULES: Sequence[Rule] = (
    unused_slots,
    options_fit_form,
    enough_wordings,
    grammar,
    two_answers_possible,
    no_sources_named,
)


def lint(paths: Sequence[Path] = ()) -> list[Finding]:
    """All findings of files or folders, sorted; the shipped templates by default."""
    findings: list[Finding] = []
    for path in paths or [templates_folder()]:
        folder, files = _files(Path(path))
        templates, found = parse_files(files, folder)
        findings += found
        findings += [f for t in templates for rule in RULES for f in rule(t)]
    return sorted(findings)


def _files(path: Path) -> tuple[Path, list[Path]]:
    """The templates folder a path belongs to, and the files to lint."""
    if path.is_dir() and not any(f.suffix == ".yaml" for f in listed(path)):
        return path, template_files(path)
    folder = path.parent if path.is_dir() else path.parent.parent
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return folder, files

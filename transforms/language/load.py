"""Finding and loading templates: a file dropped into the folder is a template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ontology.errors import UserError
from ontology.files import listed, read_bytes, read_text
from ontology.names import closest
from transforms.language.chains import Chain, load_chains
from transforms.language.chains.load import parse_chains
from transforms.language.findings import Finding, TemplateErrors, below
from transforms.language.parse import Parser
from transforms.language.program.load import parse_folder
from transforms.language.program.parse import LINT_ONLY
from transforms.language.program.program import Program
from transforms.language.queries import Query, load_queries
from transforms.language.queries.load import parse_queries
from transforms.language.shared import SharedBlocks
from transforms.language.small import language_of
from transforms.language.template import Template

_NOT_TEMPLATES = ("shared", "schema")


def templates_folder() -> Path:
    """The templates that ship with surgqa."""
    return Path(str(resources.files("templates")))


def template_files(folder: Path) -> list[Path]:
    """Every template file under a folder, sorted; shared blocks and schemas are none."""
    if not folder.is_dir():
        raise UserError("no such templates folder", found=str(folder), where="--templates")
    return [
        file
        for group in listed(folder)
        if group.is_dir()
        and group.name not in _NOT_TEMPLATES
        and not group.name.startswith(("_", "."))
        for file in sorted(group.rglob("*.yaml"))
    ]


def parse_files(files: Iterable[Path], folder: Path) -> tuple[list[Template], list[Finding]]:
    """Parse files of one folder; findings instead of exceptions."""
    shared = _shared(folder)
    templates: list[Template] = []
    findings: list[Finding] = []
    for file in files:
        parser = _parser(file, folder, shared)
        templates += parser.parse()
        findings += parser.findings
    return templates, [*findings, *_identity(templates)]


Question = Template | Query | Chain | Program
"""A template of any language."""


def parse_file(file: Path, folder: Path) -> tuple[Sequence[Question], list[Finding]]:
    """Templates and findings of one file, in whichever language it is written."""
    match language_of(file):
        case "query":
            return parse_queries([file], folder)
        case "chain":
            return parse_chains([file], folder)
        case "question":
            return parse_folder(folder, [file])
        case _:
            return parse_files([file], folder)


def load_questions(folder: Path | None = None) -> list[Question]:
    """All active templates of all languages, sorted by id.

    Raises:
        TemplateErrors: any finding in any file; a broken template is never skipped.
    """
    folder = folder or templates_folder()
    written = {file: language_of(file) for file in template_files(folder)}
    queries = load_queries([file for file in written if written[file] == "query"], folder)
    chains = load_chains([file for file in written if written[file] == "chain"], folder)
    programs = _programs([file for file in written if written[file] == "question"], folder)
    return sorted([*load_templates(folder), *queries, *chains, *programs], key=lambda t: t.id)


def _programs(files: Sequence[Path], folder: Path) -> list[Program]:
    programs, findings = parse_folder(folder, files)
    blocking = [finding for finding in findings if finding.code not in LINT_ONLY]
    if blocking:
        raise TemplateErrors(below(folder, blocking))
    return [one for one in programs if one.status == "active"]


def load_templates(folder: Path | None = None) -> list[Template]:
    """All active templates of questions about clips, sorted by id.

    Raises:
        TemplateErrors: any finding in any file; a broken template is never skipped.
    """
    folder = folder or templates_folder()
    files = [file for file in template_files(folder) if language_of(file) == "template"]
    templates, findings = parse_files(files, folder)
    if findings:
        raise TemplateErrors(below(folder, findings))
    return sorted((t for t in templates if t.status == "active"), key=lambda t: t.id)


def select(
    templates: Sequence[Question], benchmarks: Sequence[str], profile: str, only: Sequence[str] = ()
) -> list[Question]:
    """Templates of the benchmarks that the profile asks, or just those named.

    Raises:
        UserError: a benchmark without a template, or an unknown id.
    """
    known = sorted({t.benchmark for t in templates})
    for name in benchmarks:
        if name not in known:
            raise UserError(f"no templates for benchmark {name!r}", expected=", ".join(known),
                            fix=_meant(name, known))  # fmt: skip
    ids = {t.id for t in templates}
    for name in only:
        if name not in ids:
            fix = _meant(name, ids) or "see 'surgqa list templates'"
            raise UserError(f"no template {name!r}", fix=fix)
    return [
        t
        for t in templates
        if t.benchmark in benchmarks and profile in t.profiles and (not only or t.id in only)
    ]


def _meant(name: str, known: Iterable[str]) -> str | None:
    close = closest(name, sorted(known))
    return f"did you mean {close}?" if close else None


def expanded(file: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Id -> fields of each template of a file, with variants and shared blocks in place.

    Raises:
        TemplateErrors: the file cannot be read, or names a key or block that is not there.
    """
    parser = _parser(file, folder, _shared(folder))
    found = {str(variant.data.get("id")): variant.data for variant in parser.variants()}
    if parser.findings:
        raise TemplateErrors(below(folder, parser.findings))
    return found


def _parser(file: Path, folder: Path, shared: SharedBlocks) -> Parser:
    path = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
    return Parser(path, read_text(read_bytes(file, path), path), shared)


def _shared(folder: Path) -> SharedBlocks:
    base = folder / "shared"
    if not base.is_dir():
        return SharedBlocks()
    files = [f for f in listed(base) if f.suffix == ".yaml"]
    texts = {f"shared/{f.stem}": read_text(read_bytes(f, str(f)), str(f)) for f in files}
    return SharedBlocks.read(texts)


def _identity(templates: Sequence[Template]) -> list[Finding]:
    findings = []
    first: dict[str, Template] = {}
    for template in {t.path: t for t in reversed(templates)}.values():
        wanted = template.path.removesuffix(".yaml").replace("/", ".")
        if template.file_id != wanted:
            message, fix = f"its path says {wanted!r}", "rename the file or correct the id"
            findings.append(Finding(template.path, 1, "T103", template.file_id, message, fix))
    for template in templates:
        other = first.setdefault(template.id, template)
        if other is not template:
            message = f"id is also used by {other.path}"
            findings.append(Finding(template.path, 1, "T103", template.id, message))
    return findings

"""Find and parse template files; every YAML file in the templates folder is a template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import FileMissing, UnknownName, UserError
from surgqa.ontology.files import listed, read_bytes, read_text
from surgqa.ontology.names import closest
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.language.findings import Finding, TemplateErrors, below, blocking
from surgqa.transforms.language.parse import ProgramParser
from surgqa.transforms.language.program import Program
from surgqa.transforms.language.shared import SharedBlocks, files_named

_NOT_TEMPLATES = ("shared", "schema")

Found = tuple[list[Program], list[Finding]]
"""(parsed templates that can be used, all findings)."""


def parse_text(text: str, path: str = "template.yaml", shared: SharedBlocks | None = None) -> Found:
    """Return the parsed templates, and the mistakes (findings), in the text of one file."""
    parser = ProgramParser(path, text, shared or SharedBlocks())
    programs = parser.parse()
    return programs, sorted(parser.findings)


def parse_file(
    file: Path, folder: Path, shared: SharedBlocks | None = None, *, with_examples: bool = True
) -> Found:
    """Return the parsed templates, and the mistakes (findings), in a file of a folder."""
    parser = _parser(file, folder, shared)
    programs, findings = _parsed(parser.path, parser.text, parser.shared, with_examples)
    return list(programs), list(findings)


@lru_cache(maxsize=512)
def _parsed(path: str, text: str, shared: SharedBlocks, with_examples: bool) -> Found:
    """Parse a file, or return the result that this process already has for the same text."""
    parser = ProgramParser(path, text, shared, with_examples)
    programs, findings = parser.parse(), parser.findings
    wanted = path.removesuffix(".yaml").replace("/", ".")
    for one in programs[:1]:
        if one.file_id != wanted:
            line, column = parser.source.place(("id",), key=True)
            findings.append(Finding(
                path, line, "T103", one.file_id, f"the id for this path is {wanted!r}",
                "rename the file or correct the id", column=column,
            ))  # fmt: skip
    return programs, sorted(findings)


def expanded(file: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Return the fields of each template in a file, by id, with variants and shared blocks
    inserted.

    Raises:
        TemplateErrors: the file cannot be read, or names an unknown key or block.
    """
    parser = _parser(file, folder)
    found = parser.fields()
    if parser.findings:
        raise TemplateErrors(below(folder, parser.findings))
    return found


def _parser(file: Path, folder: Path, shared: SharedBlocks | None = None) -> ProgramParser:
    path = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
    blocks = shared if shared is not None else shared_blocks(folder)
    return ProgramParser(path, read_text(read_bytes(file, str(file)), str(file)), blocks)


def program_files(folder: Path) -> list[Path]:
    """Return all template files under a folder, sorted.

    Raises:
        UserError: the folder does not exist.
    """
    if not folder.is_dir():
        raise FileMissing("templates folder not found", found=str(folder), where="--templates")
    groups = [group for group in listed(folder) if group.is_dir()]
    return [
        file
        for group in groups
        if group.name not in _NOT_TEMPLATES and not group.name.startswith(("_", "."))
        for file in sorted(group.rglob("*.yaml"))
    ]


def parse_folder(
    folder: Path, files: Iterable[Path] | None = None, *, with_examples: bool = True
) -> Found:
    """Return the parsed templates, and the mistakes (findings), in a folder or its ``files``."""
    shared = shared_blocks(folder)
    programs: list[Program] = []
    findings: list[Finding] = []
    for file in program_files(folder) if files is None else files:
        made, found = parse_file(file, folder, shared, with_examples=with_examples)
        programs += made
        findings += found
    return programs, sorted([*findings, *_twice(programs)])


def templates_folder() -> Path:
    """Return the folder of the templates that are shipped with surgqa."""
    return Path(str(resources.files("surgqa.templates")))


def load_programs(
    folder: Path | None = None, files: Iterable[Path] | None = None, *, with_examples: bool = False
) -> list[Program]:
    """Return all active templates of a folder (default: the built-in ones), parsed, sorted by id.

    Args:
        files: load only these files.
        with_examples: also read the written examples, which a build does not need.

    Raises:
        TemplateErrors: a template has a mistake; it is never skipped.
    """
    folder = folder or templates_folder()
    programs, findings = parse_folder(folder, files, with_examples=with_examples)
    if found := blocking(findings):
        raise TemplateErrors(below(folder, found))
    return sorted((p for p in programs if p.status == "active"), key=lambda p: p.id)


def load_asked(
    folder: Path | None, benchmarks: Sequence[str], profile: str, only: Sequence[str] = ()
) -> list[Program]:
    """Return the active templates that a run asks, sorted by id; other files are not parsed.

    Raises:
        TemplateErrors: one of them has a mistake.
        UserError: a benchmark without a template, or an unknown id; the message lists known ones.
    """
    base = folder or templates_folder()
    files = [file for file in program_files(base) if _may_be_asked(file, base, benchmarks, only)]
    try:
        return select(load_programs(base, files), benchmarks, profile, only)
    except TemplateErrors:
        raise
    except UserError:
        return select(load_programs(base), benchmarks, profile, only)


def _may_be_asked(file: Path, base: Path, benchmarks: Sequence[str], only: Sequence[str]) -> bool:
    """Return False if the path, which is the id, shows that the run does not ask the template."""
    parts = file.relative_to(base).with_suffix("").parts
    name = ".".join(parts)
    asked = not only or any(f"{one}.".startswith(f"{name}.") for one in only)
    return asked and parts[0] in benchmarks


def shared_blocks(folder: Path) -> SharedBlocks:
    """Return the blocks of the ``shared`` folder in a templates folder."""
    base = folder / "shared"
    files = [file for file in listed(base) if file.suffix == ".yaml"] if base.is_dir() else []
    return SharedBlocks.read(
        {f"shared/{file.stem}": read_text(read_bytes(file, str(file)), str(file)) for file in files}
    )


def files_used(folder: Path, paths: Iterable[str]) -> list[str]:
    """Return the template files ``paths``, and the files with shared blocks that they use, sorted.

    Args:
        paths: paths relative to the folder.
    """
    every = set(paths)
    read = (read_yaml(read_text(read_bytes(folder / one, one), one), one).data for one in every)
    return sorted({*every, *(file for data in read for file in files_named(data))})


def _twice(programs: Sequence[Program]) -> list[Finding]:
    first: dict[str, Program] = {}
    findings = []
    for one in programs:
        other = first.setdefault(one.id, one)
        if other is not one:
            message = f"id is also used by {other.path}"
            findings.append(Finding(one.path, 1, "T103", one.id, message))
    return findings


def select(
    templates: Sequence[Program], benchmarks: Sequence[str], profile: str, only: Sequence[str] = ()
) -> list[Program]:
    """Return the templates of the benchmarks that the profile includes, or only those in ``only``.

    Raises:
        UserError: a benchmark without a template, or an unknown id.
    """
    known = sorted({t.benchmark for t in templates})
    for name in benchmarks:
        if name not in known:
            raise UnknownName(f"no templates for benchmark {name!r}", expected=", ".join(known),
                              fix=_meant(name, known))  # fmt: skip
    ids = {t.id for t in templates}
    for name in only:
        if name not in ids:
            fix = _meant(name, ids) or "see 'surgqa list templates'"
            raise UnknownName(f"no template {name!r}", fix=fix)
    return [
        t
        for t in templates
        if t.benchmark in benchmarks and profile in t.profiles and (not only or t.id in only)
    ]


def _meant(name: str, known: Iterable[str]) -> str | None:
    close = closest(name, sorted(known))
    return f"did you mean {close}?" if close else None


def files_of(path: Path) -> tuple[Path, list[Path]]:
    """Return the templates folder that a path belongs to, and the template files under it."""
    if path.is_dir() and not any(f.suffix == ".yaml" for f in listed(path)):
        return path, program_files(path)
    folder = path.parent if path.is_dir() else path.parent.parent
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return folder, files

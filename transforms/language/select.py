"""Choosing templates, and the files of a path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ontology.errors import UserError
from ontology.files import listed
from ontology.names import closest
from transforms.language.load import program_files
from transforms.language.program import Program


def select(
    templates: Sequence[Program], benchmarks: Sequence[str], profile: str, only: Sequence[str] = ()
) -> list[Program]:
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


def files_of(path: Path) -> tuple[Path, list[Path]]:
    """The templates folder a path belongs to, and the files to lint."""
    if path.is_dir() and not any(f.suffix == ".yaml" for f in listed(path)):
        return path, program_files(path)
    folder = path.parent if path.is_dir() else path.parent.parent
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return folder, files

"""``surgqa doctor``: report what is installed and what is missing, with the commands to fix it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

from surgqa.ontology.errors import EXIT_DONE, EXIT_MISSING
from surgqa.ontology.files import listed
from surgqa.ontology.plugins import release
from surgqa.pipeline.cli.console import shown, table, write_json, write_result
from surgqa.pipeline.cli.options import File, flag, opt
from surgqa.transforms import registry


@dataclass(frozen=True, slots=True)
class DoctorLine:
    """One line of the report.

    Attributes:
        state: ``ok``, ``absent`` (optional) or ``problem``.
        fix: the command to type; empty if nothing is needed.
    """

    what: str
    state: str
    found: str
    fix: str = ""


def doctor(
    data: Annotated[File, opt("DIR", "Also search this folder for datasets.")] = None,
    json: Annotated[bool, flag("--json", "Print JSON.")] = False,
) -> int:
    """Report versions, extras and datasets on this machine, and the commands that fix problems.

    \b
    surgqa doctor
    surgqa doctor --data /data

    Exit status 3 if a core package is missing or has another version.
    """
    python = f"{platform.python_version()} at {sys.executable}"
    machine = f"{platform.system()} {platform.machine()}"
    lines = [DoctorLine("python", "ok", python), DoctorLine("machine", "ok", machine)]
    lines += [*packages(), *_programs()]
    if data:
        lines += datasets(data)
    if json:
        write_json([asdict(line) for line in lines])
    else:
        write_result(table([[line.state, line.what, line.found, line.fix] for line in lines]))
    problems = any(line.state == "problem" for line in lines)
    return EXIT_MISSING if problems else EXIT_DONE


def packages(name: str = "surgqa") -> Iterator[DoctorLine]:
    """Yield a line for each required package with its installed version, and one for each extra."""
    from packaging.requirements import Requirement

    try:
        requirements = [Requirement(text) for text in metadata.requires(name) or ()]
        yield DoctorLine(name, "ok", metadata.version(name))
    except metadata.PackageNotFoundError:
        yield DoctorLine(name, "problem", "not installed", "pip install .")
        return
    for requirement in sorted(requirements, key=lambda one: one.name):
        if requirement.marker is None:
            yield _package(requirement.name, requirement.specifier)
    for extra in sorted(metadata.metadata(name).get_all("Provides-Extra") or ()):
        yield _extra(name, extra, sorted(_wanted(name, extra)))


def _wanted(name: str, extra: str) -> Iterator[str]:
    """Yield the packages of an extra, including the packages of extras that it requires."""
    from packaging.requirements import Requirement

    if release(name) is None:
        return
    for requirement in map(Requirement, metadata.requires(name) or ()):
        marker = requirement.marker
        if marker is None or "extra" not in str(marker) or not marker.evaluate({"extra": extra}):
            continue
        if requirement.name != name:
            yield requirement.name
        for inner in sorted(requirement.extras):
            yield from _wanted(requirement.name, inner)


def _package(name: str, specifier: object) -> DoctorLine:
    fix = f"pip install '{name}{specifier}'"
    found = release(name)
    if found is None:
        return DoctorLine(name, "problem", "not installed", fix)
    if found not in specifier:  # type: ignore[operator]
        return DoctorLine(name, "problem", f"{found}, needed {specifier}", fix)
    return DoctorLine(name, "ok", found)


def _extra(name: str, extra: str, wanted: list[str]) -> DoctorLine:
    what = f"extra {extra}"
    absent = [package for package in wanted if release(package) is None]
    if absent:
        some = ", ".join(absent[:3]) + (f" and {len(absent) - 3} more" if absent[3:] else "")
        return DoctorLine(what, "absent", f"without {some}", f"pip install '{name}[{extra}]'")
    return DoctorLine(what, "ok", "installed")


def _programs() -> Iterator[DoctorLine]:
    java = shutil.which("java")
    fix = "" if java else "install a Java runtime, 11 or newer, for --runner flink"
    yield DoctorLine("java", "ok" if java else "absent", java or "not on the path", fix)


def datasets(folder: Path) -> list[DoctorLine]:
    """Return every dataset that a reader finds in a folder or in its subfolders."""
    from surgqa.pipeline.recognise import candidates

    inside = [path for path in listed(folder) if path.is_dir()] if folder.is_dir() else []
    lines = []
    for one in (one for root in (folder, *inside) for one in candidates(root)):
        of = registry.card(one.name).videos
        fix = f"surgqa verify {one.name} --root {shown(one.root)}"
        lines.append(DoctorLine(one.name, "ok", f"{one.videos} of {of} videos in {one.root}", fix))
    return lines or [
        DoctorLine("datasets", "absent", f"none found in {folder}", "see 'surgqa list'")
    ]

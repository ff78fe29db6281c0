"""The folder ``wrong/``: one mistake each, with the exact messages.

``wrong/<mistake>/template.yaml`` is laid out as ``wrong/example.yaml`` of a templates
folder; beside it there may be ``second.yaml`` (another template of the same folder) and
``shared.yaml`` (the blocks of ``shared/options.yaml``).  ``expected.txt`` holds what
``surgqa lint`` prints.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import copyfile

from ontology.files import listed
from transforms.language import Finding, lint
from transforms.questions.example import examples_come_out

WRONG = Path(__file__).parent / "wrong"
PLACES = {
    "template.yaml": "wrong/example.yaml",
    "second.yaml": "wrong/second.yaml",
    "shared.yaml": "shared/options.yaml",
}


def mistakes() -> list[str]:
    """Names of all wrong templates."""
    return [folder.name for folder in listed(WRONG)]


def lay_out(mistake: str, folder: Path) -> Path:
    """Put a mistake's files where a templates folder has them."""
    for file in listed(WRONG / mistake):
        if file.name in PLACES:
            place = folder / PLACES[file.name]
            place.parent.mkdir(exist_ok=True)
            copyfile(file, place)
    return folder


def findings(mistake: str, folder: Path) -> list[Finding]:
    """What 'surgqa lint' says of a mistake, when called in the templates folder."""
    found = lint([lay_out(mistake, folder)], [examples_come_out])
    return [replace(one, path=Path(one.path).relative_to(folder).as_posix()) for one in found]


def by_line(finding: Finding, folder: Path) -> str:
    """A finding as printed when called in the templates folder, without its column."""
    path = Path(finding.path).relative_to(folder).as_posix()
    return str(replace(finding, path=path)).replace(f":{finding.column}: ", ": ", 1)


def expected(mistake: str) -> str:
    """The messages on record."""
    return (WRONG / mistake / "expected.txt").read_text(encoding="utf-8")

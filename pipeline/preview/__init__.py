"""Preview a template on a dataset's sample, with the reasons for units without a question.

:func:`edits` reports when the preview should be repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from surgqa.ontology.errors import FileMissing, UnknownName
from surgqa.ontology.files import listed
from surgqa.pipeline.preview.programs import preview_program
from surgqa.transforms.language import Program, TemplateErrors, parse_folder, templates_folder
from surgqa.transforms.language.findings import below, blocking


def preview(
    template: str, dataset: str | None, n: int, root: Path | None = None,
    videos: Sequence[str] = (),
) -> str:  # fmt: skip
    """Return the text of at most ``n`` items, and the reasons of units without an item, of all
    variants.

    Args:
        template: an id, or the path of a file.
        dataset: dataset whose sample is used; None: the first dataset with items.
        n: number of items; for chains, of whole chains.
        root, videos: the dataset's own files instead of its sample.

    Raises:
        UserError: there is no such template, dataset, folder or video.
        TemplateErrors: the file has findings.
    """
    file = template_file(template)
    return "\n\n".join(
        preview_program(one, dataset, n, root, videos) for one in _programs(template, file)
    )


def _programs(name: str, file: Path) -> Sequence[Program]:
    """Return the programs of a file, or the program with an id."""
    own = Path(name).suffix == ".yaml"
    folder = file.resolve().parent.parent
    programs, findings = parse_folder(folder, [file.resolve()])
    wrong = [one for one in blocking(findings) if one.code != "T103"]
    if wrong:
        raise TemplateErrors(below(folder, wrong))
    found = [one for one in programs if own or one.id == name]
    if not found:
        raise UnknownName(
            f"no template {name!r}",
            where=str(templates_folder()),
            fix="see 'surgqa list templates', or name a file",
        )
    return found


POLL_S = 0.3
"""Seconds between two checks of the files."""


def template_file(template: str) -> Path:
    """Return the file of a template: the path itself, or that of a built-in id.

    Raises:
        UserError: there is no such file.
    """
    path = Path(template)
    if path.suffix != ".yaml":
        path = templates_folder() / f"{template.replace('.', '/')}.yaml"
        if not path.is_file():  # a variant's id: the file is named without the variant
            path = path.parent.with_suffix(".yaml")
    if not path.is_file():
        raise FileMissing("no such template file", found=template)
    return path


def edits(file: Path, pause: Callable[[], None] = lambda: time.sleep(POLL_S)) -> Iterator[None]:
    """Yield once, then after every change of the template or a shared block; endless.

    Nothing is yielded while the template is missing: some editors save by replacing the file.

    Args:
        file: an existing template.
        pause: waits between two checks.
    """
    before: _State = {}
    while True:
        now = _state(file)
        if file in now and now != before:
            before = now
            yield
        pause()


_State = dict[Path, tuple[int, int, int]]


def _state(file: Path) -> _State:
    """Return time, size and inode of each file that the preview depends on."""
    shared = file.resolve().parent.parent / "shared"
    blocks = [f for f in listed(shared) if f.suffix == ".yaml"] if shared.is_dir() else []
    state = {}
    for path in (file, *blocks):
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        state[path] = (found.st_mtime_ns, found.st_size, found.st_ino)
    return state

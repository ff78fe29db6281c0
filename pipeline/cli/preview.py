"""``surgqa preview``: ask a template about a synthetic sample; needs no data."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from surgqa.ontology.errors import EXIT_DONE, FileMissing, UserError, WrongUsage
from surgqa.pipeline.cli import units
from surgqa.pipeline.cli.console import talk, write_result
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import File, Text, Texts, arg, flag, opt

CLEAR = "\x1b[2J\x1b[H"
"""Clears a terminal and moves to its first line."""


def preview(
    template: Annotated[str, arg("TEMPLATE", "Id of a template, or path of its file.")],
    on: Annotated[
        Text,
        opt("NAME", "Dataset whose sample is used  [the first with items]", "--on", "--dataset"),
    ] = None,
    root: Annotated[File, opt("DIR", "The dataset's files, instead of its sample.")] = None,
    video: Annotated[Texts, opt("ID", "Video of --root; repeatable  [the first three]")] = None,
    n: Annotated[int, opt("N", "Number of items.", "--n", "-n", min=1)] = 5,
    watch: Annotated[bool, flag("--watch", "Repeat when the file is saved; Ctrl-C ends.")] = False,
) -> int:
    """Make items from a template and a synthetic sample; print them with sources and evidence.

    \b
    surgqa preview surgstu.locate
    surgqa preview medstream.state_now.phase --on cholec80
    surgqa preview surgstu.locate --on cholect50 --root /data/cholect50 --video VID01
    surgqa preview my_templates/mine/how_many.yaml --watch

    Units without a question are counted by the step of the template and the operator whose result
    was not certain.
    """
    if root is not None and on is None:
        raise WrongUsage("--root needs the dataset's name", expected="--on NAME", where="--root",
                         fix="see 'surgqa list datasets'")  # fmt: skip
    if root is not None and not root.is_dir():
        raise FileMissing("no such folder", found=str(root), where="--root")
    known = [head.id for head in units.headlines()]
    if Path(template).suffix != ".yaml" and template not in known:
        raise unknown("template", template, known, "surgqa list templates")
    if watch:
        return _follow(template, on, n)
    write_result(_rendered(template, on, n, root, tuple(video or ())))
    return EXIT_DONE


def _rendered(
    template: str, on: str | None, n: int, root: Path | None = None, videos: Sequence[str] = ()
) -> str:
    """Return the preview, and the findings of ``surgqa lint`` about the file."""
    from surgqa.pipeline.cli.lint import linted
    from surgqa.pipeline.preview import preview as made
    from surgqa.pipeline.preview import template_file

    text = made(template, on, n, root, videos)
    findings = [f"  {one}" for one in sorted(linted([template_file(template)])[1])]
    return "\n".join([text, "", "'surgqa lint' finds:", *findings]) if findings else text


def _follow(template: str, on: str | None, n: int) -> int:
    """Repeat the preview after every edit until Ctrl-C, which is not a failure."""
    try:
        from surgqa.pipeline.preview import edits, template_file
        from surgqa.transforms.registry import load_sample

        file = template_file(template)
        if on is not None:
            load_sample(on)  # fail now: no edit of the file can correct a misspelt dataset
        for _ in edits(file):
            _show(template, on, n)
            talk.say(f"\nwatching {file}; Ctrl-C ends")
    except KeyboardInterrupt:
        talk.say("")  # start a new line after the terminal's ^C
    return EXIT_DONE


def _show(template: str, on: str | None, n: int) -> None:
    """Print one preview, or the errors in the file."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        print(CLEAR, end="", flush=True)
    try:
        write_result(_rendered(template, on, n))
    except UserError as error:
        print(error.message(), file=sys.stderr, flush=True)
    sys.stdout.flush()

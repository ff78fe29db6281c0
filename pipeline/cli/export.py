"""``surgqa export``: a finished dataset in the format of a published benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE, UserError
from pipeline.cli.console import table, talk, write_result
from pipeline.cli.jobs import roots_of

if TYPE_CHECKING:
    from transforms.exports.formats import Format, Write


def export(
    out: Annotated[str, typer.Argument(help="Folder that 'surgqa build' wrote.", metavar="OUT")],
    form: Annotated[
        str, typer.Option("--as", metavar="FORMAT", help="The format; a wrong one lists all.")
    ],
    to: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write, new or empty.")],
    root: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATASET=DIR", help="Folder of its recordings, for formats with media."
        ),
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Prompt texts of your own, for formats with prompts."),
    ] = None,
) -> int:
    """Write a finished dataset in the format of a published benchmark.

    Whatever benchmark they are of, the rows are taken that the format has a place for.

    \b
    surgqa export out --as medstreambench --to medstream
    surgqa export out --as surgcot --to chains
    surgqa export out --as sapbench --to sap --root cholect50=/data/cholect50
    surgqa export out --as surgveo --to samples --root autolaparo=/data/autolaparo

    \b
    medstreambench: questions put at a time, and streams; a file a dataset with answers, one
    without for models.
    surgcot: chains, one a line; Q, Q_dq and Q_dq_clue as messages, by split.
    sapbench: next actions and plans with messages, references, clips; with --root the pictures.
    surgveo: continuations with both prompts; with --root pictures and eight-second references.
    """
    from transforms.exports.formats import format_of, require_fit, told
    from transforms.places.fresh import new_folder
    from transforms.store import OutputFolder

    one, media = format_of(form), roots_of(root)
    write = _write_of(one, prompts)
    folder = OutputFolder(out).with_items()
    found = require_fit(folder, one)
    with new_folder(to) as partial:
        written = write(folder, partial, media)
    write_result(table(written))
    if found.left:
        talk.say(f"{form} has no place for {told(found.left)}; it takes {one.taking.words}")
    talk.say(f"{form}: {to}")
    return EXIT_DONE


def _write_of(form: Format, prompts: Path | None) -> Write:
    """The format's way out, with prompts of one's own if there are some.

    Raises:
        UserError: the format has no prompts.
    """
    if prompts is None:
        return form.write
    if form.with_prompts is None:
        raise UserError(
            f"{form.name} has no prompts",
            found=f"--prompts {prompts}",
            where="--prompts",
            fix="leave --prompts out",
        )
    return form.with_prompts(prompts)

"""``surgqa init``: a run file for what lies in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE, SourceMissing, UserError
from pipeline.cli.console import table, talk, write_result

if TYPE_CHECKING:
    from pipeline.recognise import Recognised


def init(
    folder: Annotated[
        Path, typer.Argument(help="Folder that holds datasets, or is one.", metavar="DIR")
    ],
    to: Annotated[Path, typer.Option(metavar="FILE", help="Run file to write.")] = Path("run.yaml"),
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Output folder that the run file names.")
    ] = "out",
    benchmark: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Whose questions; several [all that ship]."),
    ] = None,
) -> int:
    """Write a complete run file for the datasets that lie in a folder.

    \b
    surgqa init /data
    surgqa init /data/cholect50 --benchmark surgstu --to surgstu.yaml
    surgqa build run.yaml --dry-run

    A dataset is recognised by its files: its reader finds videos and can read the first.  Where
    several readers can, the first is taken and the others are told.  The file has every setting
    with what it is; the run of 'surgqa build' starts from it.
    """
    from pipeline.config import load_run
    from pipeline.recognise import recognised
    from pipeline.run_text import run_text

    if to.exists():
        raise UserError("the run file is there already", found=str(to), where="--to",
                        fix="name another one with --to")  # fmt: skip
    if not folder.is_dir():
        raise SourceMissing("no such folder", found=str(folder), where="DIR")
    every = list(recognised(folder.resolve()))
    found = [one for one in every if one.chosen]
    refused = [f"{one.root} looks like {name}: {why}" for one in every if not one.chosen
               for name, why in one.refused.items()]  # fmt: skip
    if not found:
        raise SourceMissing(
            f"no dataset is recognised in {folder}", expected="files that a reader knows",
            found="; ".join(refused) or "none, in this folder and two below it", where=str(folder),
            fix="see 'surgqa list datasets' and 'surgqa show NAME'; data of your own: "
            "docs/your_data.md",
        )  # fmt: skip
    datasets = [{"name": one.chosen.name, "root": str(one.root)} for one in found if one.chosen]
    config = load_run(None, {"datasets": datasets, "out": out,
                             "benchmarks": benchmark or _benchmarks()})  # fmt: skip
    text = run_text(config, {place: _notes(one) for place, one in enumerate(found)})
    to.write_text(text, encoding="utf-8")
    if load_run(to, {}) != config:
        raise AssertionError(f"{to} does not say what it was made of")
    write_result(
        table(
            [
                ("dataset", "videos", "folder"),
                *((one.chosen.name, one.chosen.videos, one.root) for one in found if one.chosen),
            ]
        )
    )
    for note in (*(note for one in found for note in _notes(one)), *refused):
        talk.say(note)
    talk.say(f"run file: {to}; next: surgqa build {to} --dry-run")
    return EXIT_DONE


def _benchmarks() -> list[str]:
    """All that have templates, sorted."""
    from transforms.language import load_programs

    return sorted({one.benchmark for one in load_programs()} - {"examples"})


def _notes(one: Recognised) -> list[str]:
    """What a reader of the run file should know of a dataset."""
    from transforms.registry import card, files

    chosen = one.chosen
    assert chosen is not None
    of = f" of {card(chosen.name).videos}" if card(chosen.name).videos else ""
    out = [f"{card(chosen.name).title}: {chosen.videos}{of} videos; {card(chosen.name).licence}"]
    if files(chosen.name).splits:
        out.append(f"official splits of {chosen.name}: {', '.join(files(chosen.name).splits)}")
    if one.others:
        out.append(f"{chosen.root} is also read as: {', '.join(one.others)}")
    return out

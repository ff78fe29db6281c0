"""``surgqa init``: write a run file for the datasets in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE, FileMissing, OutputExists, SourceMissing
from surgqa.pipeline.cli.console import shown, table, talk, write_result
from surgqa.pipeline.cli.options import Texts, arg, opt

if TYPE_CHECKING:
    from surgqa.pipeline.recognise import Recognised


def init(
    folder: Annotated[Path, arg("DIR", "Folder with datasets, or folder of one dataset.")],
    to: Annotated[Path, opt("FILE", "Run file to write.")] = Path("run.yaml"),
    out: Annotated[str, opt("DIR", "Output folder to write into the run file.")] = "out",
    benchmark: Annotated[Texts, opt("NAME", "Benchmark; repeatable [all built-in ones].")] = None,
) -> int:
    """Write a complete run file for the datasets in a folder.

    \b
    surgqa init /data
    surgqa init /data/cholect50 --benchmark surgstu --to surgstu.yaml
    surgqa build run.yaml --dry-run

    A dataset is recognised by its files: its reader must find videos and read the first one.  If
    several readers can, the most likely one is used and the others are listed.  The file contains
    every setting with a comment; pass it to 'surgqa build'.
    """
    from surgqa.pipeline.config import load_run
    from surgqa.pipeline.recognise import recognised
    from surgqa.pipeline.run_text import run_text
    from surgqa.transforms.language import load_programs

    if to.exists():
        raise OutputExists("the run file exists already", found=str(to), where="--to",
                           fix="name another one with --to")  # fmt: skip
    if not folder.is_dir():
        raise FileMissing("no such folder", found=str(folder), where="DIR")
    every = list(recognised(folder.resolve()))
    found = [one for one in every if one.chosen]
    refused = [f"{one.root} looks like {name}: {why}" for one in every if not one.chosen
               for name, why in one.refused.items()]  # fmt: skip
    if not found:
        raise SourceMissing(
            f"no dataset is recognised in {folder}", expected="files that a reader knows",
            found="; ".join(refused) or "none, two levels deep", where=str(folder),
            fix="see 'surgqa list datasets' and 'surgqa show NAME'; data of your own: "
            "docs/your_data.md",
        )  # fmt: skip
    datasets = [{"name": one.chosen.name, "root": str(one.root)} for one in found if one.chosen]
    known = benchmark or sorted({one.benchmark for one in load_programs()} - {"examples"})
    config = load_run(None, {"datasets": datasets, "out": out, "benchmarks": known})
    text = run_text(config, {place: _notes(one) for place, one in enumerate(found)})
    to.write_text(text, encoding="utf-8")
    if load_run(to, {}) != config:
        raise AssertionError(f"{to}, read again, differs from the settings written to it")
    rows = [(one.chosen.name, one.chosen.videos, one.root) for one in found if one.chosen]
    write_result(table([("dataset", "videos", "folder"), *rows]))
    for note in (*(note for one in found for note in _notes(one)), *refused):
        talk.say(note)
    talk.say(f"run file: {to}; next: surgqa build {shown(to)} --dry-run")
    return EXIT_DONE


def _notes(one: Recognised) -> list[str]:
    """Return comments about a dataset for the run file."""
    from surgqa.transforms.registry import card, files

    chosen = one.chosen
    assert chosen is not None
    of = f" of {card(chosen.name).videos}" if card(chosen.name).videos else ""
    out = [f"{card(chosen.name).title}: {chosen.videos}{of} videos; {card(chosen.name).licence}"]
    if files(chosen.name).splits:
        out.append(f"official splits of {chosen.name}: {', '.join(files(chosen.name).splits)}")
    if one.others:
        out.append(f"{chosen.root} is also read as: {', '.join(one.others)}")
    return out

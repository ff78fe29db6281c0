"""``surgqa jobs``: what a model is asked, one line for each window or round."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE, UserError
from pipeline.cli.console import table, talk, write_result

if TYPE_CHECKING:
    from transforms.inference.chains import Telling
    from transforms.inference.jobfile import Count
    from transforms.inference.wording import Wordings
    from transforms.places import Place
    from transforms.store import OutputFolder


class SettingName(StrEnum):
    """How much of a chain is told."""

    BL = "BL"
    KE = "KE"
    FC = "FC"


class SapSetting(StrEnum):
    """Which parts of the prompts of ``sapbench`` are said."""

    FULL = "full"
    NO_SYSTEM = "no-system"
    ONLY_ACTIONS = "only-actions"


class ContextName(StrEnum):
    """Whose answers of earlier stages are restated."""

    GOLD = "gold"
    OWN = "own"


def _default_prompt(wanted: bool) -> None:
    if wanted:
        from importlib import resources

        text = resources.files("transforms.inference") / "prompt.txt"
        write_result(text.read_text(encoding="utf-8").rstrip("\n"))
        raise typer.Exit(EXIT_DONE)


def jobs(
    out: Annotated[str, typer.Argument(help="Folder that 'surgqa build' wrote.", metavar="OUT")],
    to: Annotated[Path, typer.Option(metavar="JOBS", help="File to write, JSON Lines.")],
    root: Annotated[
        list[str] | None,
        typer.Option(metavar="DATASET=DIR", help="Look whether its pictures are there."),
    ] = None,
    every: Annotated[
        str,
        typer.Option(metavar="SECONDS", help="Distance of the pictures, or of frames' numbers."),
    ] = "2",
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only N items, the first by id.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only items of this benchmark.")
    ] = None,
    setting: Annotated[
        SettingName | None,
        typer.Option(
            case_sensitive=False,
            help="Chains of surgcot: question alone, with knowledge, or with clues as well.",
        ),  # fmt: skip
    ] = None,
    context: Annotated[
        ContextName | None,
        typer.Option(help="Chains, not BL: the reference's earlier answers [gold], or its own."),
    ] = None,
    sap_setting: Annotated[
        SapSetting | None,
        typer.Option(metavar="NAME", help="Items of sapbench: full, no-system or only-actions."),
    ] = None,
    sap_prompts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Items of sapbench: texts instead of the shipped ones."),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Text to show instead of the shipped one.")
    ] = None,
    default_prompt: Annotated[
        bool,
        typer.Option(
            "--default-prompt",
            callback=_default_prompt,
            is_eager=True,
            help="Print the shipped text, to be edited.",
        ),  # fmt: skip
    ] = False,
) -> int:
    """Write one job for each window or round: text and times of pictures, and no answer.

    \b
    surgqa jobs out --to jobs.jsonl
    surgqa jobs --default-prompt > prompt.txt
    surgqa jobs out --to jobs.jsonl --prompt prompt.txt --every 1 --limit 100
    surgqa jobs out --to jobs.jsonl --benchmark surgcot --setting FC --context own
    surgqa jobs out --to jobs.jsonl --benchmark sapbench --sap-setting no-system
    """
    from transforms.inference.frames import step_us
    from transforms.inference.jobfile import write_jobs
    from transforms.inference.prompts import load_prompt
    from transforms.store import OutputFolder

    roots, step, text = roots_of(root), step_us(every), load_prompt(prompt)
    folder, telling = OutputFolder(out).with_items(), _telling(setting, context, benchmark)
    if telling:
        telling.check(text)
        benchmark = "surgcot"
    _check_there(folder, benchmark)
    wordings = _wordings(folder, benchmark, sap_setting, sap_prompts)
    count = write_jobs(folder, to, text, step, limit, benchmark, telling, wordings)
    if roots:
        from transforms.inference.images import Pictures

        Pictures(roots).check(count.media)
    write_result(table(_rows(count)))
    if count.continuations:
        talk.say(
            f"{count.continuations} items are left out, as their answer is a video; for models "
            f"that make one: surgqa export {out} --as surgveo --to DIR"
        )
    talk.say(f"jobs: {to}")
    places = " ".join(f"--root {name}=DIR" for name in sorted({m[0] for m in count.media}))
    talk.say(f"next: surgqa infer {to} --base-url URL --model NAME --out PREDICTIONS {places}")
    return EXIT_DONE


def _telling(
    setting: SettingName | None, context: ContextName | None, benchmark: str | None
) -> Telling | None:
    """What chains are told, None where nothing is said of it.

    Raises:
        UserError: the two do not go together, or the benchmark has no chains.
    """
    from transforms.inference.chains import BENCHMARK, Context, Setting, telling

    found = telling(
        Setting(setting.value) if setting else None, Context(context.value) if context else None
    )
    if found and benchmark not in (None, BENCHMARK):
        raise UserError(
            f"{benchmark} has no chains",
            expected=f"--benchmark {BENCHMARK}",
            found=f"--setting {found.setting} --benchmark {benchmark}",
            fix="leave --setting and --context out",
        )
    return found


def _wordings(
    folder: OutputFolder, benchmark: str | None, setting: SapSetting | None, prompts: Path | None
) -> Wordings:
    """Texts of the benchmarks that bring their own.

    Raises:
        UserError: a setting of items that are not asked, or texts that cannot be used.
    """
    from transforms.exports.sapbench.asked import BENCHMARK, Manner, load_asking, wording

    if benchmark in (None, BENCHMARK) and folder.shards(BENCHMARK):
        manner = Manner((setting or SapSetting.FULL).value)
        return {BENCHMARK: wording(load_asking(prompts), manner)}
    for option, given in (("--sap-setting", setting), ("--sap-prompts", prompts)):
        if given:
            raise UserError(
                f"no items of {BENCHMARK} are asked", expected=f"--benchmark {BENCHMARK}",
                found=f"{option} {given}" + (f" --benchmark {benchmark}" if benchmark else ""),
                where=option, fix=f"leave {option} out, or build with --benchmark {BENCHMARK}",
            )  # fmt: skip
    return {}


def _check_there(folder: OutputFolder, benchmark: str | None) -> None:
    """Look whether there is anything of the benchmark.

    Raises:
        UserError: there is not.
    """
    if benchmark and not folder.shards(benchmark):
        raise UserError(
            f"{folder.path} has no items of {benchmark}",
            expected=", ".join(folder.benchmarks()) or "items",
            found=f"nothing in data/{benchmark}",
            where="--benchmark",
            fix=f"build with --benchmark {benchmark}",
        )


def _rows(count: Count) -> Sequence[Sequence[object]]:
    head = ("benchmark", "items", "jobs", "pictures")
    names = sorted(count.jobs)
    return [head, *((n, count.items[n], count.jobs[n], count.frames[n]) for n in names)]


def roots_of(given: Sequence[str] | None) -> dict[str, Place]:
    """Folder of each dataset, from ``DATASET=DIR``.

    Raises:
        UserError: one is not of that form, or a dataset is named twice.
    """
    from transforms.places import place

    roots: dict[str, Place] = {}
    for text in given or ():
        name, sign, folder = text.partition("=")
        if not (name and sign and folder) or name in roots:
            raise UserError(
                "a dataset's folder is named twice" if name in roots else "not a dataset's folder",
                expected="DATASET=DIR, such as cholect50=/data/cholect50",
                found=text,
                where="--root",
            )
        roots[name] = place(folder)
    return roots

"""``surgqa jobs``: write the prompts for a model, one line per window or round."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from surgqa.ontology.errors import EXIT_DONE, NothingSelected, UnknownName, Unsupported
from surgqa.pipeline.cli.console import shown, table, talk, write_result
from surgqa.pipeline.cli.given import roots_of
from surgqa.pipeline.cli.options import File, ItemLimit, OneBenchmark, Out, Text, Texts, opt

if TYPE_CHECKING:
    from surgqa.transforms.inference.chains import ChainSetting
    from surgqa.transforms.inference.images import Absent, FrameImages
    from surgqa.transforms.inference.jobfile import Count
    from surgqa.transforms.inference.prompts import Wordings
    from surgqa.transforms.store import OutputFolder


def _default_prompt(wanted: bool) -> None:
    if wanted:
        from importlib import resources

        text = resources.files("surgqa.transforms.inference") / "prompt.txt"
        write_result(text.read_text(encoding="utf-8").rstrip("\n"))
        raise typer.Exit(EXIT_DONE)


def jobs(
    out: Out,
    to: Annotated[Path, opt("JOBS", "File to write, JSON Lines.")],
    root: Annotated[Texts, opt("DATASET=DIR", "Leave out items without frames there.")] = None,
    every: Annotated[str, opt("SECONDS", "Time between frames, or number of frames.")] = "2",
    limit: ItemLimit = None,
    benchmark: OneBenchmark = None,
    setting: Annotated[
        Literal["BL", "KE", "FC"] | None,
        opt(None, "Chains: question alone, with knowledge, or clues too.", case_sensitive=False),
    ] = None,
    context: Annotated[
        Literal["gold", "own"] | None,
        opt(None, "Chains (KE, FC): earlier answers of the reference [gold] or the model."),
    ] = None,
    manner: Annotated[
        Text, opt("NAME", "Variant of a benchmark's own prompts; an unknown name lists all.")
    ] = None,
    prompts: Annotated[File, opt("DIR", "Such prompts, instead of the built-in ones.")] = None,
    prompt: Annotated[File, opt("FILE", "Prompt instead of the built-in one.")] = None,
    default_prompt: Annotated[
        bool,
        opt(
            None,
            "Print the built-in prompt.",
            "--default-prompt",
            callback=_default_prompt,
            is_eager=True,
        ),
    ] = False,
) -> int:
    """Write one job for each window or round: text and frame times, without the answer.

    \b
    surgqa jobs out --to jobs.jsonl
    surgqa jobs --default-prompt > prompt.txt
    surgqa jobs out --to jobs.jsonl --prompt prompt.txt --every 1 --limit 100
    surgqa jobs out --to jobs.jsonl --setting FC --context own
    surgqa jobs out --to jobs.jsonl --benchmark sapbench --manner no-system
    """
    from surgqa.transforms.inference.chains import EarlierAnswers, Setting, telling
    from surgqa.transforms.store import OutputFolder

    count = written(
        OutputFolder(out).with_items(), to, root, every, limit, benchmark,
        telling(setting and Setting(setting), context and EarlierAnswers(context)),
        manner, prompts, prompt,
    )  # fmt: skip
    if count.continuations:
        talk.say(
            f"{count.continuations} items are left out, because their answer is a video; for "
            f"models that generate video: surgqa export {shown(out)} --as {_of_videos()} --to DIR"
        )
    talk.say(f"jobs: {to}")
    places = " ".join(f"--root {name}=DIR" for name in sorted({m[0] for m in count.media}))
    talk.say(
        f"next: surgqa infer {shown(to)} --base-url URL --model NAME --out PREDICTIONS {places}"
    )
    return EXIT_DONE


def written(
    folder: OutputFolder, to: Path, root: list[str] | None, every: str, limit: int | None,
    benchmark: str | None, telling: ChainSetting | None = None, manner: str | None = None,
    prompts: Path | None = None, prompt: Path | None = None,
) -> Count:  # fmt: skip
    """Write the file of jobs and print their number; the options are those of the command.

    Raises:
        UserError: options that exclude each other, or an unknown benchmark.
        SourceMissing: the given folders have no frames of any video.
    """
    from surgqa.transforms.inference.frames import step_us
    from surgqa.transforms.inference.images import FrameImages
    from surgqa.transforms.inference.jobfile import write_jobs
    from surgqa.transforms.inference.prompts import load_prompt

    roots, step, text = roots_of(root, folder), step_us(every), load_prompt(prompt)
    _check_there(folder, benchmark)
    if telling:
        telling.check(text)
        _check_chains(folder, benchmark, telling)
    wordings = _wordings(folder, benchmark, manner, prompts, not telling)
    absent = _absent(folder, to, FrameImages(roots), benchmark, bool(telling)) if roots else {}
    count = write_jobs(folder, to, text, step, limit, benchmark, telling, wordings, absent)
    rows = [(name, count.items[name], count.jobs[name], count.frames[name])
            for name in sorted(count.jobs)]  # fmt: skip
    write_result(table([("benchmark", "items", "jobs", "pictures"), *rows]))
    return count


def _absent(
    folder: OutputFolder, to: Path, pictures: FrameImages, benchmark: str | None, chains: bool
) -> Absent:
    """Return the videos without images; their items are printed and listed beside the jobs.

    Raises:
        UserError: a dataset has no root, or no video has images.
    """
    from surgqa.pipeline.cli.export import tell_lost
    from surgqa.transforms.exports.writing import LEFT_OUT, write_lines
    from surgqa.transforms.inference.images import missing
    from surgqa.transforms.inference.jobfile import left_out, media_of_items

    media = media_of_items(folder, benchmark, chains)
    absent = pictures.absent(media)
    if absent and len(absent) == len(media):
        raise missing(absent, len(media))
    lost, path = left_out(folder, benchmark, chains, absent), to.with_name(f"{to.name}.{LEFT_OUT}")
    path.unlink(missing_ok=True)
    if lost:
        write_lines(path, lost)
        tell_lost(lost, "items are left out", path.name)
    return absent


def _of_videos() -> str:
    """Return the names of the formats for items that are answered with a video."""
    from surgqa.ontology.continuations import CONTINUATION
    from surgqa.transforms.exports.formats import formats

    row = {"unit": "now", "form": CONTINUATION, "options": [], "task": "", "benchmark": ""}
    found = [one.name for one in formats().values() if one.questions and one.taking.takes(row)]
    return " or ".join(found)


def _check_chains(folder: OutputFolder, benchmark: str | None, telling: ChainSetting) -> None:
    """Check that there are chains to which the setting applies."""
    from surgqa.ontology.units import CHAIN
    from surgqa.transforms.exports.formats import counts_in_words

    units = Counter(row["unit"] for row in folder.rows(benchmark, ["unit"]))
    if not units[CHAIN]:
        raise Unsupported(
            f"{benchmark or folder.path} has no chains",
            expected=f"items of unit {CHAIN}",
            found=f"--setting {telling.setting}, and {counts_in_words(units)}",
            where="--setting",
            fix="leave --setting and --context out",
        )


def _wordings(
    folder: OutputFolder,
    benchmark: str | None,
    manner: str | None,
    prompts: Path | None,
    items: bool,
) -> Wordings:
    """Return the prompt texts of those benchmarks that have their own.

    Args:
        items: whether single items are asked; chains use the general prompt.
    """
    from surgqa.transforms.exports.formats import formats

    out, own = {}, set[str]()
    for one in formats().values():
        name = one.taking.benchmark
        if one.asking is None or name is None:
            continue
        own.update(one.manners)
        if items and benchmark in (None, name) and folder.shards(name):
            here = (manner, prompts) if one.manners else (None, None)
            if here[0] not in (None, *one.manners):
                raise UnknownName("no benchmark has prompts of this variant", found=str(manner),
                                  expected=", ".join(one.manners), where="--manner")  # fmt: skip
            out[name] = one.asking(*here)
            own.difference_update(one.manners)
    for option, given in (("--manner", manner), ("--prompts", prompts)):
        if given and own:
            raise Unsupported(
                "the items that are asked have no prompts of their own",
                expected="items of a benchmark with its own prompts",
                found=f"{option} {given}" + (f" --benchmark {benchmark}" if benchmark else ""),
                where=option, fix=f"leave {option} out",
            )  # fmt: skip
    return out


def _check_there(folder: OutputFolder, benchmark: str | None) -> None:
    """Check that the output has items of the benchmark."""
    if benchmark and not folder.shards(benchmark):
        raise NothingSelected(
            f"{folder.path} has no items of {benchmark}",
            expected=", ".join(folder.benchmarks()) or "items",
            found=f"nothing in data/{benchmark}",
            where="--benchmark",
            fix=f"build with --benchmark {benchmark}",
        )

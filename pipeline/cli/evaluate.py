"""``surgqa evaluate``: from a finished dataset to a table of models, in one command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontology.errors import EXIT_DONE, UserError
from pipeline.cli.console import fields, table, talk, write_json, write_result
from pipeline.cli.options import (
    ApiKeyEnv,
    BaseUrl,
    Concurrency,
    ImageSize,
    ItemLimit,
    Judgements,
    MaxImages,
    MaxTokens,
    OneBenchmark,
    Out,
    PriceIn,
    PriceOut,
)

if TYPE_CHECKING:
    from transforms.scoring import Report
    from transforms.scoring.comparing import Comparison
    from transforms.store import OutputFolder

Table = Sequence[Sequence[object]]
JOBS, RESULTS, PAGE, COST = "jobs.jsonl", "results.json", "report.html", "cost.json"
CHARACTERS = 4
"""Of English text to a token, about."""
PIXELS = 750
"""Of a picture to a token, about."""


def evaluate(
    out: Out,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the evaluation; it is kept.")],
    model: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Model to ask at --base-url; several.")
    ] = None,
    base_url: BaseUrl = None,
    command: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME='PROGRAM ARGS'", help="A local program; several."),
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option(metavar="DATASET=DIR", help="Folder of its pictures; none: text alone."),
    ] = None,
    every: Annotated[str, typer.Option(metavar="SECONDS", help="Distance of the pictures.")] = "2",
    limit: ItemLimit = None,
    benchmark: OneBenchmark = None,
    max_images: MaxImages = None,
    image_size: ImageSize = 768,
    concurrency: Concurrency = 4,
    api_key_env: ApiKeyEnv = None,
    max_tokens: MaxTokens = None,
    price_in: PriceIn = 0.0,
    price_out: PriceOut = 0.0,
    judgements: Judgements = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="State the cost and stop.")] = False,
) -> int:
    """Ask models everything, score them and compare them; the same command goes on where it ended.

    \b
    surgqa evaluate out --to eval --base-url http://localhost:8000/v1 --model A --model B \\
      --root cholect50=/data/cholect50
    surgqa evaluate out --to eval --command blind='python model.py'
    surgqa evaluate out --to eval --base-url URL --model A --price-in 0.15 --dry-run

    The cost is stated before anything is asked.  DIR gets jobs.jsonl, the predictions of each
    model with their journal, results.json and report.html.

    Exit status 4 if jobs failed; the same command asks those again.
    """
    from pipeline.cli.jobs import written
    from transforms.store import OutputFolder

    asked = _asked(model, base_url, command)
    folder = OutputFolder(out).with_items()
    to.mkdir(parents=True, exist_ok=True)
    written(folder, to / JOBS, root=root, every=every, limit=limit, benchmark=benchmark)
    cost = cost_of(to / JOBS, len(asked), bool(root), image_size, max_images, max_tokens)
    told = cost.lines(price_in, price_out)
    write_result("\n" + fields(told))
    write_json(told, to / COST)
    if dry_run:
        talk.say("dry run: nothing was asked")
        return EXIT_DONE
    status = EXIT_DONE
    shown = {"root": root, "without_images": not root, "max_images": max_images,
             "image_size": image_size}  # fmt: skip
    paid = {"max_tokens": max_tokens, "price_in": price_in, "price_out": price_out}
    for name, who in asked.items():
        how = {"concurrency": concurrency, "api_key_env": api_key_env} if who.base_url else {}
        status = max(status, _infer(to, name, who, {**shown, **paid, **how}))
    _compare(folder, to, list(asked), judgements)
    return status


@dataclass(frozen=True)
class Who:
    """A model at an endpoint, or a local program."""

    base_url: str | None = None
    model: str | None = None
    command: str | None = None


def _asked(
    models: list[str] | None, base_url: str | None, commands: list[str] | None
) -> dict[str, Who]:
    """All that are asked, by name.

    Raises:
        UserError: nobody is, a name is given twice, or a program has no name.
    """
    out: dict[str, Who] = {}
    given = [(one, Who(base_url, one)) for one in models or ()]
    for text in commands or ():
        name, sign, program = text.partition("=")
        if not (name and sign and program):
            raise UserError("a program needs a name", expected="NAME='PROGRAM ARGS'", found=text,
                            where="--command")  # fmt: skip
        given.append((name, Who(command=program)))
    for name, who in given:
        if name in out or file_of(name) in map(file_of, out):
            raise UserError("two models have one name", expected="names that differ", found=name,
                            where="--model, --command")  # fmt: skip
        out[name] = who
    if not out or bool(models) != bool(base_url):
        raise UserError(
            "who is to be asked?",
            expected="--base-url URL --model NAME, or --command NAME='PROGRAM ARGS'",
            found="nobody" if not out else "--model without --base-url, or the reverse",
        )
    return out


def file_of(name: str) -> str:
    """A model's name as part of a file's."""
    return re.sub(r"[^\w.-]+", "_", name)


@dataclass(frozen=True)
class Cost:
    """What is about to be asked, of one model times how many there are."""

    models: int
    jobs: int
    pictures: int
    characters: int
    picture_tokens: int
    max_tokens: int | None

    def lines(self, price_in: float, price_out: float) -> dict[str, object]:
        """What is told before anything is asked."""
        tokens = self.characters // CHARACTERS + self.pictures * self.picture_tokens
        out: dict[str, object] = {
            "models": self.models, "calls of each": f"{self.jobs:,}",
            "pictures of each": f"{self.pictures:,}",
            "tokens in of each": f"about {tokens:,}",
        }  # fmt: skip
        if self.max_tokens:
            out["tokens out of each"] = f"at most {self.jobs * self.max_tokens:,}"
        if price_in or price_out:
            written = self.jobs * (self.max_tokens or 0)
            cost = self.models * (tokens * price_in + written * price_out) / 1_000_000
            out["cost"] = f"about {cost:,.2f}" + ("" if self.max_tokens else " without replies")
        return out


def cost_of(
    path: Path, models: int, shown: bool, size: int, most: int | None, max_tokens: int | None
) -> Cost:
    """Go through the jobs once.

    Args:
        shown: whether pictures are sent.
        size: longer side of a picture, which is taken for 16:9.
        most: pictures of a job.
    """
    from transforms.inference.jobfile import read_jobs

    jobs = pictures = characters = 0
    for one in read_jobs(path):
        jobs += 1
        characters += len(one.system) + len(one.user)
        if shown:
            pictures += min(len(one.frames), most or len(one.frames))
    return Cost(models, jobs, pictures, characters, size * size * 9 // 16 // PIXELS, max_tokens)


def _infer(to: Path, name: str, who: Who, options: Mapping[str, Any]) -> int:
    from pipeline.cli.infer import infer

    talk.say(f"asking {name}")
    stem = file_of(name)
    return infer(to / JOBS, to / f"{stem}.jsonl", base_url=who.base_url, model=who.model,
                 command=who.command, json=to / f"{stem}.calls.json", **options)  # fmt: skip


def _compare(folder: OutputFolder, to: Path, models: list[str], judgements: Path | None) -> None:
    """Score all models, print and write what came of it."""
    from pipeline.cli.score import remarks, tables
    from transforms.scoring import asked_of, load_predictions, score_dataset
    from transforms.scoring.comparing import compare
    from transforms.scoring.outputs import Manner, load_judgements

    manner = Manner(judgements=load_judgements(judgements)) if judgements else None
    reports: dict[str, Report] = {}
    for name in models:
        path = to / f"{file_of(name)}.jsonl"
        reports[name] = score_dataset(folder.rows(), load_predictions(path), manner=manner,
                                      asked=asked_of(path, to / JOBS))  # fmt: skip
    videos = {row["item_id"]: f"{row['dataset']}/{row['video_id']}"
              for row in folder.rows(None, ["item_id", "dataset", "video_id"])}  # fmt: skip
    found = compare({name: one.item_scores() for name, one in reports.items()}, videos)
    for name, one in reports.items():
        write_result(f"\n{name}\n" + "\n\n".join(tables(one)))
        for remark in remarks(one):
            talk.say(remark)
    shown: list[Table] = [_headlines(reports), *found.tables()]
    write_result("\n" + "\n\n".join(table(one) for one in shown))
    write_json({"models": {name: one.to_dict() for name, one in reports.items()},
                "comparison": found.to_dict()}, to / RESULTS)  # fmt: skip
    (to / PAGE).write_text(_page(reports, found), encoding="utf-8")
    talk.say(f"results: {to / RESULTS}, {to / PAGE}")


def _headlines(reports: Mapping[str, Report]) -> Table:
    """One line a model, one column for each benchmark's headline."""
    told = {name: one.headlines() for name, one in reports.items()}
    heads = sorted({head for one in told.values() for head in one})
    return [["model", *heads], *(
        [name, *(f"{100 * one[head]:.2f}" if head in one else "-" for head in heads)]
        for name, one in told.items()
    )]  # fmt: skip


def _page(reports: Mapping[str, Report], found: Comparison) -> str:
    from pipeline.report.models import models_page

    models, *pairs = found.tables()
    return models_page(_headlines(reports), models, pairs, found.lines)

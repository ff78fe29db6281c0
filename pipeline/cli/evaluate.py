"""``surgqa evaluate``: from a finished dataset to a table of models, in one command."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE, NameTaken, PackageMissing, ValueInvalid, WrongUsage
from surgqa.pipeline.cli import options as given
from surgqa.pipeline.cli.console import fields, talk, write_json, write_result
from surgqa.pipeline.cli.options import Out, Texts, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.scoring import Report
    from surgqa.transforms.store import OutputFolder

JOBS, RESULTS, PAGE, COST = "jobs.jsonl", "results.json", "report.html", "cost.json"
CHARACTERS = 4
"""Approximate number of characters of English text per token."""
PIXELS = 750
"""Approximate number of pixels per image token."""


def evaluate(
    out: Out,
    to: Annotated[Path, opt("DIR", "Folder of the evaluation; reused.")],
    model: Annotated[Texts, opt("NAME", "Model at --base-url; repeatable.")] = None,
    base_url: given.BaseUrl = None,
    command: Annotated[Texts, opt("NAME='PROGRAM ARGS'", "A local program; repeatable.")] = None,
    transformers: Annotated[
        Texts, opt("[NAME=]MODEL", "Hugging Face model, as a folder or a cached name; several.")
    ] = None,
    root: Annotated[Texts, opt("DATASET=DIR", "Folder of its frames; else text only.")] = None,
    every: Annotated[str, opt("SECONDS", "Time between frames.")] = "2",
    limit: given.ItemLimit = None,
    benchmark: given.OneBenchmark = None,
    max_images: given.MaxImages = None,
    image_size: given.ImageSize = 768,
    concurrency: given.Concurrency = 4,
    api_key_env: given.ApiKeyEnv = None,
    max_tokens: given.MaxTokens = None,
    price_in: given.PriceIn = 0.0,
    price_out: given.PriceOut = 0.0,
    judgements: given.Judgements = None,
    dry_run: Annotated[bool, flag("--dry-run", "State the cost and stop.")] = False,
) -> int:
    """Run models on a dataset, score them and compare them.  Run the command again to resume.

    \b
    surgqa evaluate out --to eval --base-url http://localhost:8000/v1 --model A --model B \\
      --root cholect50=/data/cholect50
    surgqa evaluate out --to eval --command blind='python model.py'
    surgqa evaluate out --to eval --transformers Qwen/Qwen2.5-VL-3B-Instruct --root cholect50=DIR
    surgqa evaluate out --to eval --base-url URL --model A --price-in 0.15 --dry-run

    The cost is printed before any call.  DIR receives jobs.jsonl, the predictions of each model
    with their journal, a submission file for each model, results.json and report.html.

    Exit status 4 if jobs failed; the same command sends them again.
    """
    from surgqa.pipeline.cli.jobs import written
    from surgqa.transforms.store import OutputFolder

    asked = _asked(model, base_url, command, transformers, max_tokens)
    folder = OutputFolder(out).with_items()
    to.mkdir(parents=True, exist_ok=True)
    written(folder, to / JOBS, root=root, every=every, limit=limit, benchmark=benchmark)
    cost = cost_of(to / JOBS, len(asked), bool(root), image_size, max_images, max_tokens)
    amounts = cost.lines(price_in, price_out)
    write_result("\n" + fields(amounts))
    write_json(amounts, to / COST)
    if dry_run:
        talk.say("dry run: no model was called")
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
    models: list[str] | None, base_url: str | None, commands: list[str] | None,
    pretrained: list[str] | None, max_tokens: int | None,
) -> dict[str, Who]:  # fmt: skip
    """Return how each model is called, by the model's name."""
    out: dict[str, Who] = {}
    given = [(one, Who(base_url, one)) for one in models or ()]
    for text in commands or ():
        name, sign, program = text.partition("=")
        if not (name and sign and program):
            raise ValueInvalid("a program needs a name", expected="NAME='PROGRAM ARGS'", found=text,
                               where="--command")  # fmt: skip
        given.append((name, Who(command=program)))
    given += [_pretrained(text, max_tokens) for text in pretrained or ()]
    for name, who in given:
        if name in out or file_of(name) in map(file_of, out):
            raise NameTaken("two models have one name", expected="names that differ", found=name,
                            where="--model, --command, --transformers")  # fmt: skip
        out[name] = who
    if not out or bool(models) != bool(base_url):
        raise WrongUsage(
            "no model is given",
            expected="--base-url URL --model NAME, --command NAME='PROGRAM ARGS', or "
            "--transformers MODEL",
            found="none" if not out else "--model without --base-url, or the reverse",
        )
    return out


def _pretrained(text: str, max_tokens: int | None) -> tuple[str, Who]:
    """Return the name of a Hugging Face model, and the program that runs it."""
    if find_spec("transformers") is None:
        raise PackageMissing("no package for Hugging Face models", expected="transformers",
                             found="no such package", where=f"--transformers {text}",
                             fix="pip install 'surgqa[transformers]'")  # fmt: skip
    name, _, model = text.rpartition("=")
    words = [sys.executable, "-m", "surgqa.transforms.inference.pretrained", model]
    length = ["--max-tokens", str(max_tokens)] if max_tokens else []
    return name or Path(model).name, Who(command=shlex.join([*words, *length]))


def file_of(name: str) -> str:
    """Return a model's name in which ``_`` replaces all characters that file names may not have."""
    return re.sub(r"[^\w.-]+", "_", name)


@dataclass(frozen=True)
class Cost:
    """Counts of the planned calls to one model, from which the cost of all is estimated."""

    models: int
    jobs: int
    pictures: int
    characters: int
    picture_tokens: int
    max_tokens: int | None

    def lines(self, price_in: float, price_out: float) -> dict[str, object]:
        """Return the estimates to print before any call: what is estimated -> its amount."""
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
    """Count calls, frames and tokens by going through the jobs once.

    Args:
        shown: whether frames are sent.
        size: longer side of a frame in pixels; frames are assumed to be 16:9.
        most: maximum number of frames of a job.
    """
    from surgqa.transforms.inference.jobfile import read_jobs

    jobs = pictures = characters = 0
    for one in read_jobs(path):
        jobs += 1
        characters += len(one.system) + len(one.user)
        if shown:
            pictures += min(len(one.frames), most or len(one.frames))
    return Cost(models, jobs, pictures, characters, size * size * 9 // 16 // PIXELS, max_tokens)


def _infer(to: Path, name: str, who: Who, options: Mapping[str, Any]) -> int:
    from surgqa.pipeline.cli.infer import infer

    talk.say(f"asking {name}")
    stem = file_of(name)
    return infer(to / JOBS, to / f"{stem}.jsonl", base_url=who.base_url, model=who.model,
                 command=who.command, json=to / f"{stem}.calls.json", **options)  # fmt: skip


def _compare(folder: OutputFolder, to: Path, models: list[str], judgements: Path | None) -> None:
    """Score all models; print and write the results."""
    from surgqa.pipeline.cli import score
    from surgqa.transforms.scoring import asked_of, load_predictions

    manner = score.manner_of("linear", None, judgements)
    scoring = score.Scoring(folder, manner, {})
    reports: dict[str, Report] = {}
    for name in models:
        path = to / f"{file_of(name)}.jsonl"
        replies, asked = load_predictions(path), asked_of(path, to / JOBS)
        reports[name] = scoring.report(replies, asked)
        handed = path.with_suffix(".submission.jsonl")
        score.write_submission(folder, handed, name, replies, asked)
    found = score.compared(folder, reports)
    score.tell_models(reports, found)
    write_json({"models": {name: one.to_dict() for name, one in reports.items()},
                "comparison": found.to_dict()}, to / RESULTS)  # fmt: skip
    score.write_page(reports, found, to / PAGE)
    talk.say(f"results: {to / RESULTS}, {to / PAGE}")

"""``surgqa build``: build a question-answer dataset from annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surgqa.ontology.errors import EXIT_DONE, EXIT_NOTHING_ASKED, EXIT_TOO_MANY_FAILED, WrongUsage
from surgqa.pipeline.cli.console import table, talk, write_result
from surgqa.pipeline.cli.given import allowed_failures, balance_of, held_of
from surgqa.pipeline.cli.options import File, Number, Text, Texts, Whole, arg, flag, opt

if TYPE_CHECKING:
    from surgqa.pipeline.config import RunConfig
    from surgqa.pipeline.located import Places
    from surgqa.pipeline.run import BuildResult

FORMATS = "parquet,jsonl"


def build(
    context: typer.Context,
    run: Annotated[File, arg("[RUN.yaml]", "Run file; options override its settings.")] = None,
    dataset: Annotated[Texts, opt("NAME", "Dataset; repeat it, with one --root for each.")] = None,
    root: Annotated[Texts, opt("DIR", "Its folder; NAME=DIR for a dataset of a run file.")] = None,
    evidence: Annotated[Texts, opt("[NAME=]STORE", "Evidence store; adds its boxes.")] = None,
    anomalies: Annotated[Texts, opt("[NAME=]DIR", "Key frames of anomalies, as JSON.")] = None,
    action_clips: Annotated[Texts, opt("[NAME=]FILE", "Action clips, for sapbench.")] = None,
    rate: Annotated[Text, opt("FPS", "Frames per second, if the dataset states none.")] = None,
    benchmark: Annotated[Texts, opt("B[,B...]", "Benchmarks; with commas, or repeated.")] = None,
    out: Annotated[Text, opt("DIR", "Output folder.")] = None,
    seed: Annotated[Text, opt("SEED", "Seed of every random choice.  [default: 42]")] = None,
    profile: Annotated[Text, opt("NAME", "Templates of: paper or current  [current]")] = None,
    only: Annotated[Texts, opt("ID", "Only this template, by id.")] = None,
    templates: Annotated[File, opt("DIR", "Folder of templates, not the built-in ones.")] = None,
    exclude: Annotated[Texts, opt("VIDEO", "Exclude this video.")] = None,
    split: Annotated[Text, opt("NAME", "Official split, see 'show DATASET --files'.")] = None,
    hold_out: Annotated[
        Texts, opt("KEY=VALUE", "Hold out specialty=, procedure= or dataset=.")
    ] = None,
    limit: Annotated[Whole, opt("N", "Only the first N videos.")] = None,
    formats: Annotated[Texts, opt("F[,F]", f"[default: {FORMATS}]", "--format")] = None,
    balance: Annotated[
        Text,
        opt("NAME", "shares that templates state, pairs (two answers a video) or none  [shares]"),
    ] = None,
    modal_cap: Annotated[Number, opt("SHARE", "Cap each template's most frequent answer.")] = None,
    not_blind: Annotated[bool, flag("--not-blind", "Leave out items guessable blind.")] = False,
    allow_constant: Annotated[bool, flag("--allow-constant", "Keep one-answer templates.")] = False,
    mix: Annotated[Text, opt("NAME", "Reduce to a published mix: medstreambench.")] = None,
    review: Annotated[Text, opt("LAYER", "Leave out what the reviewers dropped.")] = None,
    max_failed: Annotated[Text, opt("N", "Tolerate N unreadable videos: 3 or 1%  [0]")] = None,
    allow_empty: Annotated[bool, flag("--allow-empty", "Succeed even without any item.")] = False,
    workers: Annotated[Whole, opt("N", "Number of processes.  [default: 1]")] = None,
    runner: Annotated[Text, opt("NAME", "Engine, see 'surgqa list engines'  [direct]")] = None,
    cache: Annotated[Text, opt("DIR", "Store intermediate files here and reuse them.")] = None,
    sign: Annotated[Text, opt("KEY", "Sign the manifest with this Ed25519 key (PEM).")] = None,
    reattach: Annotated[bool, flag("--reattach", "Wait for an earlier run's job.")] = False,
    profile_cost: Annotated[bool, flag("--profile-cost", "Print CPU time by template.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", "Count and list templates; write nothing.")] = False,
    print_config: Annotated[
        bool, flag("--print-config", "Print all settings and sources.")
    ] = False,
) -> int:
    """Build a dataset.  Arguments after -- are passed to the runner.

    \b
    surgqa build --dataset cholect50 --root /data/cholect50 --benchmark surgstu --out out
    surgqa build run.yaml --workers 2
    surgqa build out/config.yaml --root cholect50=/data/cholect50 --out again
    surgqa build run.yaml --runner flink -- --flink_master=localhost:8081

    Exit status 3 if files are missing, 4 if videos failed, 5 if the dataset has no items.
    """
    places = {"root": root if run and not dataset else None, "evidence": evidence,
              "anomalies": anomalies, "action_clips": action_clips}  # fmt: skip
    placed = {name: texts for name, texts in places.items() if texts}
    overrides = {
        "datasets": datasets_of(dataset, None if "root" in placed else root, exclude, split, rate),
        "benchmarks": _listed(benchmark),
        "out": out,
        "seed": seed,
        "profile": profile,
        "only": only,
        "templates": templates,
        "hold_out": held_of(hold_out),
        "limit": limit,
        "formats": _listed(formats),
        "balance": balance_of(balance, modal_cap),
        "not_blind": not_blind or None,
        "allow_constant": allow_constant or None,
        "mix": mix,
        "review": review,
        "max_failed": None if max_failed is None else allowed_failures(max_failed),
        "allow_empty": allow_empty or None,
        "workers": workers,
        "runner": runner,
        "cache": cache,
        "engine": context.obj or None,
    }
    if print_config:
        write_result(configuration(run, overrides, placed))
        return EXIT_DONE
    from surgqa.pipeline.config import load_run

    config = load_run(run, overrides, placed)
    if dry_run:
        planned(config)
        return EXIT_DONE
    result = signed(sign, lambda: built(config, reattach, profile_cost))
    if not result.items and not config.allow_empty:
        return EXIT_NOTHING_ASKED
    return EXIT_TOO_MANY_FAILED if result.failed else EXIT_DONE


def signed(key_file: str | None, build: Callable[[], BuildResult]) -> BuildResult:
    """Build, and sign the manifest if a key is given.  The key is read before the build starts.

    Raises:
        UserError: the file contains no key.
    """
    if key_file is None:
        return build()
    from surgqa.transforms.places import place
    from surgqa.transforms.store.signature import private_key, sign

    key = private_key(place(key_file))
    result = build()
    talk.say(f"signature: {sign(result.out, key)}")
    return result


def planned(config: RunConfig) -> None:
    """Print what a build would do.

    Raises:
        UserError: a source is missing, or a name is unknown.
    """
    from surgqa.pipeline.cli.outcome import published
    from surgqa.pipeline.run import plan

    write_result("\n".join(plan(config).lines()))
    for run in config.datasets:
        for line in published(run.name, run.rate):
            talk.say(line)


def built(config: RunConfig, reattach: bool = False, cost: bool = False) -> BuildResult:
    """Run a build, or wait for a submitted one, with a progress display, and print its result.

    Raises:
        UserError: a source is missing or broken, or surgqa did not write the output folder.
    """
    import time

    from surgqa.pipeline import run
    from surgqa.pipeline.cli.label_said import unused
    from surgqa.pipeline.cli.nothing import empty_benchmarks, thinned, why_nothing
    from surgqa.pipeline.cli.outcome import clocks, costs, outcome
    from surgqa.pipeline.cli.progress import Progress
    from surgqa.pipeline.engines.engine import engine_of
    from surgqa.pipeline.unasked import unasked
    from surgqa.transforms.language import load_asked
    from surgqa.transforms.store import OutputFolder

    start = time.monotonic()
    with Progress() as progress:
        try:
            result = (run.reattach(config, progress) if reattach
                      else run.build(config, progress, cost=cost))  # fmt: skip
        except KeyboardInterrupt:
            if engine_of(config.runner).state is not None:
                talk.say(
                    "the job keeps running; run the same command with --reattach to wait for it"
                )
            raise
    folder = OutputFolder(result.out)
    manifest = folder.manifest
    lacking = empty_benchmarks(folder, config)
    asked = load_asked(config.templates, config.benchmarks, config.profile, config.only)
    without = unasked(folder, [one for one in asked if one.benchmark not in lacking])
    seconds = time.monotonic() - start
    write_result(outcome(result, manifest, folder.rejected, seconds, without))
    if lacking:
        write_result("\n" + why_nothing(folder, config, lacking))
    if cost:
        write_result("\n" + costs(result))
    _tell_files(result, config)
    for line in (*thinned(folder), *clocks(folder, config), *unused(manifest["rejected"])):
        talk.say(line)
    _tell_lost(manifest)
    return result


def _tell_lost(manifest: Mapping[str, Any]) -> None:
    """Print excluded videos, failures, and review decisions about items that do not exist."""
    from surgqa.pipeline.cli.outcome import failed_line

    for entry in manifest.get("excluded", ()):
        talk.say(f"excluded: {entry['key']}: {entry['reason']}")
    for failure in manifest["failed"]:
        talk.say(failed_line(failure["key"], failure["code"], failure["error"]))
    not_made = manifest.get("review", {}).get("not_made", ())
    if not_made:
        talk.say(
            f"{len(not_made)} review decision(s) refer to items that this build does not contain, "
            f"such as {not_made[0]}; manifest.json lists all of them"
        )


def _tell_files(result: BuildResult, config: RunConfig) -> None:
    """Print what happened to the old output, to user files in it, and to cached files."""
    from surgqa.pipeline.output import shown
    from surgqa.transforms.places import place

    if result.out != place(config.out):
        talk.say(
            f"{config.out} was not replaced: it has items, and this build has none; the reasons "
            f"are in {result.out / 'rejected'}; use --allow-empty to replace it anyway"
        )
    if result.carried:
        talk.say(f"copied from the old output: {shown(result.carried)}")
    if result.damaged:
        talk.say(f"cache: {len(result.damaged)} damaged, rebuilt: {shown(result.damaged)}")


def datasets_of(
    names: Sequence[str] | None,
    roots: Sequence[str] | None,
    exclude: Sequence[str] | None,
    split: str | None,
    rate: str | None = None,
) -> list[dict[str, Any]] | None:
    """Return the pairs of ``--dataset`` and ``--root``, or None if neither is given.

    Raises:
        UserError: the dataset or its folder is missing, or another option was given without a
            dataset.
    """
    names, roots = list(names or ()), list(roots or ())
    if len(names) != len(roots):
        raise WrongUsage(
            "every --dataset needs its --root",
            expected="--dataset NAME --root DIR, in pairs",
            found=f"{len(names)} --dataset and {len(roots)} --root",
            fix="see 'surgqa show NAME' for the folder to pass",
        )
    if not names and (exclude or split or rate):
        raise WrongUsage(
            "--exclude, --split and --rate need a --dataset",
            fix="give --dataset and --root, or write them into the run file",
        )
    more = {"exclude": list(exclude or ()), "split": split, "rate": rate}
    more = {key: value for key, value in more.items() if value}
    return [{"name": n, "root": r, **more} for n, r in zip(names, roots, strict=True)] or None


def configuration(run: Path | None, overrides: dict[str, Any], places: Places | None = None) -> str:
    """Return a table of every setting with its value and its source.

    Raises:
        UserError: the run file cannot be read.
    """
    import orjson

    from surgqa.pipeline.config import RunConfig, layers

    merged = layers(run, overrides, places)
    rows = []
    for name, field in RunConfig.model_fields.items():
        key = field.alias or name
        if key in merged:
            value, origin = merged[key], merged.origins[key]
        elif field.is_required():
            value, origin = "", "not set"
        else:
            value, origin = field.get_default(call_default_factory=True), "default"
        rows.append([key, origin, orjson.dumps(value, default=str).decode()])
    rows += [[key, merged.origins[key], "unknown setting"] for key in merged if key not in
             {field.alias or name for name, field in RunConfig.model_fields.items()}]  # fmt: skip
    return table(rows)


def _listed(texts: Sequence[str] | None) -> list[str] | None:
    """Return names separated by commas, repeated, or both; None if there are none."""
    parts = (part.strip() for text in texts or () for part in text.split(","))
    return [part for part in parts if part] or None

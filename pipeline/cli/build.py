"""``surgqa build``: from annotations to a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontology.errors import EXIT_DONE, EXIT_NOTHING_ASKED, EXIT_TOO_MANY_FAILED, UserError
from pipeline.cli.console import table, talk, write_result
from pipeline.cli.given import allowed_failures, balance_of, held_of

if TYPE_CHECKING:
    from pipeline.config import RunConfig
    from pipeline.located import Places
    from pipeline.run import BuildResult

FORMATS = "parquet,jsonl"


def build(
    context: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(help="Run file; flags override what it says.", metavar="[RUN.yaml]"),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Dataset; give it with --root, as often as needed."),
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR", help="Folder that holds it; NAME=DIR for one of a run file."),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]STORE", help="Boxes that 'surgqa observe' found, for the labels."
        ),
    ] = None,
    anomalies: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]DIR", help="Anomalies' key frames, one JSON a video."),
    ] = None,
    action_clips: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]FILE", help="Table of action clips, for sapbench."),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(metavar="FPS", help="Pictures a second, if the dataset does not tell."),
    ] = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(metavar="B[,B...]", help="Benchmarks, with commas between or one by one."),
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Output folder.")] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="SEED", help="Key of every choice.  [default: 42]")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="paper or current: which templates.  [default: current]"),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this template, by id.")
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Templates folder instead of the shipped one."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="VIDEO", help="Leave this video out.")
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Official split by name, see 'surgqa show DATASET --files'."
        ),
    ] = None,
    hold_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Split 'held_out': specialty=ophthalmology; also procedure=, dataset=; several.",
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Only the first N videos.")] = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="F[,F]", help=f"[default: {FORMATS}]")
    ] = None,
    balance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="shares that templates promise, pairs of one question with two answers in a "
            "video, or none.  [default: shares]",
        ),
    ] = None,
    modal_cap: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Cap the most frequent answer of each template."),
    ] = None,
    not_blind: Annotated[
        bool, typer.Option("--not-blind", help="Leave out what can be answered without looking.")
    ] = False,
    allow_constant: Annotated[
        bool, typer.Option("--allow-constant", help="Ask templates with a single answer, too.")
    ] = False,
    mix: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Thin out to a published mix of temporal modes: medstreambench."
        ),
    ] = None,
    review: Annotated[
        str | None,
        typer.Option(metavar="LAYER", help="Leave out what 'surgqa review import' decided."),
    ] = None,
    max_failed: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Go on past so many unreadable videos: 3 or 1%.  [default: 0]"
        ),
    ] = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="A dataset without items is a success, too.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes.  [default: 1]")
    ] = None,
    runner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="direct, prism, flink or dataflow.  [default: direct]"),
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep the work of each video here, and reuse it."),
    ] = None,
    sign: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Sign the manifest with this Ed25519 key (PEM)."),
    ] = None,
    reattach: Annotated[
        bool,
        typer.Option("--reattach", help="Wait for a job submitted by a run that was ended."),
    ] = False,
    profile_cost: Annotated[
        bool, typer.Option("--profile-cost", help="Tell which templates and operators took long.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Find files, count, list templates; write nothing.")
    ] = False,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Show every setting and where it comes from.")
    ] = False,
) -> int:
    """Build a dataset.  What follows -- goes to the runner as it is.

    \b
    surgqa build --dataset cholect50 --root /data/cholect50 --benchmark surgstu --out out
    surgqa build run.yaml --workers 2
    surgqa build out/config.yaml --root cholect50=/data/cholect50 --out again
    surgqa build run.yaml --runner flink -- --flink_master=localhost:8081

    Exit status 3 if files are missing, 4 if videos failed, 5 if nothing was asked.
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
    from pipeline.config import load_run

    config = load_run(run, overrides, placed)
    if dry_run:
        planned(config)
        return EXIT_DONE
    result = signed(sign, lambda: built(config, reattach, profile_cost))
    if not result.items and not config.allow_empty:
        return EXIT_NOTHING_ASKED
    return EXIT_TOO_MANY_FAILED if result.failed else EXIT_DONE


def signed(key_file: str | None, build: Callable[[], BuildResult]) -> BuildResult:
    """Build, and sign the manifest where a key is named; the key is read first.

    Raises:
        UserError: there is no key in the file.
    """
    if key_file is None:
        return build()
    from transforms.places import place
    from transforms.store.signature import private_key, sign

    key = private_key(place(key_file))
    result = build()
    talk.say(f"signature: {sign(result.out, key)}")
    return result


def planned(config: RunConfig) -> None:
    """Print what a build would do.

    Raises:
        UserError: a source is missing, or a name is unknown.
    """
    from pipeline.cli.clocks import published
    from pipeline.run import plan

    write_result("\n".join(plan(config).lines()))
    for run in config.datasets:
        for line in published(run.name, run.rate):
            talk.say(line)


def built(config: RunConfig, reattach: bool = False, cost: bool = False) -> BuildResult:
    """Run one build with progress, or wait for one, and print what came of it.

    Raises:
        UserError: a source is missing or broken, or the output folder is not ours.
    """
    import time

    from pipeline import run
    from pipeline.cli.clocks import clocks
    from pipeline.cli.costs import costs
    from pipeline.cli.fitness import unmeasured
    from pipeline.cli.nothing import thinned, unasked, why_nothing
    from pipeline.cli.outcome import outcome
    from pipeline.cli.progress import Progress
    from pipeline.engines.engine import engine_of
    from transforms.store import OutputFolder

    start = time.monotonic()
    with Progress() as progress:
        try:
            result = (run.reattach(config, progress) if reattach
                      else run.build(config, progress, cost=cost))  # fmt: skip
        except KeyboardInterrupt:
            if engine_of(config.runner).state is not None:
                talk.say("the job goes on; the same command with --reattach waits for it")
            raise
    folder = OutputFolder(result.out)
    manifest = folder.manifest
    write_result(outcome(result, manifest, folder.rejected("choose"), time.monotonic() - start))
    lacking = unasked(folder, config)
    if lacking:
        write_result("\n" + why_nothing(folder, config, lacking))
    if cost:
        write_result("\n" + costs(result))
    _tell_files(result, config)
    for line in (*thinned(folder), *clocks(folder, config), *unmeasured(manifest["rejected"])):
        talk.say(line)
    _tell_lost(manifest)
    return result


def _tell_lost(manifest: Mapping[str, Any]) -> None:
    """Print what was left out, what failed, and decisions about items that are not made."""
    for entry in manifest.get("excluded", ()):
        talk.say(f"left out: {entry['key']}: {entry['reason']}")
    for failure in manifest["failed"]:
        first, *rest = failure["error"]
        talk.say("\n".join([f"failed: {failure['key']}: {first}", *rest]))
    not_made = manifest.get("review", {}).get("not_made", ())
    if not_made:
        talk.say(
            f"{len(not_made)} decision(s) of the review are about items that this build does not "
            f"make, such as {not_made[0]}; all are in manifest.json"
        )


def _tell_files(result: BuildResult, config: RunConfig) -> None:
    """Print what became of the old output, of the user's files in it, and of kept work."""
    from pipeline.output import shown
    from transforms.places import place

    if result.out != place(config.out):
        talk.say(
            f"{config.out} stays as it is: it has items, and this build has none; what was left "
            f"out and why is in {result.out / 'rejected'}; --allow-empty replaces it all the same"
        )
    if result.carried:
        talk.say(f"carried over from the old output: {shown(result.carried)}")
    if result.damaged:
        talk.say(f"cache: {len(result.damaged)} damaged, made again: {shown(result.damaged)}")


def datasets_of(
    names: Sequence[str] | None,
    roots: Sequence[str] | None,
    exclude: Sequence[str] | None,
    split: str | None,
    rate: str | None = None,
) -> list[dict[str, Any]] | None:
    """``--dataset`` and ``--root`` in pairs, or None where neither is given.

    Raises:
        UserError: one of the two lacks its partner, or belongs to no dataset.
    """
    names, roots = list(names or ()), list(roots or ())
    if len(names) != len(roots):
        raise UserError(
            "every --dataset needs its --root",
            expected="--dataset NAME --root DIR, in pairs",
            found=f"{len(names)} --dataset and {len(roots)} --root",
            fix="see 'surgqa show NAME' for which folder that is",
        )
    if not names and (exclude or split or rate):
        raise UserError(
            "--exclude, --split and --rate belong to a --dataset",
            fix="give --dataset and --root, or write them into the run file",
        )
    more = {"exclude": list(exclude or ()), "split": split, "rate": rate}
    more = {key: value for key, value in more.items() if value}
    return [{"name": n, "root": r, **more} for n, r in zip(names, roots, strict=True)] or None


def configuration(run: Path | None, overrides: dict[str, Any], places: Places | None = None) -> str:
    """Every setting with its value and its origin.

    Raises:
        UserError: the run file cannot be read.
    """
    from pipeline.config import RunConfig, layers

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
        rows.append([key, origin, _shown(value)])
    rows += [[key, merged.origins[key], "unknown setting"] for key in merged if key not in
             {field.alias or name for name, field in RunConfig.model_fields.items()}]  # fmt: skip
    return table(rows)


def _shown(value: object) -> str:
    import orjson

    return orjson.dumps(value, default=str).decode()


def _listed(texts: Sequence[str] | None) -> list[str] | None:
    """Names given with commas between them, or one by one, or both."""
    parts = (part.strip() for text in texts or () for part in text.split(","))
    return [part for part in parts if part] or None

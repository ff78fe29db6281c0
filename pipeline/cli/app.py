"""The application: its commands, and the one place where errors are printed."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from ontology.absent import without_pandas
from ontology.errors import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE, UserError
from ontology.system_errors import STEP, in_words
from pipeline.cli.console import talk
from pipeline.interrupts import listen

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("demo", "demo.demo", "render a dataset, build it and show an item"),
    ("list", "listing.list_units", "what there is, one line each"),
    ("show", "show.show", "one dataset, benchmark or template in full"),
    ("doctor", "doctor.doctor", "what this machine has and lacks"),
    ("init", "init.init", "a run file for the datasets that lie in a folder"),
    ("build", "build.build", "from annotations to a dataset"),
    ("observe", "observe.observe", "from raw video to evidence: speech, boxes, masks, tracks"),
    ("check", "check.check", "recompute every answer and audit a dataset"),
    ("jobs", "jobs.jobs", "what a model is asked, one line a window or round"),
    ("infer", "infer.infer", "ask a model all jobs, none of them twice"),
    ("judge", "judge.judge", "have a model rate open answers by their rubrics"),
    ("score", "score.score", "score a model's responses"),
    ("evaluate", "evaluate.evaluate", "ask models everything, score and compare them"),
    (
        "export",
        "export.export",
        "a finished dataset for training, evaluation or a benchmark's tools",
    ),
    ("actions", "actions.actions", "action clips in figures, and the threshold that fits"),
    ("explain", "explain.explain", "an item with its evidence, down to the source file"),
    ("view", "view.view", "look at a dataset in a browser"),
    ("diff", "diff.diff", "what changed between two datasets"),
    ("lint", "lint.lint", "check templates"),
    ("preview", "preview.preview", "ask a template on a made-up sample"),
    ("schema", "schema.schema", "the JSON Schema of templates and run files, for editors"),
    ("new", "new.new", "the files of a new template or reader"),
    ("verify", "verify.verify", "hold a reader against the real files of its dataset"),
    ("label", "label.label", "correct boxes by hand and train on them"),
    ("review", "review.review", "have experts judge a sample of a dataset"),
    ("study", "study.study", "have people rate videos that a model made"),
)
"""Name, place of the function (or of the commands below it), line in the help; in its order."""


HELP = """Turn surgical video annotations into question-answer datasets, by rule.

\b
surgqa demo
surgqa build --dataset cholect50 --root DIR --benchmark surgstu --out OUT
surgqa check OUT
"""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"surgqa {_installed_version()}")
        raise typer.Exit(EXIT_DONE)


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("surgqa")
    except PackageNotFoundError:
        return "(not installed; run from its folder)"


def _everywhere(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    talk.quiet = quiet
    level = logging.ERROR if quiet else logging.INFO if verbose else logging.WARNING
    # Before anything imports Beam, which otherwise installs a handler of its own.
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_is_news)
    logging.basicConfig(
        level=level,
        handlers=[handler],
        format="%(levelname)s %(name)s: %(message)s",
        force=True,
    )


def _application(wanted: str) -> typer.Typer:
    """All commands by name, of which only the one that is wanted is imported."""
    app = typer.Typer(
        name="surgqa",
        help=HELP,
        rich_markup_mode=None,  # plain help: a third of the start-up time, the same everywhere
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_everywhere)
    for name, place, line in COMMANDS:
        module, function = place.split(".")
        command = _only_named
        if name == wanted:
            command = getattr(import_module(f"pipeline.cli.{module}"), function)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, short_help=line)
        else:
            app.command(name, short_help=line)(command)
    return app


def _only_named() -> None:
    raise AssertionError("the command of the line is imported")


def _is_news(record: logging.LogRecord) -> bool:
    """Not what Beam says at every import without its Google parts, nor a traceback of an error
    in a step: :func:`run` prints that error once more, in words or with its traceback.
    """
    told = record.getMessage()
    of_step = record.name.startswith("apache_beam.") and record.exc_info is not None
    return not told.startswith("apitools not found") and not (of_step and STEP in told)


WITH_MODELS = {"observe", "label"}
"""Commands in which packages of others run, which may want anything."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit status."""
    for stream in (sys.stdout, sys.stderr):  # a sign the terminal lacks is no reason to fail
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    listen()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if WITH_MODELS.isdisjoint(given):
        without_pandas()
    try:
        status = run(given)
    except KeyboardInterrupt:  # pressed again while the first was being dealt with
        status = EXIT_INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run one command line.

    Returns:
        The exit status: see ``docs/errors.md``.
    """
    arguments, extra = _split_extra(arguments or ["--help"])
    try:
        app = _application(_command(arguments))
        status = app(arguments, prog_name="surgqa", standalone_mode=False, obj=extra)
        sys.stdout.flush()
        if status == EXIT_INTERRUPTED:  # typer turns Ctrl-C into this status
            raise KeyboardInterrupt
        return status if isinstance(status, int) else EXIT_DONE
    except typer.TyperException as error:
        _print_error(_usage(error))
        return EXIT_USAGE
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe, such as 'head', has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except Exception as error:  # noqa: BLE001 - the last resort: a bug keeps its traceback
        from transforms.store.changed import damage_of  # imports more than most commands need

        told = in_words(error) or damage_of(arguments)
        if told is not None:
            _print_error(told)
            return told.exit_code
        traceback.print_exc()
        print(
            "error: this is a bug in surgqa; please report it with the lines above, the "
            "command and the output of 'surgqa doctor'",
            file=sys.stderr,
        )
        return EXIT_BUG


def _split_extra(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What follows ``--`` on the line of a command with an engine is the engine's."""
    if _command(arguments) not in ("build", "observe", "export") or "--" not in arguments:
        return arguments, []
    cut = arguments.index("--")
    return arguments[:cut], arguments[cut + 1 :]


def _command(arguments: list[str]) -> str:
    """The first word: no option before it takes a value."""
    return next((word for word in arguments if not word.startswith("-")), "")


def _usage(error: typer.TyperException) -> UserError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "surgqa"
    summary = error.format_message().strip().rstrip(".")
    return UserError(summary[:1].lower() + summary[1:], fix=f"see '{command} --help'")


def _print_error(error: UserError) -> None:
    first, *rest = error.lines()
    print(f"error: {first}", *rest, sep="\n", file=sys.stderr)

"""The command-line application: its commands, and the only place that prints errors."""

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

from surgqa.ontology import errors
from surgqa.ontology.absent import without_pandas
from surgqa.ontology.system_errors import STEP, in_words
from surgqa.pipeline.cli.console import talk
from surgqa.pipeline.cli.options import opt
from surgqa.pipeline.interrupts import listen

COMMANDS = {
    "demo": "render a dataset, build it and show an item",
    "list": "list datasets, benchmarks, templates, checks and formats",
    "show": "print one dataset, benchmark or template in full",
    "doctor": "report what is installed on this machine and what is missing",
    "init": "write a run file for the datasets found in a folder",
    "build": "build a question-answer dataset from annotations",
    "observe": "find evidence in raw video: speech, boxes, masks, tracks",
    "check": "recompute every answer and audit a dataset",
    "jobs": "write the prompts for a model, one line per window or round",
    "infer": "send all prompts to a model, each only once",
    "judge": "let a model rate open answers by their rubrics",
    "score": "score the responses of a model",
    "evaluate": "run models on a dataset, score and compare them",
    "export": "export a dataset for training, evaluation or a benchmark's own tools",
    "actions": "statistics of action clips, and a suitable threshold",
    "explain": "print an item with its evidence, down to the source file",
    "view": "view a dataset in a browser",
    "diff": "list the differences between two datasets",
    "lint": "check templates",
    "preview": "ask a template about a synthetic sample",
    "schema": "print the JSON Schema of templates or run files, for editors",
    "new": "write the files of a new template, reader, operator, scorer or export",
    "verify": "read a dataset's real files and report problems",
    "label": "correct boxes by hand and train a detector on them",
    "review": "let experts review a sample of a dataset",
    "study": "let people rate videos that a model generated",
}
"""Name of a command -> its line in the help, in that order.  Its module has the same name."""


HELP = """Turn surgical video annotations into question-answer datasets, by rule.

\b
surgqa demo
surgqa build --dataset cholect50 --root DIR --benchmark surgstu --out OUT
surgqa check OUT
"""


def _version(wanted: bool) -> None:
    if wanted:
        from surgqa.ontology.plugins import release

        print(f"surgqa {release('surgqa') or '(not installed; run from its folder)'}")
        raise typer.Exit(errors.EXIT_DONE)


def _everywhere(
    quiet: Annotated[bool, opt(None, "Print only errors.", "--quiet", "-q")] = False,
    verbose: Annotated[bool, opt(None, "Print more.", "--verbose", "-v")] = False,
    version: Annotated[
        bool, opt(None, "Print the version.", "--version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    talk.quiet = quiet
    level = logging.ERROR if quiet else logging.INFO if verbose else logging.WARNING
    # This must run before Beam is imported: Beam installs its own handler if there is none.
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_is_news)
    logging.basicConfig(
        level=level, handlers=[handler], format="%(levelname)s %(name)s: %(message)s", force=True
    )


def _application(wanted: str) -> typer.Typer:
    """Return the application with all commands; only the wanted command is imported."""
    app = typer.Typer(
        name="surgqa",
        help=HELP,
        rich_markup_mode=None,  # plain help starts three times as fast and is the same everywhere
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_everywhere)
    for name, line in COMMANDS.items():
        command = _only_named
        if name == wanted:
            command = getattr(import_module(f"surgqa.pipeline.cli.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, short_help=line)
        else:
            app.command(name, short_help=line)(command)
    return app


def _only_named() -> None:
    raise AssertionError("only the command named on the command line is imported and can run")


def _is_news(record: logging.LogRecord) -> bool:
    """Whether to print a log record.  Two kinds are dropped: Beam's notice, at every import, that
    its Google packages are missing, and tracebacks of errors in steps, which :func:`run` prints.
    """
    message = record.getMessage()
    of_step = record.name.startswith("apache_beam.") and record.exc_info is not None
    return not message.startswith("apitools not found") and not (of_step and STEP in message)


WITH_MODELS = {"observe", "label"}
"""Commands that run third-party packages, which may import any module."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit status."""
    for stream in (sys.stdout, sys.stderr):  # do not fail if the terminal cannot print a character
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    listen()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if WITH_MODELS.isdisjoint(given):
        without_pandas()
    try:
        status = run(given)
    except KeyboardInterrupt:  # Ctrl-C was pressed again during the cleanup
        status = errors.EXIT_INTERRUPTED
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
        if status == errors.EXIT_INTERRUPTED:  # typer returns this status on Ctrl-C
            raise KeyboardInterrupt
        return status if isinstance(status, int) else errors.EXIT_DONE
    except typer.TyperException as error:
        _print_error(_usage(error))
        return errors.EXIT_USAGE
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return errors.EXIT_INTERRUPTED
    except BrokenPipeError:  # a program such as 'head' has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return errors.EXIT_DONE
    except Exception as error:  # noqa: BLE001 - last resort: print the traceback of a bug
        from surgqa.transforms.store.changed import damage_of  # a slow import, needed only here

        problem = in_words(error) or damage_of(arguments)
        if problem is not None:
            _print_error(problem)
            return problem.exit_code
        traceback.print_exc()
        print(
            "error: this is a bug in surgqa; please report it with the lines above, the "
            "command and the output of 'surgqa doctor'",
            file=sys.stderr,
        )
        return errors.EXIT_BUG


def _split_extra(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Split off the engine's arguments: those after ``--``, for commands that run on an engine."""
    if _command(arguments) not in ("build", "observe", "export") or "--" not in arguments:
        return arguments, []
    cut = arguments.index("--")
    return arguments[:cut], arguments[cut + 1 :]


def _command(arguments: list[str]) -> str:
    """Return the name of the command: the first word, since no option before it takes a value."""
    return next((word for word in arguments if not word.startswith("-")), "")


def _usage(error: typer.TyperException) -> errors.UserError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "surgqa"
    summary = error.format_message().strip().rstrip(".")
    return errors.WrongUsage(summary[:1].lower() + summary[1:], fix=f"see '{command} --help'")


def _print_error(error: errors.UserError) -> None:
    print(error.message(), file=sys.stderr)

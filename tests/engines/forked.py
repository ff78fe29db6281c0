"""The command line in processes that begin with everything imported: many in little time."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from surgqa.pipeline.cli import app

IMPORTED = ("surgqa.pipeline.cli.build", "surgqa.pipeline.run", "surgqa.pipeline.graph",
            "surgqa.transforms.steps.video",
            "apache_beam.runners.direct.direct_runner", "surgqa.transforms.view.report",
            "apache_beam.runners.portability.fn_api_runner.fn_runner")  # fmt: skip


def start(arguments: list[str], log: Path) -> ForkServerProcess:
    """A process that runs the command line; what it prints goes to a file."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *IMPORTED])
    process = context.Process(target=command_line, args=(arguments, str(log)))
    process.start()
    return process


def command_line(arguments: list[str], log: str) -> None:
    """Run the command line in this process."""
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    app.main(arguments)

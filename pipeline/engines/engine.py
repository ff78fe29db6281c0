"""Select the engine: the Beam runner and its options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from surgqa.pipeline.engines import dataflow, flink, prism

DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that can run a graph.

    Attributes:
        name: value of ``--runner``.
        runner: Beam's name of the runner.
        options: completes the options after ``--`` with defaults; the second argument is the digest
            of the run, which can name the job.
        spread: the engine's option for the number of workers.
        state: returns the state of a submitted job in the engine's terms, from the options of its
            submission and its id; None if the engine cannot be queried.
        remote_only: whether workers are machines that cannot reach local disks.
        around: context of the submission and the wait; converts the engine's errors into errors for
            the user.
    """

    name: str
    runner: str
    options: Callable[[Sequence[str], str], list[str]] = lambda given, run: list(given)
    spread: str | None = None
    state: Callable[[Sequence[str], str], str | None] | None = None
    around: Callable[[Sequence[str]], AbstractContextManager[None]] = lambda chosen: nullcontext()
    remote_only: bool = False

    @property
    def is_local(self) -> bool:
        """Whether the run takes place in this process and in workers that it starts."""
        return self.name == DIRECT


_ENGINES = (
    # Beam's DirectRunner would try to download another engine; this one runs in this process.
    Engine(DIRECT, "FnApiRunner"),
    Engine(prism.NAME, prism.RUNNER, lambda given, run: prism.options(given)),
    Engine(
        flink.NAME,
        flink.RUNNER,
        lambda given, run: flink.options(given, run=run),
        flink.SPREAD,
        flink.state,
    ),
    Engine(
        dataflow.NAME,
        dataflow.RUNNER,
        lambda given, run: dataflow.options(given, run=run),
        dataflow.SPREAD,
        dataflow.state,
        dataflow.submitting,
        remote_only=True,
    ),
)
_BY_NAME = {name.lower(): engine for engine in _ENGINES for name in (engine.name, engine.runner)}
_BY_NAME["directrunner"] = _BY_NAME[DIRECT]


def engine_of(runner: str) -> Engine:
    """The engine of a name, ours or Beam's; Beam reports unknown names."""
    return _BY_NAME.get(runner.lower(), Engine(runner, runner))

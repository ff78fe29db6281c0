"""One switch for all engines: which Beam runner, with which options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from pipeline.engines import dataflow, flink, prism

DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that can carry out a run.

    Attributes:
        name: as given to ``--runner``.
        runner: Beam's name of it.
        options: completes the options given after ``--`` with sound defaults; the second
            argument is the digest of the run, from which a job may get its name.
        spread: the engine's option for how many workers there may be.
        state: state of a submitted job in the engine's own words, from the options it was
            submitted with and its id; None where the engine cannot be asked.
        remote_only: workers are machines that reach no disk of this one.
        around: entered for as long as a job is submitted and waited for; turns what the
            engine raises into errors for the user.
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
        """The run happens in this process and the workers it starts."""
        return self.name == DIRECT


_ENGINES = (
    # Beam's own DirectRunner would try to download another engine; this one runs here.
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
    """The engine of a name, ours or Beam's; an unknown name is left to Beam."""
    return _BY_NAME.get(runner.lower(), Engine(runner, runner))

"""Select the engine: the Beam runner and its options.

An engine is an :class:`Engine` called ``ENGINE`` in a module of this package.  Another package adds
one with an entry point of the group ``surgqa.engines``, whose value is an :class:`Engine`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

from surgqa.ontology.errors import PluginBroken
from surgqa.ontology.plugins import ENGINES, loaded, offered

SHIPPED = ("direct", "prism", "flink", "dataflow")


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that can run a graph.

    Attributes:
        name: value of ``--runner``; for another package the name of its entry point.
        runner: Beam's name of the runner, or the path ``package.module.Class`` of one.
        options: completes the options after ``--`` with defaults; the second argument is the digest
            of the run, which can name the job.
        spread: the engine's option for the number of workers.
        state: returns the state of a submitted job in the engine's terms, from the options of its
            submission and its id; None if the engine cannot be queried.
        remote_only: whether workers are machines that cannot reach local disks.
        around: context manager for submitting a job and waiting for it, which turns the engine's
            errors into errors for the user.
        is_local: whether the run takes place in this process and in workers that it starts.
        also_called: further values of ``--runner``.
        about: description in one line, for ``surgqa list engines``.
    """

    name: str
    runner: str
    options: Callable[[Sequence[str], str], list[str]] = lambda given, run: list(given)
    spread: str | None = None
    state: Callable[[Sequence[str], str], str | None] | None = None
    around: Callable[[Sequence[str]], AbstractContextManager[None]] = lambda chosen: nullcontext()
    remote_only: bool = False
    is_local: bool = False
    also_called: tuple[str, ...] = ()
    about: str = ""


@cache
def engines() -> Mapping[str, EntryPoint]:
    """Return the entry point of every engine, by the engine's name, without importing any.

    Raises:
        UserError: two engines have the same name.
    """
    package = "surgqa.pipeline.engines"
    shipped = {name: EntryPoint(name, f"{package}.{name}:ENGINE", ENGINES) for name in SHIPPED}
    return shipped | {one.name: one for one in offered(ENGINES, shipped)}


@cache
def engine_named(name: str) -> Engine:
    """Return an engine by its own name, a key of :func:`engines`.

    Raises:
        UserError: the engine's package cannot be imported, or offers no valid engine.
    """
    point = engines()[name]
    made = loaded(point)
    for problem in _problems(name, made):
        raise PluginBroken(
            f"the engine {name!r} of another package is not valid: {problem}",
            expected="an Engine of surgqa.pipeline.engines.engine", found=point.value, where=name,
            fix="'surgqa new engine NAME' writes a complete example",
        )  # fmt: skip
    return made  # type: ignore[no-any-return]


@cache
def engine_of(runner: str) -> Engine:
    """Return the engine whose name, or Beam's name of whose runner, is ``runner``.

    Raises:
        UserError: another package offers something that is not an engine.
    """
    asked = runner.lower()
    for name in engines():
        if name.lower() == asked:
            return engine_named(name)
    for one in map(engine_named, engines()):
        if asked in (name.lower() for name in (one.runner, *one.also_called)):
            return one
    return Engine(runner, runner)


def _problems(name: str, made: Any) -> list[str]:
    """Return what an object lacks to be an engine, the most important problem first."""
    if not isinstance(made, Engine):
        return [f"it is {type(made).__name__}"]
    if made.name != name:
        return [f"it is called {made.name!r}"]
    if not (isinstance(made.runner, str) and made.runner):
        return [f"its runner is {made.runner!r}, not the name of a Beam runner"]
    callables = ("options", "around", *(["state"] if made.state is not None else []))
    odd = [key for key in callables if not callable(getattr(made, key))]
    flags = [field.name for field in fields(made) if field.type == "bool"]
    odd += [key for key in flags if not isinstance(getattr(made, key), bool)]
    return [f"its {odd[0]} is {getattr(made, odd[0])!r}"] if odd else []


def reporting() -> list[str]:
    """Return the names of the engines whose jobs can be asked for their state."""
    return [name for name in engines() if engine_named(name).state is not None]

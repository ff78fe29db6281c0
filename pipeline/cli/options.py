"""Functions that declare options of commands, and the options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Text = str | None
Texts = list[str] | None
Whole = int | None
Number = float | None
File = Path | None
"""Types of options that may be left out."""


def opt(metavar: str | None, words: str, *names: str, **limits: Any) -> Any:
    """Return an option.

    Args:
        metavar: the word for its value in the help; None for the words that may be given.
        words: its line in the help.
        names: its names; by default the name of the parameter.
    """
    return typer.Option(*names, metavar=metavar, help=words, **limits)


def arg(metavar: str | None, words: str, **limits: Any) -> Any:
    """Return an argument: its name and its help line."""
    return typer.Argument(metavar=metavar, help=words, **limits)


def flag(names: str, words: str) -> Any:
    """Return an option without a value: its names and its help line."""
    return typer.Option(names, help=words)


def group(name: str, words: str) -> typer.Typer:
    """Return a command that has commands of its own, such as ``surgqa label choose``."""
    return typer.Typer(
        name=name, help=words, rich_markup_mode=None, add_completion=False,
        pretty_exceptions_enable=False, no_args_is_help=True,
    )  # fmt: skip


Out = Annotated[str, arg("OUT", "Folder that 'surgqa build' wrote.")]
OneBenchmark = Annotated[Text, opt("NAME", "Only items of this benchmark.")]
ItemLimit = Annotated[Whole, opt("N", "Only N items, the first by id.", min=1)]
Blur = Annotated[
    bool | None,
    flag("--blur/--no-blur", "Hide faces and texts, or not [hidden in user-supplied videos]."),
]
PictureRoots = Annotated[Texts, opt("DATASET=DIR", "Folder of a dataset's frames or videos.")]
MaxImages = Annotated[Whole, opt("N", "Send at most N frames per job.", min=1)]
ImageSize = Annotated[int, opt("PIXELS", "Maximum longer side of a frame.", min=32)]
BaseUrl = Annotated[Text, opt("URL", "Endpoint, such as http://localhost:8000/v1.")]
Model = Annotated[Text, opt("NAME", "Name of the model.")]
Command = Annotated[Text, opt("'PROGRAM ARGS'", "A local program instead of an endpoint.")]
ApiKeyEnv = Annotated[Text, opt("NAME", "Environment variable with the key.")]
Temperature = Annotated[float, opt("T", "Sampling.", min=0.0)]
MaxTokens = Annotated[Whole, opt("N", "Maximum length of a response.", min=1)]
Body = Annotated[Text, opt("JSON", "Further fields of a request; null removes one.")]
Concurrency = Annotated[int, opt("N", "Parallel calls.", min=1)]
CallRate = Annotated[Number, opt("R", "Maximum calls per minute.", min=0.01)]
Timeout = Annotated[
    Number, opt("S", "Timeout of a call [120]; for --command, of silence [none].", min=0.1)
]
Retries = Annotated[int, opt("N", "Retries of a failed call.", min=0)]
Backoff = Annotated[float, opt("S", "Pause before a retry; doubles each time.", min=0.0)]
PriceIn = Annotated[float, opt("P", "Price per million tokens in.", min=0.0)]
PriceOut = Annotated[float, opt("P", "Price per million output tokens.", min=0.0)]
Judgements = Annotated[File, opt("FILE", "Ratings of open answers by 'surgqa judge'.")]
CountsFile = Annotated[File, opt("FILE", "Also write the counts to this file.", "--json")]

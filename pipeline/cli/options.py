"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[str, typer.Argument(help="Folder that 'surgqa build' wrote.", metavar="OUT")]
OneBenchmark = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only items of this benchmark.")
]
ItemLimit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only N items, the first by id.")
]
PictureRoots = Annotated[
    list[str] | None,
    typer.Option(metavar="DATASET=DIR", help="Folder of a dataset's frames or videos."),
]
MaxImages = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Send at most N frames per job.")
]
ImageSize = Annotated[
    int, typer.Option(min=32, metavar="PIXELS", help="Maximum longer side of a frame.")
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Endpoint, such as http://localhost:8000/v1.")
]
Model = Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model.")]
Command = Annotated[
    str | None,
    typer.Option(metavar="'PROGRAM ARGS'", help="A local program instead of an endpoint."),
]
ApiKeyEnv = Annotated[
    str | None, typer.Option(metavar="NAME", help="Environment variable with the key.")
]
Temperature = Annotated[float, typer.Option(min=0.0, metavar="T", help="Sampling.")]
MaxTokens = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Maximum length of a response.")
]
Body = Annotated[
    str | None,
    typer.Option(metavar="JSON", help="Further fields of a request; null removes one."),
]
Concurrency = Annotated[int, typer.Option(min=1, metavar="N", help="Parallel calls.")]
CallRate = Annotated[
    float | None, typer.Option(min=0.01, metavar="R", help="Maximum calls per minute.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="S",
        help="Timeout of a call [120]; for --command, of silence [none].",
    ),
]
Retries = Annotated[int, typer.Option(min=0, metavar="N", help="Retries of a failed call.")]
Backoff = Annotated[
    float, typer.Option(min=0.0, metavar="S", help="Pause before a retry; doubles each time.")
]
PriceIn = Annotated[float, typer.Option(min=0.0, metavar="P", help="Price per million tokens in.")]
PriceOut = Annotated[
    float, typer.Option(min=0.0, metavar="P", help="Price per million output tokens.")
]
Judgements = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Ratings of open answers by 'surgqa judge'.")
]
CountsFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write the counts to this file.")
]

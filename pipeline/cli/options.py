"""Options that several commands have, each described once."""

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
    typer.Option(metavar="DATASET=DIR", help="Folder that holds a dataset's pictures."),
]
MaxImages = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Thin a job's pictures to N.")
]
ImageSize = Annotated[
    int, typer.Option(min=32, metavar="PIXELS", help="Longer side of a picture at most.")
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Endpoint, such as http://localhost:8000/v1.")
]
Model = Annotated[str | None, typer.Option(metavar="NAME", help="Model to ask there.")]
Command = Annotated[
    str | None,
    typer.Option(metavar="'PROGRAM ARGS'", help="A local program instead of an endpoint."),
]
ApiKeyEnv = Annotated[
    str | None, typer.Option(metavar="NAME", help="Environment variable that holds the key.")
]
Temperature = Annotated[float, typer.Option(min=0.0, metavar="T", help="Sampling.")]
MaxTokens = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Length of a reply at most.")
]
Body = Annotated[
    str | None,
    typer.Option(metavar="JSON", help="Further fields of a request; null takes one out."),
]
Concurrency = Annotated[int, typer.Option(min=1, metavar="N", help="Calls at a time.")]
CallRate = Annotated[
    float | None, typer.Option(min=0.01, metavar="R", help="Calls a minute at most.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="S",
        help="Seconds a call may take [120]; for --command, silence [no limit].",
    ),
]
Retries = Annotated[int, typer.Option(min=0, metavar="N", help="Calls after one that failed.")]
Backoff = Annotated[
    float, typer.Option(min=0.0, metavar="S", help="Pause before the first; it doubles each time.")
]
PriceIn = Annotated[float, typer.Option(min=0.0, metavar="P", help="Price of a million tokens in.")]
PriceOut = Annotated[
    float, typer.Option(min=0.0, metavar="P", help="Price of a million tokens out.")
]
Judgements = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Ratings of open answers by 'surgqa judge'.")
]
CountsFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the counts there, too.")
]

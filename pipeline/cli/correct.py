"""``surgqa label correct``: boxes of a round corrected on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.console import talk
from pipeline.cli.serving import NoBrowser, Port, serve


def correct(
    folder: Annotated[
        Path, typer.Argument(help="Round of 'choose --as label-studio'.", metavar="ROUND")
    ],
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> int:
    """Correct the boxes of a round in the browser: move, name, add, take away.

    \b
    surgqa label choose store --count 50 --out round1 --as label-studio
    surgqa label correct round1
    surgqa label import store round1/tasks.json --reviewer NAME --date 2026-11-21

    Tissues that somebody names and that have no box are asked for: click inside them, and
    'surgqa observe --segment' follows them.  Every change is written into ROUND/tasks.json;
    pictures that are not marked as done are not taken in.  The page is for this machine alone;
    Ctrl-C ends it.
    """
    from transforms.labelling.corrections import Corrections
    from transforms.view.correct import CorrectApi

    round_ = Corrections(folder)
    status = serve(CorrectApi(round_), port, no_browser)
    talk.say(f"next: surgqa label import STORE {round_.tasks} --reviewer NAME --date YYYY-MM-DD")
    return status

"""``surgqa label correct``: correct the boxes of a labelling round in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from surgqa.pipeline.cli.console import talk
from surgqa.pipeline.cli.options import arg
from surgqa.pipeline.cli.serving import NoBrowser, Port, serve


def correct(
    folder: Annotated[Path, arg("ROUND", "Round of 'choose --as label-studio'.")],
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> int:
    """Correct the boxes of a round in the browser: move, rename, add, remove.

    \b
    surgqa label choose store --count 50 --out round1 --as label-studio
    surgqa label correct round1
    surgqa label import store round1/tasks.json --reviewer NAME --date 2026-11-21

    If speech names a tissue that has no box, the page asks for a click on it, and 'surgqa observe
    --segment' tracks it.  Every change is written to ROUND/tasks.json; frames that are not marked
    as done are not imported.  The page is served to this machine only.  Press Ctrl-C to stop.
    """
    from surgqa.transforms.labelling.corrections import Corrections
    from surgqa.transforms.view.correct import CorrectApi

    round_ = Corrections(folder)
    status = serve(CorrectApi(round_), port, no_browser)
    talk.say(f"next: surgqa label import STORE {round_.tasks} --reviewer NAME --date YYYY-MM-DD")
    return status

"""``surgqa view``: view a dataset in a browser."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE, WrongUsage
from surgqa.pipeline.cli.console import talk, write_result
from surgqa.pipeline.cli.options import Blur, File, Out, PictureRoots, flag, opt
from surgqa.pipeline.cli.progress import Progress

if TYPE_CHECKING:
    from surgqa.transforms.media.cuts import Clean
    from surgqa.transforms.view.server import Answers

Port = Annotated[int, opt("N", "Port; 0 takes any free one.", min=0, max=65535)]
NoBrowser = Annotated[bool, flag("--no-browser", "Print the address only.")]


def view(
    out: Out,
    root: PictureRoots = None,
    predictions: Annotated[list[Path] | None, opt("FILE", "Responses of a model; repeat.")] = None,
    review: Annotated[File, opt("LAYER", "Decisions that 'review import' wrote.")] = None,
    checked: Annotated[File, opt("FILE", "Report of 'check --json', for blind guesses.")] = None,
    sheet: Annotated[list[Path] | None, opt("CSV", "Sheet of a rater to fill in; repeat.")] = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
    static: Annotated[File, opt("DIR", "Write a page of a sample as files, and stop.")] = None,
    sample: Annotated[int, opt("N", "Items of --static.", min=1, max=2000)] = 60,
    blur: Blur = None,
) -> int:
    """Show a dataset as a page: search, filters, and every item with its evidence.

    \b
    surgqa view out
    surgqa view out --root cholect50=/data/cholect50 --predictions predictions.jsonl
    surgqa view out --root cholect50=/data/cholect50 --static page
    surgqa view out --checked report.json
    surgqa view out --root cholect50=/data/cholect50 --sheet sheets/A.csv --sheet sheets/B.csv

    The page is served to this machine only.  It changes nothing except sheets.  Ctrl-C ends it.
    """
    from surgqa.pipeline.cli.given import roots_of
    from surgqa.transforms.store import OutputFolder
    from surgqa.transforms.view import Api, Database
    from surgqa.transforms.view.report import write_static
    from surgqa.transforms.view.review import ReviewApi

    folder = OutputFolder(out).with_items()
    roots = roots_of(root, folder)
    if blur is not None and not static:
        raise WrongUsage("--blur and --no-blur belong to --static", where="--blur",
                         fix="add --static DIR; the served page stays on this machine")  # fmt: skip
    if sheet:
        return serve(ReviewApi(folder, sheet, roots), port, no_browser)
    clean = cleaners(roots, blur) if static else {}
    api = Api(Database(folder, checked=checked), roots, predictions or (), review, clean=clean)
    if static:
        with Progress() as progress:
            count = write_static(api, static, sample, progress)
        if lost := api.frames.lost:
            video, why = min(lost.items())
            talk.say(f"frames of {len(lost)} videos are missing, such as {video}: {why}")
        talk.say(f"{count} items; open {static / 'index.html'}")
        return EXIT_DONE
    return serve(api, port, no_browser)


def cleaners(roots: Iterable[str], blur: bool | None) -> dict[str, Clean]:
    """Return, for each dataset to which this applies, the function that hides faces and texts.

    Raises:
        PackageMissing: the package that finds faces and texts is not installed.
    """
    from surgqa.pipeline.cli.given import hidden_of, tell_hidden
    from surgqa.transforms.labelling.pictures import cleaner

    hidden = dict(hidden_of(roots, blur))
    tell_hidden(hidden)
    clean = cleaner(bool(hidden))
    return dict.fromkeys(hidden, lambda frame: clean(frame)[0])


def serve(api: Answers, port: int, no_browser: bool) -> int:
    """Print the page's address, open it, and serve until Ctrl-C; return the exit status."""
    from surgqa.transforms.view import Server

    with Server(api, port) as server:
        write_result(server.address)
        talk.say("press Ctrl-C to stop")
        if not no_browser:
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            talk.say("closed")
    return EXIT_DONE

"""Serve a page until Ctrl-C, for the commands that open one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli.console import talk, write_result
from surgqa.pipeline.cli.options import flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.view.server import Answers

Port = Annotated[int, opt("N", "Port; 0 takes any free one.", min=0, max=65535)]
NoBrowser = Annotated[bool, flag("--no-browser", "Print the address only.")]


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

"""Correct the boxes of a labelling round on a page; ``surgqa label import`` reads the result."""

from __future__ import annotations

from typing import Any

import orjson

from surgqa.ontology.errors import UserError
from surgqa.transforms.labelling.corrections import Corrected, Corrections
from surgqa.transforms.view import api
from surgqa.transforms.view.pictures import outline

PAGE = "correct.html"


class CorrectApi:
    """Answers the requests of the page on which boxes are corrected.

    Args:
        round_: the exported round; corrections are written to it.
    """

    def __init__(self, round_: Corrections) -> None:
        self.round = round_

    def answer(self, path: str, asked: api.Asked) -> api.HttpReply:
        """Return the response for a path (without the address's token)."""
        try:
            if path == "api/round":
                name, frames = self.round.folder.resolve().name, map(_drawn, self.round.frames())
                return api.json_of({"name": name, "labels": self.round.labels, "frames": [*frames]})
            if path == "picture":
                data = self.round.picture(api.first(asked, "file"))
                return (
                    api.HttpReply(200, "image/png", data)
                    if data
                    else api.error_reply("no such picture", 404)
                )
        except UserError as error:  # only the summary: the details contain folders of this machine
            return api.error_reply(error.summary, 409)
        return api.page_file(path or PAGE)

    def take(self, path: str, body: bytes) -> api.HttpReply:
        """Store the corrections of one frame."""
        if path != "api/frame":
            return api.error_reply("nothing there", 404)
        try:
            file, boxes, done = said(orjson.loads(body))
            self.round.take(file, boxes, done)
        except UserError as error:
            return api.error_reply(error.summary, 409)
        except (ValueError, TypeError, KeyError) as error:
            return api.error_reply(f"not a correction: {error}", 400)
        return api.HttpReply(200, api.JSON, b'{"saved":true}')


def _drawn(frame: dict[str, Any]) -> dict[str, Any]:
    """Return a frame with masks as outlines, in thousandths of its width and height."""
    masks = frame.pop("masks")
    return {**frame, "outlines": {box_id: outline(str(text)) for box_id, text in masks.items()}}


def said(data: Any) -> tuple[str, list[Corrected], bool]:
    """Return what the page sent: the frame's file, its boxes, and whether it is finished.

    Raises:
        ValueError, TypeError, KeyError: the data are not in the form that this page sends.
    """
    file, done = data["file"], data["done"]
    boxes = [Corrected(one["id"], one["label"], box_of(one["box"])) for one in data["boxes"]]
    texts = [file, *(one.name for one in boxes), *(one.box_id or "" for one in boxes)]
    if not isinstance(done, bool) or not all(isinstance(text, str) for text in texts):
        raise ValueError("file, names and ids must be texts, and done must be true or false")
    return file, boxes, done


def box_of(sides: Any) -> tuple[float, float, float, float]:
    """Return the four numbers of a received box as floats."""
    x1, y1, x2, y2 = (float(side) for side in sides)
    return x1, y1, x2, y2

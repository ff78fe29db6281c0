"""A page on which raters fill in their review sheets; it shows the questions without the answers.

The page writes the entries into the CSV sheets that ``surgqa review sample`` made and ``surgqa
review import`` reads. When all sheets are complete, it shows how well the raters agree, and can
write their decisions to a file (a *layer*) that later builds apply.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.errors import Mismatched, NameTaken, UserError
from surgqa.ontology.spreadsheets import csv_bytes, csv_rows, guarded
from surgqa.transforms.places import Place, write_whole
from surgqa.transforms.review.questions import question_of, rows_of
from surgqa.transforms.review.sheets import id_of, read_sheet
from surgqa.transforms.review.take_in import ImportedReview, record_of, take_in, write_layer
from surgqa.transforms.review.terms import NO, PHRASES, YES, ReviewEntry
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import api
from surgqa.transforms.view.one import seen_us
from surgqa.transforms.view.pictures import FrameCutter

LAYER = "review.jsonl"
MOST_TEXT = 4000
FIELDS = ("answer", "valid", "wrong", "comment")


@dataclass(frozen=True, slots=True)
class Said:
    """A rater's entries for one question, as the page sends them.

    Attributes:
        answer: the letter of an option, or free text for an open question; '' if not answered yet.
        valid: ``yes``, ``no``, or '' if not decided yet.
        wrong: what is wrong with the question, in the phrases of
            :class:`~transforms.review.terms.Flaw`.
    """

    item_id: str
    answer: str
    valid: str
    wrong: tuple[str, ...]
    comment: str


class ReviewApi:
    """Answers the requests of the page for raters, without revealing the correct option.

    Args:
        folder: the output from which the sample was drawn.
        sheets: the CSV file of each rater, all of one sample.
        roots: folder of each dataset whose frames are available.

    Raises:
        SourceMissing, SourceBroken: a sheet does not exist, or is not a sheet.
        UserError: a sheet belongs to another output, or two have the same name.
    """

    def __init__(
        self, folder: OutputFolder, sheets: Sequence[Path], roots: Mapping[str, Place]
    ) -> None:
        self.folder, self.frames = folder, FrameCutter(roots)
        self.sheets = {one.stem: one for one in sheets}
        if len(self.sheets) < len(sheets):
            raise NameTaken("two sheets have one name", expected="another file for each rater",
                            found=", ".join(one.name for one in sheets))  # fmt: skip
        self._lock = threading.Lock()
        ids = dict.fromkeys(one.item_id for sheet in sheets for one in read_sheet(sheet))
        try:
            self._rows = rows_of(folder.with_items(), list(ids))
        except Mismatched:
            raise Mismatched(
                "the sheet contains items that the output lacks", where=str(sheets[0]),
                expected=f"a sheet of a sample of {folder.path}", found="ids of another output",
                fix="name the output that the sample was drawn from",
            ) from None  # fmt: skip

    def answer(self, path: str, asked: api.Asked) -> api.HttpReply:
        """Return the response for a path (without the address's token)."""
        try:
            if path == "api/raters":
                return api.json_of(self.raters())
            if path == "api/review":
                return api.json_of(self.review(api.first(asked, "rater")))
            if path == "api/agreement":
                return api.json_of(self.taken(api.first(asked, "date")).report)
        except KeyError:
            return api.error_reply("no such rater", 404)
        except UserError as error:  # the details contain folders of this machine
            return api.error_reply(error.summary, 409)
        return self.frame(asked) if path == "frame" else api.page_file(path or "review.html")

    def raters(self) -> list[dict[str, Any]]:
        """Return, for each sheet, the rater's name and the number of finished questions."""
        with self._lock:
            entries = {name: read_sheet(sheet) for name, sheet in self.sheets.items()}
        return [
            {"name": name, "questions": len(mine), "done": sum(map(self._done, mine))}
            for name, mine in entries.items()
        ]  # fmt: skip

    def _done(self, entry: ReviewEntry) -> bool:
        row = self._rows[entry.item_id]
        judged = entry.valid.casefold() == YES or bool(entry.valid and entry.wrong)
        return judged and bool(entry.answer or not question_of(row).letters)

    def review(self, rater: str) -> dict[str, Any]:
        """Return all questions of a rater's sheet, in its order, with the entries so far.

        Raises:
            KeyError: there is no such rater.
        """
        with self._lock:
            entries = read_sheet(self.sheets[rater])
        return {
            "name": rater,
            "phrases": list(PHRASES.values()),
            "questions": [self._question(entry) for entry in entries],
        }

    def taken(self, date: str) -> ImportedReview:
        """Return the result of all sheets: the raters' agreement, and the layer of their decisions.

        Raises:
            UserError, SourceMissing, SourceBroken: a sheet is incomplete, or the record of the
                sample (``review.json``) is not next to it.
        """
        paths = list(self.sheets.values())
        with self._lock:
            return take_in(self.folder, record_of(paths, None), self.sheets, date, False)

    def _question(self, entry: ReviewEntry) -> dict[str, Any]:
        row = self._rows[entry.item_id]
        question = asdict(question_of(row))
        question["media"] = {name: row["media"][name] for name in ("fps_num", "fps_den", "width",
                                                                   "height")}  # fmt: skip
        return question | {
            "seen_us": seen_us(visible(row)),
            "pictures": self.frames.has(row),
            "said": {"answer": entry.answer, "valid": entry.valid.casefold(),
                     "wrong": list(entry.wrong), "comment": entry.comment},
        }  # fmt: skip

    def frame(self, asked: api.Asked) -> api.HttpReply:
        """Return the frame at a time, unless it is after the time that the question may see."""
        row = self._rows.get(api.first(asked, "id"))
        time_us = api.whole_number(api.first(asked, "t"))
        if row is None or time_us is None:
            return api.error_reply("no such item, or not a time", 404)
        try:
            return api.HttpReply(200, "image/jpeg", self.frames.jpeg(visible(row), time_us))
        except UserError:  # the message contains folders of this machine
            return api.error_reply("no frame at this time", 404)

    def take(self, path: str, body: bytes) -> api.HttpReply:
        """Store received entries in a rater's sheet, or write the layer if the page requests it."""
        try:
            data = orjson.loads(body)
            if path == "api/review":
                said, sheet = self.said(data), self.sheets[data["rater"]]
                with self._lock:
                    write_whole(sheet, filled(sheet, said))
                return api.HttpReply(200, api.JSON, b'{"saved":true}')
            if path == "api/layer":
                return api.json_of({"written": self.write_layer(str(data["date"]))})
        except UserError as error:
            return api.error_reply(error.summary, 409)
        except (orjson.JSONDecodeError, ValueError, TypeError, KeyError) as error:
            return api.error_reply(f"not an answer: {error}", 400)
        return api.error_reply("nothing there", 404)

    def write_layer(self, date: str) -> str:
        """Write the layer next to the sheets; return the file's name.

        Raises:
            UserError: a sheet is incomplete, or a file with other decisions exists.
        """
        where = next(iter(self.sheets.values())).parent / LAYER
        write_layer(self.taken(date).layer, where)
        return where.name

    def said(self, data: Any) -> Said:
        """Return the received entries for one question after checking them.

        Raises:
            ValueError, TypeError, KeyError: the data are not entries that a rater can make.
        """
        said = Said(data["item_id"], data["answer"], data["valid"], tuple(data["wrong"]),
                    data["comment"])  # fmt: skip
        if said.item_id not in self._rows:
            raise ValueError("this sheet has no such question")
        texts = (said.answer, said.valid, said.comment, *said.wrong)
        if not all(isinstance(one, str) and len(one) <= MOST_TEXT for one in texts):
            raise ValueError("a field is not text, or is too long")
        letters = question_of(self._rows[said.item_id]).letters
        if letters and said.answer not in ("", *letters):
            raise ValueError("this question has no option with that letter")
        if said.valid not in ("", YES, NO) or not set(said.wrong) <= set(PHRASES.values()):
            raise ValueError("not in the list")
        return said


def visible(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a row that a rater may see.

    The query time is left out if it is the start of the window, because the question is then about
    the whole window.
    """
    asked = row["query_us"]
    watched = asked is not None and asked <= row["start_us"]
    return {**row, "rounds": [], "query_us": None if watched else asked}


def filled(sheet: Path, said: Said) -> bytes:
    """Return the bytes of a sheet with new entries for one question; other rows are unchanged."""
    rows = [row for _, row in csv_rows(sheet)]
    names = [cell.strip().lower() for cell in rows[0]]
    values = dict(zip(FIELDS, (said.answer, said.valid, "; ".join(said.wrong), said.comment),
                      strict=True))  # fmt: skip
    place = names.index("id")
    for row in rows[1:]:
        if id_of((row[place:] or [""])[0]) == said.item_id:
            row += [""] * (len(names) - len(row))
            for name, value in values.items():
                row[names.index(name)] = guarded(value.replace("\x00", ""))
    return csv_bytes(rows)

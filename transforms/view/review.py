"""A rater's sheet filled in on a page: blinded questions out, what the rater says back in.

The sheet stays the file that ``surgqa review sample`` wrote and ``surgqa review import`` reads;
the page is another way to fill it in.
"""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import OutputBroken, UserError
from ontology.spreadsheets import MARK, csv_rows, guarded
from transforms.places import Place, write_whole
from transforms.review.entries import Entry
from transforms.review.questions import question_of, rows_of
from transforms.review.spreadsheet import ID, read
from transforms.review.terms import NO, PHRASES, YES
from transforms.store import OutputFolder
from transforms.view.api import JSON, Asked, Reply, first, json_of, page_file, told, whole_number
from transforms.view.one import seen_us
from transforms.view.pictures import Frames

MOST_TEXT = 4000
FIELDS = ("answer", "valid", "wrong", "comment")


@dataclass(frozen=True, slots=True)
class Said:
    """What a rater says of a question, as the page sends it.

    Attributes:
        answer: a letter; of an open question own words; '' where it is not answered yet.
        valid: ``yes``, ``no`` or '' where it is not said yet.
        wrong: phrases of the closed list.
    """

    item_id: str
    answer: str
    valid: str
    wrong: tuple[str, ...]
    comment: str


class ReviewApi:
    """Answers for the page that fills in one sheet.  Nothing it tells says which option is right.

    Args:
        folder: the output that the sample was drawn from.
        sheet: CSV of one rater.
        roots: folder of each dataset that has pictures here.

    Raises:
        SourceMissing, SourceBroken: there is no such sheet, or it is none.
        UserError: it is a sheet of another output.
    """

    def __init__(self, folder: OutputFolder, sheet: Path, roots: Mapping[str, Place]) -> None:
        self.sheet, self.frames = sheet, Frames(roots)
        self._lock = threading.Lock()
        ids = [one.item_id for one in read(sheet)]
        try:
            self._rows = rows_of(folder.with_items(), ids)
        except OutputBroken:
            raise UserError(
                "the sheet asks about items that are not there", where=str(sheet),
                expected=f"a sheet of a sample of {folder.path}", found="ids of another output",
                fix="name the output that the sample was drawn from",
            ) from None  # fmt: skip

    def answer(self, path: str, asked: Asked) -> Reply:
        """The reply to a path below the token."""
        if path == "api/review":
            return json_of(self.review())
        if path == "frame":
            return self.frame(asked)
        return page_file(path or "review.html")

    def review(self) -> dict[str, Any]:
        """All questions of the sheet in its order, with what was said of them so far."""
        with self._lock:
            entries = read(self.sheet)
        return {
            "name": self.sheet.stem,
            "phrases": list(PHRASES.values()),
            "questions": [self._told(entry) for entry in entries if entry.item_id in self._rows],
        }

    def _told(self, entry: Entry) -> dict[str, Any]:
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

    def frame(self, asked: Asked) -> Reply:
        """The picture at an instant that the question may know."""
        row = self._rows.get(first(asked, "id"))
        time_us = whole_number(first(asked, "t"))
        if row is None or time_us is None:
            return told("no such item or instant", 404)
        try:
            return Reply(200, "image/jpeg", self.frames.jpeg(visible(row), time_us))
        except UserError:  # its words name folders of this machine
            return told("no picture of this instant", 404)

    def take(self, path: str, body: bytes) -> Reply:
        """Take in what a rater says, and write it into the sheet."""
        if path != "api/review":
            return told("nothing there", 404)
        try:
            said = self.said(orjson.loads(body))
        except (orjson.JSONDecodeError, ValueError, TypeError, KeyError) as error:
            return told(f"not an answer: {error}", 400)
        with self._lock:
            write_whole(self.sheet, filled(self.sheet, said))
        return Reply(200, JSON, b'{"saved":true}')

    def said(self, data: Any) -> Said:
        """What was sent, looked through.

        Raises:
            ValueError, TypeError, KeyError: it is nothing that a rater can say.
        """
        said = Said(data["item_id"], data["answer"], data["valid"], tuple(data["wrong"]),
                    data["comment"])  # fmt: skip
        if said.item_id not in self._rows:
            raise ValueError("no question of this sheet")
        texts = (said.answer, said.valid, said.comment, *said.wrong)
        if not all(isinstance(one, str) and len(one) <= MOST_TEXT for one in texts):
            raise ValueError("a field is no text, or too long")
        letters = question_of(self._rows[said.item_id]).letters
        if letters and said.answer not in ("", *letters):
            raise ValueError("no letter of this question")
        if said.valid not in ("", YES, NO) or not set(said.wrong) <= set(PHRASES.values()):
            raise ValueError("not in the list")
        return said


def visible(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as a rater may see it: what is asked at the window's start is about all of it."""
    asked = row["query_us"]
    watched = asked is not None and asked <= row["start_us"]
    return {**row, "rounds": [], "query_us": None if watched else asked}


def filled(sheet: Path, said: Said) -> bytes:
    """The sheet with what is said of one question; all else is as it was."""
    rows = [row for _, row in csv_rows(sheet)]
    names = [cell.strip().lower() for cell in rows[0]]
    values = dict(zip(FIELDS, (said.answer, said.valid, "; ".join(said.wrong), said.comment),
                      strict=True))  # fmt: skip
    for row in rows[1:]:
        if _id(row, names) == said.item_id:
            row += [""] * (len(names) - len(row))
            for name, value in values.items():
                row[names.index(name)] = guarded(value.replace("\x00", ""))
    sink = io.StringIO()
    sink.write(MARK)
    csv.writer(sink, lineterminator="\r\n").writerows(rows)
    return sink.getvalue().encode()


def _id(row: Sequence[str], names: Sequence[str]) -> str:
    place = names.index("id")
    cell = row[place] if place < len(row) else ""
    return cell.strip().removeprefix("'").removeprefix(ID.strip()).strip()

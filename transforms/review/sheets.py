"""Write raters' sheets, as CSV for spreadsheets or as Label Studio tasks, and read them back.

The columns of a CSV sheet are in the order in which a rater should read them. Texts that reveal the
answer (context, knowledge, clue) therefore come after the field for the answer. A Label Studio task
is done if it has an annotation that was not cancelled; the last such annotation counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.spreadsheets import csv_bytes, guarded, sheet_rows
from surgqa.ontology.times import print_seconds
from surgqa.transforms.review import label_studio
from surgqa.transforms.review.questions import Question
from surgqa.transforms.review.terms import NO, PHRASES, YES, ReviewEntry

SUFFIXES = {"csv": ".csv", "label-studio": ".tasks.json"}
"""Format of a sheet -> ending of its file name."""
HEADER = (
    "sheet", "unit", "id", "kind", "dataset", "video", "media", "start_s", "end_s", "asked_at_s",
    "question", "options", "answer", "context", "knowledge", "clue", "proposed", "valid", "wrong",
    "comment",
)  # fmt: skip
READ = ("sheet", "id", "answer", "valid", "wrong", "comment")
"""Columns that are read back; raters may hide, move or delete all other columns."""
ID = "item "
"""Prefix of an id, because a spreadsheet takes an id such as 12e5 for a number."""
NOT_DONE = "not answered"
"""The field ``valid`` of a task without an annotation; empty fields are another error."""

Units = Sequence[Sequence[Question]]
"""The questions on one rater's sheet: a list for each unit, in order."""


def read_sheet(path: Path) -> list[ReviewEntry]:
    """Return the rows of a sheet in either format; empty rows are skipped.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a sheet.
    """
    if path.suffix == ".json":
        return [
            _entry(task, f"{path}: [{k}]") for k, task in enumerate(label_studio.tasks_of(path))
        ]
    fix = "keep the first row as it was written, and save the sheet as CSV"
    rows = sheet_rows(path, READ, f"{path.name} is not a sheet of a review", fix)
    return [_row({name: plain_cell(cell) for name, cell in cells.items()}, where)
            for where, cells in rows]  # fmt: skip


# ---- CSV ----------------------------------------------------------------------------


def write_csv(sheet: str, units: Units, path: Path) -> None:
    """Write one rater's sheet as CSV."""
    rows = [_cells(sheet, number, one) for number, unit in enumerate(units, 1) for one in unit]
    path.write_bytes(csv_bytes([HEADER, *(map(guarded, row) for row in rows)]))


def _cells(sheet: str, number: int, one: Question) -> list[str]:
    cells = {
        "sheet": sheet, "unit": str(number), "id": f"{ID}{one.item_id}", "kind": one.kind,
        "dataset": one.dataset, "video": one.video_id, "media": one.media,
        "start_s": print_seconds(one.start_us), "end_s": print_seconds(one.end_us),
        "asked_at_s": "" if one.asked_us is None else print_seconds(one.asked_us),
        "question": one.question,
        "options": "\n".join(f"{letter}) {text}" for letter, text in one.options),
        "context": one.context, "knowledge": one.knowledge, "clue": one.clue,
        "proposed": one.proposed,
    }  # fmt: skip
    return [cells.get(name, "") for name in HEADER]


def plain_cell(cell: str) -> str:
    """Return a cell's text without the quote at its start, which keeps it from being a formula."""
    return cell.strip().removeprefix("'").strip()


def id_of(cell: str) -> str:
    """Return the item id in a cell, without its prefix."""
    return plain_cell(cell).removeprefix(ID.strip()).strip()


def _row(cells: Mapping[str, str], where: str) -> ReviewEntry:
    wrong = tuple(part.strip() for part in cells["wrong"].replace(",", ";").split(";"))
    return ReviewEntry(
        where, cells["sheet"], id_of(cells["id"]), cells["answer"], cells["valid"],
        tuple(part for part in wrong if part), cells["comment"],
    )  # fmt: skip


# ---- Label Studio -------------------------------------------------------------------


def write_label_studio(sheet: str, units: Units, path: Path) -> None:
    """Write one rater's sheet as Label Studio tasks, one for each question."""
    rows = [(number, one) for number, unit in enumerate(units, 1) for one in unit]
    label_studio.write_tasks(
        [{"id": k, "data": _data(sheet, number, one)} for k, (number, one) in enumerate(rows, 1)],
        path,
    )


def _data(sheet: str, number: int, one: Question) -> dict[str, Any]:
    asked = "" if one.asked_us is None else f", asked at {print_seconds(one.asked_us)} s"
    window = f"{print_seconds(one.start_us)} s to {print_seconds(one.end_us)} s{asked}"
    more = (("Context", one.context), ("Knowledge", one.knowledge), ("Clue", one.clue),
            ("Proposed answer", one.proposed))  # fmt: skip
    return {
        "sheet": sheet,
        "item": one.item_id,
        "about": f"{number}. {one.kind}: {one.dataset}/{one.video_id}, {window}",
        "media": one.media or "no pictures",
        "question": one.question,
        "options": [{"value": f"{letter}) {text}"} for letter, text in one.options],
        "further": "\n".join(f"{name}: {text}" for name, text in more if text) or "nothing",
    }


def write_config(folder: Path) -> None:
    """Write the labelling interface for Label Studio, which is the same for all raters."""
    valid = "".join(one.strip() for one in label_studio.valued("Choice", (YES, NO)))
    label_studio.write_interface(
        folder,
        '<Text name="about" value="$about"/>',
        '<Text name="media" value="$media"/>',
        '<Text name="question" value="$question"/>',
        '<Choices name="answer" toName="question" choice="single-radio" value="$options"/>',
        '<Header value="Further information: read it after answering"/>',
        '<Text name="further" value="$further"/>',
        '<Header value="Is the question valid?"/>',
        '<Choices name="valid" toName="question" choice="single-radio" required="true">'
        f"{valid}</Choices>",
        '<Header value="What is wrong"/>',
        '<Choices name="wrong" toName="question" choice="multiple">',
        *label_studio.valued("Choice", list(PHRASES.values())),
        "</Choices>",
        '<Header value="Comment"/>',
        '<TextArea name="comment" toName="question"/>',
    )


def _entry(task: Any, where: str) -> ReviewEntry:
    data = task.get("data") if isinstance(task, Mapping) else None
    if not isinstance(data, Mapping) or not {"sheet", "item"} <= set(data):
        raise SourceBroken(
            "a task is not one of a review", expected="data with 'sheet' and 'item'", where=where,
            fix="import the tasks as they were written, and export the project as 'JSON'",
        )  # fmt: skip
    given = task.get("annotations") or []
    if not isinstance(given, list):
        raise SourceBroken(
            "annotations of a task are not a list", found=type(given).__name__, where=where,
            fix="export the project as 'JSON' again",
        )  # fmt: skip
    done = label_studio.last_done(given)
    fields = _fields(done.get("result")) if done else {}
    answer, valid = ((fields.get(name) or [""])[0] for name in ("answer", "valid"))
    return ReviewEntry(
        where, str(data["sheet"]), str(data["item"]), answer, valid if done else NOT_DONE,
        tuple(fields.get("wrong", ())), "\n".join(fields.get("comment", ())),
    )  # fmt: skip


def _fields(result: Any) -> dict[str, list[str]]:
    """Return the values that a rater ticked or wrote, by the name of the control."""
    found: dict[str, list[str]] = {}
    for one in result if isinstance(result, list) else ():
        value = one.get("value") if isinstance(one, Mapping) else None
        if isinstance(value, Mapping):
            texts = value.get("choices", value.get("text", []))
            texts = texts if isinstance(texts, list) else [texts]
            found[str(one.get("from_name"))] = [str(text) for text in texts]
    return found


WRITERS = {"csv": write_csv, "label-studio": write_label_studio}
"""Format of a sheet -> the function that writes it."""

"""Sheets as Label Studio tasks: ``<rater>.tasks.json`` and ``config.xml`` for the project.

A task is done if it has an annotation that was not cancelled; if there are several, the last one
counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import orjson

from ontology.errors import SourceBroken
from ontology.files import read_bytes
from ontology.times import print_seconds
from transforms.review.entries import Entry
from transforms.review.questions import Question
from transforms.review.terms import NO, PHRASES, YES

SUFFIX, CONFIG = ".tasks.json", "config.xml"
NOT_DONE = "not answered"
"""Value of a task without an annotation; it differs from a row with empty fields."""


def write(sheet: str, units: Sequence[Sequence[Question]], path: Path) -> None:
    """One rater's tasks, one per question, in the given order."""
    rows = [(number, one) for number, questions in enumerate(units, 1) for one in questions]
    tasks = [
        {"id": k, "data": _data(sheet, number, one)} for k, (number, one) in enumerate(rows, 1)
    ]
    path.write_bytes(orjson.dumps(tasks, option=orjson.OPT_INDENT_2))


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
    """The labelling interface, the same for all raters."""
    valid = "".join(f"<Choice value={quoteattr(one)}/>" for one in (YES, NO))
    flaws = "\n".join(f"    <Choice value={quoteattr(one)}/>" for one in PHRASES.values())
    (folder / CONFIG).write_text(
        "<View>\n"
        '  <Text name="about" value="$about"/>\n'
        '  <Text name="media" value="$media"/>\n'
        '  <Text name="question" value="$question"/>\n'
        '  <Choices name="answer" toName="question" choice="single-radio" value="$options"/>\n'
        '  <Header value="Further information: read it after answering"/>\n'
        '  <Text name="further" value="$further"/>\n'
        '  <Header value="Is the question valid?"/>\n'
        '  <Choices name="valid" toName="question" choice="single-radio" required="true">'
        f"{valid}</Choices>\n"
        '  <Header value="What is wrong"/>\n'
        '  <Choices name="wrong" toName="question" choice="multiple">\n'
        f"{flaws}\n"
        "  </Choices>\n"
        '  <Header value="Comment"/>\n'
        '  <TextArea name="comment" toName="question"/>\n'
        "</View>\n",
        encoding="utf-8",
    )


def read(path: Path) -> list[Entry]:
    """The tasks of a JSON export (not of ``JSON-MIN``).

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: not a list of tasks of a review.
    """
    try:
        tasks = orjson.loads(read_bytes(path, str(path)))
    except orjson.JSONDecodeError as error:
        raise SourceBroken(f"{path.name} is not JSON", found=str(error), where=str(path)) from None
    if not isinstance(tasks, list):
        raise SourceBroken(
            f"{path.name} is not a Label Studio export", expected="a list of tasks",
            found=type(tasks).__name__, where=str(path), fix="export the project as 'JSON'",
        )  # fmt: skip
    return [_entry(task, f"{path}: [{number}]") for number, task in enumerate(tasks)]


def _entry(task: Any, where: str) -> Entry:
    data = task.get("data") if isinstance(task, Mapping) else None
    if not isinstance(data, Mapping) or not {"sheet", "item"} <= set(data):
        raise SourceBroken(
            "a task is not one of a review", expected="data with 'sheet' and 'item'", where=where,
            fix="import the tasks as they were written, and export the project as 'JSON'",
        )  # fmt: skip
    given = task.get("annotations") or []
    if not isinstance(given, list):
        raise SourceBroken(
            "annotations of a task are no list", found=type(given).__name__, where=where,
            fix="export the project as 'JSON' again",
        )  # fmt: skip
    done = [one for one in given if isinstance(one, Mapping) and not one.get("was_cancelled")]
    fields = _fields(done[-1].get("result")) if done else {}
    single = {name: (fields.get(name) or [""])[0] for name in ("answer", "valid")}
    return Entry(
        where,
        str(data["sheet"]),
        str(data["item"]),
        single["answer"],
        single["valid"] if done else NOT_DONE,
        tuple(fields.get("wrong", ())),
        "\n".join(fields.get("comment", ())),
    )


def _fields(result: Any) -> dict[str, list[str]]:
    """Name of each control -> the ticked or written values."""
    found: dict[str, list[str]] = {}
    for one in result if isinstance(result, list) else ():
        value = one.get("value") if isinstance(one, Mapping) else None
        if isinstance(value, Mapping):
            texts = value.get("choices", value.get("text", []))
            texts = texts if isinstance(texts, list) else [texts]
            found[str(one.get("from_name"))] = [str(text) for text in texts]
    return found

"""Divide the work on a video among several workers: each asks some templates.

Otherwise a video of many hours would keep one worker busy while all others wait. One worker
combines the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import orjson
import pyarrow as pa

from surgqa.ontology import processor_time
from surgqa.ontology.errors import UserError
from surgqa.ontology.garbage import no_collection
from surgqa.transforms.places import Place, place
from surgqa.transforms.steps import video
from surgqa.transforms.steps.files import put, read_arrow, write_arrow
from surgqa.transforms.steps.opening import Opened, facts_of, opened
from surgqa.transforms.steps.tasks import AskSettings, Info, VideoTask
from surgqa.transforms.timeline.relation import Relation

FOLDER = "pieces"
Whole = tuple[VideoTask, ...]
"""All pieces of a video, in order."""

_at_hand: list[tuple[VideoTask, str, Opened, Relation]] = []
"""The last video that this process opened, because its next piece needs it again."""


def ask(tasks: Sequence[VideoTask], settings: AskSettings) -> list[Info]:
    """Process tasks like :func:`ask_videos`; of a divided video, write one piece's results to a
    file.

    A UserError about the video is stored in that file and reported for the whole video.
    """
    if tasks[0].pieces == 1:
        return video.ask_videos(tasks, settings)
    for task in tasks:
        _ask_piece(task, settings)
    return [{"task": task} for task in tasks]


def wholes(infos: Sequence[Info]) -> Iterator[Whole]:
    """Yield the pieces of work of each video of which all pieces are done."""
    tasks = sorted((one["task"] for one in infos), key=lambda task: (task.part, task.piece))
    for at in range(0, len(tasks), tasks[0].pieces):
        yield tuple(tasks[at : at + tasks[0].pieces])


def put_together(whole: Whole, settings: AskSettings) -> Info:
    """Combine the results of all pieces of a video's work into its intermediate files."""
    task, folder = whole[0], _folder(whole[0], settings)
    processor_time.start(settings.cost)
    notes = [orjson.loads((folder / f"{one.piece}.json").read_bytes()) for one in whole]
    wrong = next((note["failed"] for note in notes if "failed" in note), None)
    if wrong is None:
        tables = [read_arrow(folder / f"{one.piece}.arrow") for one in whole]
        made = video.Answered(
            pa.concat_tables(tables).sort_by("item_id"),
            [entry for note in notes for entry in note["declined"]],
            sum(note["units"] for note in notes),
        )
        with no_collection(), processor_time.within("rows and files"):
            info = video.write_part(*_opened(task, settings), made, settings)
        costs = [
            *(entry for note in notes for entry in note["cost"]),
            *processor_time.take_seconds(),
        ]
        wrong = info | {"cost": costs}
    video.tell(task, settings, wrong)
    _at_hand.clear()
    return {"key": task.key, "part": task.part}


def _ask_piece(task: VideoTask, settings: AskSettings) -> None:
    processor_time.start(settings.cost)
    folder = _folder(task, settings)
    try:
        with no_collection():
            one, relation = _opened(task, settings)
            mine = replace(one, fresh=one.fresh[task.piece :: task.pieces])
            made = video.answered(mine, video.asked_of([mine], relation, settings.seed)[0])
    except UserError as error:
        put(folder / f"{task.piece}.json", orjson.dumps({"failed": video.failed(task, error)}))
        return
    write_arrow(made.table, folder / f"{task.piece}.arrow")
    note = {"declined": made.declined, "units": made.units, "cost": processor_time.take_seconds()}
    put(folder / f"{task.piece}.json", orjson.dumps(note))


def _opened(task: VideoTask, settings: AskSettings) -> tuple[Opened, Relation]:
    """Return the video and its facts; they are reused if the last piece was of the same video."""
    whole = replace(task, piece=0)
    for *what, one, relation in _at_hand[:1]:  # a copy, because engines may use threads
        if what == [whole, settings.work]:
            return one, relation
    _at_hand.clear()
    with processor_time.within("label files"):
        one = opened(whole, settings)
    with processor_time.within("facts"):
        relation = facts_of(one)
    _at_hand[:] = [(whole, settings.work, one, relation)]
    return one, relation


def _folder(task: VideoTask, settings: AskSettings) -> Place:
    folder = place(settings.work) / FOLDER / task.part
    folder.mkdir(parents=True, exist_ok=True)
    return folder

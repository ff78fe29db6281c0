"""The type of formats for fine-tuning: a file for each split, with one dialogue in each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surgqa.transforms.exports.dialogue import Dialogue
from surgqa.transforms.exports.formats import Format, Row, Talk
from surgqa.transforms.exports.talking import TAKING
from surgqa.transforms.exports.writing import SplitFiles, counted
from surgqa.transforms.store import OutputFolder

Shape = Callable[[Dialogue], Mapping[str, Any]]
After = Callable[[OutputFolder, Path, Sequence[str]], None]
COLUMNS = ("dialogues", "questions", "pictures", "clips")


def chat_format(name: str, summary: str, shape: Shape, after: After | None = None) -> Format:
    """Return a format that writes ``<split>.jsonl``.

    Args:
        shape: function that converts a dialogue to the object that is written in its line.
        after: function that writes further files next to these files, or None.
    """
    return Format(name=name, taking=TAKING, summary=summary, talk=_talk(shape, after))


def _talk(shape: Shape, after: After | None) -> Talk:
    def talk(folder: OutputFolder, to: Path, dialogues: Iterator[Dialogue]) -> list[Row]:
        counts: dict[str, Counter[str]] = {}
        with SplitFiles(to) as files:
            for one in dialogues:
                files.add(one.split, shape(one))
                count(counts.setdefault(one.split, Counter()), one)
        if after:
            after(folder, to, sorted(counts))
        return table_of(counts)

    return talk


def count(mine: Counter[str], dialogue: Dialogue) -> None:
    """Add a dialogue, its questions, images and clips to the counts of its split."""
    mine.update(
        dialogues=1, questions=len(dialogue.turns), pictures=len(dialogue.media("image")),
        clips=len(dialogue.media("video")),
    )  # fmt: skip


def table_of(counts: Mapping[Any, Counter[str]], *names: str) -> list[Row]:
    """Return the table to print, with one row for each split or other key."""
    return counted(counts, names or ("split",), COLUMNS)

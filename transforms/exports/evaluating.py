"""A task of an evaluation framework, such as lm-evaluation-harness: its questions and scores.

The folder of a task contains ``docs.jsonl`` with the questions, and ``rows.parquet`` with the rows
of ``data/`` that scoring needs. Files for the framework call :class:`EvaluationTask`, which
computes the scores of ``surgqa score``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq

from surgqa.transforms.scoring import AskedIds, Report, score_dataset

DOCS, ROWS = "docs.jsonl", "rows.parquet"
Doc = Mapping[str, Any]
Answer = tuple[str, int, str]
"""(item id, round index or -1, response)."""
ONE = -1
"""Round index of a question without rounds: an integer, because the column must have one type."""


class EvaluationTask:
    """The functions that a framework calls for a task.

    Args:
        folder: the task's folder, which also contains the images and clips.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def docs(self, benchmark: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the questions of one benchmark, or of all benchmarks for None."""
        with (self.folder / DOCS).open("rb") as lines:
            for doc in map(orjson.loads, lines):
                if benchmark in (None, doc["benchmark"]):
                    yield doc

    def dataset(self, benchmark: str, **_: object) -> Any:
        """Return the questions as a ``datasets.DatasetDict`` with the single split ``test``."""
        import datasets

        rows = datasets.Dataset.from_list(list(self.docs(benchmark)))
        return datasets.DatasetDict({"test": rows})

    def text(self, doc: Doc, *_: object) -> str:
        """Return the system text and the question, without images."""
        texts = [doc["system"], *(part["text"] for part in doc["parts"] if part["kind"] == "text")]
        return "\n\n".join(one for one in texts if one)

    def tagged(self, doc: Doc) -> str:
        """Return the system text and the question, with ``<image>`` in place of each image."""
        texts = [doc["system"], *("<image>" if part["kind"] == "image" else part["text"]
                                  for part in doc["parts"])]  # fmt: skip
        return "\n".join(one for one in texts if one)

    def target(self, doc: Doc) -> str:
        """Return the correct answer."""
        return str(doc["answer"])

    def images(self, doc: Doc) -> list[Any]:
        """Return the images of a question as RGB images of Pillow."""
        from PIL import Image

        found = []
        for path in self.media(doc, "image"):
            with Image.open(path) as picture:
                found.append(picture.convert("RGB"))
        return found

    def media(self, doc: Doc, kind: str) -> list[str]:
        """Return the paths of the images (``kind`` 'image') or clips ('video') of a question."""
        return [str(self.folder / part["text"]) for part in doc["parts"] if part["kind"] == kind]

    def visuals(self, doc: Doc, *_: object) -> list[Any]:
        """Return the images of a question, then the paths of its clips."""
        return [*self.images(doc), *self.media(doc, "video")]

    def chat(self, doc: Doc, *_: object) -> list[dict[str, Any]]:
        """Return the question as chat messages, in which each image follows its caption."""
        pictures, content = iter(self.images(doc)), list[dict[str, Any]]()
        for part in doc["parts"]:
            if part["kind"] == "image":
                content.append({"type": "image", "url": next(pictures)})
            elif part["kind"] == "video":
                content.append({"type": "video", "url": str(self.folder / part["text"])})
            else:
                content.append({"type": "text", "text": part["text"]})
        system = {"role": "system", "content": [{"type": "text", "text": doc["system"]}]}
        return [*([system] if doc["system"] else []), {"role": "user", "content": content}]

    def results(self, doc: Doc, responses: Sequence[str]) -> dict[str, Answer]:
        """Return the response under the name of each score to which it contributes."""
        return dict.fromkeys(doc["scores"], answer(doc, responses[0]))

    def score(self, name: str) -> Callable[[Iterable[Answer]], float]:
        """Return a function that computes one score of ``surgqa score`` from all responses."""

        def score(answers: Iterable[Answer]) -> float:
            return self.report(answers).headlines()[name]

        return score

    def report(self, answers: Iterable[Answer]) -> Report:
        """Return the report of ``surgqa score`` about the questions with a response."""
        said = {(item, None if index == ONE else index): text for item, index, text in answers}
        rows = pq.read_table(self.folder / ROWS).to_pylist()
        return score_dataset(rows, said, asked=AskedIds(DOCS, frozenset(said)))


def answer(doc: Doc, response: str) -> Answer:
    """Return (item id, round index, response)."""
    return doc["item_id"], doc["round_index"], str(response)

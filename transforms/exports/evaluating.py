"""A task for an evaluation framework: the questions, and the scores as surgqa computes them.

A task's folder contains ``docs.jsonl``, with a line for each question, and ``rows.parquet``, the
rows of their items, which scoring reads.  The framework's files call :class:`EvaluationTask`.
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
"""Item id, round index (-1 if it has none), and the response."""
ONE = -1
"""Round index of a question without rounds; an integer, so that the column has one type."""


class EvaluationTask:
    """The functions that a framework calls for a task.

    Args:
        folder: the task's folder; paths of media are below it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def docs(self, benchmark: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the questions of one benchmark, or of all benchmarks."""
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
        """Return the system text and the question, without images and without tags for them."""
        texts = [doc["system"], *(part["text"] for part in doc["parts"] if part["kind"] == "text")]
        return "\n\n".join(one for one in texts if one)

    def tagged(self, doc: Doc) -> str:
        """Return the system text and the question, with ``<image>`` where an image is shown."""
        texts = [doc["system"], *("<image>" if part["kind"] == "image" else part["text"]
                                  for part in doc["parts"])]  # fmt: skip
        return "\n".join(one for one in texts if one)

    def target(self, doc: Doc) -> str:
        """Return the correct answer."""
        return str(doc["answer"])

    def images(self, doc: Doc) -> list[Any]:
        """Return the images of a question, as RGB images of Pillow."""
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
        """Return the messages in which each image follows its caption."""
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
        """Return the response for each score of the benchmark; a score reads all responses."""
        return dict.fromkeys(doc["scores"], answer(doc, responses[0]))

    def score(self, name: str) -> Callable[[Iterable[Answer]], float]:
        """Return the function that computes the score ``name`` of ``surgqa score``."""

        def score(answers: Iterable[Answer]) -> float:
            return self.report(answers).headlines()[name]

        return score

    def report(self, answers: Iterable[Answer]) -> Report:
        """Return the report of ``surgqa score`` on the questions that have a response."""
        said = {(item, None if index == ONE else index): text for item, index, text in answers}
        rows = pq.read_table(self.folder / ROWS).to_pylist()
        return score_dataset(rows, said, asked=AskedIds(DOCS, frozenset(said)))


def answer(doc: Doc, response: str) -> Answer:
    """Return a response with the item and round that the response answers."""
    return doc["item_id"], doc["round_index"], str(response)

"""A task of an evaluation framework: what it asks, and its scores, which are ours.

A task's folder holds ``docs.jsonl``, a line for each question, and ``rows.parquet``, what scoring
reads of their items; the frameworks' files call :class:`EvaluationTask`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq

from transforms.scoring import Asked, Report, score_dataset

DOCS, ROWS = "docs.jsonl", "rows.parquet"
Doc = Mapping[str, Any]
Answer = tuple[str, int, str]
"""Item id, round or -1, and the response."""
ONE = -1
"""Round of a question that has none: a table's column has one type."""


class EvaluationTask:
    """What a framework asks of its task.

    Args:
        folder: of the task; paths of media are below it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def docs(self, benchmark: str | None = None) -> Iterator[dict[str, Any]]:
        """The questions, of one benchmark or of all."""
        with (self.folder / DOCS).open("rb") as lines:
            for doc in map(orjson.loads, lines):
                if benchmark in (None, doc["benchmark"]):
                    yield doc

    def dataset(self, benchmark: str, **_: object) -> Any:
        """The same as ``datasets`` has it, in the split ``test``."""
        import datasets

        rows = datasets.Dataset.from_list(list(self.docs(benchmark)))
        return datasets.DatasetDict({"test": rows})

    def text(self, doc: Doc, *_: object) -> str:
        """What is asked, without pictures or their places."""
        texts = [doc["system"], *(part["text"] for part in doc["parts"] if part["kind"] == "text")]
        return "\n\n".join(one for one in texts if one)

    def tagged(self, doc: Doc) -> str:
        """What is asked, with ``<image>`` where a picture is shown."""
        texts = [doc["system"], *("<image>" if part["kind"] == "image" else part["text"]
                                  for part in doc["parts"])]  # fmt: skip
        return "\n".join(one for one in texts if one)

    def target(self, doc: Doc) -> str:
        """The right answer."""
        return str(doc["answer"])

    def images(self, doc: Doc) -> list[Any]:
        """The pictures, as Pillow has them."""
        from PIL import Image

        found = []
        for path in self.media(doc, "image"):
            with Image.open(path) as picture:
                found.append(picture.convert("RGB"))
        return found

    def media(self, doc: Doc, kind: str) -> list[str]:
        """Paths of what is shown."""
        return [str(self.folder / part["text"]) for part in doc["parts"] if part["kind"] == kind]

    def visuals(self, doc: Doc, *_: object) -> list[Any]:
        """Pictures, or paths of clips."""
        return [*self.images(doc), *self.media(doc, "video")]

    def chat(self, doc: Doc, *_: object) -> list[dict[str, Any]]:
        """Messages in which each picture stands behind its caption."""
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
        """The reply under each of the benchmark's scores, which read it together."""
        return dict.fromkeys(doc["scores"], answer(doc, responses[0]))

    def score(self, name: str) -> Callable[[Iterable[Answer]], float]:
        """Makes one number of all replies: what ``surgqa score`` says under that headline."""

        def score(answers: Iterable[Answer]) -> float:
            return self.report(answers).headlines()[name]

        return score

    def report(self, answers: Iterable[Answer]) -> Report:
        """What ``surgqa score`` says of these replies; only what was asked is scored."""
        said = {(item, None if index == ONE else index): text for item, index, text in answers}
        rows = pq.read_table(self.folder / ROWS).to_pylist()
        return score_dataset(rows, said, asked=Asked(DOCS, frozenset(said)))


def answer(doc: Doc, response: str) -> Answer:
    """A reply with what it answers."""
    return doc["item_id"], doc["round_index"], str(response)

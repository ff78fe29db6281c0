"""Trains the learned model that masks words: writes ``learned_weights.bin``.

``python tests/transforms/evidence/privacy/train.py`` reads ``recognised.yaml``, without the
parts that are only measured, the files of further recordings, and the sentences of ``filled.py``.

The model is a logistic regression with a penalty on large weights.  An identifier of which nothing
can be read, and an other word that nobody said, count less than the rest; so does text that nobody
spoke.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

sys.path.insert(0, str(Path(__file__).parent))

import filled  # noqa: E402
import measure  # noqa: E402

from surgqa.ontology.yaml import read_yaml  # noqa: E402
from surgqa.transforms.evidence.privacy import features, learned  # noqa: E402

FURTHER = ("further.yaml", "further_2.yaml", "further_3.yaml")
TARGET = Path(learned.__file__).with_name(learned.FILE)
UNSAID = "~"
"""Stands in the further recordings before a word that nobody said."""
PENALTY, ROUNDS, LESS, UNSPOKEN = 7.0, 60, 0.4, 0.8

Words = list[list[tuple[str, int | None]]]


def examples(parts: Sequence[str]) -> Iterator[tuple[dict[str, Any], Words, list[bool]]]:
    """Recordings, their words with the number of the identifier, and whether each was said."""
    for recording in measure.recordings():
        if recording["part"] in parts:
            lines = [list(measure.words_of(line)) for line in recording["utterances"]]
            yield recording, lines, measure.as_said(recording, lines)
    for recording in further():
        marked = [list(measure.words_of(line)) for line in recording["utterances"]]
        lines = [[(word.lstrip(UNSAID), number) for word, number in line] for line in marked]
        said = [not word.startswith(UNSAID) for line in marked for word, _ in line]
        yield recording, lines, said


def further() -> Iterator[dict[str, Any]]:
    """The further recordings of all files, in order."""
    for name in FURTHER:
        text = (measure.FOLDER / name).read_text(encoding="utf-8")
        yield from read_yaml(text, name).data["recordings"]


def targets(
    planted: Sequence[str], lines: Words, said: Sequence[bool]
) -> tuple[list[int], list[float]]:
    """For each word whether it is to be masked, and how much it counts."""
    heard: dict[int, list[str]] = defaultdict(list)
    for word, number in (one for line in lines for one in line):
        if number is not None:
            heard[number].append(word)
    told = {
        number: measure.readable(kind, text, heard[number])
        for number in heard
        for kind, _, text in [planted[number].partition(" ")]
    }
    numbers = [number for line in lines for _, number in line]
    counts = [
        1.0 if (same if number is None else told[number]) else LESS
        for number, same in zip(numbers, said, strict=True)
    ]
    return [int(number is not None) for number in numbers], counts


def matrix(lines: Words) -> list[list[int]]:
    """The features of each word."""
    words = features.words_in("\n".join(" ".join(word for word, _ in line) for line in lines))
    assert len(words) == sum(map(len, lines))
    return [features.slots(found) for found in features.features(words)]


def trained(parts: Sequence[str]) -> np.ndarray:
    """The weights, as whole numbers, after training on these parts and on what is not measured."""
    slots: list[list[int]] = []
    wanted: list[int] = []
    counts: list[float] = []
    spoken = [(one["planted"], lines, said) for one, lines, said in examples(parts)]
    for texts, weight in ((spoken, 1.0), (filled.texts(spoken), UNSPOKEN)):
        for planted, lines, said in texts:
            slots += matrix(lines)
            more_wanted, more_counts = targets(planted, lines, said)
            wanted += more_wanted
            counts += [weight * count for count in more_counts]
    ends = np.cumsum([0, *map(len, slots)])
    columns = np.concatenate([np.asarray(row, np.int32) for row in slots])
    shape = (len(slots), features.SLOTS)
    table = csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)
    weights = fitted(table, np.asarray(wanted, float), np.asarray(counts))
    return np.clip(np.rint(weights * learned.SCALE), -127, 127).astype(np.int8)


def fitted(table: csr_matrix, wanted: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression."""
    turned = table.T.tocsr()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = table @ weights
        value = (counts * (np.logaddexp(0, scores) - wanted * scores)).sum()
        slope = turned @ (counts * (1 / (1 + np.exp(-scores)) - wanted))
        return value + PENALTY / 2 * weights @ weights, slope + PENALTY * weights

    options = {"maxiter": ROUNDS, "maxcor": 8}
    return minimize(loss, np.zeros(features.SLOTS), jac=True, method="L-BFGS-B", options=options).x


if __name__ == "__main__":
    TARGET.write_bytes(trained(measure.TRAINED).tobytes())

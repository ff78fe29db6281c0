"""Wrong options: labels that the dataset could have given and that are certainly not true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ontology.concepts import load_data, vocabulary, vocabulary_files
from transforms.questions.queries.found import Choice, Named, Search
from transforms.registry import mapped_labels

MOST = 8
"""Options that a question has letters for."""


def labels_of(search: Search, kind: str, label: str) -> tuple[str, ...]:
    """All labels of a kind that the dataset may give, in the order of its label map.

    Data of one's own have no map: then those that stand beside the label in the ontology.
    """
    known = mapped_labels(search.video.dataset, kind)
    return known if label in known else _beside(kind, label)


@cache
def _beside(kind: str, label: str) -> tuple[str, ...]:
    """Labels of the file of the vocabulary that holds the label."""
    for name in vocabulary_files(f"{kind}s"):
        entries = load_data("vocab", name)
        if label in entries:
            return tuple(entries)
    return (label,)


def other_labels(
    search: Search, right: Named, true: Iterable[str], most: int, *about: object
) -> tuple[Choice, ...]:
    """Names of labels that do not hold, at most so many, drawn by digest."""
    held = {right.label, *true}
    names = vocabulary(f"{right.kind}s")
    shown = {names[label].display.casefold() for label in held if label in names}
    rest = [
        names[label].display
        for label in labels_of(search, right.kind, right.label)
        if label not in held and names[label].display.casefold() not in shown
    ]
    key = search.key.extended("options")
    for part in about:
        key = key.extended(part)
    return tuple(Choice(text, "other_label") for text in key.ordered(dict.fromkeys(rest))[:most])


def near_numbers(number: int, wrong: int = 3) -> tuple[Choice, ...]:
    """Numbers next to the answer, the nearest first, none below 0."""
    around = sorted((n for n in range(number + wrong + 1) if n != number),
                    key=lambda n: (abs(n - number), n))  # fmt: skip
    return tuple(Choice(str(n), "near_number") for n in around[:wrong])


def other_sets(
    search: Search, kind: str, answer: frozenset[str], earlier: Iterable[frozenset[str]],
    looked_for: Sequence[str], *about: object,
) -> tuple[Choice, ...]:  # fmt: skip
    """Sets that are not the answer: those of other instants, then with one label changed."""
    key = search.key.extended("sets")
    for part in about:
        key = key.extended(part)
    out: dict[str, Choice] = {}
    right = listed(kind, answer)
    for why, sets in _sets(answer, earlier, looked_for):
        for text in key.extended(why).ordered(listed(kind, one) for one in sets if one):
            if text != right and len(out) < 3:
                out.setdefault(text, Choice(text, why))
    return tuple(out.values())


def _sets(
    answer: frozenset[str], earlier: Iterable[frozenset[str]], looked_for: Sequence[str]
) -> Iterator[tuple[str, list[frozenset[str]]]]:
    rest = [label for label in looked_for if label not in answer]
    yield "other_instant", sorted(set(earlier), key=sorted)
    yield "one_swapped", [answer - {a} | {b} for a in sorted(answer) for b in rest]
    yield "one_added", [answer | {b} for b in rest]
    if len(answer) > 1:
        yield "one_dropped", [answer - {a} for a in sorted(answer)]


def listed(kind: str, labels: Iterable[str]) -> str:
    """Display names, sorted and comma separated."""
    names = vocabulary(f"{kind}s")
    return ", ".join(sorted(names[label].display for label in labels))

"""Deeds, times and boxes in the texts of options and contexts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ontology.boxes import print_box
from ontology.concepts import vocabulary
from ontology.times import print_seconds
from transforms.checks.evidence import Box

NOBODY = "the surgeon"
"""Stands where no instrument is known."""

_CLOCK = r"(\d+\.\d\d) s"
_SPAN = re.compile(rf"{_CLOCK} to {_CLOCK}")
_TIME = re.compile(_CLOCK)
_BOX = re.compile(r"\[(\d+), (\d+), (\d+), (\d+)\]")


class Told(NamedTuple):
    """A deed as a text names it: the ids that its words may mean.

    ``tools`` is empty where the text names none, ``targets`` holds ``""`` then.
    """

    verbs: frozenset[str]
    targets: frozenset[str]
    tools: frozenset[str]

    def means(self, tool: str, verb: str, target: str) -> bool:
        """The words fit a deed; a tool counts only where the text names one."""
        return (
            verb in self.verbs
            and target in self.targets
            and (not self.tools or not tool or tool in self.tools)
        )


def deeds_in(text: str) -> list[Told]:
    """All deeds that a text names, in its order.

    As nouns ('clipping the cystic duct with the clip applier') or as clauses ('the clip
    applier clips the cystic duct').
    """
    out = []
    for match in _pattern().finditer(text.casefold()):
        part = match.groupdict()
        verbs = _ids("doing", part["doing"]) or _ids("does", part["does"])
        targets = _ids("target", part["object"] or part["target"])
        tools = _ids("tool", part["by"] or part["tool"])
        out.append(Told(verbs, targets or frozenset([""]), tools))
    return out


@cache
def _words(kind: str) -> dict[str, frozenset[str]]:
    """Case-folded words -> ids that they are a name of."""
    found: dict[str, set[str]] = {}
    for words, label in _named(kind):
        if words:
            found.setdefault(words.casefold(), set()).add(label)
    return {words: frozenset(found[words]) for words in sorted(found)}


def _named(kind: str) -> Iterator[tuple[str, str]]:
    verbs = [term for term in vocabulary("verbs").values() if term.id != "null_verb"]
    if kind == "doing":
        yield from ((term.gerund or term.display, term.id) for term in verbs)
    elif kind == "does":
        yield from ((words, term.id) for term in verbs for words in (term.third, term.display))
    else:
        for vocab in ("instruments",) if kind == "tool" else ("targets", "structures"):
            for term in vocabulary(vocab).values():
                yield from ((words, term.id) for words in (term.phrase, f"the {term.display}"))


def _ids(kind: str, words: str | None) -> frozenset[str]:
    return _words(kind).get(words, frozenset()) if words else frozenset()


@cache
def _pattern() -> re.Pattern[str]:
    tool, target = _any("tool"), _any("target")
    noun = rf"(?P<doing>{_any('doing')})\b(?: (?P<object>{target})\b)?(?: with (?P<by>{tool})\b)?"
    clause = rf"(?P<tool>{tool}|{NOBODY}) (?P<does>{_any('does')})\b(?: (?P<target>{target})\b)?"
    return re.compile(rf"\b(?:{noun}|{clause})")


def _any(kind: str) -> str:
    longest = sorted(_words(kind), key=lambda words: (-len(words), words))
    return "|".join(map(re.escape, longest))


def label_in(text: str, kind: str, likely: str) -> str | None:
    """The term of a vocabulary that a text names, the longest name first; a likely one of many."""
    folded = text.casefold()
    terms = sorted(vocabulary(kind).values(), key=lambda term: (-len(term.display), term.id))
    found = [t for t in terms if re.search(rf"\b{re.escape(t.display.casefold())}\b", folded)]
    longest = {t.id for t in found if len(t.display) == len(found[0].display)}
    return likely if likely in longest else min(longest, default=None)


def tissues_in(text: str) -> list[frozenset[str]]:
    """Ids of each tissue that a text names, in its order."""
    found = re.findall(rf"\b(?:{_any('target')})\b", text.casefold())
    return [_ids("target", words) for words in found]


def span_in(text: str) -> tuple[int, int] | None:
    """The stretch that a text consists of: ``21.50 s to 23.00 s``, in microseconds."""
    match = _SPAN.fullmatch(text)
    return (_us(match[1]), _us(match[2])) if match else None


def time_in(text: str) -> int | None:
    """The instant that a text consists of: ``21.57 s``, in microseconds."""
    match = _TIME.fullmatch(text)
    return _us(match[1]) if match else None


def box_in(text: str) -> tuple[int, ...] | None:
    """The box that a text consists of, on the grid of 1000."""
    match = _BOX.fullmatch(text)
    return tuple(map(int, match.groups())) if match else None


def _us(seconds: str) -> int:
    whole, _, parts = seconds.partition(".")
    return int(whole) * 1_000_000 + int(parts) * 10_000


def clock(time_us: int) -> str:
    """``21.57 s``."""
    return f"{print_seconds(time_us)} s"


def span(stretch: tuple[int, int]) -> str:
    """``21.50 s to 23.00 s``."""
    return f"{clock(stretch[0])} to {clock(stretch[1])}"


def boxes_near(numbers: tuple[int, ...], boxes: Iterable[Box]) -> bool:
    """A printed box is one of these."""
    return any(numbers == printed(box) for box in boxes)


def printed(box: Box) -> tuple[int, ...]:
    """A box on the grid of 1000, halves up."""
    match = _BOX.fullmatch(print_box(box))
    return tuple(map(int, match.groups())) if match else ()

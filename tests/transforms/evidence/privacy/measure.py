"""Recall and over-masking on recognised speech, by kind of identifier and by voice.

``python tests/transforms/evidence/privacy/measure.py`` prints both; with ``--leaks`` also what was
not masked, and with ``--over`` what was masked for nothing.  Only the half that rules may be
corrected on is listed so.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from ontology.observed import UTTERANCES
from ontology.yaml import read_yaml
from transforms.evidence.privacy import mask_utterances

FILE = Path(__file__).resolve().parents[3] / "fixtures" / "privacy" / "recognised.yaml"
_MARK = re.compile(r"\{(\d+)\|([^}]*)\}")
_HIDDEN = re.compile(r"\[[A-Z]+\]")


@dataclass
class Count:
    """Identifiers that were heard and hidden, and other words that were said and hidden."""

    heard: int = 0
    hidden: int = 0
    words: int = 0
    over: int = 0
    leaks: list[str] = field(default_factory=list)
    masked: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the identifiers of which no word is left."""
        return self.hidden / self.heard if self.heard else 1.0

    @property
    def over_share(self) -> float:
        """Share of all other words that are masked."""
        return self.over / self.words if self.words else 0.0

    def add(self, other: Count) -> None:
        """Counts of both."""
        for name in ("heard", "hidden", "words", "over", "leaks", "masked"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def recordings() -> list[dict[str, Any]]:
    """The test set."""
    return read_yaml(FILE.read_text(encoding="utf-8"), FILE.name).data["recordings"]


def words_of(line: str) -> Iterator[tuple[str, int | None]]:
    """Words of a marked line, each with the number of the identifier it belongs to."""
    place = 0
    for match in _MARK.finditer(line):
        yield from ((word, None) for word in line[place : match.start()].split())
        yield from ((word, int(match[1])) for word in match[2].split())
        place = match.end()
    yield from ((word, None) for word in line[place:].split())


def table_of(lines: Iterable[Sequence[tuple[str, int | None]]]) -> pa.Table:
    """Utterances as a recogniser gives them."""
    rows = []
    for number, words in enumerate(lines):
        text = " ".join(word for word, _ in words)
        start = number * 5_000_000
        rows.append({
            "utterance_id": f"u{number}", "start_us": start, "end_us": start + 4_000_000,
            "text": text, "raw_text": text, "language": "en", "confidence": 0.9, "no_speech": 0.1,
            "flags": [],
            "words": [{"start_us": start, "end_us": start, "text": word, "probability": 0.9}
                      for word, _ in words],
        })  # fmt: skip
    return pa.Table.from_pylist(rows, schema=UTTERANCES)


def measured(recording: dict[str, Any]) -> dict[str, Count]:
    """Counts by kind; those of other words are under ``words``."""
    lines = [list(words_of(line)) for line in recording["utterances"]]
    rows = mask_utterances(table_of(lines)).to_pylist()
    out: dict[str, Count] = defaultdict(Count)
    left: dict[int, list[str]] = defaultdict(list)
    seen: set[int] = set()
    for words, row in zip(lines, rows, strict=True):
        assert row["text"] == row["raw_text"]
        shown = _left(row["text"], [word for word, _ in words])
        for (word, number), heard, open_ in zip(words, row["words"], shown, strict=True):
            hidden = _HIDDEN.fullmatch(heard["text"]) is not None and not open_
            if number is None:
                counted = out["words"]
                counted.words += 1
                either = _HIDDEN.fullmatch(heard["text"]) is not None or not open_
                counted.over += either
                counted.masked += [f"{word}  in  {row['text']}"] if either else []
            else:
                seen.add(number)
                left[number] += [] if hidden else [f"{word}  in  {row['text']}"]
    for number in sorted(seen):
        kind, _, said = recording["planted"][number].partition(" ")
        out[kind].heard += 1
        out[kind].hidden += not left[number]
        out[kind].leaks += [f"{said}: {one}" for one in left[number][:1]]
    return out


def _left(masked: str, words: Sequence[str]) -> list[bool]:
    """For each word of the text whether it stands, at least in part, in the masked one."""
    parts = _HIDDEN.split(masked)
    pattern = r"(.*?)".join(re.escape(part) for part in parts)
    text = " ".join(words)
    found = re.fullmatch(pattern, text, re.DOTALL)
    assert found, (masked, text)
    gone = [found.span(i) for i in range(1, len(parts))]
    out, place = [], 0
    for word in words:
        core = [i for i, letter in enumerate(word, place) if letter.isalnum()]
        out.append(any(all(not low <= i < high for low, high in gone) for i in core))
        place += len(word) + 1
    return out


def totals(halves: Sequence[str]) -> tuple[dict[str, Count], dict[str, Count], Count]:
    """Counts by kind, by voice, and of all, over the recordings of some halves."""
    kinds: dict[str, Count] = defaultdict(Count)
    voices: dict[str, Count] = defaultdict(Count)
    whole = Count()
    for recording in recordings():
        if recording["half"] in halves:
            for kind, count in measured(recording).items():
                kinds[kind].add(count)
                voices[recording["voice"]].add(count)
                whole.add(count)
    return kinds, voices, whole


def report(half: str) -> Iterator[str]:
    """The figures of one half, line by line."""
    kinds, voices, whole = totals([half])
    yield f"{half}: recall {whole.recall:.4f} of {whole.heard}, over-masking " + (
        f"{whole.over_share:.4f} of {whole.words} other words"
    )
    for name, count in sorted(kinds.items()):
        if count.heard:
            yield f"  {name:<20}{count.hidden:>5} of {count.heard:<5} {count.recall:.3f}"
    for name, count in voices.items():
        yield (f"  {name:<20}{count.hidden:>5} of {count.heard:<5} {count.recall:.3f}"
               f"   over {count.over_share:.4f}")  # fmt: skip


def main(wanted: Sequence[str]) -> None:
    """Print the figures of both halves."""
    for half in ("tune", "held"):
        print("\n".join(report(half)))
    _, _, tuned = totals(["tune"])
    for flag, lines in (("--leaks", tuned.leaks), ("--over", tuned.masked)):
        if flag in wanted:
            print("\n".join([flag, *lines]))


if __name__ == "__main__":
    main(sys.argv[1:])

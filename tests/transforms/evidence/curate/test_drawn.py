"""Drawn videos get the decisions of this version; values are drawn from those at the limits."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from surgqa.ontology.keys import digest
from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.curate import (
    CurateSettings,
    decide,
    harmonise,
    near_duplicates,
    stretches,
    verdict,
)

S = CurateSettings()
TITLES = (None, "", "Lap chole", "lap  CHOLE ", "another")
NAMES = ("lap chole", "Laparoscopic cholecystectomy", "no such operation", "", None)
LENGTHS = ("1:02:03", "90 min", "12.5 s", "2h", 90, "x", None)


def near(dice: np.random.Generator, limit: float, count: int) -> np.ndarray:
    """Values at a limit, a little and far below and above it, some unknown; each stays a while."""
    values = np.array([limit, limit * 0.99, limit * 1.01, limit * 0.2, limit * 2, np.nan])
    weights = [0.2, 0.2, 0.2, 0.15, 0.15, 0.1]
    return np.repeat(dice.choice(values, count, p=weights), dice.integers(1, 6, count))[:count]


def facts(dice: np.random.Generator, length: int) -> dict:
    """What is known of a video's file; anything may be missing."""
    whole = {
        "kind": str(dice.choice(["video", "frames"])), "duration_us": length,
        "promised_us": int(length * dice.choice([1, S.complete**-1, 2, 0.5])),
        "stopped_us": length, "stopped_why": "cut short",
        "fps": [int(dice.choice([S.rate, S.rate - 1, 25])), int(dice.choice([1, 1, 2]))],
        "width": int(dice.choice([S.side, S.side - 1, 1280])),
        "height": int(dice.choice([S.side, 720])),
        "sound_heard": {"sound": {"chosen": dice.choice([0, None]), "why": "mute",
                                  "silent": bool(dice.integers(0, 2))}},
        "medium": {"sha256": dice.choice(["a", "b", None, None]), "height": 48,
                   "width": int(dice.choice([64, 640]))},
        "metadata": {"title": dice.choice(TITLES), "operation": dice.choice(NAMES),
                     "length": dice.choice(LENGTHS), "fps": "30000/1001"},
    }  # fmt: skip
    return {name: value for name, value in whole.items() if dice.random() < 0.85}


def test_drawn_videos_get_the_decisions_of_this_version(frames):
    """Ten at a time: some show parts of the same recording, shifted, with a few bits changed."""
    told = []
    for seed in range(30):
        dice = np.random.default_rng(seed)
        source = dice.integers(0, 1 << 63, (3, 400), dtype=np.uint64)
        videos, tables = [], {}
        for number in range(10):
            count, step = (
                int(dice.integers(1, 150)),
                int(dice.choice([400_000, 500_000, 1_000_000])),
            )
            first = int(dice.integers(0, 80))
            places = np.minimum(first + np.arange(count) * step // 1_000_000, 399)
            flips = dice.integers(0, 64, (count, 3)).astype(np.uint64)
            codes = source[dice.integers(0, 3), places]
            for column in range(int(dice.integers(0, 4))):
                codes = codes ^ (np.uint64(1) << flips[:, column])
            rows = frames(count, step, dhash=codes, trusted=dice.random(count) < 0.9,
                          contrast=near(dice, S.duplicates.contrast, count),
                          dark_share=near(dice, S.dark, count), inside=near(dice, S.outside, count),
                          sharpness=near(dice, S.blurred, count),
                          overlay_share=near(dice, S.overlay, count))  # fmt: skip
            starts = dice.integers(0, count * step, 5)
            said = [{"utterance_id": str(k), "start_us": int(start),
                     "end_us": int(start + dice.integers(0, 9) * 500_000)}
                    for k, start in enumerate(starts)]  # fmt: skip
            tables[f"v{number}"] = {
                "frames": rows,
                "utterances": pa.Table.from_pylist(said, UTTERANCES),
            }
            videos.append((f"v{number}", rows, facts(dice, count * step)))
        copies = near_duplicates(videos, S)
        told.append(copies.to_pylist())
        for key, rows, known in videos:
            found = decide(known, tables[key], S)
            told += [found.to_pylist(), stretches(rows, S).to_pylist(),
                     str(verdict(found, S, key, copies))]  # fmt: skip
    assert digest(str(told))[:12] == "edd2d7718952", "decisions change: say so in CHANGELOG"


VALUES = (
    "1:02:03", "0:59.5", "90 min", "12.5 s", "2h", "3 hrs", "250 ms", "7", 90, True, "x", None, "",
    "29.97", "30000/1001", "25 fps", "0", "0.5 Hz", "23.976 frames/s", [30000, 1001], [25], 25,
    24.9, "lap chole", "General", "obgyn", "Resident", "english",
)  # fmt: skip
FIELDS = (
    "length",
    "duration_us",
    "frame rate",
    "operation",
    "department",
    "experience",
    "name",
    "o",
)


def test_metadata_become_those_of_this_version():
    """Each value alone, in a field that is there twice, and beside a known operation."""
    told = [harmonise({name: value, "fps": 25, **more}) for name in FIELDS for value in VALUES
            for more in ({}, {"procedure": "lap chole"}, {"specialty": ""})]  # fmt: skip
    assert digest(str(told))[:12] == "c1ac144b3b49", "say so in CHANGELOG"

"""Write a small sample of JIGSAWS in its real layout; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import put, true_video

# The first two trials belong to one task and share its meta file.
TRIALS = (
    "Knot_Tying_B001", "Knot_Tying_C002", "Suturing_E004", "Needle_Passing_I003", "Suturing_B002",
)  # fmt: skip
PROCEDURES = {
    "Knot_Tying": "knot tying on a bench model",
    "Needle_Passing": "needle passing on a bench model",
    "Suturing": "suturing on a bench model",
}
LEVELS = {"B": "N", "C": "I", "E": "E", "I": "N"}
EXPERIENCES = {"N": "novice", "I": "intermediate", "E": "expert"}
GESTURES = {
    "G1": "reach_needle_right", "G12": "reach_needle_left", "G13": "make_c_loop",
    "G14": "reach_suture_right", "G15": "pull_suture_both", "G11": "drop_suture_and_move_to_end",
    "G10": "loosen_suture", "G9": "tighten_suture_with_right",
}  # fmt: skip
RATINGS = (
    "jigsaws_respect_for_tissue", "jigsaws_suture_handling", "jigsaws_time_and_motion",
    "jigsaws_flow_of_operation", "jigsaws_overall_performance", "jigsaws_quality_of_product",
)  # fmt: skip


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of trials, 1 to 5.
        variant: determines lengths, gestures and scores; whether the unpacked archive contains
            the task's name twice (odd); whether a total is wrong (from 15 on).
    """
    root = Path(root)
    evidence = []
    trials = TRIALS[:procedures]
    for task in sorted({trial[:-5] for trial in trials}):
        folder = f"{task}/{task}" if variant % 2 else task
        (root / folder / "transcriptions").mkdir(parents=True)
        (root / folder / "kinematics/AllGestures").mkdir(parents=True)
        mine = [trial for trial in trials if trial[:-5] == task]
        # A row without a transcription is not a trial that can be read.
        rows = [_meta_row(trial, variant) for trial in [*mine, f"{task}_D005"]]
        meta = put(root, f"{folder}/meta_file_{task}.txt", "\r\n".join(rows) + "\r\n\r\n")
        for line, trial in enumerate(mine, start=1):
            lines = [
                f"{start} {end} {gesture} " for start, end, gesture in _segments(trial, variant)
            ]
            name = f"{folder}/transcriptions/{trial}.txt"
            source = put(root, name, "\r\n".join(lines) + "\r\n")
            rows_of_kinematics = "".join("   0.12345678" * 76 + "\n" for _ in range(2))
            put(root, f"{folder}/kinematics/AllGestures/{trial}.txt", rows_of_kinematics)
            evidence.append(_truth(trial, meta, line, source, variant))
    return Truth(tuple(sorted(evidence, key=lambda e: e.video.video_id)))


def _items(trial: str, variant: int) -> list[int]:
    return [1 + h64("sample", trial, variant, item) % 5 for item in range(6)]


def _is_wrong(trial: str, variant: int) -> bool:
    return variant >= 15 and trial == TRIALS[0]


def _meta_row(trial: str, variant: int) -> str:
    items = _items(trial, variant)
    # A wrong total that is still on the scale.
    total = sum(items) + (0 if not _is_wrong(trial, variant) else 1 if sum(items) < 30 else -1)
    level = LEVELS.get(trial[-4], "E")
    return f"{trial}\t\t{level}\t\t{total}\t\t" + "\t".join(map(str, items))


def _segments(trial: str, variant: int) -> list[tuple[int, int, str]]:
    """Contiguous segments with one gap; the first one is followed by one with the same gesture."""
    start = 17 + h64("sample", trial, "start") % 40
    out = []
    names = list(GESTURES)
    for number in range(7 + variant % 7):
        gesture = names[(max(number - 1, 0) * (1 + variant % 3)) % len(names)]
        end = start + 20 + h64("sample", trial, "end", variant, number) % 90
        out.append((start, end, gesture))
        start = end + (31 if number == 3 else 1)
    return out


def _microseconds(frames: int) -> int:
    """Start of a frame in microseconds, at 30 fps and counted from 0; halves do not occur."""
    return round(Fraction(frames * 1_000_000, 30))


def _truth(trial: str, meta: Source, line: int, source: Source, variant: int) -> VideoEvidence:
    segments = _segments(trial, variant)
    spans = [
        Span("gesture", GESTURES[gesture], _microseconds(start - 1), _microseconds(end),
             source.path, f"line {number}")
        for number, (start, end, gesture) in enumerate(segments, start=1)
    ]  # fmt: skip
    place = (meta.path, f"line {line}")
    labels = [VideoLabel("experience", EXPERIENCES[LEVELS[trial[-4]]], None, "", *place)]
    items = _items(trial, variant)
    wrong = _is_wrong(trial, variant)
    if not wrong:
        scores = {"jigsaws_global_rating": sum(items), **dict(zip(RATINGS, items, strict=True))}
        labels += [
            VideoLabel("rating", name, float(scores[name]), "", *place) for name in sorted(scores)
        ]
    rejected = [
        Rejected("read", f"jigsaws/{trial}", Code.CONTRADICTION, "", f"{meta.path}:{line}")
        for _ in range(7 if wrong else 0)
    ]
    video = true_video(
        "jigsaws", trial, PROCEDURES[trial[:-5]], "surgical training",
        "research use after registration, no redistribution", (meta, source), fps=Fraction(30),
        period_us=33_333, duration_us=_microseconds(segments[-1][1]),
        split_group=f"jigsaws/{trial[-4]}",
    )  # fmt: skip
    read = len(spans) + 8
    books = (Books("read", "labels", read, read - len(rejected), len(rejected)),)
    return VideoEvidence(video, None, tuple(spans), tuple(rejected), books, tuple(labels))

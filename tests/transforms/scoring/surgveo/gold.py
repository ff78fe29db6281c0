"""The published figures, and rows of scores from 1 to 5 that have their sums."""

from surgqa.ontology.continuations import (
    BASELINE,
    DIMENSIONS,
    ERROR_TYPES,
    LAPAROSCOPIC,
    NEUROSURGICAL,
    STAGE_AWARE,
    ScoreRow,
)

SAMPLES = {LAPAROSCOPIC: 18, NEUROSURGICAL: 32}
RATERS = {LAPAROSCOPIC: ("L1", "L2"), NEUROSURGICAL: ("N1", "N2")}

CELLS = """
laparoscopic baseline 1 | 3.72 ± 0.24 (134, 6) | 3.36 ± 0.20 (121, 5) | 3.06 ± 0.08 (110, 2) | 3.11 ± 0.16 (112, 4)
laparoscopic baseline 3 | 3.69 ± 0.20 (133, 5) | 2.33 ± 0.16 (84, 4) | 2.06 ± 0.24 (74, 6) | 2.03 ± 0.35 (73, 9)
laparoscopic baseline 8 | 3.56 ± 0.31 (128, 8) | 1.78 ± 0.00 (64, 0) | 1.64 ± 0.12 (59, 3) | 1.61 ± 0.16 (58, 4)
laparoscopic stage_aware 1 | 3.61 ± 0.24 (130, 6) | 3.22 ± 0.16 (116, 4) | 3.11 ± 0.24 (112, 6) | 3.22 ± 0.00 (116, 0)
laparoscopic stage_aware 3 | 3.58 ± 0.27 (129, 7) | 2.31 ± 0.04 (83, 1) | 2.08 ± 0.04 (75, 1) | 2.11 ± 0.24 (76, 6)
laparoscopic stage_aware 8 | 3.39 ± 0.47 (122, 12) | 1.69 ± 0.20 (61, 5) | 1.53 ± 0.12 (55, 3) | 1.81 ± 0.20 (65, 5)
neurosurgical baseline 1 | 3.88 ± 0.09 (248, 4) | 2.77 ± 0.02 (177, 1) | 2.84 ± 0.09 (182, 4) | 2.03 ± 0.09 (130, 4)
neurosurgical baseline 3 | 3.53 ± 0.22 (226, 10) | 2.08 ± 0.11 (133, 5) | 2.16 ± 0.00 (138, 0) | 1.42 ± 0.20 (91, 9)
neurosurgical baseline 8 | 3.41 ± 0.22 (218, 10) | 1.75 ± 0.04 (112, 2) | 1.78 ± 0.18 (114, 8) | 1.13 ± 0.04 (72, 2)
neurosurgical stage_aware 1 | 3.84 ± 0.04 (246, 2) | 2.58 ± 0.07 (165, 3) | 2.64 ± 0.02 (169, 1) | 1.97 ± 0.13 (126, 6)
neurosurgical stage_aware 3 | 3.39 ± 0.07 (217, 3) | 2.02 ± 0.07 (129, 3) | 2.00 ± 0.00 (128, 0) | 1.42 ± 0.07 (91, 3)
neurosurgical stage_aware 8 | 3.25 ± 0.09 (208, 4) | 1.75 ± 0.04 (112, 2) | 1.73 ± 0.07 (111, 3) | 1.17 ± 0.02 (75, 1)
"""  # noqa: E501

ERRORS = {
    LAPAROSCOPIC: {"visual_quality": (4, "6.2"), "instrument": (11, "17.2"),
                   "operation": (10, "15.6"), "target": (14, "21.9"), "feedback": (11, "17.2"),
                   "intent": (14, "21.9")},
    NEUROSURGICAL: {"visual_quality": (4, "2.8"), "instrument": (25, "17.7"),
                    "operation": (30, "21.3"), "target": (20, "14.2"), "feedback": (31, "22.0"),
                    "intent": (31, "22.0")},
}  # fmt: skip


def gold_cells():
    """(track, prompt, time, dimension) -> (printed, sum of both totals, their difference)."""
    out = {}
    for line in CELLS.strip().splitlines():
        head, *texts = line.split(" | ")
        track, prompt, time_s = head.split()
        for dimension, text in zip(DIMENSIONS, texts, strict=True):
            printed, _, sums = text.rstrip(")").partition(" (")
            both, apart = map(int, sums.split(", "))
            out[track, prompt, int(time_s), dimension] = (printed, both, apart)
    return out


def sample_name(track, k):
    return f"{track}-{k:02d}"


def spread(total, n, turn):
    """n whole scores with this sum, as equal as can be, the larger ones at a place of their own."""
    base, more = divmod(total, n)
    return [base + ((k - turn) % n < more) for k in range(n)]


def marks():
    """(track, sample, rater) -> types marked under the baseline."""
    out = {}
    for track, types in ERRORS.items():
        pairs = [(sample_name(track, k), rater) for k in range(SAMPLES[track])
                 for rater in RATERS[track]]  # fmt: skip
        for name in ERROR_TYPES:
            for sample, rater in pairs[: types[name][0]]:
                out.setdefault((track, sample, rater), []).append(name)
    return out


def gold_rows():
    """2,400 rows; types stand on a video's first row, some also on another."""
    rows, marked = [], marks()
    for turn, (key, (_, both, apart)) in enumerate(gold_cells().items()):
        track, prompt, time_s, dimension = key
        totals = ((both + apart) // 2, (both - apart) // 2)
        for r, rater in enumerate(RATERS[track]):
            scores = spread(totals[r], SAMPLES[track], turn + 5 * r)
            for k, score in enumerate(scores):
                sample = sample_name(track, k)
                first = (time_s, dimension) == (1, "visual")
                again = (time_s, dimension) == (8, "intent") and k % 3 == 0
                types = marked.get((track, sample, rater), []) if first or again else []
                types = types if prompt == BASELINE else types[:1]
                rows.append(ScoreRow(sample, track, prompt, rater, time_s, dimension, score,
                                     tuple(types)))  # fmt: skip
    assert {row.prompt for row in rows} == {BASELINE, STAGE_AWARE}
    return rows

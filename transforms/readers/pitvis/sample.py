"""Write a small sample of PitVis in its real layout; all its data are made up.

Layout, column names and labels are those of the release.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.records import (
    Books,
    Code,
    Rejected,
    Source,
    Span,
    VideoEvidence,
)  # fmt: skip
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

VIDEO_IDS = ("01", "04", "24")
STEPS = ("nasal corridor creation ", "anterior sphenoidotomy", "septum displacement",
         "sphenoid sinus clearance", "sellotomy", "durotomy", "tumour_excision", "haemostasis",
         "synthetic graft placement", "fat graft placement", "gasket seal construct",
         "dural sealant", "nasal packing", "debris clearance")  # fmt: skip
INSTRUMENTS = ("bipolar forceps", "cottle", "cup forceps", "dural scissors", "freer elevator",
               "haemostatic foam", "irrigation syringe", "kerrisons", "micro doppler",
               "nasal cutting forceps", "pituitary rongeurs", "retractable knife",
               "ring curette", "spatula dissector", "stealth pointer", "suction",
               "surgical drill", "tissue_glue")  # fmt: skip
CONCEPTS = {"bipolar forceps": "bipolar", "kerrisons": "kerrison_rongeur",
            "pituitary rongeurs": "pituitary_rongeur", "stealth pointer": "navigation_pointer",
            "suction": "suction_instrument"}  # fmt: skip
BACKGROUND = (-1, -1, -2)
# First second; step, first and second instrument from then on.
_SCENE = (
    (0, *BACKGROUND),
    (2, 1, 0, -2),
    (5, 1, 5, 16),
    (14, *BACKGROUND),
    (16, 5, 8, -2),
    (24, 5, 17, -2),
    (30, 7, 11, 16),
    (37, 7, 13, 16),
    (41, 7, 13, 0),
    (42, 7, 0, -2),
    (45, 8, 1, -2),
    (50, *BACKGROUND),
    (53, 12, 18, -2),
)


def write(root: Path, *, procedures: int = 2, seconds: int = 57, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        seconds: number of annotated seconds of each video, 1 to 58.
        variant: 0 to 20; determines which part of the operation is recorded, and the file name of
            the list of instruments.
    """
    root = Path(root)
    steps = ["int_step,str_step", "-1,operation_ended", "-1,operation_not_started",
             "-1,out_of_patient", *(f"{n},{name}" for n, name in enumerate(STEPS, 1))]  # fmt: skip
    tools = ["int_instrument,str_instrument", "-1,out_of_patient", "0,no_visible_instrument",
             "0,occluded_image_inside_patient",
             *(f"{n},{name}" for n, name in enumerate(INSTRUMENTS, 1))]  # fmt: skip
    list_name = "map_instruments.csv" if variant % 4 != 3 else "map_instrument.csv"
    maps = (put(root, "map_steps.csv", steps), put(root, list_name, tools))
    evidence = []
    for place, video_id in enumerate(VIDEO_IDS[:procedures]):
        rows = [_at(variant * 5 + place + second) for second in range(seconds)]
        evidence.append(_video(root, video_id, rows, maps))
    return Truth(tuple(evidence))


def _at(second: int) -> tuple[int, int, int]:
    second %= 60
    return [(step, one, two) for since, step, one, two in _SCENE if since <= second][-1]


def _concept(name: str) -> str:
    return CONCEPTS.get(name, name.strip().replace(" ", "_"))


def _video(
    root: Path, video_id: str, rows: list[tuple[int, int, int]], maps: tuple[Source, ...]
) -> VideoEvidence:
    lines = ["int_video,int_time,int_step,int_instrument1,int_instrument2"]
    for second, (step, one, two) in enumerate([*rows, BACKGROUND]):
        lines.append(f"{int(video_id)},{second},{step},{one},{two}")
    source = put(root, f"annotations_{video_id}.csv", lines)
    key, last = f"pitvis/{video_id}", f"{source.path}:{len(rows) + 2}"
    noted = [
        Rejected("read", key, Code.BAD_VALUE, "", f"{source.path}:{second + 2}", 1, "repaired")
        for second, (_, _, two) in enumerate(rows) if two == 0
    ]  # fmt: skip
    noted.append(Rejected("read", key, Code.BAD_TIME, "", last))
    labels = sorted(map(_concept, INSTRUMENTS))
    inside = [second for second, row in enumerate(rows) if row[0] != -1]
    seen = [
        [Instance(_concept(INSTRUMENTS[tool - 1]), None, None, column)
         for column, tool in enumerate(rows[second][1:], start=1) if tool > 0]
        for second in inside
    ]  # fmt: skip
    table = true_table([second * 1_000_000 for second in inside], inside, seen, labels,
                       "int_time {frame}, int_instrument{row}")  # fmt: skip
    video = true_video(
        "pitvis", video_id, "endoscopic transsphenoidal pituitary surgery", "neurosurgery",
        "CC BY-NC-ND 4.0", (source, *maps), fps=Fraction(1), period_us=1_000_000,
        duration_us=len(rows) * 1_000_000, split_group=key, vocabulary=tuple(labels),
    )  # fmt: skip
    books = Books("read", "label rows", len(rows) + 1, len(rows), 1)
    return VideoEvidence(video, table, _spans(rows, source.path), tuple(noted), (books,))


def _spans(rows: list[tuple[int, int, int]], path: str) -> tuple[Span, ...]:
    """Runs of one step; background counts only between two steps."""
    spans, first = [], 0
    for second, (step, _, _) in enumerate(rows):
        if second + 1 < len(rows) and rows[second + 1][0] == step:
            continue
        pointer, times = f"lines {first + 2} to {second + 2}", (first * 10**6, (second + 1) * 10**6)
        if step != -1:
            spans.append(Span("step", _concept(STEPS[step - 1]), *times, path, pointer))
        elif first > 0 and second + 1 < len(rows):
            spans.append(Span("event", "out_of_body", *times, path, pointer))
        first = second + 1
    return tuple(sorted(spans, key=lambda span: (span.kind, span.start_us)))

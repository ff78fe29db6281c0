"""Write a small sample of Cataract-101 in its real layout; all its data are made up."""

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
    Video,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import put, true_video

VIDEO_IDS = ("269", "354", "934")
PHASES = (
    ("Incision", "corneal_incision"),
    ("Viscous agent injection", "viscous_agent_injection"),
    ("Rhexis", "rhexis"),
    ("Hydrodissection", "lens_hydrodissection"),
    ("Phacoemulsificiation", "lens_phacoemulsification"),
    ("Irrigation and aspiration", "irrigation_and_aspiration"),
    ("Capsule polishing", "capsule_polishing"),
    ("Lens implant setting-up", "lens_implant_setting_up"),
    ("Viscous agent removal", "viscous_agent_removal"),
    ("Tonifying and antibiotics", "tonifying_and_antibiotics"),
)
# As in real operations: phase 2 twice, 5 after itself, and 6 before 4 is finished.
COURSE = (1, 2, 3, 6, 4, 5, 5, 6, 2, 7, 8, 9, 10)


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        variant: 0 has no errors; others leave phases out, end at odd frames, or add rows with an
            unknown phase, with a start after the end, or with an unknown level.
    """
    root = Path(root)
    ids = VIDEO_IDS[:procedures]
    starts = ["VideoID;FrameNo;Phase\n"]
    videos = ["VideoID;Frames;FPS;Surgeon;Experience\n"]
    phases = ["Phase;Meaning\n"] + [f"{i};{name}\n" for i, (name, _) in enumerate(PHASES, 1)]
    plans = []
    for line, video_id in enumerate(ids, 2):
        plan = _plan(video_id, variant)
        first = len(starts) + 1
        starts += [f"{video_id};{frame};{phase}\n" for frame, phase in plan["rows"]]
        level = plan["level"]
        videos.append(f"{video_id};{plan['frames']};25;{h64(video_id) % 4 + 1};{level}\n")
        plans.append((video_id, plan, line, first))
    texts = {
        "annotations.csv": "".join(starts),
        "videos.csv": "".join(videos).rstrip("\n"),
        "phases.csv": "".join(phases),
    }
    sources = []
    for name, text in texts.items():
        sources.append(put(root, name, text))
    return Truth(tuple(_truth(*plan, tuple(sources)) for plan in plans))


def _plan(video_id: str, variant: int) -> dict:
    """Rows (frame, phase), number of frames, and level of one video."""
    course = [phase for phase in COURSE if not variant or phase != variant % 11]
    frame = 0 if variant % 5 == 4 else 30 + h64("first", video_id) % 60
    rows = []
    for number, phase in enumerate(course):
        rows.append((frame, phase))
        frame += 125 + h64("length", video_id, number) % 300
    if variant % 3 == 1:
        rows.insert(2, (rows[1][0] + 20, 11))
    if variant % 3 == 2:
        rows.append((frame + 40, 3))
    if variant == 20:
        rows = []
    level = 7 if variant % 7 == 6 else 1 + h64("level", video_id) % 2
    return {"rows": rows, "frames": frame, "level": level}


def _truth(
    video_id: str, plan: dict, line: int, first: int, sources: tuple[Source, ...]
) -> VideoEvidence:
    key, rejected, spans = f"cataract101/{video_id}", [], []
    end = plan["frames"]
    for number, (frame, phase) in enumerate(plan["rows"]):
        following = plan["rows"][number + 1][0] if number + 1 < len(plan["rows"]) else end
        where = f"annotations.csv:{first + number}"
        if phase > 10:
            rejected.append(Rejected("read", key, Code.UNKNOWN_LABEL, "", where))
        elif frame >= end:
            rejected.append(Rejected("read", key, Code.BAD_TIME, "", where))
        else:
            until = min(following, end)
            name = PHASES[phase - 1][1]
            spans.append(
                Span("phase", name, frame * 40_000, until * 40_000, "annotations.csv",
                     f"line {first + number}")
            )  # fmt: skip
    labels: tuple[VideoLabel, ...] = ()
    if plan["level"] in (1, 2):
        level = ("low_experience", "high_experience")[plan["level"] - 1]
        labels = (VideoLabel("experience", level, None, "", "videos.csv", f"line {line}"),)
    else:
        rejected.insert(0, Rejected("read", key, Code.UNKNOWN_LABEL, "", f"videos.csv:{line}"))
    read, kept = len(plan["rows"]) + 1, len(spans) + len(labels)
    video = _record(video_id, end, sources)
    books = Books("read", "label rows", read, kept, read - kept)
    return VideoEvidence(video, None, tuple(spans), tuple(rejected), (books,), labels)


def _record(video_id: str, end: int, sources: tuple[Source, ...]) -> Video:
    return true_video(
        "cataract101", video_id, "cataract surgery", "ophthalmology", "CC BY-NC 4.0", sources,
        fps=Fraction(25), period_us=40_000, duration_us=end * 40_000,
    )  # fmt: skip

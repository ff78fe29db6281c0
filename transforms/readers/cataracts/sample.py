"""Write a small sample of CATARACTS in its layout of 2018; all its data are made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    InstrumentTable,
    Media,
    MediaKind,
    Rejected,
    Source,
    Span,
    Video,
    VideoEvidence,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, jpeg, picture, png
from surgqa.transforms.readers.base.sample import Instance, put, true_table, true_video

VIDEO_IDS = ("test01", "train01", "train02")
TOOLS = (
    "biomarker", "Charleux cannula", "hydrodissection cannula", "Rycroft cannula",
    "viscoelastic cannula", "cotton", "capsulorhexis cystotome", "Bonn forceps",
    "capsulorhexis forceps", "Troutman forceps", "needle holder",
    "irrigation/aspiration handpiece", "phacoemulsifier handpiece", "vitrectomy handpiece",
    "implant injector", "primary incision knife", "secondary incision knife",
    "micromanipulator", "suture needle", "Mendez ring", "Vannas scissors",
)  # fmt: skip
STEPS = (
    "cataract_idle", "toric_marking", "implant_ejection", "eye_incision", "viscodilatation",
    "capsulorhexis", "hydrodissection", "nucleus_breaking", "phacoemulsification", "vitrectomy",
    "irrigation_aspiration", "preparing_implant", "manual_aspiration", "lens_implantation",
    "lens_positioning", "ovd_aspiration", "eye_suturing", "sealing_control", "wound_hydration",
)  # fmt: skip
# Step, tools, number of frames.
COURSE = (
    (0, (), 12), (3, (15, 7), 30), (0, (), 5), (4, (4,), 25), (5, (8,), 30), (6, (2,), 20),
    (8, (12, 17), 40), (10, (11,), 25), (13, (14, 7), 20), (0, (), 4), (18, (3,), 15),
)  # fmt: skip
SECOND = 1_000_000
Frame = tuple[int, tuple[int, ...], bool]


def write(
    root: Path, *, procedures: int = 2, variant: int = 0, pictures: str | None = "jpg"
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        variant: 0 has one interval in which the annotators disagree; others leave tables out, mark
            all tools as in view, or add invalid rows and unknown values and steps.
        pictures: ``png`` or ``jpg`` frames for the first video; None: no frames.
    """
    root = Path(root)
    evidence = []
    for place, video_id in enumerate(VIDEO_IDS[:procedures]):
        media = Media(MediaKind.ABSENT)
        if pictures and not place:
            media = Media(MediaKind.FRAMES, video_id, WIDTH, HEIGHT, 1)
            (root / video_id).mkdir()
            for frame in (1, 61, 121):
                image = picture(frame, [(0.3, 0.3, 0.6, 0.7)], [frame])
                data = png(image) if pictures == "png" else jpeg(image)
                (root / video_id / f"frame{frame:05d}.{pictures}").write_bytes(data)
        evidence.append(_video(root, video_id, variant, media))
    return Truth(tuple(evidence))


def _frames(video_id: str, variant: int) -> list[Frame]:
    """Step, tools, and whether the annotators disagree, for each frame from 1 on."""
    out = []
    for number, (step, tools, length) in enumerate(COURSE):
        length += h64("length", video_id, number) % 7
        used = tuple(range(21)) if variant == 3 and number == 1 else tools
        for frame in range(length):
            out.append((step, used, number == 3 and frame < 4 and variant != 5))
    return out


def _video(root: Path, video_id: str, variant: int, media: Media) -> VideoEvidence:
    frames = _frames(video_id, variant)
    key = f"cataracts/{video_id}"
    sources: list[Source] = []
    rejected: list[tuple[int, Rejected]] = []
    read = kept = 0
    steps_too, tools_too = variant != 7, variant != 8
    if steps_too:
        name = f"phase_annotations/{video_id}.csv"
        lines = [f"{frame},{step}\n" for frame, (step, _, _) in enumerate(frames, 1)]
        if variant == 9:
            lines += ["500000,19\n", "500001,0,0\n"]
            where = f"{name}:{len(frames) + 2}"
            rejected.append((len(frames) + 2, _no(key, Code.UNKNOWN_LABEL, where)))
            where = f"{name}:{len(frames) + 3}"
            rejected.append((len(frames) + 3, _no(key, Code.BAD_ROW, where)))
        sources.append(put(root, name, "Frame,Steps\n" + "".join(lines)))
        read, kept = read + len(lines), kept + len(frames)
    table = None
    if tools_too:
        name = f"tool_annotations/{video_id}.csv"
        table, torn = _tools(frames, name)
        sources.append(put(root, name, _tool_text(frames)))
        if torn:
            where = f"{name}:{torn[0] + 1}"
            rejected.append((10**6 + torn[0], _no(key, Code.CONTRADICTION, where, len(torn))))
        read, kept = read + len(frames), kept + len(frames) - len(torn)
    video = _record(video_id, len(frames), media, sources, table.labels if table else ())
    spans = _spans(frames, f"phase_annotations/{video_id}.csv") if steps_too else ()
    ordered = sorted(rejected, key=lambda entry: (entry[0], entry[1].code))
    books = Books("read", "label rows", read, kept, read - kept)
    return VideoEvidence(video, table, spans, tuple(entry for _, entry in ordered), (books,))


def _no(key: str, code: Code, where: str, count: int = 1) -> Rejected:
    return Rejected("read", key, code, "", where, count)


def _tool_text(frames: list[Frame]) -> str:
    lines = [",".join(["Frame", "to_be_evaluated", *TOOLS])]
    for frame, (_, used, torn) in enumerate(frames, 1):
        cells = ["1" if tool in used else "0" for tool in range(21)]
        if torn:
            cells[4] = "0.5"
        lines.append(",".join([str(frame), "0" if frame % 6 else "1", *cells]))
    return "\n".join(lines) + "\n"


def _tools(frames: list[Frame], name: str) -> tuple[InstrumentTable, list[int]]:
    """The table, and the frames (from 1) that are unknown."""
    concepts = [tool.lower().replace("/", " ").replace(" ", "_") for tool in TOOLS]
    times: list[int] = []
    seen: list[list[Instance]] = []
    torn: list[int] = []
    for frame, (_, used, unsure) in enumerate(frames):
        if unsure:
            torn.append(frame + 1)
            continue
        times.append(frame)
        seen.append([Instance(concepts[tool], None, None, tool) for tool in used])
    pointer = f"{name} Frame {{frame}} and instrument {{row}}, both counted from 0"
    instants = [time * SECOND for time in times]
    return true_table(instants, times, seen, sorted(concepts), pointer), torn


def _spans(frames: list[Frame], name: str) -> tuple[Span, ...]:
    out, first = [], 0
    for frame in range(1, len(frames) + 1):
        if frame == len(frames) or frames[frame][0] != frames[first][0]:
            where = f"Frame {first + 1} to {frame}"
            step = STEPS[frames[first][0]]
            out.append(Span("step", step, first * SECOND, frame * SECOND, name, where))
            first = frame
    return tuple(sorted(out, key=lambda span: span.start_us))


def _record(
    video_id: str, count: int, media: Media, sources: list[Source], vocabulary: tuple[str, ...]
) -> Video:
    return true_video(
        "cataracts", video_id, "cataract surgery", "ophthalmology",
        "research use, with registration", sources, fps=Fraction(1), period_us=SECOND,
        duration_us=count * SECOND, media=media, vocabulary=vocabulary, clock=Clock.ORDER,
    )  # fmt: skip

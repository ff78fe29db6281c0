"""Write a small sample of a hospital's own tables with their mapping; all its data are made up.

The events are those of ``readers.base.scene``, frame by frame.  Boxes lie on a grid of 1/64.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from surgqa.ontology.records import (
    Books,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    Span,
    VideoEvidence,
    VideoLabel,
)
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.pictures import HEIGHT, WIDTH, write_pictures
from surgqa.transforms.readers.base.sample import Box, Instance, put, true_table, true_video
from surgqa.transforms.readers.base.scene import FULL_SECONDS, Second, Seen, seconds_of

TOOLS = {"grasper": "Grasper 5mm", "bipolar": "Bipolar", "hook": "L-Hook", "scissors": "Scissors",
         "clipper": "Clip applier", "irrigator": "Suction"}  # fmt: skip
PHASES = {"Prep": "preparation", "Calot": "calot_triangle_dissection",
          "Clip+cut": "clipping_and_cutting", "Liver bed": "gallbladder_dissection"}  # fmt: skip
SCORES = {"Two structures": "cvs_two_structures", "Plate": "cvs_cystic_plate",
          "Triangle": "cvs_hepatocystic_triangle"}  # fmt: skip
CORNERS = (("x", "y", "w", "h"), ("cx", "cy", "w", "h"), ("x1", "y1", "x2", "y2"))
SIDE = (640, 512)
STRANGE = "Camera holder"

Line = tuple[str, ...]


class _Case:
    """One video: its events, and the evidence that a reader must find in its rows."""

    def __init__(self, number: int, seconds: int, fps: Fraction, with_boxes: bool, variant: int):
        self.id = f"case_{number:02d}"
        self.key = f"tables/{self.id}"
        self.happens = seconds_of(self.id, seconds)
        self.fps, self.with_boxes, self.variant = fps, with_boxes, variant
        self.step = max(1, int(fps))
        last = self.happens[-1].number
        whole = max(int(Fraction((last + 1) * self.step) / fps) + 1, last + 2)
        self.length = Fraction(whole) + Fraction(variant % 4, 8)
        self.read = 0
        self.rejected: list[tuple[int, int, Rejected]] = []
        self.seen: list[list[Instance]] = []

    @property
    def end_us(self) -> int:
        return int(self.length * 1_000_000)

    def reject(self, table: int, line: int, code: Code, where: str, outcome: str) -> None:
        entry = Rejected("read", self.key, code, "", f"{where}:{line}", 1, outcome)
        self.rejected.append((table, line, entry))


def write(
    root: Path,
    *,
    procedures: int = 2,
    seconds: int = FULL_SECONDS,
    fps: Fraction = Fraction(25),
    with_boxes: bool = True,
    pictures: str | None = None,
    variant: int = 0,
) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 10.
        seconds: maximum number of annotated seconds of each video, 1 to 58.
        fps: rate of the frame numbers.
        with_boxes: whether instruments have boxes.
        pictures: ``png`` or ``jpg`` frames for the first video; None: no frames.
        variant: odd ones write phases as text instead of Parquet; others change how boxes are
            written and when videos end, and add rows that a reader must reject.
    """
    cases = [_Case(n + 1, seconds, fps, with_boxes, variant) for n in range(procedures)]
    phases = "phases/{video}.csv" if variant % 2 else "phases/{video}.parquet"
    sources = [
        put(root, "surgqa.yaml", _mapping(phases, with_boxes, variant)),
        put(root, "videos.csv", _csv([
            ("Case", "Seconds", "Rate", "Patient"),
            *((c.id, f"{float(c.length):g}", str(c.fps), f"P{c.id[-2:]}") for c in cases)])),
        put(root, "tools.csv", _tools(cases)),
    ]  # fmt: skip
    own = [_phases(root, phases.format(video=case.id), case) for case in cases]
    more = [put(root, "events.csv", _events(cases)), put(root, "cvs.csv", _scores(cases))]
    evidence = []
    for place, case in enumerate(cases):
        media = Media(MediaKind.ABSENT)
        if pictures and not place:
            media = Media(MediaKind.FRAMES, f"pictures/{case.id}", WIDTH, HEIGHT, first=1)
            _pictures(root / "pictures" / case.id, case, pictures)
        evidence.append(_truth(case, media, (*sources, own[place], *more)))
    return Truth(tuple(evidence))


def _pictures(folder: Path, case: _Case, kind: str) -> None:
    """Write images whose names are the frame numbers in the tables."""
    write_pictures(folder, case.happens, kind)
    for second in reversed(case.happens):
        before = folder / f"{second.number:06d}.{kind}"
        before.rename(folder / f"{second.number * case.step + 1:06d}.{kind}")


def _csv(lines: list[Line], separator: str = ",") -> bytes:
    return "".join(separator.join(line) + "\n" for line in lines).encode()


MAPPING = """\
# A made-up hospital's tables.
procedure: laparoscopic cholecystectomy
specialty: general surgery
licence: made up, free to use
media: pictures/{{video}}
videos:
  file: videos.csv
  columns: {{video: Case, duration: Seconds, rate: Rate, patient: Patient}}
tables:
  tools:
    holds: {holds}
    file: tools.csv
    columns: {{video: Case, at: Frame{boxes}, instrument: Tool, verb: Verb, target: Target}}
    time: {{unit: frames, base: 1}}
{box}  phases:
    holds: segments
    file: {phases}
    columns: {{start: start_ms, phase: phase}}
    time: {{unit: milliseconds}}
  events:
    holds: segments
    file: events.csv
    columns: {{video: Case, start: From, end: To, event: What, rater: Who}}
    time: {{unit: clock}}
  cvs:
    holds: ratings
    file: cvs.csv
    columns: {{video: Case, rater: Rater}}
    flags: {{rating: [Two structures, Plate, Triangle]}}
    scale: [0, 2]
labels:
{labels}"""


def _mapping(phases: str, with_boxes: bool, variant: int) -> bytes:
    corners = CORNERS[variant % 3]
    boxes = "".join(f", {role}: {role}" for role in corners) if with_boxes else ""
    unit = "shares" if variant % 3 == 1 else f"pixels, size: [{SIDE[0]}, {SIDE[1]}]"
    box = f"    box: {{unit: {unit}}}\n" if with_boxes else ""
    words: dict[str, str | dict[str, str]] = {
        "instrument": {name: key for key, name in TOOLS.items()},
        "verb": "same",
        "target": "same",
        "event": {"Scope out": "out_of_body"},
        "rating": SCORES,
        "phase": PHASES,
    }
    labels = "".join(f"  {kind}: {_flow(entry)}\n" for kind, entry in words.items())
    holds = "boxes" if with_boxes else "events"
    return MAPPING.format(holds=holds, boxes=boxes, box=box, phases=phases, labels=labels).encode()


def _flow(entry: str | dict[str, str]) -> str:
    if isinstance(entry, str):
        return entry
    return "{" + ", ".join(f"{word}: {concept}" for word, concept in entry.items()) + "}"


def _tools(cases: list[_Case]) -> bytes:
    """One line for each action of each instrument; an empty line if nothing is in view."""
    variant, with_boxes = cases[0].variant, cases[0].with_boxes
    corners = CORNERS[variant % 3] if with_boxes else ()
    lines: list[Line] = [("Case", "Frame", *corners, "Tool", "Verb", "Target")]
    for case in cases:
        for second in case.happens:
            frame = str(second.number * case.step + 1)
            instances: list[Instance] = []
            row = 0
            for seen in second.seen:
                actions = [seen.action] + ([seen.also] if seen.also else [])
                box, cells, cut = _box(seen, variant)
                for number, action in enumerate(actions):
                    lines.append((case.id, frame, *(cells if with_boxes else ()),
                                  TOOLS[seen.instrument], *(action or ("", ""))))  # fmt: skip
                    if cut and with_boxes:
                        case.reject(0, len(lines), Code.BAD_BOX, "tools.csv", "repaired")
                    if not with_boxes or not number:
                        pairs = (tuple(sorted(a for a in actions if a)) if with_boxes
                                 else (action,) if action else ())  # fmt: skip
                        place = box if with_boxes else None
                        instances.append(Instance(seen.instrument, place, pairs or None, row))
                    row += 1
            if variant % 5 == 4 and second is case.happens[0]:
                lines.append((case.id, frame, *("" for _ in corners), STRANGE, "", ""))
                case.reject(0, len(lines), Code.UNKNOWN_LABEL, "tools.csv", "rejected")
                case.read += 1
            elif not second.seen:
                lines.append((case.id, frame, *("" for _ in corners), "", "", ""))
                case.read += 1
            case.read += row
            case.seen.append(instances)
    return _csv(lines)


def _box(seen: Seen, variant: int) -> tuple[Box, Line, bool]:
    """The expected box, its cells, and whether it is clipped at the edge of the image."""
    x, y, w, h = seen.box_xywh
    x1, y1, x2, y2 = (int(value * 64) for value in (x, y, x + w + 1 / 64, y + h + 1 / 64))
    true = (max(x1, 0) / 64, max(y1, 0) / 64, min(x2, 64) / 64, min(y2, 64) / 64)
    px = [x1 * SIDE[0] // 64, y1 * SIDE[1] // 64, x2 * SIDE[0] // 64, y2 * SIDE[1] // 64]
    written: tuple[list[float] | list[int], ...] = (
        [px[0], px[1], px[2] - px[0], px[3] - px[1]],
        [(x1 + x2) / 128, (y1 + y2) / 128, (x2 - x1) / 64, (y2 - y1) / 64],
        px,
    )
    cells = tuple(str(value) for value in written[variant % 3])
    return true, cells, min(x1, y1) < 0 or max(x2, y2) > 64


def _starts(happens: list[Second]) -> list[tuple[int, int | None]]:
    """(milliseconds, phase or None) at each change of the phase."""
    out: list[tuple[int, int | None]] = []
    for second in happens:
        if not out or out[-1][1] != second.phase:
            out.append((second.number * 1000, second.phase))
    return out


def _phases(root: Path, name: str, case: _Case) -> Source:
    names = [*PHASES, *PHASES]
    rows = [(ms, "" if phase is None else names[phase]) for ms, phase in _starts(case.happens)]
    case.read += len(rows)
    if name.endswith(".csv"):
        return put(root, name, _csv([("start_ms", "phase"), *((str(a), b) for a, b in rows)]))
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    starts, phases = [ms for ms, _ in rows], [phase for _, phase in rows]
    pq.write_table(pa.table({"start_ms": starts, "phase": phases}), sink)
    return put(root, name, sink.getvalue().to_pybytes())


def _outside(case: _Case) -> list[tuple[int, int, str]]:
    """(start, end, rater) in milliseconds; the second one may end after the video."""
    end = int(case.length * 1000)
    late = 5_000 if case.variant % 4 == 3 else -250
    return [(500, 1_250, "Dr A"), (500, end + late, "Dr B")]


def _clock(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}"


def _events(cases: list[_Case]) -> bytes:
    lines: list[Line] = [("Case", "From", "To", "What", "Who")]
    for case in cases:
        for start, end, rater in _outside(case):
            lines.append((case.id, _clock(start), _clock(end), "Scope out", rater))
            case.read += 1
            if end * 1000 > case.end_us:
                case.reject(2, len(lines), Code.BAD_TIME, "events.csv", "repaired")
    return _csv(lines, ";")


def _score(case: _Case, number: int, rater: int) -> int | None:
    """A score from 0 to 2; the second rater leaves one out."""
    if rater and not number:
        return None
    return (int(case.id[-2:]) + number + rater + case.variant) % 3


def _scores(cases: list[_Case]) -> bytes:
    lines: list[Line] = [("Case", "Rater", *SCORES)]
    for case in cases:
        for rater, name in enumerate(("Dr A", "Dr B")):
            scores = [_score(case, number, rater) for number in range(len(SCORES))]
            lines.append((case.id, name, *("" if s is None else str(s) for s in scores)))
            case.read += sum(score is not None for score in scores)
    return _csv(lines)


def _spans(case: _Case, sources: tuple[Source, ...]) -> list[Span]:
    out = []
    names = list(PHASES.values()) * 2
    starts = _starts(case.happens)
    ends = [ms * 1000 for ms, _ in starts[1:]] + [case.end_us]
    for line, ((ms, phase), end) in enumerate(zip(starts, ends, strict=True), 1):
        if phase is not None:
            path = sources[3].path
            # Line numbers include the header in text files; Parquet has no header.
            place = f"{path}:{line + path.endswith('.csv')}"
            out.append(Span("phase", names[phase], ms * 1000, end, path, place))
    first = 2 + 2 * (int(case.id[-2:]) - 1)
    for line, (start, end, rater) in enumerate(_outside(case), first):
        stop = min(end * 1000, case.end_us)
        out.append(Span("event", "out_of_body", start * 1000, stop, "events.csv",
                        f"events.csv:{line}", None, rater))  # fmt: skip
    return sorted(out, key=lambda s: (s.kind, s.start_us, s.end_us, s.label, s.rater))


def _labels(case: _Case) -> list[VideoLabel]:
    out = []
    first = 2 + 2 * (int(case.id[-2:]) - 1)
    for rater, name in enumerate(("Dr A", "Dr B")):
        for number, concept in enumerate(SCORES.values()):
            score = _score(case, number, rater)
            if score is not None:
                out.append(VideoLabel("rating", concept, float(score), name, "cvs.csv",
                                      f"cvs.csv:{first + rater}"))  # fmt: skip
    return sorted(out, key=lambda label: (label.label, label.rater))


def _truth(case: _Case, media: Media, sources: tuple[Source, ...]) -> VideoEvidence:
    labels = tuple(sorted(TOOLS))
    frames = [second.number * case.step for second in case.happens]
    times = [frame_to_us(frame, case.fps) for frame in frames]
    gaps = Counter(b - a for a, b in pairwise(frames)).most_common()
    period = period_us(case.fps)
    if gaps:
        common = min(gap for gap, count in gaps if count == gaps[0][1])
        period = frame_to_us(common, case.fps)
    table = true_table(times, frames, case.seen, labels, "tools.csv, frame {frame}, label {row}")
    ordered = sorted(case.rejected, key=lambda one: one[:2])
    rejected = tuple(entry for _, _, entry in ordered)
    gone = sum(entry.outcome == "rejected" for entry in rejected)
    video = true_video(
        "tables", case.id, "laparoscopic cholecystectomy", "general surgery",
        "made up, free to use", sources, fps=case.fps, period_us=period, duration_us=case.end_us,
        media=media, split_group=f"tables/P{case.id[-2:]}", vocabulary=labels,
    )  # fmt: skip
    books = (Books("read", "labels", case.read, case.read - gone, gone),)
    spans = tuple(_spans(case, sources))
    return VideoEvidence(video, table, spans, rejected, books, tuple(_labels(case)))

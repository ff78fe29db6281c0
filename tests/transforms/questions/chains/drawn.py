"""Drawn operations: deeds of instruments, cues, states, anomalies, finely or coarsely known."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from ontology.knowledge import rules
from ontology.moments import Moment, moment_order
from ontology.records import InstrumentTable, Media, MediaKind, Source, Span, Video, VideoEvidence

S = 1_000_000
SECONDS = 300
PROCEDURE = "laparoscopic cholecystectomy"
ACTS = {
    "grasper": (("grasp", "gallbladder"), ("retract", "gallbladder"), ("retract", "liver"),
                ("grasp", "cystic_plate"), ("retract", "omentum")),
    "hook": (("dissect", "gallbladder"), ("dissect", "cystic_duct"), ("coagulate", "liver"),
             ("dissect", "omentum"), ("dissect", "cystic_artery")),
    "clipper": (("clip", "cystic_duct"), ("clip", "cystic_artery")),
    "scissors": (("cut", "cystic_duct"), ("cut", "cystic_artery")),
    "irrigator": (("aspirate", "fluid"), ("irrigate", "abdominal_wall_cavity")),
}  # fmt: skip
CHANNELS = ("tracks", "speech", "camera")
PHASES = ("preparation", "calot_triangle_dissection", "clipping_and_cutting",
          "gallbladder_dissection")  # fmt: skip
BOXES = (None, (0.1, 0.2, 0.25, 0.4), (0.6, 0.5, 0.7, 0.8), (0.4, 0.4, 0.5, 0.5))
FRAMES_US = 40_000
TENTHS = st.integers(0, SECONDS * 10)


def on_frame(time_us: int) -> int:
    """The start of the frame that holds a time, at 25 a second."""
    return time_us // FRAMES_US * FRAMES_US


@st.composite
def actions(draw, resolution: int) -> list[Moment]:
    """Deeds of each instrument, one after the other, some directly."""
    out = []
    for tool, acts in ACTS.items():
        time = draw(st.integers(0, 60)) * S
        for act in draw(st.lists(st.sampled_from(acts), max_size=7)):
            gap = draw(st.sampled_from((0, 0, 400_000, 3 * S, 11 * S, 40 * S)))
            long = draw(st.sampled_from((800_000, 2 * S, 3_600_000, 7 * S, 12 * S)))
            start = on_frame(time + gap)
            time = on_frame(start + long)
            if time >= SECONDS * S:
                break
            out.append(moment("action", act[0], start, time, resolution, tool=tool, verb=act[0],
                              target=act[1], box_xyxy=draw(st.sampled_from(BOXES))))  # fmt: skip
    return out


def moment(kind: str, label: str, start: int, end: int, resolution: int, **more) -> Moment:
    return Moment(kind, label, start, end, resolution, "made.json", f"made.json {kind} {start}",
                  **more)  # fmt: skip


@st.composite
def cues(draw, deeds: list[Moment]) -> list[Moment]:
    """Before some deeds, at times that count and at times that do not."""
    out = []
    for deed in deeds:
        for label in draw(st.lists(st.sampled_from(("approach", "intent", "camera", "positioned")),
                                   max_size=2, unique=True)):  # fmt: skip
            before = draw(st.sampled_from((480_000, 520_000, 1_200_000, 1_280_000, 2_200_000)))
            start = deed.start_us - before
            if start >= 0:
                who = {} if label == "camera" else {"tool": deed.tool, "target": deed.target}
                verb = deed.verb if label == "intent" else ""
                out.append(moment("cue", label, start, start + 400_000, deed.resolution_us,
                                  verb=verb, **who))  # fmt: skip
    return out


@st.composite
def states(draw, deeds: list[Moment]) -> list[Moment]:
    """Clips and divisions that are seen while the deed goes on, or are not."""
    out = []
    for deed in deeds:
        label = {"clip": "clipped", "cut": "divided"}.get(deed.verb)
        if label and draw(st.booleans()):
            start = on_frame((deed.start_us + deed.end_us) // 2)
            out.append(moment("state", label, start, start + 5 * S, deed.resolution_us,
                              target=deed.target, group=deed.target))  # fmt: skip
    return out


@st.composite
def anomalies(draw, resolution: int) -> list[Moment]:
    """One or two, with key frames or without."""
    out = []
    for number in range(draw(st.integers(0, 2))):
        label = draw(st.sampled_from(("bleeding", "perforation")))
        start = on_frame(draw(TENTHS) * S // 10)
        end = on_frame(start + draw(st.sampled_from((1_200_000, 6 * S, 15 * S))))
        if end >= SECONDS * S:
            continue
        name = f"anomaly:{number}"
        target = draw(st.sampled_from(("", "cystic_duct", "liver")))
        box = draw(st.sampled_from(BOXES))
        out.append(moment("anomaly", label, start, end, resolution, target=target, group=name,
                          box_xyxy=box))  # fmt: skip
        if box:
            out.append(moment("roi", label, start, start, resolution, group=name, box_xyxy=box,
                              value=float(start // FRAMES_US)))  # fmt: skip
    return out


@st.composite
def operations(draw) -> VideoEvidence:
    """A whole operation; deeds keep to the rules that always hold, as real ones do."""
    resolution = draw(st.sampled_from((FRAMES_US, FRAMES_US, 200_000, S)))
    deeds = kept_to_rules(draw(actions(resolution)))
    found = [*deeds, *draw(cues(deeds)), *draw(states(deeds)), *draw(anomalies(resolution))]
    if draw(st.booleans()):
        found += [moment("watched", c, 0, SECONDS * S, FRAMES_US) for c in CHANNELS]
    cuts = sorted(
        draw(st.lists(st.integers(20, SECONDS - 20), min_size=3, max_size=3, unique=True))
    )
    ends = [0, *cuts, SECONDS]
    spans = tuple(
        Span("phase", label, a * S, b * S, "made.json", f"made.json phase {a}")
        for label, a, b in zip(PHASES, ends, ends[1:], strict=False)
    )
    return evidence(found, spans if draw(st.booleans()) else ())


def kept_to_rules(deeds: list[Moment]) -> list[Moment]:
    """Without deeds that break a rule which always holds."""
    always = [rule for rule in rules(PROCEDURE) if rule.force == "always"]
    out: list[Moment] = []
    for deed in sorted(deeds, key=moment_order):
        act = deed.verb, deed.target
        broken = any(rule.orders(act, (o.verb, o.target)) and o.start_us <= deed.start_us
                     for rule in always for o in deeds if o is not deed)  # fmt: skip
        if not broken:
            out.append(deed)
    return out


def evidence(
    moments: list[Moment], spans: tuple[Span, ...] = (), instruments: InstrumentTable | None = None,
    fps: int = 25, seconds: int = SECONDS,
) -> VideoEvidence:  # fmt: skip
    """A video with these."""
    video = Video(
        "unified", "v1", PROCEDURE, "general surgery", Fraction(fps), S // fps, seconds * S,
        Media(MediaKind.ABSENT, None, 640, 480), None, "v1", "made up", "made up",
        (Source("made.json", "0" * 64),), tuple(instruments.labels) if instruments else (),
    )  # fmt: skip
    return VideoEvidence(video, instruments, spans=spans,
                         moments=tuple(sorted(moments, key=moment_order)))  # fmt: skip

"""Drawn recordings for questions about units, and how the check reads them."""

from __future__ import annotations

from hypothesis import strategies as st

from ontology.continuations import LAPAROSCOPIC, TRACKS
from ontology.moments import Moment
from ontology.records import Span, VideoEvidence
from tests.transforms.timeline.videos import Seen, box_at, table, video
from transforms.checks.evidence import VideoView
from transforms.checks.tables import view_of
from transforms.exports.evidence import evidence_tables
from transforms.timeline import build_timeline

S = 1_000_000
LAP = TRACKS[LAPAROSCOPIC]


def view_from(evidence: VideoEvidence) -> VideoView:
    """The evidence as it is written, and read again by the check."""
    tables = evidence_tables(evidence, build_timeline(evidence), ())
    return view_of(tables["videos"].to_pylist()[0], tables)


# action clips

PHASES = ("calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection",
          "preparation")  # fmt: skip
MIDDLE, EDGE, OUTSIDE = box_at(0.5, 0.5), box_at(0.8, 0.2), box_at(0.81, 0.5)


def does(verb: str, box=MIDDLE, label: str = "hook") -> Seen:
    target = "null_target" if verb == "null_verb" else "liver"
    return Seen(label, box, ((verb, target),))


MOMENTS = [
    [does("dissect")], [does("dissect", EDGE)], [does("cut", OUTSIDE)], [does("clip", OUTSIDE)],
    [does("clip", None)], [does("coagulate")], [does("aspirate", None)], [does("irrigate", EDGE)],
    [does("retract")], [does("grasp", OUTSIDE)], [does("pack")], [does("null_verb")], [],
    [does("dissect", OUTSIDE), does("retract", MIDDLE, "grasper")],
    [does("coagulate", None), does("clip", EDGE, "clipper")],
    [does("null_verb"), does("aspirate", OUTSIDE, "irrigator")],
    [does("dissect"), Seen("grasper", None, None)],
]  # fmt: skip
"""What is seen at an instant; of the last one not everything is known."""
moment = st.sampled_from([*MOMENTS[:-1], *MOMENTS[:-1], MOMENTS[-1]])


@st.composite
def operations(draw) -> VideoEvidence:
    """Runs of what is seen, each for some seconds; holes, half seconds, phases that overlap."""
    instants: dict[int, list[Seen]] = {}
    at = draw(st.integers(0, 3))
    for shown, seconds in draw(st.lists(st.tuples(moment, st.integers(1, 12)), min_size=4,
                                        max_size=16)):  # fmt: skip
        for _ in range(seconds):
            instants[at * S] = shown
            at += 1
    for second in draw(st.sets(st.integers(0, at), max_size=2)):
        instants.pop(second * S, None)
    for second, shown in draw(st.dictionaries(st.integers(0, at), moment, max_size=3)).items():
        instants[second * S + S // 2] = shown
    spans, begins = [], 0
    phases = st.sampled_from([*PHASES[:3], *PHASES])
    for label, seconds, over in draw(
        st.lists(st.tuples(phases, st.integers(5, 60), st.sampled_from([0, 0, 0, 1, -1])),
                 min_size=1, max_size=5)
    ):  # fmt: skip
        spans.append(Span("phase", label, begins * S, (begins + seconds + over) * S, "f", "p"))
        begins += seconds
    return VideoEvidence(video(S), table(instants), spans=tuple(spans))


ACTIONS = st.sampled_from(["dissection", "coagulation", "aspiration"])
parts_of = st.tuples(ACTIONS, st.integers(1, 20), st.integers(0, 5))


@st.composite
def cut_by_people(draw) -> VideoEvidence:
    """Clips with holes between some, and a phase that ends among them."""
    spans, at = [Span("phase", "preparation", 0, 25 * S, "f", "p")], 0
    for action, seconds, hole in draw(st.lists(parts_of, min_size=2, max_size=8)):
        at += hole
        spans.append(Span("next_action", action, at * S, (at + seconds) * S, "f", "p"))
        at += seconds
    return VideoEvidence(video(S), None, spans=tuple(spans))


# eight seconds

time = st.integers(0, 120 * 10).map(lambda tenth: tenth * S // 10 + tenth % 7)
LABELS = (*LAP.stages[:3], *LAP.stages[:2], "packaging")
stage = st.tuples(
    st.sampled_from(LABELS), st.integers(1, 45), st.sampled_from([0, 0, 0, 0.5, 1.999, 2, 5, -3]),
    st.integers(0, 999_999),
)  # fmt: skip


@st.composite
def stages_in_time(draw) -> VideoEvidence:
    """Stages one after another with gaps, some overlapping; onsets; hidden time."""
    spans, at = [], draw(st.integers(0, 2 * S))
    for label, seconds, gap, odd in draw(st.lists(stage, min_size=1, max_size=7)):
        start = max(0, at + round(gap * S))
        spans.append(Span("phase", label, start, start + seconds * S + odd, "f", "p"))
        at = spans[-1].end_us
    for kind, label in (("event", "out_of_body"), ("condition", "outside_the_patient"),
                        ("event", "bleeding")):  # fmt: skip
        for start, length in draw(st.lists(st.tuples(time, st.integers(1, 9 * S)), max_size=2)):
            spans.append(Span(kind, label, start, start + length, "f", "p"))
    moments = [Moment("action", "cut", start, start + S, 0, "f", "p")
               for start in draw(st.lists(time, max_size=4))]  # fmt: skip
    moments += [Moment("contact", "", start, start, 0, "f", "p")
                for start in draw(st.lists(time, max_size=2))]  # fmt: skip
    return VideoEvidence(video(S), None, spans=tuple(spans), moments=tuple(moments))

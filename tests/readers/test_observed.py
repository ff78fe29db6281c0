"""What becomes of what was said and seen in a recording: actions, cues, states, channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from surgqa.ontology.fitness import ClassFitness, Fitness
from surgqa.ontology.moments import Moment
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.readers.observed.actions import actions_of
from surgqa.transforms.readers.observed.facts import ObservedVideo
from surgqa.transforms.readers.observed.moments import Observed, SpokenLimits, moments_of
from surgqa.transforms.readers.observed.tables import table_of
from surgqa.transforms.readers.observed.watched import watched

S = 1_000_000
TOOLS, TISSUES = {0: "grasper", 1: "hook", 4: "clipper"}, {2: "gallbladder", 5: "cystic_duct"}
WHO = {n: ("instrument", tool) for n, tool in TOOLS.items()}
WHO |= {n: ("tissue", tissue) for n, tissue in TISSUES.items()}


def anchor(start: float, end: float, action: str | None, tissue: str | None, **more: Any) -> dict:
    return {"start_us": int(start * S), "end_us": int(end * S), "action": action, "tool": None,
            "tissue": tissue, "intent": False, "flags": [], **more}  # fmt: skip


def happening(kind: str, start: float, end: float, track: int | None = None,
              other: int | None = None, **more: Any) -> dict:  # fmt: skip
    return {"time_us": int(start * S), "end_us": int(end * S), "kind": kind, "label": None,
            "track": track, "other_track": other, "x1": 0.1, "y1": 0.1, "x2": 0.2, "y2": 0.2,
            "value": 0.5, "resolution_us": 200_000, "source": "rule", **more}  # fmt: skip


def seen(
    anchors: Sequence[dict] = (),
    happenings: Sequence[dict] = (),
    frames: Sequence[dict] = (),
    reviewed: Sequence[int] = (),
) -> Observed:
    facts = ObservedVideo(Media(MediaKind.ABSENT), Fraction(25), Fraction(5), 60 * S,
                          ("grasper",), {}, {}, reviewed_us=tuple(reviewed))  # fmt: skip
    tables = {"anchors": anchors, "happenings": happenings, "utterances": [], "boxes": [],
              "frames": frames}  # fmt: skip
    return Observed("videos/x/", facts, tables, WHO, SpokenLimits())


def told(moments: list[Moment]) -> list[tuple[str, str, str, float, float, int, str]]:
    return [(m.tool, m.verb, m.target, m.start_us / S, m.end_us / S, m.resolution_us, m.origin)
            for m in moments]  # fmt: skip


def test_each_box_keeps_its_origin() -> None:
    made = ["manual", "detector", "interpolated", "mask"]
    boxes = {"time_us": [S, 0, 0, S], "label": ["hook", "hook", "grasper", "clipper"],
             "score": [1.0, 0.5, 0.6, 0.7], "track": [1, 1, 2, 3], "origin": made,
             **{side: [0.5] * 4 for side in ("x1", "y1", "x2", "y2")}}  # fmt: skip
    table = table_of(boxes, range(4), [(0, 0), (S, 25)])
    shown = {(table.labels[code], score): origin for code, score, origin in
             zip(table.label, table.score, table.origins(), strict=True)}  # fmt: skip
    assert shown == dict(zip(zip(boxes["label"], boxes["score"], strict=True), made, strict=True))


def test_the_contact_that_words_tell_of_is_the_action() -> None:
    contact = happening("contact", 11, 15, 1, 2)
    words = anchor(10, 12, "dissect", "gallbladder", tool="hook")
    (one,) = actions_of(seen([words], [happening("contact", 10.5, 14, 0, 2), contact]))
    assert told([one]) == [
        ("hook", "dissect", "gallbladder", 11, 15, 200_000, "speech and tracks")
    ]  # fmt: skip
    assert one.pointer == "anchors.parquet, row 0; happenings.parquet, row 1"
    assert one.box_xyxy == (0.1, 0.1, 0.2, 0.2)


def test_an_action_is_known_as_finely_as_its_contact() -> None:
    words = anchor(10, 12, "dissect", "gallbladder", tool="hook")
    for fine, known in ((700_000, [700_000]), (1_100_000, []), (None, [])):
        rows = [happening("onset", 10.4, 10.4, 1, 2),
                happening("contact", 11, 15, 1, 2, resolution_us=fine)]  # fmt: skip
        found = actions_of(seen([words], rows))
        assert [(one.start_us, one.resolution_us) for one in found] == [(11 * S, k) for k in known]


@pytest.mark.parametrize(
    ("more", "start", "fused"),
    [
        pytest.param({}, 9, True, id="who tells speaks a second late"),
        pytest.param({}, 8.9, False, id="too early"),
        pytest.param({"intent": True}, 9.9, False, id="announced, so not before"),
        pytest.param({"intent": True}, 10, True, id="announced"),
        pytest.param({}, 15, True, id="three seconds after the words"),
        pytest.param({}, 15.1, False, id="too late"),
        pytest.param({"tool": "hook"}, 11, False, id="another tool was named"),
        pytest.param({"tissue": "liver"}, 11, False, id="another tissue was named"),
        pytest.param({"tissue": None}, 11, False, id="no tissue was named"),
        pytest.param({"action": "clip"}, 11, False, id="a grasper clips nothing"),
    ],
)
def test_only_a_fitting_contact_in_time_is_it(more: dict, start: float, fused: bool) -> None:
    words = anchor(10, 12, "retract", "gallbladder") | more
    found = actions_of(seen([words], [happening("contact", start, start + 2, 0, 2)]))
    assert [one.origin for one in found] == ["speech and tracks"] * fused


def test_a_passing_contact_is_none_and_one_contact_is_one_action() -> None:
    short = happening("contact", 11, 11.3, 0, 2)
    words = [anchor(10, 12, "retract", "gallbladder"), anchor(12, 13, "grasp", "gallbladder")]
    assert actions_of(seen(words[:1], [short])) == []
    found = actions_of(seen(words, [happening("contact", 11.5, 14, 0, 2)]))
    assert [m.verb for m in found] == ["retract"]


def test_which_of_two_tools_is_meant_is_unknown_unless_it_is_named() -> None:
    words = anchor(10, 12, "retract", "gallbladder")
    both = [happening("contact", 10.5, 14, 0, 2), happening("contact", 11, 15, 1, 2)]
    assert actions_of(seen([words], both)) == []
    (one,) = actions_of(seen([words | {"tool": "hook"}], both))
    assert (one.tool, one.start_us) == ("hook", 11 * S)


def test_words_alone_are_no_action() -> None:
    words = [anchor(10, 12, "clip", "cystic_duct"),
             anchor(20, 22, "cut", "cystic_duct", tool="scissors", intent=True)]  # fmt: skip
    assert actions_of(seen(words)) == []


@pytest.mark.parametrize("flag", ["weak_speech", "tool_not_seen"])
def test_doubtful_words_count_with_a_contact(flag: str) -> None:
    words = anchor(10, 12, "clip", "cystic_duct", flags=[flag])
    assert len(actions_of(seen([words], [happening("contact", 11, 13, 4, 5)]))) == 1


def test_an_imported_anomaly_has_its_key_frames_and_tissue() -> None:
    def row(kind: str, at: float, end: float, label: str | None) -> dict:
        return happening(kind, at, end, label=label, source="anomaly:a1")

    rows = [row("anomaly", 21.56, 22.67, "bleeding"), row("anomaly_key", 21.56, 21.56, "present"),
            row("anomaly_size", 21.56, 21.56, "small"), row("anomaly_cause", 21.56, 22.67, "clip"),
            row("anomaly_tissue", 21.56, 22.67, "cystic artery")]  # fmt: skip
    found = [m for m in moments_of(seen([], rows)) if m.group == "a1"]
    assert [(m.kind, m.label, m.target, m.value, m.text) for m in found] == [
        ("anomaly", "bleeding", "cystic_artery", None, "clip"),
        ("roi", "present", "cystic_artery", 539.0, "small"),
    ]


LOOKS = [{"time_us": int(t * S), "trusted": t != 1.4} for t in (1, 1.2, 1.4, 1.6, 3, 3.2)]


def stretches(
    observed: Observed, actions: Sequence[Moment] = (), fitness: Fitness | None = None
) -> list[tuple[int, int]]:
    return [(m.start_us, m.end_us) for m in watched(observed, actions, fitness or Fitness())
            if m.label == "tracks"]  # fmt: skip


def test_what_models_do_not_find_is_absent_where_a_person_reviewed_all() -> None:
    assert stretches(seen(frames=LOOKS)) == []
    reviewed = seen(frames=LOOKS, reviewed=[one["time_us"] for one in LOOKS[:-1]])
    assert stretches(reviewed) == [(S, 1_200_001), (1_600_000, 1_600_001), (3 * S, 3 * S + 1)]
    assert {m.label for m in watched(reviewed, (), Fitness())} == {"camera", "tracks"}


def box(time: float, track: int, at: float) -> dict:
    kind, label = WHO[track]
    return {"time_us": int(time * S), "kind": kind, "label": label, "track": track, "x1": at,
            "y1": 0.1, "x2": at + 0.1, "y2": 0.2}  # fmt: skip


def worked(*more: dict, reviewed: bool) -> Observed:
    """Twelve seconds, in which the hook is at the gallbladder from 3 s to 5 s, as somebody says."""
    times = range(12)
    made = seen(
        [anchor(3, 4, "dissect", "gallbladder", tool="hook")], [happening("contact", 3, 6, 1, 2)],
        [{"time_us": t * S, "trusted": True} for t in times],
        [t * S for t in times] if reviewed else (),
    )  # fmt: skip
    boxes = [box(t, track, at) for t in times
             for track, at in ((2, 0.5), (1, 0.45 if 3 <= t <= 5 else 0.1))]  # fmt: skip
    facts = replace(made.facts, rate=Fraction(1))
    return replace(made, tables={**made.tables, "boxes": [*boxes, *more]}, facts=facts)


def test_nothing_is_known_of_what_is_done_where_a_contact_was_not_told() -> None:
    """Of the grasper, which is at the gallbladder at 7 s, nobody spoke."""
    made = worked(box(7, 0, 0.61), reviewed=True)
    assert stretches(made, actions_of(made)) == [(0, 6 * S + 1), (8 * S, 11 * S + 1)]
    assert stretches(made) == [(0, 2 * S + 1), (6 * S, 6 * S + 1), (8 * S, 11 * S + 1)]


@pytest.mark.parametrize(
    ("known", "spans"),
    [
        pytest.param(ClassFitness(), [], id="not measured"),
        pytest.param(ClassFitness(0, True), [(1, 11)], id="every contact is seen"),
        pytest.param(ClassFitness(0, False), [(1, 2), (6, 11)], id="of two one may be missed"),
        pytest.param(ClassFitness(2 * S, True), [(3, 5), (8, 11)], id="a late detector"),
    ],
)
def test_contacts_are_known_as_far_as_they_were_measured(known: ClassFitness, spans: list) -> None:
    made = worked(reviewed=False)
    found = stretches(made, actions_of(made), Fitness("", {"contact": known}, True, 60 * S))
    assert found == [(a * S, b * S + 1) for a, b in spans]


def test_happenings_stay_inside_the_recording() -> None:
    rows = [happening("camera_in", -0.5, 1), happening("contact", 59, 61, 0, 2),
            happening("contact", 60, 61, 0, 2)]  # fmt: skip
    found = moments_of(seen([], rows))
    assert [(m.kind, m.start_us, m.end_us) for m in found] == [
        ("contact", 59 * S, 60 * S), ("cue", 0, S),
    ]  # fmt: skip

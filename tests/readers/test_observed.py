"""What becomes of what was said and seen in a recording: actions, cues, states, channels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from ontology.moments import Moment
from ontology.records import Media, MediaKind
from transforms.readers.base.observed.actions import actions_of
from transforms.readers.base.observed.facts import Facts
from transforms.readers.base.observed.limits import SpokenLimits
from transforms.readers.base.observed.moments import Observed, moments_of

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
    facts = Facts(Media(MediaKind.ABSENT), Fraction(25), Fraction(5), 60 * S, ("grasper",), {}, {},
                  reviewed_us=tuple(reviewed))  # fmt: skip
    tables = {"anchors": anchors, "happenings": happenings, "utterances": [], "boxes": [],
              "frames": frames}  # fmt: skip
    return Observed("videos/x/", facts, tables, WHO, SpokenLimits())


def told(moments: list[Moment]) -> list[tuple[str, str, str, float, float, int, str]]:
    return [(m.tool, m.verb, m.target, m.start_us / S, m.end_us / S, m.resolution_us, m.origin)
            for m in moments]  # fmt: skip


def test_the_contact_that_words_tell_of_is_the_action() -> None:
    contact = happening("contact", 11, 15, 1, 2)
    words = anchor(10, 12, "dissect", "gallbladder", tool="hook")
    (one,) = actions_of(seen([words], [happening("contact", 10.5, 14, 0, 2), contact]))
    assert told([one]) == [
        ("hook", "dissect", "gallbladder", 11, 15, 200_000, "speech and tracks")
    ]  # fmt: skip
    assert one.pointer == "anchors.parquet, row 0; happenings.parquet, row 1"
    assert one.box_xyxy == (0.1, 0.1, 0.2, 0.2)


def test_a_candidate_of_an_onset_just_before_is_the_start() -> None:
    rows = [happening("onset", 9.5, 9.5, 1, 2), happening("onset", 10.4, 10.4, 1, 2,
            resolution_us=100_000), happening("onset", 10.6, 10.6, 0, 2),
            happening("contact", 11, 15, 1, 2)]  # fmt: skip
    (one,) = actions_of(seen([anchor(10, 12, "dissect", "gallbladder", tool="hook")], rows))
    assert (one.start_us, one.end_us, one.resolution_us) == (10_400_000, 15 * S, 100_000)
    assert one.pointer.endswith("row 3; happenings.parquet, row 1")


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
    found = [m for m in moments_of(seen([], rows), []) if m.group == "a1"]
    assert [(m.kind, m.label, m.target, m.value, m.text) for m in found] == [
        ("anomaly", "bleeding", "cystic_artery", None, "clip"),
        ("roi", "present", "cystic_artery", 539.0, "small"),
    ]


def watched(observed: Observed) -> list[tuple[str, float, float]]:
    return [(m.label, m.start_us / S, m.end_us / S) for m in moments_of(observed, [])
            if m.kind == "watched"]  # fmt: skip


def test_what_models_do_not_find_is_absent_where_a_person_reviewed_all() -> None:
    looks = [{"time_us": int(t * S), "trusted": t != 1.4} for t in (1, 1.2, 1.4, 1.6, 3, 3.2)]
    assert watched(seen(frames=looks)) == []
    found = watched(seen(frames=looks, reviewed=[one["time_us"] for one in looks[:-1]]))
    assert sorted(found) == [(channel, *span) for channel in ("camera", "tracks")
                             for span in ((1, 1.4), (1.6, 1.8), (3, 3.2))]  # fmt: skip


def test_happenings_stay_inside_the_recording() -> None:
    rows = [happening("camera_in", -0.5, 1), happening("contact", 59, 61, 0, 2),
            happening("contact", 60, 61, 0, 2)]  # fmt: skip
    found = moments_of(seen([], rows), [])
    assert [(m.kind, m.start_us, m.end_us) for m in found] == [
        ("contact", 59 * S, 60 * S), ("cue", 0, S),
    ]  # fmt: skip

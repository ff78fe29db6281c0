"""Windows, segments and instants: the worked example of the paper's rules, and their limits."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology.keys import Key
from ontology.records import Code, Media, MediaKind, Video
from ontology.times import frame_to_us, print_seconds
from transforms.questions.chains.found import Event, Refused
from transforms.questions.chains.schedule import Schedule, overlap, schedule

S = 1_000_000
FPS = Fraction(30)


def video(seconds: float = 60, fps: Fraction = FPS) -> Video:
    return Video("cholec80", "v1", "laparoscopic cholecystectomy", "surgery", fps,
                 frame_to_us(1, fps), int(seconds * S), Media(MediaKind.ABSENT), None, "v1",
                 "made up", "made up", (), ())  # fmt: skip


def event(start: int, end: int, resolution: int = 0, **more) -> Event:
    return Event(name="e", whole=(start, max(end, start + 1)), target=(start, end),
                 onset_us=start, resolution_us=resolution, fields={}, slots={}, value={},
                 right="", wrong=(), keys={}, proofs={}, **more)  # fmt: skip


def drawn(one: Event, recording: Video, wanted) -> Schedule:
    """The first schedule, over ever other keys, of which something is true."""
    for seed in range(2000):
        found = schedule(one, recording, True, Key("test", seed))
        assert isinstance(found, Schedule), found
        if wanted(found):
            return found
    raise AssertionError("no key gives it")


TWICE = (("it is done more than once in the window", (31 * S, 32 * S)),)


def seconds(stretches) -> list[tuple[str, ...]]:
    return [tuple(print_seconds(time) for time in stretch) for stretch in stretches]


def test_the_worked_example_digit_for_digit():
    """specs 3.5: onset frame 647 at 30 a second, under control at frame 680."""
    onset, end = frame_to_us(647, FPS), frame_to_us(680, FPS)
    one = event(onset, end, frame_to_us(1, FPS))

    def as_told(found: Schedule) -> bool:
        middle = print_seconds(found.windows[0][0]) == "12.12"
        return middle and found.segments[1] == found.segment and found.instants[1] == onset

    found = drawn(one, video(), as_told)
    assert seconds(found.windows[:1]) == [("12.12", "32.12")]
    assert seconds([found.segment]) == [("21.50", "23.00")]
    assert seconds(found.segments) == [
        ("20.00", "21.50"), ("21.50", "23.00"), ("23.00", "24.50"), ("24.50", "26.00"),
    ]  # fmt: skip
    assert round(float(found.iou), 2) == 0.73
    assert found.grid_us == S // 2
    assert round(float(overlap((21 * S, 23 * S), (onset, end))), 2) == 0.55
    assert [print_seconds(time) for time in found.instants] == ["21.07", "21.57", "22.07", "22.57"]
    assert list(found.instants) == [frame_to_us(k, FPS) for k in (632, 647, 662, 677)]
    assert [b - a for a, b in found.windows] == [20 * S, 8 * S, 2 * S]
    assert not found.coarse


def test_every_place_among_the_options_is_taken():
    one = event(30 * S, 31 * S, 40_000)
    found = [schedule(one, video(), True, Key("places", seed)) for seed in range(200)]
    assert {f.segments.index(f.segment) for f in found} == {0, 1, 2, 3}
    assert {f.instants.index(30 * S) for f in found} == {0, 1, 2, 3}


def test_one_label_a_second_gives_coarse_instants_two_seconds_apart():
    one = event(30 * S, 33 * S, S)
    found = schedule(one, video(90, Fraction(1)), True, Key("coarse"))
    assert isinstance(found, Schedule) and found.coarse
    assert found.spacing_us == 2 * S
    assert {b - a for a, b in zip(found.instants, found.instants[1:], strict=False)} == {2 * S}
    refused = schedule(one, video(90, Fraction(1)), False, Key("coarse"))
    assert isinstance(refused, Refused) and refused.code == Code.RESOLUTION


@pytest.mark.parametrize(
    ("one", "length", "code"),
    [
        pytest.param(event(30 * S, 31 * S, S), 90, Code.RESOLUTION, id="shorter-than-labels-tell"),
        pytest.param(event(1 * S, 2 * S, 40_000), 15, Code.TOO_SHORT, id="short-recording"),
        pytest.param(event(0, 2 * S, 40_000), 90, Code.INCOHERENT, id="at-the-beginning"),
        pytest.param(event(30 * S, 32 * S, 40_000, guards=TWICE), 90, Code.GATE,
                     id="another-in-the-window"),
        pytest.param(event(30 * S, 32 * S, 40_000, same=((0, 30 * S), (32 * S, 90 * S))), 90,
                     Code.TOO_FEW_OPTIONS, id="it-happens-all-around"),
    ],
)  # fmt: skip
def test_an_event_that_cannot_be_asked_about_has_a_reason(one: Event, length: int, code: Code):
    found = schedule(one, video(length), True, Key("refused"))
    assert isinstance(found, Refused)
    assert found.code == code
    assert len(found.reason) > 20


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 120 * S),
    st.integers(0, 30 * S),
    st.sampled_from([0, 33_333, 200_000, S, 2 * S]),
    st.lists(st.tuples(st.integers(0, 150 * S), st.integers(1, 9 * S)), max_size=4),
    st.integers(0, 10**6),
)  # fmt: skip
def test_whatever_is_scheduled_keeps_the_rules(start, long, resolution, others, seed):
    same = tuple((a, a + b) for a, b in others if a >= start + long or a + b <= start)
    one = event(start, start + long, resolution, same=same, also=tuple(a for a, _ in same))
    found = schedule(one, video(150), True, Key("rules", seed))
    if isinstance(found, Refused):
        return
    (a, b), (c, d), (e, f) = found.windows
    assert b - a > d - c > f - e
    assert min(a, c, e) >= 0 and max(b, d, f) <= 150 * S
    assert a < start and c < found.segment[0] and found.segment[1] < d and e < start < f
    assert len(found.segments) == len(found.instants) == 4
    assert len({y - x for x, y in found.segments}) == 1
    assert all(x[1] <= y[0] for x, y in zip(found.segments, found.segments[1:], strict=False))
    assert all(a <= x and y <= b and c <= x and y <= d for x, y in found.segments)
    busy = [(start, start + long), *same]
    for x, y in found.why:
        assert not any(x < q and y > p for p, q in busy)
    assert found.iou > Fraction(7, 10)
    for time in found.instants:
        away = abs(time - start)
        least, most = (2 * resolution, 6 * resolution) if found.coarse else (S // 2, S)
        assert away == 0 or least <= away + 1 and away <= most + 33_334
    assert all(e <= time <= f for time in found.instants)

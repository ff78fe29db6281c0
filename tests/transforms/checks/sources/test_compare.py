"""What a row and the place it points to may differ in, at each limit."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.checks.sources import compare
from surgqa.transforms.checks.sources.claims import Claim
from surgqa.transforms.checks.sources.compare import CLOSE, Spot
from tests.each import cases

BOX = (0.25, 0.25, 0.5, 0.5)
SIDES = ("x1", "y1", "x2", "y2")
LITTLE = 1.1
"""A tolerance times this is beyond it, and by less than a quarter."""


def claim(place: int = 1, label: str | None = "hook", **more: Any) -> Claim:
    """What a file says at a place."""
    known = dict.fromkeys(Claim._fields) | {"start_us": 100, "end_us": 200}
    return Claim(**known | {"place": place, "label": label} | more)


def seen(label: str | None = "hook", box: tuple[float, ...] | None = None, **more: Any) -> dict:
    """A row of instruments or regions."""
    sides = dict(zip(SIDES, box or (None,) * 4, strict=True))
    return {"label": label, "time_us": 100, "pairs": None, **sides, **more}


def moved(box: tuple[float, ...], by: float, side: int = 0) -> tuple[float, ...]:
    """A box of which one side lies elsewhere."""
    return tuple(value + by * (k == side) for k, value in enumerate(box))


def codes(problems: Any) -> list[str]:
    """The codes of all that differs, with nothing left unread."""
    return [code.removeprefix("source_") for code, _ in problems]


HERE = Spot(1, 1, None)


def at(row: dict, *claims: Claim, spot: Spot = HERE, together: Any = None) -> list[str]:
    """What an instant's row differs in from claims of the places 1 and 2."""
    told = {place: [one for one in claims if one.place == place] for place in (1, 2)}
    return codes(compare.instant_problems(row, spot, told, [row] if together is None else together))


BOTH = (claim(part="a", box=BOX), claim(part="b", box=moved(BOX, 0.1)))


@cases(
    ("row", "claims", "found"),
    [
        (seen(), [claim()], []),
        (seen(), [], ["pointer_broken"]),
        (seen(), [claim(kind="finding")], ["pointer_broken"]),
        (seen(kind="finding"), [claim(kind="finding")], []),
        (seen(time_us=101), [claim()], ["time_differs"]),
        (seen(), [claim(start_us=99), claim(start_us=100)], ["absence_differs"]),
        (seen(label=None), [claim(label=None)], []),
        (seen(label=None), [claim()], ["absence_differs"]),
        (seen(), [claim(label=None)], ["absence_differs", "label_differs"]),
        (seen("grasper"), [claim()], ["absence_differs", "label_differs"]),
        (seen(box=BOX), [claim(box=BOX)], []),
        (seen(box=BOX), [claim()], ["box_differs"]),
        (seen(), [claim(box=BOX)], ["box_differs"]),
        *((seen(box=moved(BOX, CLOSE / 2, side)), [claim(box=BOX)], []) for side in range(4)),
        *((seen(box=moved(BOX, CLOSE * LITTLE, side)), [claim(box=BOX)], ["box_differs"])
          for side in range(4)),
        (seen(box=(CLOSE, 0, 1, 1)), [claim(box=(0.0, 0.0, 1.0, 1.0))], []),
        (seen(box=(-CLOSE, 0, 1, 1)), [claim(box=(0.0, 0.0, 1.0, 1.0))], []),
    ],
)  # fmt: skip
def test_an_instrument_or_region(row: dict, claims: list[Claim], found: list[str]):
    assert at(row, *claims) == found


def test_one_of_several_things_at_a_place_is_meant():
    rows = [seen(box=BOX), seen("grasper", moved(BOX, 0.1))]
    told = [claim(box=BOX), claim(label="grasper", box=moved(BOX, 0.1))]
    for row in rows:
        assert at(row, *told, together=rows) == []
    twice = [seen(box=BOX), seen(box=moved(BOX, 0.1))]
    told = [claim(box=BOX), claim(box=moved(BOX, 0.1))]
    for row in twice:
        assert at(row, *told, together=twice) == []


def test_a_part_of_the_place_is_meant():
    rows = [seen(box=one.box) for one in BOTH]
    assert at(rows[1], *BOTH, spot=Spot(1, 1, "b"), together=rows) == []
    assert at(rows[0], *BOTH, spot=Spot(1, 1, "b"), together=rows) == ["box_differs"]
    assert at(rows[0], *BOTH, spot=Spot(1, 1, "c"), together=rows) == ["label_differs"]


def test_things_of_one_label_and_box_are_one():
    twice = [claim(part="a", box=BOX), claim(part="b", box=moved(BOX, CLOSE))]
    row = seen(box=BOX)
    assert at(row, *twice, spot=Spot(1, 1, "a")) == []
    bare = [claim(part="a"), claim(part="b")]
    assert at(seen(), *bare, spot=Spot(1, 1, "a")) == ["absence_differs"]
    assert at(seen(), *bare, spot=Spot(1, 1, "a"), together=[seen(), seen()]) == []
    far = [claim(part="a", box=BOX), claim(part="b", box=moved(BOX, 1e-4))]
    assert at(row, *far, spot=Spot(1, 1, "a")) == ["absence_differs"]


CUT, CLIP = {"verb": "cut", "target": "liver"}, {"verb": "clip", "target": None}


@cases(
    ("pairs", "found"),
    [
        ([CUT, CLIP], []),
        ([CUT], ["label_differs"]),
        ([CLIP, CUT], []),
        ([{**CUT, "verb": "grasp"}, CLIP], ["label_differs"]),
        (None, []),
        ([], ["label_differs"]),
    ],
)
def test_all_that_an_instrument_does(pairs: Any, found: list[str]):
    told = [claim(part="a", box=BOX, **CUT), claim(part="b", box=BOX, **CLIP),
            claim(part="c", label="grasper", box=BOX, verb="hold")]  # fmt: skip
    row = seen(box=BOX, pairs=pairs)
    together = [row, seen("grasper", BOX)]
    assert at(row, *told, spot=Spot(1, 1, "a"), together=together) == found


def test_what_an_instrument_without_a_box_does_is_its_part_s():
    told = [claim(part="a", **CUT), claim(part="b", **CLIP)]
    row = seen(pairs=[CUT])
    assert at(row, *told, spot=Spot(1, 1, "a"), together=[row, row]) == []


def span(label: str = "phase", **more: Any) -> dict:
    """A row of intervals."""
    known = {"kind": "phase", "start_us": 100, "end_us": 200, "value": None, "rater": None,
             "subject": None}  # fmt: skip
    return {"label": label} | known | more


def told(place: int, label: str = "phase", **more: Any) -> Claim:
    """What the file says of phases: a second's place each."""
    times = {"start_us": 100 * place, "end_us": 100 * place + 100}
    return claim(place, label, **{"kind": "phase"} | times | more)


def of_span(row: dict, *claims: Claim, first: int = 1, last: int = 1, sides: bool = True,
            ordered: bool = True) -> list[str]:  # fmt: skip
    known: dict[int, list[Claim]] = {}
    for one in claims:
        known.setdefault(one.place, []).append(one)
    order = sorted(known) if ordered else []
    return codes(compare.span_problems(row, Spot(first, last, None), known, order, sides))


RUN = [told(1, "other"), told(2), told(3), told(4), told(5, "other")]
WIDE = span(start_us=200, end_us=500)


@cases(
    ("row", "claims", "found"),
    [
        (span(), [told(1)], []),
        (span(), [], ["pointer_broken"]),
        (span(kind="step"), [told(1)], ["pointer_broken"]),
        (span("other"), [told(1)], ["label_differs"]),
        (span(subject="hook"), [told(1)], ["label_differs"]),
        (span(rater="r1"), [told(1)], ["label_differs"]),
        (span(start_us=101), [told(1)], []),
        (span(start_us=99), [told(1)], []),
        (span(start_us=102), [told(1)], ["time_differs"]),
        (span(start_us=98), [told(1)], ["time_differs"]),
        (span(end_us=201), [told(1)], []),
        (span(end_us=202), [told(1)], ["time_differs"]),
        (span(end_us=198), [told(1)], ["time_differs"]),
        (span(start_us=500, end_us=900), [told(1)], ["time_differs", "time_differs"]),
        (span(), [told(1, start_us=None)], ["time_differs"]),
        (span(value=1.0), [told(1, value=1.0)], []),
        (span(value=1.0), [told(1)], ["label_differs"]),
        (span(), [told(1, value=1.0)], ["label_differs"]),
        (span(value=CLOSE), [told(1, value=0.0)], []),
        (span(value=-CLOSE), [told(1, value=0.0)], []),
        (span(value=CLOSE * LITTLE), [told(1, value=0.0)], ["label_differs"]),
        (span(value=1.0), [told(1, value=2.0), told(1, value=1.0)], []),
    ],
)
def test_an_interval(row: dict, claims: list[Claim], found: list[str]):
    assert of_span(row, *claims) == found


def test_a_run_says_the_same_all_the_way_and_not_beside_it():
    assert of_span(WIDE, *RUN, first=2, last=4) == []
    broken = [*RUN[:2], told(3, "other"), *RUN[3:]]
    assert of_span(WIDE, *broken, first=2, last=4) == ["label_differs"]
    assert of_span(WIDE, *broken, first=2, last=4, ordered=False) == []
    for beside in (1, 5):
        longer = [told(one.place) if one.place == beside else one for one in RUN]
        assert of_span(WIDE, *longer, first=2, last=4) == ["time_differs"]
        assert of_span(WIDE, *longer, first=2, last=4, sides=False) == []
    both = [told(place) for place in range(1, 6)]
    assert of_span(WIDE, *both, first=2, last=4) == ["time_differs", "time_differs"]
    assert of_span(WIDE, *both[1:4], first=2, last=4) == []


def test_one_record_may_go_on_beside_itself():
    assert of_span(span(start_us=200, end_us=300), told(1), told(2), told(3), first=2, last=2) == []


def test_a_gap_beside_a_run_is_no_going_on():
    apart = [told(1, end_us=190), told(2), told(3), told(4, start_us=410)]
    assert of_span(span(start_us=200, end_us=400), *apart, first=2, last=3) == []


def test_an_end_elsewhere_has_its_own_label():
    assert of_span(WIDE, *RUN, first=2, last=5) == ["label_differs"]
    assert of_span(WIDE, *RUN, first=2, last=6) == ["pointer_broken"]
    assert of_span(WIDE, *RUN, first=6, last=4) == ["pointer_broken"]


@cases(
    ("row", "found"),
    [
        ({}, []),
        ({"kind": "finding"}, ["pointer_broken"]),
        ({"label": "b"}, ["label_differs"]),
        ({"rater": "r2"}, ["label_differs"]),
        ({"value": 3.0 + CLOSE / 2}, []),
        ({"value": 3.1}, ["label_differs"]),
        ({"value": None}, ["label_differs"]),
    ],
)
def test_a_label_of_a_whole_recording(row: dict, found: list[str]):
    said = {1: [claim(1, "a", kind="rating", rater="r1", value=3.0), claim(1, "b", kind="rating")]}
    known = {"kind": "rating", "label": "a", "rater": "r1", "value": 3.0} | row
    assert codes(compare.whole_problems(known, HERE, said)) == found


@cases(
    ("row", "found"),
    [
        ({}, []),
        ({"kind": "cue"}, ["pointer_broken"]),
        ({"tool": "grasper"}, ["label_differs"]),
        ({"target": ""}, ["label_differs"]),
        ({"value": 4.0}, ["label_differs"]),
        ({"start_us": 101}, []),
        ({"start_us": 102}, ["time_differs"]),
        ({"end_us": 900}, []),
        ({"x1": 0.1}, ["box_differs"]),
        ({"x1": None}, ["box_differs"]),
    ],
)
def test_a_moment(row: dict, found: list[str]):
    said = {1: [claim(1, "cut", kind="action", subject="hook", verb="cut", target="liver", box=BOX,
                      value=3.0, end_us=None, part="a"),
                claim(1, "clip", kind="action", part="b")]}  # fmt: skip
    known = {"kind": "action", "label": "cut", "tool": "hook", "verb": "cut", "target": "liver",
             "text": "", "value": 3.0, "start_us": 100, "end_us": 200,
             **dict(zip(SIDES, BOX, strict=True))}  # fmt: skip
    spot = Spot(1, 1, "a")
    assert codes(compare.moment_problems(known | row, spot, said)) == found
    ends = {1: [said[1][0]._replace(end_us=200), said[1][1]]}
    late = ["time_differs"] if row.get("end_us") else found
    assert codes(compare.moment_problems(known | row, spot, ends)) == late


@cases(
    ("row", "left"),
    [
        ({"start_us": 100, "end_us": 200}, []),
        ({"start_us": 101, "end_us": 200}, []),
        ({"start_us": 102, "end_us": 200}, ["phase"]),
        ({"start_us": 50, "end_us": 101}, []),
        ({"start_us": 50, "end_us": 100}, ["phase"]),
        ({"start_us": 50, "end_us": 300, "label": "other"}, ["phase"]),
        ({"start_us": 50, "end_us": 300, "kind": "step"}, ["phase"]),
    ],
)
def test_what_no_row_of_the_evidence_says(row: dict, left: list[str]):
    rows = [span() | row, span(start_us=0, end_us=10)]
    assert [one.label for one in compare.claims_without_row(rows, {1: [told(1)]})] == left


def test_places_that_show_nothing_or_have_no_time_are_not_left_out():
    said = {2: [told(2, None), told(2, start_us=None)], 1: [claim(1)]}
    assert [one.label for one in compare.claims_without_row([], said)] == ["hook"]
    assert compare.claims_without_row([seen(time_us=100)], said) == []
    assert compare.claims_without_row([seen(time_us=99)], said) == [claim(1)]


def test_what_differs_is_told_with_both_sides():
    ((_, detail),) = compare.span_problems(span(start_us=500), HERE, {1: [told(1)]}, [1], True)
    assert detail == "the evidence says 500, the file says 100"
    ((_, detail), _) = compare.instant_problems(
        seen("grasper"), HERE, {1: [claim(), claim()]}, [seen("grasper")]
    )
    assert detail == "the evidence says ['grasper'], the file says ['hook', 'hook']"
    ((_, detail),) = compare.span_problems(
        span("b", subject="hook"), HERE, {1: [told(1, subject="left_hand")]}, [1], True
    )
    assert detail == "the evidence says b of hook, the file says phase of left_hand"
    ((_, detail),) = compare.moment_problems(
        span() | dict.fromkeys((*SIDES, "tool", "verb", "target", "text")) | {"x1": None},
        Spot(1, 1, "z"), {1: [told(1)]},
    )  # fmt: skip
    assert detail == "there is no such place in the file"

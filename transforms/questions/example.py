"""Running a template's ``examples:`` its evidence as a video of one window, asked for real.

Nothing is simulated: the evidence becomes records as a reader gives them, goes through
linking and the view, and the question engine asks it.  Only two things differ from a
build.  Slots that the example fixes leave no other fillings to draw from, and every
wording may be the expected one, since which is taken is a matter of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ontology.boxes import GRID
from ontology.records import (
    IDLE,
    UNKNOWN,
    InstrumentTable,
    Item,
    Media,
    MediaKind,
    Pair,
    Video,
    VideoEvidence,
    Window,
)
from ontology.times import SECOND_US
from transforms.language.examples import (
    IDLE_WORD,
    EvidenceFile,
    ExampleFile,
    SeenFile,
    instants_us,
)
from transforms.language.rules import Problem
from transforms.language.template import Call, Template
from transforms.questions.ask import Asked, Asker
from transforms.questions.candidates import Candidates
from transforms.questions.evaluate import Evaluator
from transforms.questions.facts import Facts
from transforms.timeline import build_timeline
from transforms.windows import View, view_windows

SEED = "example"
"""What is drawn where an example leaves a choice."""

CODE = "T116"


def examples_come_out(template: Template) -> Iterator[Problem]:
    """T116: an example of the template does not come out."""
    for i, data in enumerate(template.examples):
        example = ExampleFile.model_validate(data)
        for place, message, fix in _differences(template, example):
            yield Problem(CODE, ("examples", i, *place), message, fix)


Difference = tuple[tuple, str, str]
"""Place inside the example, what is wrong, what to do."""


def _differences(template: Template, example: ExampleFile) -> Iterator[Difference]:
    view = view_of(example.evidence, template.unit)
    found = asked(template, view, example.slots)
    wanted = example.expect.not_asked
    if wanted is not None:
        yield from _not_asked(found, wanted)
    elif found.items:
        yield from _texts(template, example, view, found.items)
    else:
        for one in found.declined:
            fixed = example.slots.get(one.where)
            value = f"{fixed:g}" if isinstance(fixed, float) else repr(fixed)
            only = "" if fixed is None else f", which the example fixes to {value}"
            fix = f"change the evidence, or expect 'not_asked: {one.where}'"
            yield ("expect", "answer"), f"nothing is asked: {one.reason}{only}", fix


def _not_asked(found: Asked, wanted: str) -> Iterator[Difference]:
    place = ("expect", "not_asked")
    for item in found.items[:1]:
        yield place, f"it is asked: {item.question!r}, answer {_answer(item)!r}", ""
    for one in found.declined:
        if one.where != wanted:
            yield place, f"{one.where!r} says no, not {wanted!r}: {one.reason}", ""


def _texts(
    template: Template, example: ExampleFile, view: View, items: list[Item]
) -> Iterator[Difference]:
    names = [stage.name for stage in template.stages]
    answers = _by_stage(example.expect.answer, names)
    questions = _by_stage(example.expect.question, names)
    for name, item in zip(names, items, strict=True):
        stage = () if name is None else (name,)
        if name in answers and answers[name] != _answer(item):
            message = f"the answer is {_answer(item)!r}, not {answers[name]!r}"
            drawn = [slot for slot in template.needs if slot not in example.slots]
            more = f"; drawn, unless fixed under 'slots': {', '.join(drawn)}" if drawn else ""
            yield ("expect", "answer", *stage), message, f"asked: {item.question}{more}"
    if questions:
        possible = list(_all_wordings(template, view, example.slots))
        for name, question in questions.items():
            texts = [found[names.index(name)].question for found in possible]
            if question not in texts:
                fix = "the wordings give: " + "; ".join(dict.fromkeys(texts))
                stage = () if name is None else (name,)
                yield ("expect", "question", *stage), f"no wording gives {question!r}", fix


def _by_stage(texts: str | Mapping[str, str] | None, names: list) -> dict[str | None, str]:
    if texts is None:
        return {}
    return {names[0]: texts} if isinstance(texts, str) else dict(texts)


def _answer(item: Item) -> str:
    """The answer without the letter of its option."""
    chosen = [option for option in item.options if option.is_answer]
    return item.answer.removeprefix(f"{chosen[0].key}) ") if chosen else item.answer


def _all_wordings(template: Template, view: View, slots: Mapping[str, Any]) -> Iterator[list[Item]]:
    """The items once for each wording; which filling is drawn does not depend on it."""
    for k in range(max(len(stage.ask) for stage in template.stages)):
        stages = tuple(replace(s, ask=(s.ask[k % len(s.ask)],)) for s in template.stages)
        yield asked(replace(template, stages=stages), view, slots).items


# -- asking with some slots fixed -----------------------------------------------------------


def asked(template: Template, view: View, slots: Mapping[str, Any]) -> Asked:
    """One template over one view, where the named slots have one value only."""
    out = Asked()
    Asker(_FixedSlots(Facts(view), slots), template, SEED, out).run()
    return out


class _FixedSlots(Evaluator):
    """Tables of fillings that keep, slot by slot, the rows with the given value."""

    def __init__(self, facts: Facts, slots: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.slots = slots

    def table(self, needs: dict[str, Call]) -> tuple[Candidates, str | None]:
        calls: dict[str, Call] = {}
        table, key = super().table(calls)
        for slot, call in needs.items():
            calls[slot] = call
            table, key = super().table(calls)
            if slot in self.slots:
                keep = _MATCHES[call.op](table, slot, self.slots[slot])
                self._tables[key] = table = _kept(table, np.flatnonzero(keep))
        return table, key


def _kept(table: Candidates, rows: np.ndarray) -> Candidates:
    return replace(
        table,
        window=table.window[rows],
        columns={slot: column[rows] for slot, column in table.columns.items()},
        slot_codes={slot: codes[rows] for slot, codes in table.slot_codes.items()},
        codes=table.codes[rows],
    )


def _us(seconds: float) -> int:
    return round(seconds * SECOND_US)


def _at(table: Candidates, slots: np.ndarray, seconds: float) -> np.ndarray:
    """bool (R,): the window's instant is so many seconds from its start."""
    return table.time(slots) - table.view.start_us[table.window] == _us(seconds)


def _instant(table: Candidates, slot: str, seconds: float) -> np.ndarray:
    return _at(table, table.col(slot), seconds)


def _interval(table: Candidates, slot: str, ends: list[float]) -> np.ndarray:
    first, last = table.ends(slot)
    return _at(table, first, ends[0]) & _at(table, last, ends[1])


def _instrument(table: Candidates, slot: str, name: str) -> np.ndarray:
    label, _, number = name.partition(" ")
    presence = table.col(slot)
    keep = np.array([one == label for one in table.view.timeline.table.labels], bool)
    keep = keep[table.view.label[presence]]
    if number:
        keep = keep & (table.view.instance[presence].astype(str) == number)
    return keep


def _named(names_of: Callable[[Candidates, str], Any]) -> Callable[..., np.ndarray]:
    def match(table: Candidates, slot: str, name: str) -> np.ndarray:
        names = names_of(table, slot)
        return np.array([one == name for one in names], bool)[table.col(slot)]

    return match


def _point(table: Candidates, slot: str, point: list[float]) -> np.ndarray:
    return (table.col(slot) == np.array(point)).all(axis=1)


def _box(table: Candidates, slot: str, box: list[float]) -> np.ndarray:
    found = table.view.timeline.table.box_xyxy[table.col(slot)] * GRID
    return (np.abs(found - np.array(box)) <= 0.5).all(axis=1)


_MATCHES: Mapping[str, Callable[[Candidates, str, Any], np.ndarray]] = {
    "instant": _instant,
    "change": _instant,
    "interval": _interval,
    "instrument": _instrument,
    "instrument_class": _named(lambda table, slot: table.view.timeline.video.vocabulary),
    "verb": _named(lambda table, slot: table.view.timeline.verbs),
    "target": _named(lambda table, slot: table.view.timeline.targets),
    "choice": _named(lambda table, slot: table.calls[slot].args["from"]),
    "point": _point,
    "box": _box,
}
"""Slot kind -> (table, slot, value of the example) to bool (R,): rows that hold the value."""


# -- from an example's evidence to records --------------------------------------------------


def view_of(evidence: EvidenceFile, unit: str = "clip") -> View:
    """The one window of an example."""
    timeline = build_timeline(records(evidence))
    assert timeline is not None
    window = Window(unit, "example", 0, _us(evidence.seconds))
    return view_windows(timeline, (window,))


def records(evidence: EvidenceFile) -> VideoEvidence:
    """An example's evidence as a reader gives it; what is not mentioned is not there."""
    seen = {one.instrument for one in evidence.seen}
    vocabulary = seen if evidence.vocabulary is None else {*evidence.vocabulary, *seen}
    period, end = _us(evidence.every), _us(evidence.seconds)
    video = Video(
        dataset="example",
        video_id="example",
        procedure="",
        specialty="",
        fps=Fraction(SECOND_US, period),
        period_us=period,
        duration_us=end,
        media=Media(MediaKind.ABSENT),
        split=None,
        split_group="example",
        licence="",
        label_source="",
        sources=(),
        vocabulary=tuple(sorted(vocabulary)),
    )
    return VideoEvidence(video, _table(evidence, tuple(sorted(seen))))


Place = tuple[int, int, tuple[float, ...], int]
"""Instant, label, box (empty without one), which of the entries without a box it is."""


def _table(evidence: EvidenceFile, labels: tuple[str, ...]) -> InstrumentTable:
    instants = instants_us(evidence)
    doing: dict[Place, set[Pair]] = {}  # one box of one instrument is one instance
    for number, seen in enumerate(evidence.seen):
        pairs = {_pair(action) for action in seen.does or ()}
        for sample, box in _boxes(seen, instants, _us(evidence.seconds)):
            place = (sample, labels.index(seen.instrument), box, 0 if box else number)
            doing.setdefault(place, set()).update(pairs)
    rows = [(*place, tuple(sorted(doing[place]))) for place in sorted(doing)]
    sets = tuple(sorted({row[4] for row in rows if row[4]}))
    count = len(rows)
    nowhere = (float("nan"),) * 4
    return InstrumentTable(
        instants_us=np.array(instants, dtype=np.int64),
        frames=np.array(instants, dtype=np.int64) // _us(evidence.every),
        sample=np.array([row[0] for row in rows], dtype=np.int32),
        label=np.array([row[1] for row in rows], dtype=np.int16),
        box_xyxy=np.array([r[2] or nowhere for r in rows], np.float64).reshape(count, 4),
        score=np.ones(count),
        pairs=np.array([sets.index(r[4]) if r[4] else UNKNOWN for r in rows], dtype=np.int16),
        track=np.full(count, UNKNOWN, dtype=np.int32),
        row=np.zeros(count, dtype=np.int32),
        labels=labels,
        pair_sets=sets,
        box_origin="manual",
        pointer="{frame}:{row}",
    )


def _boxes(
    seen: SeenFile, instants: list[int], end: int
) -> Iterator[tuple[int, tuple[float, ...]]]:
    """(instant, box) wherever an entry is seen; the box is empty where it has none."""
    first = _us(seen.from_)
    last = end if seen.to is None else _us(seen.to)
    there = [sample for sample, time in enumerate(instants) if first <= time <= last]
    for sample in there:
        yield sample, _box_at(seen, instants[sample], first, instants[there[-1]])


def _box_at(seen: SeenFile, time: int, first: int, last: int) -> tuple[float, ...]:
    if seen.path is None:
        return tuple(value / GRID for value in seen.box or ())
    place = (time - first) / max(last - first, 1) * (len(seen.path) - 1)
    before = min(int(place), len(seen.path) - 2)
    share = place - before
    ends = zip(seen.path[before], seen.path[before + 1], strict=True)
    return tuple((a + (b - a) * share) / GRID for a, b in ends)


def _pair(action: str) -> Pair:
    if action == IDLE_WORD:
        return IDLE
    verb, _, target = action.partition(" ")
    return verb, target

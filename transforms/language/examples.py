"""``examples:`` a tiny piece of evidence and what a template makes of it.

The shape of an example and the checks that need no evidence; what comes out is found by
``transforms.questions.example``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ontology.concepts import vocabulary
from ontology.times import SECOND_US
from transforms.language.template import Call

IDLE_WORD = "idle"
"""What ``does`` says of an instrument that is known to do nothing."""

LONGEST_SECONDS = 60

Thousandths = Annotated[float, Field(ge=0, le=1000)]
Box = Annotated[list[Thousandths], Field(min_length=4, max_length=4)]
Span = Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)]

Action = Annotated[str, Field(json_schema_extra={"pattern": r"^(idle|[a-z_]+ [a-z_]+)$"})]
"""For editors only: the loader says more of it."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class SeenFile(_Strict):
    """An instrument that is seen for a while."""

    instrument: str = Field(description="Concept id, such as bipolar.")
    from_: float = Field(0.0, ge=0, alias="from", description="First second it is seen.")
    to: float | None = Field(None, ge=0, description="Last second it is seen; left out: the end.")
    box: Box | None = Field(
        None, description="[x1, y1, x2, y2] in thousandths of the frame, standing still."
    )
    path: Annotated[list[Box], Field(min_length=2)] | None = Field(
        None, description="Boxes at equal times from first to last; it moves evenly between them."
    )
    does: Annotated[list[Action], Field(min_length=1)] | None = Field(
        None, description="'verb target' each, or 'idle'; left out: not annotated."
    )


class EvidenceFile(_Strict):
    """What is annotated in the one window of an example."""

    seconds: float = Field(gt=0, le=LONGEST_SECONDS, description="Length of the window.")
    every: float = Field(
        1.0, ge=0.04, description="Seconds from one annotated instant to the next."
    )
    gaps: list[Span] = Field(
        [], description="[first, last] second of stretches that are not annotated."
    )
    vocabulary: list[str] | None = Field(
        None, description="Instruments that are annotated; left out: those that are seen."
    )
    seen: list[SeenFile] = Field([], description="What is seen; nothing else is.")


class ExpectFile(_Strict):
    """What is asked and answered, or why nothing is asked."""

    answer: str | dict[str, str] | None = Field(
        None, description="The answer without its letter; of a chain: stage -> answer."
    )
    question: str | dict[str, str] | None = Field(
        None, description="One of the wordings, filled; of a chain: stage -> question."
    )
    not_asked: str | None = Field(
        None, description="What says no: a slot, a condition, its place, or 'options'."
    )


class ExampleFile(_Strict):
    """A tiny piece of evidence and what comes out."""

    about: str | None = Field(None, description="What it shows, in one line.")
    evidence: EvidenceFile = Field(description="What is annotated.")
    slots: dict[str, Thousandths | str | list[Thousandths]] = Field(
        {}, description="Slots that are fixed; the others are drawn."
    )
    expect: ExpectFile = Field(description="What comes out.")


def instants_us(evidence: EvidenceFile) -> list[int]:
    """The annotated instants of an example's window."""
    period, end = round(evidence.every * SECOND_US), round(evidence.seconds * SECOND_US)
    gaps = [(round(a * SECOND_US), round(b * SECOND_US)) for a, b in evidence.gaps]
    return [t for t in range(0, end, period) if not any(a <= t <= b for a, b in gaps)]


Fault = tuple[str, tuple, str, str]
"""Code, place inside the example, what is wrong, what to do."""


def faults(
    example: ExampleFile, needs: Mapping[str, Call], stages: tuple[str, ...]
) -> Iterator[Fault]:
    """What is wrong with an example before it is run.

    Args:
        needs: the template's slots.
        stages: names of a chain's stages, empty for one question.
    """
    if not instants_us(example.evidence):
        yield "T102", ("evidence", "gaps"), "no instant is annotated", "leave some time out of gaps"
    for i, seen in enumerate(example.evidence.seen):
        for code, place, message, fix in _seen(seen, example.evidence.seconds):
            yield code, ("evidence", "seen", i, *place), message, fix
    for i, name in enumerate(example.evidence.vocabulary or ()):
        yield from _known("instruments", name, ("evidence", "vocabulary", i))
    for slot, value in example.slots.items():
        yield from _slot(slot, value, needs)
    yield from _expected(example.expect, stages)


def _seen(seen: SeenFile, seconds: float) -> Iterator[Fault]:
    yield from _known("instruments", seen.instrument, ("instrument",))
    if seen.box is not None and seen.path is not None:
        yield "T102", ("path",), "'box' and 'path' exclude one another", "leave one out"
    last = seconds if seen.to is None else seen.to
    if not seen.from_ <= last <= seconds:
        message = f"seen from {seen.from_:g} to {last:g} s of {seconds:g} s"
        yield "T102", ("to",), message, "'from' comes first and 'to' lies in the window"
    boxes = seen.path or ([seen.box] if seen.box else [])
    for i, (x1, y1, x2, y2) in enumerate(boxes):
        if not (x1 < x2 and y1 < y2):
            place = ("path", i) if seen.path else ("box",)
            yield "T102", place, "the box has no area", "write [left, top, right, bottom]"
    for i, action in enumerate(seen.does or ()):
        yield from _action(action, ("does", i))


def _action(action: str, place: tuple) -> Iterator[Fault]:
    if action == IDLE_WORD:
        return
    verb, _, target = action.partition(" ")
    if not target:
        yield "T102", place, f"{action!r} is no verb with its target", "write 'retract gallbladder'"
        return
    yield from _known("verbs", verb, place)
    yield from _known("targets", target, place)


SHOWN = 12
"""Terms that are told where none is like the one that is not known."""


def _known(kind: str, name: str, place: tuple) -> Iterator[Fault]:
    terms = vocabulary(kind)
    if name not in terms:
        near = difflib.get_close_matches(name, terms, n=5, cutoff=0.5) or list(terms)[:SHOWN]
        more = f" and {len(terms) - len(near)} more" if len(terms) > len(near) else ""
        hint = f"{kind}: {', '.join(near)}{more}"
        yield "T106", place, f"no {kind.removesuffix('s')} {name!r}", hint


_SHAPES: Mapping[str, tuple[type | int, str]] = {
    "instant": (float, "its second"),
    "change": (float, "its second"),
    "interval": (2, "[first second, last second]"),
    "point": (2, "[x, y] in thousandths"),
    "box": (4, "[x1, y1, x2, y2] in thousandths"),
    "instrument": (str, "its id, with its number where there are several: grasper 2"),
}
"""Slot kind -> type or number of numbers, and how it is written; the others are text."""


def _slot(slot: str, value: Any, needs: Mapping[str, Call]) -> Iterator[Fault]:
    place = ("slots", slot)
    if slot not in needs:
        yield "T104", place, f"no slot named {slot!r}", f"slots: {', '.join(needs) or 'none'}"
        return
    wanted, written = _SHAPES.get(needs[slot].op, (str, "its id or its text"))
    fits = (
        isinstance(value, list) and len(value) == wanted
        if isinstance(wanted, int)
        else isinstance(value, wanted)
    )
    if not fits:
        yield "T104", place, f"{slot!r} is of kind {needs[slot].op}", f"write {written}"


def _expected(expect: ExpectFile, stages: tuple[str, ...]) -> Iterator[Fault]:
    place = ("expect",)
    if (expect.answer is None) == (expect.not_asked is None):
        yield "T102", place, "either 'answer' or 'not_asked' is expected", "write one of the two"
    if expect.question is not None and expect.answer is None:
        yield "T102", (*place, "question"), "a question comes with its answer", "add 'answer'"
    for name in ("answer", "question"):
        texts = getattr(expect, name)
        if isinstance(texts, str) and stages:
            fix = f"write 'stage: {name}' for {', '.join(stages)}"
            yield "T102", (*place, name), f"a chain has one {name} for each stage", fix
        elif isinstance(texts, dict):
            for stage in texts:
                if stage not in stages:
                    fix = f"stages: {', '.join(stages) or 'none, so write the text alone'}"
                    yield "T106", (*place, name, stage), f"no stage named {stage!r}", fix

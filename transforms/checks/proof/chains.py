"""Checks the questions of a chain: all about one event, windows inside each other, fair options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.numbers import when
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.reading import Unread, value_of
from surgqa.transforms.checks.proof.rows import ProofRow
from surgqa.transforms.checks.proof.texts import Unprintable, plain
from surgqa.transforms.language.program import Stage

Found = tuple[str, str, str]
"""(code, item id, detail)"""

ALIKE = ("template_id", "dataset", "video_id", "slots")


def said_of(
    parts: Sequence[ProofRow], track_words: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return, for each stage of a chain, the text of its answer, printed from the answer's value.

    Args:
        track_words: for each track, the words that distinguish it from others of its class.
    """
    out = {}
    for one in parts:
        try:
            out[one.stage.name] = plain(one.stage.say, one.known(), one.page(track_words))
        except Unprintable:
            out[one.stage.name] = ""
    return out


def chain_problems(parts: Sequence[ProofRow], whole: bool = True) -> Iterator[Found]:
    """Yield errors that only all questions of a chain together show.

    Args:
        parts: the rows of the chain, in any order.
        whole: True if all rows of the output were read, so that no stage may be missing.
    """
    first = parts[0]
    names = [one.stage.name for one in parts]
    wanted = [stage.name for stage in first.program.stages]
    if len(set(names)) != len(names) or (whole and set(names) != set(wanted)):
        yield "chain_incomplete", first.id, f"stages {sorted(names)}, expected {sorted(wanted)}"
        return
    for one in parts[1:]:
        differ = [name for name in ALIKE if one.row[name] != first.row[name]]
        if differ:
            yield "chain_mixed", one.id, f"{', '.join(differ)} differ from those of {first.id}"
    by_name = {one.stage.name: one for one in parts}
    for one in parts:
        yield from _window(one, by_name)
        yield from _halves(one, by_name)


def _window(one: ProofRow, others: Mapping[str, ProofRow]) -> Iterator[Found]:
    stage, (start, end) = one.stage, _bounds(one)
    if stage.see in others and _bounds(others[stage.see]) != (start, end):
        shown = _bounds(others[stage.see])
        yield "chain_window_differs", one.id, f"[{start}, {end}), {stage.see} sees {shown}"
    if stage.window is None:
        return
    if end - start < stage.window.at_least:
        least = stage.window.at_least
        yield "chain_window_differs", one.id, f"[{start}, {end}) is shorter than {least} us"
    if stage.window.inside in others:
        a, b = _bounds(others[stage.window.inside])
        if not (a <= start < end <= b and end - start < b - a):
            inside = f"[{a}, {b}) of {stage.window.inside}"
            yield "windows_not_narrower", one.id, f"[{start}, {end}) is not inside {inside}"
    for what, low, high in _held(one, stage):
        if not start <= low <= high <= end:
            yield "outside_window", one.id, f"{what} [{low}, {high}] is not in [{start}, {end})"


def _bounds(one: ProofRow) -> tuple[int, int]:
    return one.row["start_us"], one.row["end_us"]


def _held(one: ProofRow, stage: Stage) -> Iterator[tuple[str, int, int]]:
    """Yield (name, start, end) of what must be inside a stage's window: its event or options."""
    assert stage.window is not None
    if stage.window.around is not None:
        try:
            span = spanned(value_of(stage.window.around, one.known()), stage.window.around.type)
        except Unread:
            span = None
        if span:
            yield "the event", *span
        return
    of = stage.answer[0][1].type
    for value in (*one.offered, one.answer):
        span = spanned(value, of)
        if span:
            yield "an option", *span


def spanned(value: Any, of: Type) -> tuple[int, int] | None:
    """Return the printed start and end of a value in microseconds; None if it is not about time."""
    if value is None or of.name not in ("instant", "stretch", "fact"):
        return None
    if of.name == "instant":
        return when(value), when(value)
    if of.name == "fact":
        return value["start_us"], value["end_us"]
    return when(value["start"]), when(value["end"])


def _halves(one: ProofRow, others: Mapping[str, ProofRow]) -> Iterator[Found]:
    """Check options that combine answers of two stages: each part must be an option of its stage.

    Each stage may contribute at most two values. A third value would occur in one option only, and
    the correct option could be recognised because its parts occur twice.
    """
    for pool in one.stage.wrong:
        if not isinstance(pool, Call) or pool.op != "halves":
            continue
        stages = [getattr(node, "name", "") for node in pool.get("of")]
        if any(name not in others for name in stages):
            continue
        known = [{canonical(value) for value in others[name].offered} for name in stages]
        joined: list[set[str]] = [set() for _ in stages]
        for option, value in zip(one.row["options"] or (), one.offered, strict=True):
            parts = [canonical(part) for part in value] if isinstance(value, list) else []
            if len(parts) != len(known) or any(
                p not in k for p, k in zip(parts, known, strict=True)
            ):
                shown = f"{option['key']}) {option['text']}"
                yield "main_unfair", one.id, f"{shown} does not combine options of {stages}"
            elif option["kind"] in ("answer", "halves"):
                for found, part in zip(joined, parts, strict=True):
                    found.add(part)
        for name, found in zip(stages, joined, strict=True):
            if len(found) > 2:
                yield "main_unfair", one.id, f"{len(found)} answers of {name} combined, expected 2"

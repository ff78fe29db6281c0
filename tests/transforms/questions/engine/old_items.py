"""Items of the engine that this one replaces, put beside its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from transforms.questions.ask import ask
from transforms.windows.view import view_windows

from ontology.records import Item, Window
from transforms.algebra.tree import Name
from transforms.language.load import load_templates
from transforms.language.program.load import parse_file
from transforms.language.program.program import Program
from transforms.questions.engine.ask import Asker
from transforms.questions.engine.fill import filled
from transforms.questions.engine.typed import typed
from transforms.questions.engine.units import clips
from transforms.registry import load_reader
from transforms.timeline import build_timeline
from transforms.timeline.relation.gather import relation_of
from transforms.windows.clips import cut_clips

TEMPLATES = Path("templates")
HALF_SECOND = 0.5
CHOSEN = ("truth", "box")
"""Slots of the old engine that are no names of the new one's templates."""
UNSAID = ("track_id", "track", "side", "camera_motion", "bucket", "refusal", "instruments")
"""Fields of the old answers that the new ones say in other words, or in their text alone."""
NINTHS = {"top": "upper", "bottom": "lower"}


@dataclass(frozen=True)
class Evidence:
    """Recordings as both engines want them."""

    asker: Asker
    windows: Sequence[tuple[int, Window]]
    old: Mapping[str, Sequence[Item]]


def evidence(root: Path, videos: Sequence[str], seed: str) -> Evidence:
    """Both engines over some videos of CholecT50, the old one asked already."""
    reader = load_reader("cholect50")(root, False, None)
    read = [reader.read(video) for video in videos]
    known = [(one, build_timeline(one)) for one in read]
    windows = [(k, w) for k, (one, timeline) in enumerate(known)
               for w in cut_clips(one.video, timeline.table.instants_us).windows]  # fmt: skip
    templates = [t for t in load_templates() if t.benchmark == "surgstu"]
    old: dict[str, list[Item]] = {t.id: [] for t in templates}
    for k, (_, timeline) in enumerate(known):
        view = view_windows(timeline, tuple(w for v, w in windows if v == k))
        for item in ask(view, templates, seed).items:
            old[item.template_id].append(item)
    return Evidence(Asker(relation_of(known), clips(windows), seed), windows, old)


def programs() -> Iterator[Program]:
    """The templates of SurgSTU in the new language."""
    for file in sorted((TEMPLATES / "surgstu").glob("*.yaml")):
        yield from parse_file(file, TEMPLATES)[0]


def asked_again(program: Program, known: Evidence) -> list[tuple[Item, Item]]:
    """(old item, what this engine says of the same filling), where it is certain of that."""
    old, asker = known.old[program.id], known.asker
    found = filled(program, asker.relation, asker.clips)
    if not len(found.unit):
        return []
    names = [(step.names, step.node.type) for step in program.let]
    columns = {name: typed(Name(of, name), found.rows) for many, of in names for name in many}
    places = {w.window_id: place for place, (_, w) in enumerate(known.windows)}
    out = []
    for item in old:
        mine = np.flatnonzero(found.unit == places[item.window.window_id]).tolist()
        row = next((r for r in mine if _same_filling(item.slots, columns, r)), None)
        if row is not None:
            new = asker._tried(program, found, np.array([row]), {})
            out += [(item, one) for items in new.values() for one in items]
    return out


def _same_filling(slots: Mapping[str, Any], columns: Mapping[str, list], row: int) -> bool:
    new: dict[str, Any] = {}
    for name, values in columns.items():
        new[name] = _plain(values[row])
        if name == "act":
            new |= {"tool": values[row].get("track"), "verb": values[row].get("verb"),
                    "target": values[row].get("target")}  # fmt: skip
    old = {name: _plain(value) for name, value in slots.items() if name not in CHOSEN}
    shared = set(old) & {name for name, value in new.items() if value is not None}
    return shared == set(old) and all(old[name] == new[name] for name in shared)


def _plain(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    for key in ("track_id", "track", "time_us", "label"):
        if key in value:
            return value[key]
    for a, b in (("start", "end"), ("start_us", "end_us")):
        if a in value:
            return (value[a], value[b])
    return tuple(value.values())


def differences(old: Item, new: Item) -> list[str]:
    """What the two answers do not share: labels, yes or no, numbers more than the slack apart."""
    out = []
    said = {*_strings(new.answer_value), *_strings(new.slots)}
    said |= {word for one in said if isinstance(one, str) for word in one.split()}
    out += [one for one in _strings(old.answer_value) if NINTHS.get(one, one) not in said]
    a, b = (_numbers(item.answer) for item in (old, new))
    if len(a) != len(b):
        return [*out, f"{old.answer!r} and {new.answer!r}"]
    out += [f"{x} and {y}" for x, y in zip(a, b, strict=True) if abs(x - y) > HALF_SECOND]
    return out


def _strings(value: Any) -> Iterator[Any]:
    """Labels and truths of a typed value."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            if key not in UNSAID:
                yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, str | bool) and value is not None:
        yield value


def _numbers(text: str) -> list[float]:
    text = re.sub(r"^[A-Z]\) ", "", text)
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]

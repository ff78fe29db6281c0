"""The header of a label file: frame rate, categories, triplets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import SourceBroken
from surgqa.transforms.readers.base import Categories, JsonText, categories

KINDS = ("instrument", "verb", "target")
FASTEST_FPS = 1000
SLOWEST_FPS = Fraction(1, 1000)
LABEL_MAP = "cholect50"


@dataclass(frozen=True, slots=True)
class LabelHeader:
    """The parts of a label file that hold for all its rows.

    Attributes:
        fps: rate of the frame ids.
        instrument, verb, target, phase: the file's own names.
        triplet: the triplets, or None if neither the file nor ``label_mapping.txt`` lists them.
        members: int64 (triplets, 3), positions of instrument, verb and target of each
            triplet; -2 for a name that the categories lack.
    """

    fps: Fraction
    instrument: Categories
    verb: Categories
    target: Categories
    phase: Categories
    triplet: Categories | None
    members: np.ndarray


def header_of(text: JsonText, number: int, triplets: Mapping[int, tuple[int, ...]]) -> LabelHeader:
    """Check and map everything but the rows.

    Args:
        text: the parsed label file.
        number: the video's number, from the file's name.
        triplets: for each triplet id, (instrument id, verb id, target id) of ``label_mapping.txt``,
            used where the file lists no triplets of its own.

    Raises:
        SourceBroken: a part is missing or of the wrong kind, or the file is another
            video's.
    """
    _refuse_repeated(text)
    _check_number(text, number)
    raw = _part(text.data, "categories", text.name)
    kinds = {kind: _category(raw, kind, text.name, needed=True) for kind in KINDS}
    phase = _category(raw, "phase", text.name, needed=False)
    names = _names(raw, "triplet", text.name, needed=False)
    if names:
        members = [_members_by_name(names[i], kinds) for i in sorted(names)]
    else:
        names = dict.fromkeys(triplets, "")
        members = [_members_by_id(triplets[i], kinds) for i in sorted(triplets)]
    return LabelHeader(
        fps=_fps(text),
        **kinds,
        phase=phase,
        triplet=categories("triplet", names, {}) if names else None,
        members=np.array(members, dtype=np.int64).reshape(-1, 3),
    )


def annotations_of(text: JsonText) -> dict[str, Any]:
    """Return the parsed rows of each frame id.

    Raises:
        SourceBroken: the annotations are missing or are not an object.
    """
    return _part(text.data, "annotations", text.name)


def _refuse_repeated(text: JsonText) -> None:
    for path, keys in sorted(text.repeated.items()):
        if path == "annotations" or path.startswith(("info", "licenses")):
            continue
        key = sorted(keys)[0]
        place = f"{path}.{key}" if path else key
        raise SourceBroken(
            f"{text.name} says {place} {len(keys[key])} times",
            expected="every key once",
            where=f"{text.name} {place}",
            fix="copy the file again from the release",
        )


def _part(data: Mapping[str, Any], key: str, name: str, path: str = "") -> dict[str, Any]:
    """Return the object under a key, or raise an error that names its place."""
    place = f"{path}{key}"
    if key not in data:
        keys = ", ".join(repr(known) for known in list(data)[:8])
        raise SourceBroken(
            f"{name} has no {place}",
            expected=f"the key {place!r}",
            found=f"the keys {keys}" if keys else "an empty object",
            where=f"{name} {place}",
            fix="copy the file again from the release",
        )
    if not isinstance(data[key], dict):
        raise SourceBroken(
            f"{name}: {place} is no object",
            expected="an object",
            found=f"{data[key]!r:.60}",
            where=f"{name} {place}",
        )
    return data[key]


def _check_number(text: JsonText, number: int) -> None:
    said = text.data.get("video", number)
    if type(said) is bool or said not in (number, str(number)):
        raise SourceBroken(
            f"{text.name} is of another video",
            expected=f"video {number}",
            found=f"video {said!r:.40}",
            where=f"{text.name} video",
            fix="give the file the name of its video, or copy it again from the release",
        )


def _fps(text: JsonText) -> Fraction:
    fps: Any = text.data.get("fps")
    if type(fps) in (int, float) and SLOWEST_FPS <= fps <= FASTEST_FPS:
        return Fraction(repr(fps))  # the decimal as written: 29.97 is 2997/100
    raise SourceBroken(
        f"{text.name} has no usable frame rate",
        expected="fps, a number above 0 (1 in the release)",
        found=f"{fps!r:.40}",
        where=f"{text.name} fps",
    )


def _category(raw: Mapping[str, Any], kind: str, name: str, needed: bool) -> Categories:
    return categories(kind, _names(raw, kind, name, needed), label_map(LABEL_MAP))


def _names(raw: Mapping[str, Any], kind: str, name: str, needed: bool) -> dict[int, str]:
    if kind not in raw and not needed:
        return {}
    out: dict[int, str] = {}
    for key, label in _part(raw, kind, name, "categories.").items():
        good_id = key.isascii() and key.isdigit() and len(key) < 6
        taken = good_id and int(key) in out
        if not good_id or taken or type(label) is not str or label in out.values():
            raise SourceBroken(
                f"{name}: categories.{kind} is not understood",
                expected='every id and every name once, as "0": "name"',
                found=f"{key!r:.20}: {label!r:.40}",
                where=f'{name} categories.{kind}["{key[:20]}"]',
            )
        out[int(key)] = label
    return out


def _members_by_name(triplet: str, kinds: Mapping[str, Categories]) -> list[int]:
    parts = triplet.split(",")
    if len(parts) != len(KINDS):
        return [-2] * len(KINDS)
    named = zip(KINDS, parts, strict=True)
    return [
        kinds[kind].names.index(part) if part in kinds[kind].names else -2 for kind, part in named
    ]


def _members_by_id(ids: tuple[int, ...], kinds: Mapping[str, Categories]) -> list[int]:
    named = zip(KINDS, ids, strict=True)
    return [int(kinds[kind].position(np.array([float(i)]))[0]) for kind, i in named]

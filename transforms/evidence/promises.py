"""Test whether an extractor, such as one of another package, does what its base class promises."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import UserError
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import (
    Extractor,
    FrameExtractor,
    SoundExtractor,
    round_score,
)
from surgqa.transforms.evidence.extractors import extractor_class, extractor_of
from surgqa.transforms.evidence.link.appearance import BYTES
from surgqa.transforms.evidence.segment import MaskExtractor, MaskPrompt, MaskWindow
from surgqa.transforms.media import FrameBatch, Sound
from surgqa.transforms.media.batches import SOUND_RATE

HEIGHT, WIDTH = 72, 128
_LABELS = {"instrument": "instruments", "tissue": "targets"}
_BOX_ORDER = ("time_us", "kind", "label", "x1", "y1", "x2", "y2")
_IN_A_WORKER = "import pickle, sys; print(pickle.load(sys.stdin.buffer).digest)"


def broken_promises(
    name: str, settings: Any = None, pictures: Sequence[np.ndarray] = (),
    sounds: Sequence[np.ndarray] = (),
) -> list[str]:  # fmt: skip
    """Return a sentence for each promise of its base class that an extractor breaks.

    Args:
        name: the entry point.
        settings: settings of the extractor; None for the defaults.
        pictures: uint8 (H, W, 3), RGB, of one size, in addition to drawn ones: at least one should
            show what the extractor finds.
        sounds: int16 (N,), mono, 16 kHz, in addition to silence and a tone.

    Raises:
        UserError: there is no such extractor, or its class is not valid.
    """
    made = extractor_class(name)
    chosen = made.Settings() if settings is None else settings
    one, again = extractor_of(name, chosen), extractor_of(name, chosen)
    out = [*_identity(one)]
    if out:
        return out
    out += [*_settings(name, one), *_in_a_worker(one)]
    try:
        if isinstance(one, FrameExtractor):
            for group in (_drawn(), [*pictures]):
                out += _looks(one, again, group)
        elif isinstance(one, SoundExtractor):
            for samples in (*_tones(), *sounds):
                out += _listens(one, again, Sound(3 * SECOND_US, samples))
        elif isinstance(one, MaskExtractor):
            for group in (_drawn(), [*pictures]):
                out += _segments(one, again, group)
    except UserError as error:
        out.append("; ".join(error.lines()))
    return list(dict.fromkeys(out))


# -- identity --------------------------------------------------------------------------------------


def _identity(one: Extractor) -> Iterator[str]:
    try:
        orjson.dumps(one.identity, option=orjson.OPT_SORT_KEYS)
    except TypeError as error:
        yield f"its basis is not plain JSON: {error}"
        return
    for text in _texts(one.identity):
        if Path(text).is_absolute():
            yield f"its basis has the path {text}, which differs between machines"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _settings(name: str, one: Extractor) -> Iterator[str]:
    """Yield a sentence for each setting that should be part of the cache key, but is not."""
    for field in fields(one.settings):
        value = getattr(one.settings, field.name)
        other = _other(value)
        if other is None or field.name in one.not_counted:
            continue
        try:
            changed = extractor_of(name, replace(one.settings, **{field.name: other}))
        except (UserError, ValueError):
            continue  # not a valid value
        if changed.digest == one.digest:
            yield f"its basis does not depend on the setting {field.name!r}"


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value * 0.75 if isinstance(value, float) and value else None


def _in_a_worker(one: Extractor) -> Iterator[str]:
    """Check that another process imports the same extractor, as a worker does."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", _IN_A_WORKER], input=pickle.dumps(one), env=environment,
        capture_output=True, check=False,
    )  # fmt: skip
    answer = done.stdout.decode().strip()
    if answer != one.digest:
        why = done.stderr.decode().strip().splitlines()[-1:] or [f"the digest {answer}"]
        yield f"another process does not get the same extractor: {why[0]}"


# -- frames ----------------------------------------------------------------------------------------


def _drawn() -> list[np.ndarray]:
    """Return drawn pictures: black, white, a grey gradient, a chessboard, and a bright disc."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    disc = (x - 60) ** 2 + (y - 30) ** 2 < 400
    planes = [0 * x, 255 + 0 * x, 2 * x - y + 70, 255 * ((x // 16 + y // 16) % 2), 240 * disc]
    return [np.repeat(np.uint8(np.clip(one, 0, 255))[:, :, None], 3, axis=2) for one in planes]


def _batch(pictures: Sequence[np.ndarray], trusted: Sequence[bool], first: int = 0) -> FrameBatch:
    count, shown = len(pictures), []
    for picture, good in zip(pictures, trusted, strict=True):
        own = picture.copy() if good else np.zeros_like(picture)
        own.setflags(write=False)
        shown.append(own)
    index = np.arange(first, first + count, dtype=np.int64)
    return FrameBatch(0, count, index * SECOND_US, index, shown, np.array(trusted, bool))


def _looks(
    one: FrameExtractor, again: FrameExtractor, pictures: Sequence[np.ndarray]
) -> Iterator[str]:
    if not pictures:
        return
    whole = _batch(pictures, [True] * len(pictures))
    holes = _batch(pictures, [n % 2 == 0 for n in range(len(pictures))], first=len(pictures))
    none = _batch(pictures[:1], [False], first=2 * len(pictures))
    batches = [whole, holes, none]
    seen = [one.see(batch) for batch in batches]
    if [s.rows for s in seen] != [again.see(batch).rows for batch in batches]:
        yield "it gives other rows for the same frames the second time"
    if [s.rows for s in one.see_together(batches)] != [s.rows for s in seen]:
        yield "see_together gives other rows than see"
    for batch, found in zip(batches, seen, strict=True):
        yield from _MORE[one.kind](one, found.rows, batch)


def _measures(one: FrameExtractor, rows: pa.Table, batch: FrameBatch) -> Iterator[str]:
    if rows.column("time_us").to_pylist() != batch.times_us.tolist():
        yield "it does not give one row for each sample, in their order"
    elif rows.column("trusted").to_pylist() != batch.trusted.tolist():
        yield "its 'trusted' is not that of the samples"


def _boxes(one: FrameExtractor, rows: pa.Table, batch: FrameBatch) -> Iterator[str]:
    found, classes = rows.to_pylist(), one.facts().get("classes") or {}
    known = {(c.get("kind"), c.get("concept")) for c in classes.values()}
    good = dict(zip(batch.times_us[batch.trusted].tolist(),
                    batch.frames[batch.trusted].tolist(), strict=True))  # fmt: skip
    if found != sorted(found, key=lambda row: (*(row[key] for key in _BOX_ORDER), -row["score"])):
        yield f"its rows are not sorted by {', '.join(_BOX_ORDER)}"
    for row in found:
        what = row["kind"], row["label"]
        if good.get(row["time_us"], -1) != row["frame"]:
            yield "it gives boxes at other times or frames than those of trusted samples"
        if not (0 <= row["x1"] < row["x2"] <= 1 and 0 <= row["y1"] < row["y2"] <= 1):
            yield "its boxes are not x1 < x2, y1 < y2 within 0 and 1"
        if not 0 <= row["score"] <= 1 or row["score"] != float(round_score(row["score"])):
            yield "its scores are not within 0 and 1, rounded to four decimals"
        if row["label"] not in vocabulary(_LABELS.get(row["kind"], "instruments")):
            yield f"the ontology has no {row['kind']} {row['label']!r}"
        if what not in known:
            yield f"it finds {row['label']!r}, which is not among the classes of its facts()"
        if row["origin"] != "detector" or row["track"] is not None:
            yield "the origin of its boxes is not 'detector', or they have a track"
        if len(row["appearance"] or b"") != BYTES:
            yield "its boxes have no appearance, which the linker compares"


_MORE = {"frames": _measures, "boxes": _boxes}


# -- sound -----------------------------------------------------------------------------------------


def _tones() -> list[np.ndarray]:
    """Return sounds for a test: none, a second of silence, and a second of a tone of 440 Hz."""
    tone = 8_000 * np.sin(2 * np.pi * 440 * np.arange(SOUND_RATE) / SOUND_RATE)
    return [np.zeros(0, np.int16), np.zeros(SOUND_RATE, np.int16), tone.astype(np.int16)]


def _listens(one: SoundExtractor, again: SoundExtractor, sound: Sound) -> Iterator[str]:
    heard = one.hear(sound)
    if (heard.rows, heard.facts) != ((other := again.hear(sound)).rows, other.facts):
        yield "it hears something else in the same sound the second time"
    rows = heard.rows.to_pylist()
    ids = [row["utterance_id"] for row in rows]
    if len(set(ids)) != len(ids) or None in ids:
        yield "its utterances have no ids of their own"
    if rows != sorted(rows, key=lambda row: row["start_us"]):
        yield "its rows are not sorted by start_us"
    end_us = sound.start_us + len(sound.samples) * SECOND_US // SOUND_RATE
    for row in rows:
        words = [(word["start_us"], word["end_us"]) for word in row["words"] or ()]
        for start, end in ((row["start_us"], row["end_us"]), *words):
            if not sound.start_us <= start < end <= end_us:
                yield "it gives times outside the piece of sound; they count from the video's start"
        if not row["words"]:
            yield "its utterances have no words with times"


# -- masks -----------------------------------------------------------------------------------------


def _segments(
    one: MaskExtractor, again: MaskExtractor, pictures: Sequence[np.ndarray]
) -> Iterator[str]:
    count = len(pictures)
    if not count:
        return
    batch = _batch(pictures, [n != 1 for n in range(count)])
    asked = [MaskPrompt(0, "grasper", 0, (0.3, 0.1, 0.7, 0.8), (0.5, 0.4), 0, count)]
    window = MaskWindow(0, 0, count)

    def found(extractor: MaskExtractor, prompts: list[MaskPrompt]) -> pa.Table:
        return extractor.segment(window, batch.pictures, batch.times_us, batch.frames,
                                 batch.trusted, prompts)  # fmt: skip

    rows = found(one, asked)
    if rows != found(again, asked):
        yield "it gives other masks for the same frames the second time"
    if found(one, []).num_rows:
        yield "it gives masks without a prompt"
    if not set(rows.column("time_us").to_pylist()) <= set(batch.times_us[batch.trusted].tolist()):
        yield "it gives masks of frames that are not trusted"
    if set(rows.column("object").to_pylist()) - {0}:
        yield "it gives masks of objects that no prompt names"

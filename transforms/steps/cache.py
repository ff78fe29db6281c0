"""Keep intermediate files between runs, so that only changed templates are evaluated again.

The intermediate files of a video (its part) are valid for the evidence and settings they were made
from; in them, the items and rejections of a template are valid as long as the template's digest is
the same. No cache key contains a position or a worker. The digest of every file is checked before
use, because the file may have been damaged or edited.

Evidence is stored as bytes. Only a fixed list of classes is supported, so that bytes from elsewhere
cannot run code.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology import records
from surgqa.ontology.absence import Absence
from surgqa.ontology.files import listed
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.moments import Moment
from surgqa.ontology.records import VideoEvidence
from surgqa.ontology.rows import SCHEMA_VERSION
from surgqa.transforms.places import Place
from surgqa.transforms.readers.base import MediaRecord, Reader
from surgqa.transforms.registry import load_reader
from surgqa.transforms.steps.files import put, read_all, read_arrow, seal, unsealed
from surgqa.transforms.steps.tasks import AskSettings

CLASSES: Mapping[str, type] = {
    one.__name__: one
    for one in (
        records.Attribute, records.Books, records.InstrumentTable, records.Media, records.Rejected,
        records.Source, records.Span, records.Video, records.VideoEvidence, records.VideoLabel,
        Absence, Moment, MediaRecord,
    )
}  # fmt: skip
ENUMS: Mapping[str, type[Enum]] = {
    one.__name__: one for one in (records.Clock, records.Code, records.MediaKind)
}
FORM = bytes_digest(repr([(n, [f.name for f in fields(c)]) for n, c in CLASSES.items()]).encode())
"""Changes if a field is added or removed; data that were packed before are then not used."""

_TEXT = "text"


def pack(value: Any) -> bytes | None:
    """Return the value as a NumPy archive: its arrays, and all else as JSON in one more array.

    Returns:
        None if a part of the value has a class that is not on the list.
    """
    arrays: list[np.ndarray] = []
    try:
        text = json.dumps(_plain(value, arrays)).encode()
    except TypeError:
        return None
    sink = io.BytesIO()
    named = {f"a{k}": array for k, array in enumerate(arrays)}
    np.savez(sink, **{_TEXT: np.frombuffer(text, np.uint8)}, **named)
    return sink.getvalue()


def unpack(data: bytes) -> Any:
    """Return the value from the bytes that :func:`pack` returned."""
    with np.load(io.BytesIO(data), allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    return _whole(json.loads(arrays[_TEXT].tobytes()), arrays)


def _plain(value: Any, arrays: list[np.ndarray]) -> Any:
    """Return the value as data for JSON; a list with a type's name first stands for other types."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (tuple, list):
        return [kind.__name__, *(_plain(one, arrays) for one in value)]
    if isinstance(value, Mapping):
        return ["dict", *([_plain(k, arrays), _plain(v, arrays)] for k, v in value.items())]
    if kind is Fraction:
        return ["fraction", value.numerator, value.denominator]
    if kind is np.ndarray and not value.dtype.hasobject:
        arrays.append(value)
        return ["array", f"a{len(arrays) - 1}"]
    if isinstance(value, Enum) and ENUMS.get(kind.__name__) is kind:
        return [kind.__name__, value.value]
    if is_dataclass(value) and CLASSES.get(kind.__name__) is kind:
        return [kind.__name__, *(_plain(getattr(value, f.name), arrays) for f in fields(value))]
    raise TypeError(f"a value of type {kind.__name__} cannot be packed")


def _whole(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if not isinstance(value, list):
        return value
    kind, *parts = value
    if kind == "array":
        return arrays[parts[0]]
    if kind == "dict":
        return {_whole(k, arrays): _whole(v, arrays) for k, v in parts}
    whole = [_whole(one, arrays) for one in parts]
    if kind in ("tuple", "list"):
        return tuple(whole) if kind == "tuple" else whole
    if kind == "fraction":
        return Fraction(*whole)
    return (CLASSES.get(kind) or ENUMS[kind])(*whole)


STAMP = "stamp.json"
READ = "evidence.kept"
KEPT = (".arrow", ".jsonl")
"""Extensions of those files of a part whose digests are recorded (in the file ``stamp``)."""
CODE_VERSION = "14"
"""Must be increased when a code change alters items without a change of their template."""


@dataclass(frozen=True, slots=True)
class CachedResult:
    """Results of an earlier run for one video that are still valid.

    Attributes:
        templates: ids of templates whose rows and rejections are reused.
        rows: rows of these templates, or None.
        declined: rejections of these templates, as in ``rejected/ask``.
        whole: True if the evidence tables are already on disk.
    """

    templates: frozenset[str] = frozenset()
    rows: pa.Table | None = None
    declined: list[dict] = field(default_factory=list)
    whole: bool = False

    @classmethod
    def nothing(cls) -> CachedResult:
        """Return no earlier results."""
        return cls()


def _stamp(evidence: VideoEvidence, split: str, settings: AskSettings) -> dict:
    made_from = {
        "schema": SCHEMA_VERSION,
        "code": CODE_VERSION,
        "reader": load_reader(evidence.video.dataset).version,
        "split": split,
        "video": repr(evidence.video),
        "seed": settings.seed,
        "link": repr(settings.link),
        "clips": repr(settings.clips),
        "observed": settings.observed,
    }
    return {
        "made_from": bytes_digest(orjson.dumps(made_from)),
        "templates": {t.id: t.digest for t in settings.templates},
    }


def is_damaged(folder: Place) -> bool:
    """True if a video's intermediate file has changed since it was written; it is then not used."""
    for sealed in (STAMP, READ):
        if (folder / sealed).is_file() and unsealed(folder / sealed) is None:
            return True
    stamp = _stamp_in(folder)
    names, digests = list(stamp.get("files", {})), list(stamp.get("files", {}).values())
    try:
        found = read_all([folder / name for name in names])
    except FileNotFoundError:
        return True
    return [bytes_digest(data) for data in found] != digests


def recall(folder: Place, reader: Reader) -> VideoEvidence | None:
    """Return the evidence of an earlier run, if the files that it was read from are unchanged."""
    path = folder / READ
    if not path.is_file():
        return None
    key, _, kept = (unsealed(path) or b"").partition(b"\n")
    if key.decode() != _key(reader):
        return None
    seen, evidence = unpack(kept)
    return evidence if reader.unchanged(seen) else None


def remember(folder: Place, reader: Reader, evidence: VideoEvidence) -> None:
    """Store evidence, with the sizes and times of the files that it was read from."""
    kept = pack((reader.seen, evidence))
    if kept is not None:
        put(folder / READ, seal(_key(reader).encode() + b"\n" + kept))


def _key(reader: Reader) -> str:
    made_by = (SCHEMA_VERSION, CODE_VERSION, FORM, np.__version__, reader.name, reader.version,
               str(reader.rate))  # fmt: skip
    return bytes_digest(repr(made_by).encode())


def load(folder: Place, evidence: VideoEvidence, split: str, settings: AskSettings) -> CachedResult:
    """Return those results of an earlier run, in a video's ``folder``, that are still valid."""
    old, new = _stamp_in(folder), _stamp(evidence, split, settings)
    if old.get("made_from") != new["made_from"]:
        return CachedResult.nothing()
    same = {t for t, d in new["templates"].items() if old["templates"].get(t) == d}
    table = read_arrow(folder / "items.arrow")
    rows = table.filter(pc.is_in(table.column("template_id"), pa.array(sorted(same), pa.string())))
    lines = (folder / "ask.jsonl").read_bytes().splitlines()
    declined = [entry for entry in map(orjson.loads, lines) if entry["key"].split(" ")[0] in same]
    return CachedResult(frozenset(same), rows, declined, whole=True)


def _stamp_in(folder: Place) -> dict:
    """Return the record of what a video's intermediate files were made from; empty without one."""
    stamp = folder / STAMP
    return orjson.loads(unsealed(stamp) or b"{}") if stamp.is_file() else {}


def store(folder: Place, evidence: VideoEvidence, split: str, settings: AskSettings) -> None:
    """Write the record that makes a video's intermediate files complete and valid for later runs.

    It is written last, so that they are never complete after a crash.
    """
    paths = [path for path in listed(folder) if path.suffix in KEPT and path.name[0] != "."]
    digests = [bytes_digest(data) for data in read_all(paths)]
    files = dict(zip((path.name for path in paths), digests, strict=True))
    stamp = {**_stamp(evidence, split, settings), "files": files}
    put(folder / STAMP, seal(orjson.dumps(stamp)))

"""Keep intermediate files between runs, so that only changed templates are evaluated again.

The intermediate files of a video (its part) are valid for the evidence and settings they were made
from; in them, the items and rejections of a template are valid as long as the template's digest is
the same. No cache key contains a position or a worker. The digest of every file is checked before
use, because the file may have been damaged or edited.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.files import listed
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import VideoEvidence
from surgqa.ontology.rows import SCHEMA_VERSION
from surgqa.transforms.places import Place
from surgqa.transforms.readers.base import Reader
from surgqa.transforms.registry import load_reader
from surgqa.transforms.steps.files import put, read_all, read_arrow, seal, unsealed
from surgqa.transforms.steps.packed import FORM, pack, unpack
from surgqa.transforms.steps.tasks import AskSettings

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

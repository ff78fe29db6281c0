"""Parts kept between runs: a changed template redoes what that template touches.

A part is valid for the evidence it was made from and the settings it was made with;
inside it, the rows and declined windows of a template are valid for that template's
digest.  Nothing is keyed by position or worker.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ontology.keys import bytes_digest
from ontology.records import VideoEvidence
from ontology.rows import SCHEMA_VERSION
from transforms.places import Place, RemotePath
from transforms.readers.base import Reader
from transforms.registry import load_reader
from transforms.steps.files import put, read_arrow
from transforms.steps.tasks import AskSettings
from transforms.timeline import LinkLimits, Timeline

STAMP = "stamp.json"
STRUCTURED = "structured.pickle"
CODE_VERSION = "4"
"""Raised with every change of code that changes an item without changing a template."""


Structured = tuple[VideoEvidence, Timeline | None]


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier run left that still holds.

    Attributes:
        templates: ids whose rows and declined windows are taken over.
        rows: their rows, or None.
        declined: their entries of ``rejected/ask``.
        whole: the evidence tables are on disk already.
    """

    templates: frozenset[str] = frozenset()
    rows: pa.Table | None = None
    declined: list[dict] = field(default_factory=list)
    whole: bool = False

    @classmethod
    def nothing(cls) -> Known:
        """No earlier run."""
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
    }
    return {
        "made_from": bytes_digest(orjson.dumps(made_from)),
        "templates": {t.id: t.digest for t in settings.templates},
    }


def recall(folder: Place, reader: Reader, link: LinkLimits) -> Structured | None:
    """Evidence and timeline of an earlier run, if all that its reader saw looks the same.

    Only from a folder of this machine: what is unpickled can run code, so it must be the
    user's own.
    """
    path = folder / STRUCTURED
    if isinstance(path, RemotePath) or not path.is_file():
        return None
    try:
        key, seen, structured = pickle.loads(path.read_bytes())
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, ValueError, TypeError):
        return None
    return structured if key == _key(reader, link) and reader.unchanged(seen) else None


def remember(folder: Place, reader: Reader, link: LinkLimits, structured: Structured) -> None:
    """Keep evidence and timeline with what the reader saw."""
    if not isinstance(folder, RemotePath):
        kept = (_key(reader, link), reader.seen, structured)
        put(folder / STRUCTURED, pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL))


def _key(reader: Reader, link: LinkLimits) -> tuple:
    return (SCHEMA_VERSION, CODE_VERSION, np.__version__, reader.name, reader.version, reader.rate,
            repr(link))  # fmt: skip


def load(folder: Place, evidence: VideoEvidence, split: str, settings: AskSettings) -> Known:
    """What of the part in ``folder`` still holds."""
    stamp = folder / STAMP
    if not stamp.is_file():
        return Known.nothing()
    try:
        old = orjson.loads(stamp.read_bytes())
    except orjson.JSONDecodeError:
        return Known.nothing()
    new = _stamp(evidence, split, settings)
    if old["made_from"] != new["made_from"]:
        return Known.nothing()
    same = {t for t, d in new["templates"].items() if old["templates"].get(t) == d}
    table = read_arrow(folder / "items.arrow")
    rows = table.filter(pc.is_in(table.column("template_id"), pa.array(sorted(same), pa.string())))
    lines = (folder / "ask.jsonl").read_bytes().splitlines()
    declined = [entry for entry in map(orjson.loads, lines) if entry["key"].split(" ")[0] in same]
    return Known(frozenset(same), rows, declined, whole=True)


def store(folder: Place, evidence: VideoEvidence, split: str, settings: AskSettings) -> None:
    """Mark the part as whole; written last, so that a crash leaves no stamp."""
    put(folder / STAMP, orjson.dumps(_stamp(evidence, split, settings)))

"""The samples of an exported folder, in the form that a study needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.continuations import TRACKS
from surgqa.ontology.errors import NothingSelected, SourceBroken, StepOrder
from surgqa.ontology.files import read_bytes
from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.places import inside

FILE = "samples.jsonl"


@dataclass(frozen=True, slots=True)
class ListedSample:
    """One sample of an export.

    Attributes:
        context: the operation and the stage in words.
        reference: path of the reference video.
    """

    sample_id: str
    track: str
    stage: str
    context: str
    reference: Path


def listed_samples(export: Path) -> tuple[list[ListedSample], str]:
    """Return the samples in their order, and the digest of the file that lists them.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: a line is not a sample.
        UserError: there are no samples, or the export has no references.
    """
    path = export / FILE
    data = read_bytes(path, str(path))
    out = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            out.append(_listed(export, line, f"{path}:{number}"))
    if not out:
        raise NothingSelected("there are no samples to rate", found="an empty file",
                              where=str(path),
                              fix="build with --benchmark surgveo and export again")  # fmt: skip
    return out, bytes_digest(data)


def _listed(export: Path, line: bytes, where: str) -> ListedSample:
    try:
        entry: dict[str, Any] = orjson.loads(line)
        known = [str(entry[name]) for name in ("sample_id", "track", "stage")]
        context = f"{entry['procedure']}: {entry['stage_name']}"
        reference = entry["reference"]
        if known[1] not in TRACKS:
            raise KeyError(known[1])
    except (ValueError, KeyError, TypeError) as error:
        raise SourceBroken(
            "the line is not a sample", found=str(error), where=where,
            expected="a line that 'surgqa export OUT --as surgveo' wrote",
            fix="export again with 'surgqa export OUT --as surgveo'",
        ) from None  # fmt: skip
    if not reference:
        raise StepOrder(
            "the export has no references", expected="videos to compare with", found="none",
            where=where, fix="export again with --root DATASET=DIR, the folder of the videos",
        )  # fmt: skip
    return ListedSample(known[0], known[1], known[2], context, inside(export, str(reference)))

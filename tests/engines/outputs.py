"""What has to hold of an output folder whatever happened to the run that wrote into it."""

from __future__ import annotations

from pathlib import Path

from surgqa.ontology.files import listed
from surgqa.ontology.keys import file_sha256
from surgqa.pipeline.manifest import digest_of
from surgqa.transforms.store import OutputFolder

NOTES = {"notes.txt": b"mine", "results/run1/predictions.jsonl": b"{}\n", "data/own.csv": b"1\n"}
"""Files of the user in the output folder."""


def add_notes(out: Path) -> None:
    """Put the user's files into an output."""
    for name, data in NOTES.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)


def assert_nothing_lost(out: Path) -> None:
    """The user's files are where they were."""
    assert {name: (out / name).read_bytes() for name in NOTES} == NOTES


def is_whole(out: Path, *known: dict[str, str]) -> bool:
    """Every file of the output is as one of the known builds wrote it."""
    files = OutputFolder(out).manifest["files"]
    found = digest_of({name: file_sha256(out / name) for name in files})
    return found in [one["all"] for one in known]


def assert_no_leftovers(out: Path) -> None:
    """Nothing lies beside the output."""
    assert [p.name for p in listed(out.parent)] == [out.name]

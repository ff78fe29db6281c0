"""``surgqa verify``: does a reader fit the real files of its dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontology.errors import EXIT_DONE, EXIT_FINDINGS
from pipeline.cli.console import table, talk, write_json, write_result

if TYPE_CHECKING:
    from pipeline.cli.contract import Verification


def verify(
    dataset: Annotated[str, typer.Argument(help="Name of the dataset.", metavar="DATASET")],
    root: Annotated[Path, typer.Option(metavar="DIR", help="Folder that holds it.")],
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Read the first N videos only.")
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write the report to this file."),
    ] = None,
) -> int:
    """Read a whole dataset and hold it against the reader's contract; writes no pictures.

    \b
    surgqa verify cholect50 --root /data/cholect50
    surgqa verify cholect50 --root /data/cholect50 --json cholect50.json

    Exit status 1 if the files are there but break the contract, 3 if they are not there.
    """
    from pipeline.cli.contract import verify_dataset
    from transforms.registry import load_reader

    reader = load_reader(dataset)(root)
    found = verify_dataset(reader, limit, lambda video: talk.say(f"reading {video}"))
    write_result(summary(found))
    if json:
        write_json(found.to_dict(), json)
        talk.say(f"report: {json}")
    return EXIT_FINDINGS if found.problems else EXIT_DONE


def summary(found: Verification) -> str:
    """Counts per video and label, what was rejected and why, and every broken promise."""
    head = f"{found.dataset}, reader version {found.version}: {len(found.videos)} videos read"
    rows: list[list[object]] = [["video", "instants", "instances", "boxes", "spans", "read",
                                 "kept", "rejected"]]  # fmt: skip
    rows += [
        [one.video_id, one.instants, one.instances, one.boxes, one.spans, one.read, one.kept,
         one.rejected]
        for one in found.videos
    ]  # fmt: skip
    parts = [head, table(rows)]
    for title, counts in (("labels", found.labels), ("left out", found.codes)):
        if counts:
            parts.append(f"{title}\n" + table([["", name, n] for name, n in counts.items()]))
    if found.missing:
        parts.append(f"{found.missing} files of the whole release are not in this folder")
    parts += [f"problem: {problem}" for problem in found.problems]
    parts.append(f"{len(found.problems)} problem(s)" if found.problems else "the contract holds")
    return "\n\n".join(parts)

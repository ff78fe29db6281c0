"""``surgqa verify``: check that a reader fits the real files of its dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE, EXIT_FINDINGS
from surgqa.ontology.records import MediaKind
from surgqa.pipeline.cli.console import table, talk, write_json, write_result
from surgqa.pipeline.cli.given import rate_of
from surgqa.pipeline.cli.options import File, Text, Whole, arg, opt

SHOWN = 60
"""Number of videos that are printed one by one; --json writes all of them."""

if TYPE_CHECKING:
    from surgqa.pipeline.cli.contract import Verification


def verify(
    dataset: Annotated[str, arg("DATASET", "Name of the dataset.")],
    root: Annotated[Path, opt("DIR", "Folder of the dataset.")],
    rate: Annotated[Text, opt("FPS", "Frames per second, if the dataset states none.")] = None,
    limit: Annotated[Whole, opt("N", "Read the first N videos only.", min=1)] = None,
    json: Annotated[File, opt("FILE", "Also write the report to this file.", "--json")] = None,
) -> int:
    """Read a whole dataset and check the reader's contract; image contents are not read.

    \b
    surgqa verify cholect50 --root /data/cholect50
    surgqa verify cholect50 --root /data/cholect50 --json cholect50.json

    Exit status 1 if the files violate the contract, 3 if they are missing.
    """
    from surgqa.pipeline.cli.contract import verify_dataset
    from surgqa.pipeline.cli.outcome import published
    from surgqa.transforms.registry import load_reader

    for line in published(dataset, rate):
        talk.say(line)
    reader = load_reader(dataset)(root, rate=rate_of(rate))
    found = verify_dataset(reader, limit, lambda video: talk.say(f"reading {video}"))
    write_result(summary(found))
    if json:
        write_json(found.to_dict(), json)
        talk.say(f"report: {json}")
    return EXIT_FINDINGS if found.problems else EXIT_DONE


def summary(found: Verification) -> str:
    """Return the printed report: counts, times, examples of rejections, violations."""
    head = f"{found.dataset}, reader version {found.version}: {len(found.videos)} videos read"
    parts = [head, _videos(found)]
    lines = []
    for name, counts in found.splits.items():
        shown = ", ".join(f"{count} {part}" for part, count in counts.items())
        lines.append(f"split {name}: {shown or 'none of its videos'}")
    parts += ["\n".join(lines)] if lines else []
    if found.labels:
        parts.append("labels\n" + table([["", name, n] for name, n in found.labels.items()]))
    if found.times:
        parts.append(_times(found))
    if found.codes:
        left_out = table([["", name, n] for name, n in found.codes.items()]).splitlines()
        each = [[line, *(f"      {one}" for one in found.examples[code])]
                 for line, code in zip(left_out, found.codes, strict=True)]  # fmt: skip
        parts.append(
            "\n".join(["left out, with examples", *(one for some in each for one in some)])
        )
    if found.excluded:
        bad = table([["", video, why] for video, why in found.excluded.items()])
        parts.append(f"known to be bad\n{bad}")
    if found.missing:
        parts.append(f"{found.missing} files of the whole release are not in this folder")
    if unseen := [one.video_id for one in found.videos if one.media == MediaKind.ABSENT]:
        some = ", ".join(unseen[:3]) + (" and others" if len(unseen) > 3 else "")
        parts.append(
            f"{len(unseen)} of {len(found.videos)} videos without a video file or images: {some}"
        )
    parts += [f"warning: {warning}" for warning in found.warnings()]
    parts += [f"problem: {problem}" for problem in found.problems]
    parts.append(f"{len(found.problems)} problem(s)" if found.problems else "the contract holds")
    return "\n\n".join(parts)


def _videos(found: Verification) -> str:
    """Return the table with a line for each video, of which the last one sums all others."""
    columns = ["instants", "instances", "boxes", "spans", "regions", "labels", "read", "kept",
               "rejected"]  # fmt: skip
    rows: list[list[object]] = [["video", *columns, "seconds"]]
    rows += [[one.video_id, *(getattr(one, c) for c in columns), f"{one.seconds:.2f}"]
             for one in found.videos[:SHOWN]]  # fmt: skip
    if len(found.videos) > SHOWN:
        rest = found.videos[SHOWN:]
        sums = [sum(getattr(one, column) for one in rest) for column in columns]
        rows.append([f"and {len(rest)} more", *sums, f"{sum(one.seconds for one in rest):.2f}"])
    return table(rows)


def _times(found: Verification) -> str:
    """Return the table of the first and last time of each kind of label."""
    rows: list[list[object]] = [["", "kind", "videos", "from (s)", "to (s)", "reach"]]
    rows += [["", kind, one.videos, f"{one.first_s:.2f}", f"{one.last_s:.2f}", f"{one.reach:.1%}"]
             for kind, one in found.times.items()]  # fmt: skip
    return "times of labels\n" + table(rows)

"""``surgqa infer --dry-run``: list what would be sent, and where to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgqa.pipeline.cli.console import fields, table, talk, write_json, write_result

if TYPE_CHECKING:
    from surgqa.transforms.inference.images import Leaving


def tell_leaving(found: Leaving, host: str, to: str, json: Path | None) -> None:
    """Print what a run would send, video by video.

    Args:
        host: the destination; empty for a local program.
        to: address or command.
        json: file to which the list is also written.
    """
    known: dict[str, Any] = found.to_dict()
    rows: list[list[object]] = [["dataset", "recording", "jobs", "pictures", "bytes"]]
    rows += [
        [one["dataset"], one["path"], one["jobs"], one["pictures"], f"{one['picture_bytes']:,}"]
        for one in known["recordings"]
    ]
    if len(rows) > 1:
        write_result(table(rows))
    entries: dict[str, object] = {
        "goes to": f"{host} ({to})" if host else f"this machine ({to})",
        "jobs": f"{found.jobs:,}",
        "pictures": f"{known['pictures']:,}, {known['picture_bytes']:,} bytes as JPEG",
        "text": f"{found.text_bytes:,} bytes",
    }
    if found.failing:
        entries["not sent"] = f"{found.failing:,} jobs whose pictures cannot be decoded"
    write_result(fields(entries))
    talk.say("dry run: nothing was sent, and nothing was written")
    if json:
        write_json({"host": host or None, "to": to, **known}, json)

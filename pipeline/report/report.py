"""``report.html``: what a build made, what it left out and why, and a few items to look at."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import jinja2
import orjson
import pyarrow.parquet as pq

from pipeline.demo.describe import evidence_line, window_line
from pipeline.demo.film import jpeg
from pipeline.demo.picture import draw_item
from pipeline.report.figures import balances, rejects, sample_ids, tally, template_yields
from transforms.places import Place
from transforms.store.folder import OutputFolder, readable

SAMPLES = 6
PICTURE_QUALITY = 82
COLOURS = ("#2f6fde", "#1f9d6b", "#d9822b", "#8e5bd0", "#c2405a", "#3aa6b9", "#9aa3af")
"""Segments of a balance bar; the last one is 'all others'."""


def write_report(
    out: OutputFolder,
    path: Place | None = None,
    root: Place | Mapping[str, Place] | None = None,
    samples: int = SAMPLES,
) -> Place:
    """Write the report; the same folder and pictures give the same bytes.

    Args:
        out: a finished dataset.
        path: where to write; ``report.html`` in the folder where left out.
        root: the dataset's folder, or one per dataset's name, for the pictures of the
            sample items; without it they are described in words only.
        samples: number of items shown.

    Returns:
        The file written.
    """
    path = path or out.path / "report.html"
    count = tally(out)
    text = _page().render(
        title=", ".join(out.benchmarks()) or "no benchmark",
        manifest=out.manifest,
        summary=_summary(out, count),
        yields=template_yields(out.manifest, count),
        balances=balances(count),
        colours=COLOURS,
        rejects=rejects(out),
        books=out.manifest.get("books") or [],
        samples=_samples(out, sample_ids(count, samples), root),
        settings=_settings(out.manifest.get("settings")),
        inputs=out.manifest.get("inputs") or [],
        digest=out.manifest.get("digest", ""),
    )
    path.write_bytes(text.encode("utf-8"))
    return path


def _page() -> jinja2.Template:
    """The page's template; everything put into it is escaped."""
    source = (resources.files("pipeline.report") / "report.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda number: f"{number:,}"
    environment.filters["percent"] = lambda share: f"{100 * share:.0f} %"
    return environment.from_string(source)


def _summary(out: OutputFolder, count) -> list[tuple[str, int]]:
    books = out.manifest.get("books") or []
    rejected = sum(b.get("rejected", 0) for b in books if b.get("unit") != "microseconds")
    return [
        ("questions", sum(count.items.values())),
        ("videos", len(count.videos)),
        ("windows asked about", len(count.windows)),
        ("templates that gave items", len(count.items)),
        ("units rejected, each with a reason", rejected),
    ]


def _settings(settings: Any) -> str:
    if not settings:
        return ""
    return orjson.dumps(settings, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()


def _samples(out: OutputFolder, ids: list[str], root) -> list[dict[str, Any]]:
    """The chosen rows, with a picture where there is one, in the chosen order."""
    rows = {row["item_id"]: row for row in _rows(out, ids)}
    return [_sample(out, rows[name], root) for name in ids]


def _rows(out: OutputFolder, ids: list[str]) -> Iterator[dict[str, Any]]:
    """The rows of these items; shards are sorted by id, so little of them is read."""
    for benchmark in out.benchmarks() if ids else []:
        for shard in out.shards(benchmark):
            if shard.suffix == ".parquet":
                table = pq.read_table(readable(shard), filters=[("item_id", "in", ids)])
                yield from table.to_pylist()
            else:
                with shard.open("rb") as lines:
                    yield from (r for r in map(orjson.loads, lines) if r["item_id"] in ids)


def _sample(out: OutputFolder, row: dict[str, Any], root) -> dict[str, Any]:
    folder = root.get(row["dataset"]) if isinstance(root, Mapping) else root
    media = row.get("media") or {}
    picture = ""
    if folder is not None and media.get("kind") not in (None, "absent"):
        events = out.evidence_of("events", row["dataset"], row["video_id"]) if _has(out) else []
        drawn = jpeg(draw_item(row, folder, events), PICTURE_QUALITY)
        picture = f"data:image/jpeg;base64,{b64encode(drawn).decode()}"
    return {
        "item_id": row["item_id"],
        "template_id": row["template_id"],
        "window": window_line(row),
        "question": row["question"],
        "options": row.get("options") or [],
        "answer": row["answer"],
        "evidence": evidence_line(row),
        "picture": picture,
    }


def _has(out: OutputFolder) -> bool:
    return (out.path / "evidence" / "events.parquet").is_file()

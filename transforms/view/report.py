"""Write the page for a random sample of a dataset, as files that need no server or as one file.

A build writes the page as one file, ``report.html``, next to its data.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from surgqa.ontology.errors import OutOfMemory, UserError
from surgqa.ontology.files import listed
from surgqa.transforms.pages import one_file, parts_of
from surgqa.transforms.pages.parts import HEAD, META
from surgqa.transforms.places import Place
from surgqa.transforms.places.fresh import new_folder
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import items, one, rejects
from surgqa.transforms.view.api import INDEX, PAGE, REVIEW, Api
from surgqa.transforms.view.database import AT_ONCE, Database, Row
from surgqa.transforms.view.items import FACETS
from surgqa.transforms.view.one import timeline
from surgqa.transforms.view.pictures import masks
from surgqa.transforms.view.server import CHARTS_STYLE, POLICY

PICTURES = 8
"""Maximum number of frames that are written for an item."""
REJECTS = 3
"""Maximum number of rejections that are written for a template."""
DATA, SHOTS = "data.js", "pictures"
FIRST = '<script src="dom.js"></script>'

Shots = Callable[[str, int, bytes], None]
"""A function that stores a frame, given the item's id, the time in microseconds and the JPEG."""
Progress = Callable[[str, int, int], None]
"""(stage, done, total)."""


def _quiet(_stage: str, _done: int, _total: int) -> None:
    """Report no progress."""


def write_static(api: Api, folder: Path, count: int, progress: Progress = _quiet) -> int:
    """Write the page with its data; the same dataset gives the same bytes.

    Args:
        folder: a folder that does not exist or is empty.
        count: number of drawn items, spread over the templates; chains are drawn as a whole.
        progress: called after each item.

    Returns:
        The number of items.

    Raises:
        UserError: the folder is not empty, or cannot be created.
    """
    ids = drawn(api.db, count)
    with new_folder(folder, "--static") as partial:
        parts = parts_of(PAGE)
        for name in (one for one in parts if Path(one).stem not in REVIEW):
            (partial / name).write_bytes(parts[name].read_bytes())
        # frame-ancestors has no effect in a file's <meta> element.
        policy = POLICY.replace("; frame-ancestors 'none'", "").replace("'self'", "'self' file:")
        page = (partial / INDEX).read_text(encoding="utf-8").replace(HEAD, META.format(policy))
        page = page.replace(FIRST, f'<script src="{DATA}"></script>\n{FIRST}')
        (partial / INDEX).write_text(page, encoding="utf-8", newline="\n")
        (partial / SHOTS).mkdir()

        def shoot(item_id: str, time_us: int, data: bytes) -> None:
            (partial / SHOTS / f"{item_id}-{time_us}.jpg").write_bytes(data)

        (partial / DATA).write_bytes(data_script(sample_of(api, ids, shoot, PICTURES, progress)))
    return len(ids)


def data_script(sample: Mapping[str, Any]) -> bytes:
    """Return a script that sets the sample as data; no text in it can end the script element."""
    encoded = orjson.dumps(sample, default=str).replace(b"<", b"\\u003c")
    return b"window.SAMPLE = " + encoded + b";\n"


def drawn(db: Database, count: int) -> list[str]:
    """Return the ids of items: the first of each template, then the second of each, and so on.

    Ids are digests, so the items with the first ids of a template are a random sample.
    """
    firsts = db.rows(
        "SELECT template_id, min(item_id, ?) AS ids FROM items GROUP BY template_id", [count]
    )
    places = sorted((place, one["template_id"], item)
                    for one in firsts for place, item in enumerate(one["ids"]))  # fmt: skip
    found = [item for *_, item in places[:count]]
    if not found:
        return []
    marks = ", ".join("?" for _ in found)
    chains = db.rows(
        "SELECT item_id FROM items WHERE chain_id IN (SELECT chain_id FROM items "
        f"WHERE item_id IN ({marks}) AND chain_id IS NOT NULL)", found,
    )  # fmt: skip
    return sorted({*found, *(one["item_id"] for one in chains)})


def sample_of(
    api: Api, ids: Sequence[str], shoot: Shots, pictures: int, progress: Progress = _quiet
) -> dict[str, Any]:
    """Return all responses that the page will need for these items.

    Args:
        pictures: maximum number of frames of an item.
    """
    found: dict[str, Any] = {}
    lanes: dict[str, Any] = {}
    times: dict[str, list[int]] = {}
    outlines: dict[str, Any] = {}
    for done, item_id in enumerate(ids, 1):
        whole = api.item({"id": [item_id]})
        row = whole["item"]
        times[item_id] = _shoot(api, row, shoot, pictures)
        outlines[item_id] = _outlines(api, whole, times[item_id])
        found[item_id] = whole | {"pictures": bool(times[item_id])}
        lanes[item_id] = [timeline(api.db, row), timeline(api.db, row, whole=True)]
        progress("write items", done, len(ids))
    funnel, refused = rejects.funnel(api.db), rejects.first_rejects(api.db, REJECTS)
    return {
        "overview": api.overview({}),
        "funnel": funnel,
        "rejects": {
            one["template"]: refused[one["template"]] for one in funnel if one["rejects"]
        },
        "items": _listed(api.db, ids),
        "item": found,
        "timeline": lanes,
        "pictures": times,
        "masks": outlines,
    }  # fmt: skip


def _listed(db: Database, ids: Sequence[str]) -> list[Row]:
    """Return the list entries of the items, each with its facets."""
    if not ids:
        return []
    marks = ", ".join("?" for _ in ids)
    columns = ", ".join(f'{column} AS "{name}"' for name, column in FACETS.items())
    rows = db.rows(f"SELECT item_id AS item, {columns} FROM items WHERE item_id IN ({marks})", ids)
    by_id = {row.pop("item"): row for row in rows}
    return [row | {"facets": by_id[row["item_id"]]} for row in items.listed(db, ids)]


def _outlines(api: Api, whole: Mapping[str, Any], times: Sequence[int]) -> dict[str, list[Row]]:
    """Return the outlines of masks by time: for each frame, the last ones annotated before it."""
    masked = sorted({box["time_us"] for box in whole["boxes"] if box["masked"]})
    last = {max(past) for time in times if (past := [t for t in masked if t <= time])}
    return {str(t): masks(api.db, whole["item"], t) for t in sorted(last)}


def _shoot(api: Api, row: Mapping[str, Any], shoot: Shots, most: int) -> list[int]:
    """Write frames of an item; return the times for which there is a frame."""
    if not api.frames.has(row):
        return []
    done = []
    for time_us in instants(row, most):
        try:
            data = api.frames.jpeg(row, time_us)
        except UserError as error:  # some frames of a dataset may be missing
            api.frames.lost[f"{row['dataset']}/{row['video_id']}"] = error.summary
            continue
        shoot(row["item_id"], time_us, data)
        done.append(time_us)
    return done


def instants(row: Mapping[str, Any], most: int = PICTURES) -> list[int]:
    """Return times for an item's frames: those of its evidence first, then evenly spread ones."""
    start, last = row["start_us"], one.seen_us(row)
    rests = {p["start_us"] for p in row["evidence"] or () if start <= p["start_us"] <= last}
    named = list(dict.fromkeys([*row["asked_us"], *sorted(rests)]))
    named = named[: max(1, most // 2)]
    parts = most - len(named) - 1
    evenly = (start + (last - start) * k // parts for k in range(parts + 1)) if parts > 0 else ()
    return sorted({*named, *evenly} or {start})


ITEMS, FEW_PICTURES, LONGER_SIDE = 8, 2, 640
LICENCES = "licences.txt"
LITTLE = "64MB"
"""Memory limit of DuckDB for a report, which is enough for a million items."""


def write_report(
    out: OutputFolder, to: Place, roots: Mapping[str, Place], count: int = ITEMS
) -> None:
    """Write the page as one file; the same folder and frames give the same bytes.

    Args:
        out: a finished dataset, local or in remote storage; it may have no items.
        to: the file.
        roots: folder of each dataset with frames.
        count: number of drawn items, spread over the templates; chains are drawn as a whole.
    """
    shots: dict[str, str] = {}

    def shoot(item_id: str, time_us: int, data: bytes) -> None:
        shots[f"{item_id}-{time_us}"] = f"data:image/jpeg;base64,{b64encode(data).decode()}"

    def sampled(here: OutputFolder, memory: str) -> dict[str, Any]:
        db = Database(here, ", ".join(out.benchmarks()), memory, threads=1)
        api = Api(db, roots, longer_side=LONGER_SIDE)
        return sample_of(api, drawn(api.db, count), shoot, FEW_PICTURES)

    with at_hand(out) as here:
        try:
            sample = sampled(here, LITTLE)
        except OutOfMemory:  # some of DuckDB's steps cannot use the disk
            sample = sampled(here, AT_ONCE)
    to.write_bytes(with_data(data_script(sample | {"shots": shots}).decode()).encode())


@contextmanager
def at_hand(out: OutputFolder) -> Iterator[OutputFolder]:
    """Yield the dataset as local files: the dataset itself, or a temporary copy if it is remote."""
    if isinstance(out.path, Path):
        yield out
        return
    with TemporaryDirectory() as folder:
        here = Path(folder)
        for part in ("evidence", "rejected", *(f"data/{name}" for name in out.benchmarks())):
            (here / part).mkdir(parents=True)
            for file in listed(out.path / part) if (out.path / part).is_dir() else ():
                (here / part / file.name).write_bytes(file.read_bytes())
        (here / "manifest.json").write_bytes((out.path / "manifest.json").read_bytes())
        yield OutputFolder(here)


def with_data(data: str) -> str:
    """Return the page as one HTML text that contains all of its files and the data."""
    parts = {name: one.read_text(encoding="utf-8") for name, one in parts_of(PAGE).items()}
    page = parts[INDEX].replace(FIRST, f'<script src="{DATA}"></script>\n{FIRST}')
    whole = one_file(page, (parts | {DATA: data}).__getitem__, "img-src data:", [CHARTS_STYLE])
    return whole.rstrip("\n") + f"\n<!--\n{parts[LICENCES]}-->\n"

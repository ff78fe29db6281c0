"""``report.html``: the page over a few items as one file, which a build writes next to its data."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ontology.files import listed
from transforms.pages import one_file, parts_of
from transforms.places import Place
from transforms.store import OutputFolder
from transforms.view.api import INDEX, PAGE, Api
from transforms.view.database import AT_ONCE, Database
from transforms.view.server import CHARTS_STYLE
from transforms.view.static import DATA, FIRST, data_script, drawn, sample_of

ITEMS, PICTURES, LONGER_SIDE = 8, 2, 640
LICENCES = "licences.txt"


def write_report(
    out: OutputFolder, to: Place, roots: Mapping[str, Place], count: int = ITEMS
) -> None:
    """Write the page; the same folder and frames give the same bytes.

    Args:
        out: a finished dataset, local or in remote storage; it may have no items.
        to: the file.
        roots: folder of each dataset with frames.
        count: number of drawn items, spread over the templates; chains are drawn as a whole.
    """
    shots: dict[str, str] = {}

    def shoot(item_id: str, time_us: int, data: bytes) -> None:
        shots[f"{item_id}-{time_us}"] = f"data:image/jpeg;base64,{b64encode(data).decode()}"

    with at_hand(out) as here:
        db = Database(here, ", ".join(out.benchmarks()), AT_ONCE, threads=1)
        api = Api(db, roots, longer_side=LONGER_SIDE)
        sample = sample_of(api, drawn(api.db, count), shoot, PICTURES)
    to.write_bytes(with_data(data_script(sample | {"shots": shots}).decode()).encode())


@contextmanager
def at_hand(out: OutputFolder) -> Iterator[OutputFolder]:
    """The dataset as local files: itself, or a temporary copy."""
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
    """The page with all of its parts and these data inside."""
    parts = {name: one.read_text(encoding="utf-8") for name, one in parts_of(PAGE).items()}
    page = parts[INDEX].replace(FIRST, f'<script src="{DATA}"></script>\n{FIRST}')
    whole = one_file(page, (parts | {DATA: data}).__getitem__, "img-src data:", [CHARTS_STYLE])
    return whole.rstrip("\n") + f"\n<!--\n{parts[LICENCES]}-->\n"

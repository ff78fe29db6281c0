"""``report.html``: the page over a few items as one file, which a build leaves beside its data."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from ontology.files import listed
from transforms.places import Place
from transforms.store import OutputFolder
from transforms.view.api import INDEX, PAGE, Api
from transforms.view.database import AT_ONCE, Database
from transforms.view.server import CHARTS_STYLE
from transforms.view.static import FIRST, HEAD, META, data_script, drawn, sample_of

ITEMS, PICTURES, LONGER_SIDE = 8, 2, 640
LINK = re.compile(r'<link rel="(?:icon|stylesheet)" href="([^"]+)">')
SCRIPT = re.compile(r'<script src="([^"]+)"></script>')
LICENCES = "licences.txt"


def write_report(
    out: OutputFolder, to: Place, roots: Mapping[str, Place], count: int = ITEMS
) -> None:
    """Write the page; the same folder and pictures give the same bytes.

    Args:
        out: a finished dataset, here or in remote storage; it may have no items.
        to: the file.
        roots: folder of each dataset that has pictures.
        count: items that are drawn, spread over the templates; chains come whole.
    """
    shots: dict[str, str] = {}

    def shoot(item_id: str, time_us: int, data: bytes) -> None:
        shots[f"{item_id}-{time_us}"] = f"data:image/jpeg;base64,{b64encode(data).decode()}"

    with at_hand(out) as here:
        db = Database(here, ", ".join(out.benchmarks()), AT_ONCE)
        api = Api(db, roots, longer_side=LONGER_SIDE)
        sample = sample_of(api, drawn(api.db, count), shoot, PICTURES)
    to.write_bytes(one_file(data_script(sample | {"shots": shots}).decode()).encode())


@contextmanager
def at_hand(out: OutputFolder) -> Iterator[OutputFolder]:
    """The dataset as files of this machine: itself, or a copy for as long as it is looked at."""
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


def one_file(data: str) -> str:
    """The page with all of its parts and these data inside; its policy names each of them."""
    hashes: dict[str, list[str]] = {"script": [], "style": [CHARTS_STYLE]}

    def enclosed(tag: str, text: str) -> str:
        mark = b64encode(sha256(text.encode()).digest()).decode()
        hashes[tag].append(f"'sha256-{mark}'")
        return f"<{tag}>{text}</{tag}>"

    def part(name: str) -> str:
        return (files(PAGE) / name).read_text(encoding="utf-8")

    page = part(INDEX).replace(FIRST, f"{enclosed('script', data)}\n{FIRST}")
    page = LINK.sub(lambda m: enclosed("style", part(m[1])) if m[1].endswith(".css") else "", page)
    page = SCRIPT.sub(lambda m: enclosed("script", part(m[1])), page)
    policy = (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; "
        f"style-src {' '.join(hashes['style'])}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        page.replace(HEAD, META.format(policy), 1).rstrip("\n") + f"\n<!--\n{part(LICENCES)}-->\n"
    )

"""Read and write the work folder of ``surgqa observe``, where each step writes for the next one.

The folder is inside the store, and its names depend only on the videos. So the next run
continues where a killed run stopped. A file gets its name only when it is complete, and the name
contains a digest of what the file was made from.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from surgqa.ontology.keys import file_sha256
from surgqa.transforms.media import FrameTable, Samples
from surgqa.transforms.places import Place
from surgqa.transforms.steps.files import at_hand, put, seal, staged, unsealed, write_arrow
from surgqa.transforms.steps.observing.tasks import ObserveSettings, ObserveTask

WORK = "work"
PLAN, FILM, FAILED, BOXES = "plan.json", "film.npz", "failed.json", "boxes.arrow"
_ARRAYS = ("starts_us", "ticks", "key")


def video_work(settings: ObserveSettings, task: ObserveTask) -> Place:
    """Return the work folder of one video during the run."""
    return settings.folder / WORK / task.part


def raw_file(
    settings: ObserveSettings, extractor: Any, medium: str, task: ObserveTask | None = None
) -> Place:
    """Return the file in which a model's rows for a media file are kept between runs."""
    key = settings.raw_key(extractor, medium, task)
    return settings.folder / "raw" / extractor.name / f"{key}.arrow"


def piece_file(folder: Place, key: str, name: str) -> Place:
    """Return the file with the rows of one model (cache key ``key``) for one piece of work."""
    return folder / f"{key[:16]}-{name}.arrow"


def facts_file(rows: Place) -> Place:
    """Return the JSON file with facts about rows; it lies next to the rows."""
    return rows.with_name(f"{rows.stem}.json")


def keep(kept: Place, rows: pa.Table, facts: Any) -> None:
    """Keep a model's rows and facts for later runs; the digests of both are written last."""
    write_json(facts_file(kept), facts)
    write_arrow(rows, kept)
    put(_seal_file(kept), seal(orjson.dumps(_digests(kept))))


def is_kept(kept: Place) -> bool:
    """Return whether the files that :func:`keep` wrote exist and are unchanged."""
    if not _seal_file(kept).is_file():
        return False
    try:
        return orjson.loads(unsealed(_seal_file(kept)) or b"0") == _digests(kept)
    except FileNotFoundError:
        return False


def _seal_file(rows: Place) -> Place:
    return rows.with_name(f"{rows.stem}.seal")


def _digests(rows: Place) -> list[str]:
    out = []
    for path in (rows, facts_file(rows)):
        with at_hand(path) as local:
            out.append(file_sha256(local))
    return out


def write_film(folder: Place, table: FrameTable, samples: Samples) -> None:
    """Write the times of all frames and which of them are sampled, for all pieces of the video."""
    scalars = {k: v for k, v in asdict(table).items() if k not in _ARRAYS}
    arrays = {name: getattr(table, name) for name in _ARRAYS}
    text = orjson.dumps(scalars, option=orjson.OPT_SERIALIZE_NUMPY)
    encoded = np.frombuffer(text, dtype=np.uint8)
    with staged(folder / FILM) as local, local.open("wb") as sink:
        np.savez(sink, told=encoded, times_us=samples.times_us, frames=samples.frames, **arrays)


def read_film(folder: Place) -> tuple[FrameTable, Samples]:
    """Read what :func:`write_film` wrote."""
    with at_hand(folder / FILM) as local, np.load(local) as kept:
        scalars = orjson.loads(kept["told"].tobytes())
        table = FrameTable(**{name: kept[name] for name in _ARRAYS}, **scalars)
        return table, Samples(kept["times_us"], kept["frames"])


def write_json(path: Place, value: Any) -> None:
    """Write plain JSON with sorted keys."""
    put(path, orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY))


def read_json(path: Place) -> Any:
    """Read what :func:`write_json` wrote."""
    return orjson.loads(path.read_bytes())


def read_rows(path: Place) -> pa.Table:
    """Read a whole Arrow file without memory mapping, as the file may be removed."""
    with at_hand(path) as local, pa.OSFile(str(local), "rb") as source:
        return pa.ipc.open_file(source).read_all()

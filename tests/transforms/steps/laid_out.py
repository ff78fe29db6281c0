"""Parts of a run, as the steps that choose among items find them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pyarrow as pa

from surgqa.ontology.rows import ITEM
from surgqa.transforms.places import place
from surgqa.transforms.steps.files import put, write_arrow
from surgqa.transforms.steps.merge import ITEMS
from surgqa.transforms.steps.write import SLIM_INDEX, Parts

Row = Mapping[str, Any]


def laid_out(
    work: Path, parts: Mapping[str, Sequence[Row]], told: Mapping[str, Row] = MappingProxyType({})
) -> Parts:
    """Parts with these rows, by name.

    Args:
        told: part -> what is told of it besides; its dataset is 'set' if none is.
    """
    infos = []
    for name, rows in parts.items():
        of = {"dataset": "set"} | told.get(name, {})
        rows = [{"dataset": of["dataset"], **row} for row in rows]
        write_arrow(pa.Table.from_pylist(rows, schema=ITEM), place(work / name) / ITEMS)
        templates = Counter(str(one.get("template_id")) for one in rows)
        infos.append({"part": name, "templates": templates} | of)
    index = {"folder": str(work), "parts": infos, "runs": {}, "formats": []}
    put(place(work) / SLIM_INDEX, orjson.dumps(index))
    return Parts(place(work))

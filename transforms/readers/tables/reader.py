"""Read a hospital's own tables; ``surgqa.yaml`` states what each column contains.

``docs/your_data.md`` explains every key of that file.
"""

from __future__ import annotations

from surgqa.ontology.records import Source
from surgqa.transforms.readers.base import parsed_once
from surgqa.transforms.readers.base.tables.parse import read_plan
from surgqa.transforms.readers.base.tables.plan import MappingPlan
from surgqa.transforms.readers.base.tables.reader import TablesReader
from surgqa.transforms.readers.base.tables.sorts import AREA_KINDS, FILE, LABEL_KINDS, SPAN_KINDS


class Reader(TablesReader):
    """Reader of user-supplied tables."""

    name = "tables"
    version = 2
    span_kinds = SPAN_KINDS
    label_kinds = LABEL_KINDS
    region_kinds = AREA_KINDS

    def found(self) -> list[str]:
        """Return all videos that the tables name; none without a mapping file."""
        return super().found() if (self.root / FILE).is_file() else []

    def missing(self) -> list[str]:
        """Return the mapping file if it does not exist; otherwise, the tables that do not exist."""
        if not (self.root / FILE).is_file():
            return [FILE]
        plan, _ = self._plan()
        names = {table.file.text for table in plan.tables if table.shared}
        names |= {plan.videos.file} if plan.videos else set()
        return sorted(name for name in names if not (self.root / name).is_file())

    def _plan(self) -> tuple[MappingPlan, tuple[Source, ...]]:
        data, source = self._source(FILE)
        return parsed_once(data, source, read_plan), (source,)

"""Read a hospital's own tables; ``surgqa.yaml`` states what each column contains.

``docs/your_data.md`` explains every key of that file.
"""

from __future__ import annotations

import difflib
from functools import cache

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.records import Source
from surgqa.transforms.readers.base import parsed_once
from surgqa.transforms.readers.base.patterns import PathPattern
from surgqa.transforms.readers.base.tables.parse import read_plan
from surgqa.transforms.readers.base.tables.plan import MappingPlan
from surgqa.transforms.readers.base.tables.reader import TablesReader
from surgqa.transforms.readers.base.tables.sorts import AREA_KINDS, FILE, LABEL_KINDS, SPAN_KINDS


class Reader(TablesReader):
    """Reader of user-supplied tables."""

    name = "tables"
    version = 3
    span_kinds = SPAN_KINDS
    label_kinds = LABEL_KINDS
    region_kinds = AREA_KINDS

    def found(self) -> list[str]:
        """Return all videos that the tables name; none without a mapping file."""
        return super().found() if (self.root / FILE).is_file() else []

    def videos(self) -> list[str]:
        """Return the ids of the videos to read, sorted.

        Raises:
            SourceMissing: no file of a table exists; the error names the line of the mapping.
            SourceBroken: a row is about a video that the table of videos does not list.
        """
        for name in self.missing():
            raise self._nothing_found() if name == FILE else self._missing_file(name)
        return super().videos()

    def missing(self) -> list[str]:
        """Return the mapping file if it does not exist; otherwise, the tables without any file."""
        if not (self.root / FILE).is_file():
            return [FILE]
        plan, _ = self._plan()
        names = cache(self._listing)
        spare = {table.unless for table in plan.tables}
        paths = [
            tuple(path for _, some in table.places.rules for path in some)
            for table in plan.tables
            if not table.unless and table.name not in spare
        ]
        if plan.videos and not plan.videos.optional:
            paths.append((PathPattern(plan.videos.file),))
        return sorted({some[0].text for some in paths if not any(one.found(names) for one in some)})

    def _missing_file(self, name: str) -> SourceMissing:
        """Return the error for a missing file, with similar names in its folder."""
        if name == FILE:
            return super()._missing_file(name)
        folder, names = "", self._listing("")
        *above, last = name.split("/")
        for part in above:
            if part not in names:
                last = part
                break
            folder = f"{folder}{part}/"
            names = self._listing(folder)
        near = difflib.get_close_matches(last, names, n=3)
        found = ", ".join(f"{folder}{one}" for one in near or names[:5])
        fix = f"did you mean {folder}{near[0]}? correct" if near else "correct"
        return SourceMissing(
            f"{name} is missing", expected=f"the file that {FILE} names",
            found=found or f"nothing in {folder or 'the folder'}",
            where=self._plan()[0].lines.get(name, name), fix=f"{fix} the path, or add the file",
        )  # fmt: skip

    def _plan(self) -> tuple[MappingPlan, tuple[Source, ...]]:
        data, source = self._source(FILE)
        return parsed_once(data, source, read_plan), (source,)

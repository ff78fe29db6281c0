"""surgqa from Python: build a dataset, read it, prove it, score answers, see why one is right.

>>> from pipeline import notebook as surgqa
>>> data = surgqa.build("cholect50", "/data/cholect50", "out")  # doctest: +SKIP
>>> data.items().to_pandas()  # doctest: +SKIP

``docs/notebook.md`` goes through all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ontology.rows import ITEM
from transforms.places import Place
from transforms.store import OutputFolder
from transforms.store.folder import decoded
from transforms.store.trace import Trace, find_item, trace

if TYPE_CHECKING:
    from transforms.checks import CheckReport
    from transforms.scoring import Report

Responses = Mapping[str | tuple[str, int | None], str]
"""Item id, or (item id, round) -> what a model said."""


def build(
    dataset: str | None = None, root: Path | str | None = None, out: Path | str | None = None,
    *, run_file: Path | str | None = None, **settings: Any,
) -> Dataset:  # fmt: skip
    """Build a dataset, as ``surgqa build`` does.

    Args:
        dataset: name, as ``surgqa list datasets`` has it; None where a run file names them.
        root: folder that holds the dataset.
        out: folder to write.
        run_file: a run file; what is given here goes before it.
        settings: further settings of a run file: ``benchmarks=["surgstu"]``, ``limit=5``.

    Returns:
        The finished dataset; it may have no items, then ``data.folder.rejected("ask")`` says why.

    Raises:
        UserError: a setting that does not exist, files that are not there, a broken dataset.
    """
    from pipeline import run
    from pipeline.config import load_run

    given: dict[str, Any] = {**settings, "out": None if out is None else str(out)}
    if dataset is not None:
        given["datasets"] = [{"name": dataset, "root": str(root)}]
    config = load_run(Path(run_file) if run_file else None, given)
    return Dataset(run.build(config).out)


def read(out: Path | str | Place) -> Dataset:
    """A finished dataset.

    Args:
        out: the folder that was built, here or in remote storage.

    Raises:
        OutputBroken: it holds none.
    """
    return Dataset(out)


class Dataset:
    """A finished dataset.

    Attributes:
        folder: its files, for what is not offered here.
    """

    def __init__(self, out: Path | str | Place) -> None:
        self.folder = OutputFolder(out)

    def __len__(self) -> int:
        return sum(entry["total"] for entry in self.folder.manifest["items"].values())

    @property
    def benchmarks(self) -> list[str]:
        """Names of the benchmarks that it has items of."""
        return self.folder.benchmarks()

    def items(self, benchmark: str | None = None, columns: Sequence[str] | None = None) -> pa.Table:
        """Rows as an Arrow table; ``to_pandas()``, ``polars.from_arrow`` and DuckDB take it.

        Args:
            benchmark: only its items.
            columns: only these columns, of those that ``docs/rows.md`` describes.
        """
        names = list(columns) if columns else ITEM.names
        schema = pa.schema([ITEM.field(name) for name in names])
        return pa.Table.from_pylist(list(self.folder.rows(benchmark, names)), schema)

    def item(self, item_id: str) -> dict[str, Any]:
        """One item with its typed values.

        Args:
            item_id: its id, or the first characters of it.

        Raises:
            UserError: no item, or several, begin so.
        """
        return decoded(find_item(self.folder, item_id))

    def evidence(self, table: str) -> pa.Table:
        """A table of the evidence: ``videos``, ``events``, ``facts`` and the others.

        Raises:
            OutputBroken: there is none of this name.
        """
        return self.folder.evidence(table)

    def check(self, limit: int | None = None) -> CheckReport:
        """Compute every answer again, in SQL; ``differences`` is 0 where all is right.

        Args:
            limit: only the first items.
        """
        from transforms.checks import check_output

        return check_output(self.folder.path, limit=limit)

    def score(self, responses: Responses) -> Report:
        """How good responses are; ``headlines()`` has a number from 0 to 1 for each benchmark.

        Args:
            responses: of items without a response it is 0.
        """
        from transforms.scoring import score_dataset

        said = {(key, None) if isinstance(key, str) else key: text
                for key, text in responses.items()}  # fmt: skip
        return score_dataset(self.folder.rows(), said)

    def explain(self, item_id: str) -> Trace:
        """An item with the rows of evidence that its answer rests on, and their source files.

        Raises:
            UserError: no item, or several, begin so.
        """
        return trace(self.folder, item_id)

    def sql(self, item_id: str) -> str:
        """The query that proves an item, for DuckDB in the dataset's folder.

        Raises:
            UserError: no item, or several, begin so.
        """
        from transforms.checks.proof.explain import script

        return script(self.folder, item_id)

"""Use surgqa from Python: build a dataset, read it, check it, score answers, explain an item.

>>> import surgqa
>>> data = surgqa.build("cholect50", "/data/cholect50", "out")  # doctest: +SKIP
>>> data.items().to_pandas()  # doctest: +SKIP

``docs/notebook.md`` shows all functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from surgqa.ontology.rows import ITEM
from surgqa.transforms.places import Place
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.folder import decoded
from surgqa.transforms.store.trace import ItemTrace, find_item, trace

if TYPE_CHECKING:
    from surgqa.transforms.checks import CheckReport
    from surgqa.transforms.scoring import Report

Responses = Mapping[str | tuple[str, int | None], str]
"""Item id, or (item id, round) -> the response of a model."""


def build(
    dataset: str | None = None, root: Path | str | None = None, out: Path | str | None = None,
    *, run_file: Path | str | None = None, **settings: Any,
) -> Dataset:  # fmt: skip
    """Build a dataset, as ``surgqa build`` does.

    Args:
        dataset: name from ``surgqa list datasets``; None if a run file names the datasets.
        root: folder of the dataset.
        out: output folder.
        run_file: a run file, whose settings the other arguments override.
        settings: further settings of a run file: ``benchmarks=["surgstu"]``, ``limit=5``.

    Returns:
        The finished dataset.  Without items, ``data.folder.rejected("ask")`` lists the reasons.

    Raises:
        UserError: a setting is unknown, files are missing, or the dataset cannot be read.
    """
    from surgqa.pipeline import run
    from surgqa.pipeline.config import load_run

    given: dict[str, Any] = {**settings, "out": None if out is None else str(out)}
    if dataset is not None:
        given["datasets"] = [{"name": dataset, "root": str(root)}]
    config = load_run(Path(run_file) if run_file else None, given)
    return Dataset(run.build(config).out)


def read(out: Path | str | Place) -> Dataset:
    """Open a finished dataset.

    Args:
        out: the output folder, local or in remote storage.

    Raises:
        OutputBroken: the folder contains no dataset.
    """
    return Dataset(out)


class Dataset:
    """A finished dataset.

    Attributes:
        folder: the output folder, for everything that this class does not offer.
    """

    def __init__(self, out: Path | str | Place) -> None:
        self.folder = OutputFolder(out)

    def __len__(self) -> int:
        return sum(entry["total"] for entry in self.folder.manifest["items"].values())

    @property
    def benchmarks(self) -> list[str]:
        """Names of the benchmarks of its items."""
        return self.folder.benchmarks()

    def items(self, benchmark: str | None = None, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows as an Arrow table, for ``to_pandas()``, ``polars.from_arrow`` and DuckDB.

        Args:
            benchmark: only items of this benchmark.
            columns: the columns to return, which ``docs/rows.md`` describes; None: all.
        """
        names = list(columns) if columns else ITEM.names
        schema = pa.schema([ITEM.field(name) for name in names])
        return pa.Table.from_pylist(list(self.folder.rows(benchmark, names)), schema)

    def item(self, item_id: str) -> dict[str, Any]:
        """Return one item with its typed values.

        Args:
            item_id: the item's id, or the first characters of the id.

        Raises:
            UserError: no item, or more than one, has an id that starts with it.
        """
        return decoded(find_item(self.folder, item_id))

    def evidence(self, table: str) -> pa.Table:
        """Return a table of the evidence: ``videos``, ``events``, ``facts`` and the others.

        Raises:
            OutputBroken: there is no table of this name.
        """
        return self.folder.evidence(table)

    def check(self, limit: int | None = None) -> CheckReport:
        """Recompute every answer in SQL; ``differences`` is 0 if everything is correct.

        Args:
            limit: check only the first N items.
        """
        from surgqa.transforms.checks import check_output

        return check_output(self.folder.path, limit=limit)

    def score(self, responses: Responses) -> Report:
        """Score responses; ``headlines()`` returns a number from 0 to 1 for each benchmark.

        Args:
            responses: an item without a response scores 0.
        """
        from surgqa.transforms.scoring import score_dataset

        said = {(key, None) if isinstance(key, str) else key: text
                for key, text in responses.items()}  # fmt: skip
        return score_dataset(self.folder.rows(), said)

    def explain(self, item_id: str) -> ItemTrace:
        """Return an item with the evidence rows behind its answer, and their source files.

        Raises:
            UserError: no item, or more than one, has an id that starts with it.
        """
        return trace(self.folder, item_id)

    def sql(self, item_id: str) -> str:
        """Return the SQL query that proves an item, for DuckDB in the dataset's folder.

        Raises:
            UserError: no item, or more than one, has an id that starts with it.
        """
        from surgqa.transforms.checks.proof.explain import script

        return script(self.folder, item_id)

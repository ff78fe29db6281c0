"""An output with what proofs need of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from surgqa.transforms.checks.proof import evidence
from surgqa.transforms.checks.proof.prove import problems, programs_of
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from surgqa.transforms.language.program import Program
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.proof.outputs import rows_of

Row = dict[str, Any]


class Output(NamedTuple):
    """Its evidence in a database, its templates and its rows."""

    con: DuckDBPyConnection
    programs: Mapping[str, Program]
    rows: list[Row]

    def asked(self, rows: Iterable[Row]) -> list[ProofRow]:
        """Some rows as their templates read them: all can be read."""
        found = [read_row(self.programs[row["template_id"]], row) for row in rows]
        assert all(isinstance(one, ProofRow) for one in found)
        return found  # type: ignore[return-value]

    def problems(self, rows: Iterable[Row], **options: Any) -> list[tuple[str, str, str]]:
        """(item, code, detail) of all that is wrong with some rows."""
        asked, out = self.asked(rows), []
        for name, program in self.programs.items():
            mine = [one for one in asked if one.program.id == name]
            out += problems(self.con, program, mine, **options)
        return out


def connect(folder: OutputFolder, scratch: Path) -> DuckDBPyConnection:
    """A database with the tables that proofs read, for all videos."""
    con = evidence.opened(folder, scratch)
    evidence.put_evidence(con)
    return con


def opened(folder: OutputFolder, scratch: Path) -> Output:
    """The output in this folder."""
    return Output(connect(folder, scratch), programs_of(folder), rows_of(folder))

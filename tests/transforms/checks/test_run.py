"""What ends a check: in words, whatever lies in the folder and however little memory there is."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import OutputBroken, UserError
from surgqa.transforms.checks import check_output, run
from surgqa.transforms.checks.folder import NAMING
from tests.transforms.checks.world import SHARD


@pytest.mark.parametrize("name", NAMING)
def test_a_row_without_a_name_cannot_be_checked(world, name):
    world.write()
    path = world.root / SHARD.format(split="train")
    table = pq.read_table(path)
    values = [None, *table[name].to_pylist()[1:]]
    place, field = table.schema.get_field_index(name), table.schema.field(name)
    pq.write_table(table.set_column(place, field, pa.array(values, field.type)), path)
    with pytest.raises(OutputBroken, match=f"has rows without {name}") as error:
        check_output(world.root)
    assert "null in 1 of" in str(error.value.lines()) and path.name in str(error.value.lines())


@pytest.mark.parametrize("name", ["evidence_problems", "hold_facts"])
def test_memory_that_does_not_do_ends_in_words(world, monkeypatch, name):
    def full(*_):
        raise duckdb.OutOfMemoryException("failed to allocate\nmore")

    world.write()
    monkeypatch.setattr(run, name, full)
    with pytest.raises(UserError, match="more memory") as error:
        check_output(world.root)
    told = str(error.value.lines())
    assert "failed to allocate" in told and run.MEMORY in told and "TMPDIR" in told

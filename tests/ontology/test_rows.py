"""The columns of ``data/`` and ``evidence/``, pinned: readers of our files depend on them."""

from pathlib import Path

import pyarrow as pa

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM, SCHEMA_VERSION

GOLDEN = Path(__file__).parent / "rows.golden.txt"


def listing() -> str:
    """Version, then every column of every table with its type, one a line."""
    lines = [f"version {SCHEMA_VERSION}"]
    for table, schema in {"data": ITEM, **EVIDENCE_TABLES}.items():
        lines += [f"{table}.{field.name}: {field.type}" for field in schema]
    return "\n".join(lines) + "\n"


def test_columns_and_types_are_the_pinned_ones(update_golden):
    if update_golden:
        GOLDEN.write_text(listing(), encoding="utf-8")
    assert listing() == GOLDEN.read_text(encoding="utf-8"), (
        "the contract of the output changed: raise SCHEMA_VERSION, say so in the changelog, "
        "then write the listing anew with --update-golden"
    )


def test_every_column_may_be_null_and_none_carries_metadata():
    """So that an empty shard has the schema of a full one."""
    for schema in (ITEM, *EVIDENCE_TABLES.values()):
        assert schema.metadata is None
        assert all(field.nullable and field.metadata is None for field in schema)
        assert schema.empty_table().schema == schema
        assert len(set(schema.names)) == len(schema.names)


def test_what_varies_by_task_is_text():
    for name in ("answer_value", "slots"):
        assert ITEM.field(name).type == pa.string()

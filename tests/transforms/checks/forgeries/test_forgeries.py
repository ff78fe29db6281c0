"""One field changed and all digests made anew: ``check`` notices, or a list says why it cannot."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.checks import check_output
from surgqa.transforms.checks.proof.prove import programs_of
from surgqa.transforms.store.folder import OutputFolder
from tests.each import cases
from tests.transforms.checks.forgeries import forging, places
from tests.transforms.checks.forgeries.output import DATASETS, made
from tests.transforms.checks.forgeries.sealing import Sealed
from tests.transforms.checks.forgeries.unnoticed import UNNOTICED

LEAST = 0.98
"""Share of all places of which a forgery is noticed."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    return Sealed(made(tmp_path_factory.mktemp("made")))


@pytest.mark.nightly
def test_what_was_built_is_right_and_has_every_column(sealed: Sealed):
    assert check_output(sealed.root).differences == 0
    for column in places.columns(ITEM):
        values = [places.at(row, p) for row in sealed.rows for p in places.paths(row, column)]
        assert any(one is not None for one in values), column
    for name, schema in EVIDENCE_TABLES.items():
        for column in places.columns(schema):
            assert any(places.paths(row, column) for row in sealed.tables[name]), (name, column)


@pytest.mark.nightly
def test_every_field_of_a_row(sealed: Sealed, tmp_path: Path):
    programs = programs_of(OutputFolder(sealed.root))
    forged = list(forging.forged_rows(sealed, programs))
    assert len(forged) > 250
    assert forging.unnoticed_rows(sealed, forged, tmp_path) == []


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["tables", "manifests", "files"])
def test_every_field_beside(sealed: Sealed, tmp_path: Path, kind: str):
    """What is listed is unnoticed still."""
    forged = list(getattr(forging, f"forged_{kind}")(sealed))
    assert len(forged) > 10
    roots = {name: sealed.root.parent / "source" / name for name in DATASETS}
    found = forging.unnoticed(forged, tmp_path, partial(forging.check_all, roots=roots))
    listed = {one.place for one in forged} & set(UNNOTICED)
    assert set(found) == listed


@pytest.mark.nightly
def test_nearly_everything_can_be_noticed(sealed: Sealed):
    every = [one.place for make in (forging.forged_tables, forging.forged_manifests,
                                    forging.forged_files) for one in make(sealed)]  # fmt: skip
    rows = len(list(forging.forged_rows(sealed, programs_of(OutputFolder(sealed.root)))))
    assert set(UNNOTICED) <= set(every)
    assert len(UNNOTICED) <= (1 - LEAST) * (len(every) + rows)


# -- the tools ----------------------------------------------------------------------------------

SCHEMA = pa.schema([
    ("id", pa.string()),
    ("media", pa.struct([("path", pa.string()), ("width", pa.int32())])),
    ("rounds", pa.list_(pa.struct([("at", pa.int64()), ("said", pa.list_(pa.string()))]))),
])  # fmt: skip
ROW = {"id": "a", "media": {"path": None, "width": 3},
       "rounds": [{"at": 1, "said": []}, {"at": 2, "said": ["x", "y"]}]}  # fmt: skip


def test_columns_come_from_the_schema():
    assert places.columns(SCHEMA) == [
        "id", "media.path", "media.width", "rounds.[].at", "rounds.[].said.[]",
    ]  # fmt: skip
    assert places.kind_of(SCHEMA, "rounds.[].said.[]") == pa.string()


def test_paths_into_a_row():
    assert places.paths(ROW, "rounds.[].at") == [("rounds", 0, "at"), ("rounds", 1, "at")]
    assert places.paths(ROW, "rounds.[].said.[]") == [
        ("rounds", 1, "said", 0), ("rounds", 1, "said", 1),
    ]  # fmt: skip
    assert places.paths({**ROW, "media": None}, "media.path") == []
    changed = places.put(ROW, ("rounds", 1, "said", 0), "z")
    assert changed["rounds"][1]["said"] == ["z", "y"]
    assert ROW["rounds"][1]["said"] == ["x", "y"]


@cases(
    ("value", "kind"),
    [(None, pa.string()), (None, pa.int64()), (None, pa.bool_()), (None, pa.float64()),
     (True, None), (7, None), (0.5, None), (0.995, None), ("hook", None), ("0" * 32, None),
     ("", None)],
)  # fmt: skip
def test_another_value_is_another_and_of_the_type(value: object, kind: pa.DataType | None):
    other = places.other(value, kind)
    assert other != value
    if value is not None:
        assert type(other) is type(value)
    else:
        assert pa.array([other], kind)[0].is_valid


def test_every_leaf_of_json():
    found = dict(places.forged_json('{"a": [1, {"b": null}], "c d": true, "e": []}'))
    assert found == {
        "a.*": '{"a":[2,{"b":null}],"c d":true,"e":[]}',
        "a.*.b": '{"a":[1,{"b":"forged"}],"c d":true,"e":[]}',
        "*": '{"a":[1,{"b":null}],"c d":false,"e":[]}',
        "e": '{"a":[1,{"b":null}],"c d":true,"e":["forged"]}',
    }

"""Listing and reading files: sorted, and broken files named with the place."""

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.files import listed, read_bytes, read_text


def test_entries_come_sorted_by_name(tmp_path, monkeypatch):
    for name in ("b", "a", "C", "ä", "10", "9"):
        (tmp_path / name).touch()
    in_order = [p.name for p in listed(tmp_path)]
    assert in_order == sorted(in_order)

    real = type(tmp_path).iterdir
    monkeypatch.setattr(type(tmp_path), "iterdir", lambda p: sorted(real(p), reverse=True))
    assert [p.name for p in listed(tmp_path)] == in_order


def test_a_missing_file_is_named_as_the_user_knows_it(tmp_path):
    with pytest.raises(SourceMissing) as raised:
        read_bytes(tmp_path / "labels" / "x.json", "labels/x.json")
    assert raised.value.where == "labels/x.json"
    assert str(tmp_path) not in str(raised.value)


@pytest.mark.parametrize("name", ["a\0b.json", "\ud800.json"])
def test_what_no_file_can_be_called_is_missing(tmp_path, name):
    """Such names come from other files: a cell of a table, a text in JSON."""
    with pytest.raises(SourceMissing):
        read_bytes(tmp_path / name, name)


def test_a_folder_in_the_place_of_a_file_cannot_be_read(tmp_path):
    with pytest.raises(SourceBroken, match="x.json cannot be read"):
        read_bytes(tmp_path, "x.json")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"\xef\xbb\xbfa\n", "a\n", id="byte-order-mark"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", id="windows-line-ends"),
        pytest.param("Gefäß".encode(), "Gefäß", id="not-ascii"),
        pytest.param(b"", "", id="empty"),
    ],
)
def test_text(data, expected):
    assert read_text(data, "x.txt") == expected


def test_what_is_not_utf8_is_named_with_the_byte():
    with pytest.raises(SourceBroken) as raised:
        read_text("Gef\xe4\xdf".encode("latin-1"), "x.txt")
    assert raised.value.found == "byte 0xe4 at offset 3"

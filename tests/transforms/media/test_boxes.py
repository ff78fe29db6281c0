"""Boxes of a film in MP4."""

from __future__ import annotations

from surgqa.transforms.media.boxes import _boxes, _pairs
from tests.each import cases


def box(kind: bytes, body: bytes = b"") -> bytes:
    return (8 + len(body)).to_bytes(4, "big") + kind + body


@cases(
    ("content", "found"),
    [
        (b"", []),
        (box(b"trun", b"12") + box(b"free"), [(b"trun", b"12"), (b"free", b"")]),
        (box(b"free") + box(b"trun", b"12"), [(b"free", b""), (b"trun", b"12")]),
        (box(b"trun", b"12") + box(b"free")[:7], [(b"trun", b"12")]),
        (box(b"trun", b"12") + b"\0\0\0\7free", [(b"trun", b"12")]),
    ],
)
def test_boxes_are_listed_also_empty_ones_and_no_parts(content: bytes, found: list):
    assert list(_boxes(content)) == found


@cases(("count", "rows"), [(0, 0), (1, 1), (2, 2), (3, 2), (1 << 31, 2)])
def test_a_table_has_as_many_rows_as_it_says_and_holds(count: int, rows: int):
    numbers = b"".join(one.to_bytes(4, "big") for one in (0, count, 5, 10, 6, 20, 7))
    assert _pairs({b"stts": numbers}, b"stts").tolist() == [[5, 10], [6, 20]][:rows]
    assert _pairs({}, b"stts").tolist() == []

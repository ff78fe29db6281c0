"""Boxes of a film in MP4."""

from __future__ import annotations

import pytest

from surgqa.transforms.media.boxes import _boxes


def box(kind: bytes, body: bytes = b"") -> bytes:
    return (8 + len(body)).to_bytes(4, "big") + kind + body


@pytest.mark.parametrize(
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

"""Names of cut files: frames as ranges."""

from __future__ import annotations

from surgqa.transforms.media.cutting import ranges_of
from tests.each import cases


@cases(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([3, 4], "3-4"),
        ([3, 5], "3,5"),
        ([0, 1, 2, 4, 7, 8], "0-2,4,7-8"),
    ],
)
def test_neighbouring_frames_are_one_range(numbers: list[int], text: str):
    assert ranges_of(numbers) == text

"""Where a label in a picture is said to stand."""

from __future__ import annotations

from types import SimpleNamespace

from surgqa.transforms.readers.base.tables.pictures import PictureFiles
from tests.each import cases


@cases(
    ("path", "pointer"),
    [
        ("a/masks/3.png", "VID1|a/masks/3.png|a/masks|a|{frame}|{row}"),
        ("masks/3.png", "VID1|masks/3.png|masks||{frame}|{row}"),
        ("a/{x}/3.png", "VID1|a/{{x}}/3.png|a/{{x}}|a|{frame}|{row}"),
    ],
)
def test_a_place_names_the_last_file_and_its_folders(path: str, pointer: str):
    plan = SimpleNamespace(pointer="{video}|{file}|{folder}|{above}|{frame}|{row}")
    files = tuple(SimpleNamespace(source=SimpleNamespace(path=one)) for one in ("b/1.png", path))
    assert PictureFiles(plan, "VID1", files, 0).pointer == pointer

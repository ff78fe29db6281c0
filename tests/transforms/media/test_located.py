"""A recording is found by its content where several files have its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceChanged
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media.located import located

OLD, NEW = b"old", b"new"


def case(content: bytes | None) -> Media:
    return Media(MediaKind.VIDEO, "case.mp4", sha256=content and bytes_digest(content))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder, content in (("a", OLD), ("b", NEW)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "case.mp4").write_bytes(content)
    return tmp_path


def test_of_files_with_one_name_the_one_with_the_content_is_found(root):
    for folder, content in (("a", OLD), ("b", NEW)):
        assert located(root, case(content)) == root / folder / "case.mp4"
        assert located(root / folder, case(content)) == root / folder / "case.mp4"


def test_another_file_of_the_name_is_never_taken_and_is_named(root):
    for where, shown in ((root / "a", "case.mp4"), (root, "b/case.mp4")):
        with pytest.raises(SourceChanged, match="not the recording that was observed") as caught:
            located(where, case(b"third"))
        assert shown in caught.value.found and bytes_digest(b"third") in caught.value.expected


def test_without_a_known_content_the_path_counts(root):
    assert located(root / "b", case(None)) == root / "b" / "case.mp4"
    assert located(root, case(None)) == root / "case.mp4"
    assert located(root / "c", case(OLD)) == root / "c" / "case.mp4"


def test_a_file_that_was_replaced_since_is_noticed(root):
    path = root / "a" / "case.mp4"
    assert located(root / "a", case(OLD)) == path
    path.write_bytes(b"longer than before")
    with pytest.raises(SourceChanged):
        located(root / "a", case(OLD))

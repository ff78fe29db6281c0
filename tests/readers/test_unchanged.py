"""What a reader saw can be looked at again: any change that could matter is noticed."""

from __future__ import annotations

import builtins
import io
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from surgqa.transforms import registry
from surgqa.transforms.readers.base import Reader

REPLAYABLE = [name for name in registry.datasets() if registry.load_reader(name).replayable]


@contextmanager
def opened(patch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Every file that is opened meanwhile."""
    seen: list[Path] = []
    plain = io.open

    def noting(file: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(Path(str(file)))
        return plain(file, *args, **kwargs)

    with patch.context() as inner:
        inner.setattr(io, "open", noting)
        inner.setattr(builtins, "open", noting)
        yield seen


def test_some_readers_can_be_replayed() -> None:
    assert {"cholect45", "cholect50"} <= set(REPLAYABLE)


@pytest.mark.parametrize("name", REPLAYABLE)
def test_every_file_that_was_opened_is_looked_at_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.load_sample(name)(tmp_path)
    reader: Reader = registry.load_reader(name)(tmp_path)
    video_id = reader.videos()[0]
    with opened(monkeypatch) as files:
        reader.read(video_id)
    mine = sorted({path for path in files if path.is_relative_to(tmp_path)})
    assert mine
    seen = pickle.loads(pickle.dumps(reader.seen))
    again: Reader = registry.load_reader(name)(tmp_path)
    assert again.unchanged(seen)
    for path in mine:
        data = path.read_bytes()
        picture = path.suffix in (".png", ".jpg")
        path.write_bytes(data[:10] if picture else data + b" ")
        assert not again.unchanged(seen), path
        path.unlink()
        if not picture:  # another picture of the same size says the same
            assert not again.unchanged(seen), path
        path.write_bytes(data)
        assert again.unchanged(seen), path


def test_a_file_that_was_missing_and_now_is_there(tmp_path: Path) -> None:
    registry.load_sample("cholect50")(tmp_path)
    reader = registry.load_reader("cholect50")(tmp_path)
    looks = [("digest", ("label_mapping_2.txt",), None), ("media", ("pictures/VID01", (0,)), None)]
    assert reader.unchanged(looks[:1])
    (tmp_path / "label_mapping_2.txt").write_text("# here now")
    assert not reader.unchanged(looks[:1])


def test_a_reader_that_looks_elsewhere_cannot_tell(tmp_path: Path) -> None:
    class Elsewhere(registry.load_reader("cholect50")):  # type: ignore[misc]
        replayable = False

    assert not Elsewhere(tmp_path).unchanged([])

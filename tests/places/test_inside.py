"""Paths that data files name, joined to the folder that they count from."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.places import below, check_links, inside, place

ROOT = Path(__file__).parents[2]

OUTSIDE = (
    "../private", "videos/../../private", "/etc/passwd", "..", "", "s3://bucket/key", "s3:/b/k",
    "..\\private", "C:\\private", "\\\\host\\share", "videos/..",
)  # fmt: skip


@pytest.mark.parametrize("join", [below, inside])
@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out(tmp_path, join, path):
    for root in (tmp_path, place("s3://bucket/folder")):
        with pytest.raises(UserError) as caught:
            join(root, path)
        assert str(root) == caught.value.where and caught.value.fix


@pytest.mark.parametrize("join", [below, inside])
@pytest.mark.parametrize("path", ["a\0b", "videos/\ud800.mp4"])
def test_what_no_file_can_be_called_is_missing(tmp_path, join, path):
    for root in (tmp_path, place("s3://bucket/folder")):
        with pytest.raises(SourceMissing, match="name") as caught:
            join(root, path)
        assert str(root) == caught.value.where and caught.value.fix
        str(caught.value).encode()


@pytest.mark.parametrize("join", [below, inside])
@pytest.mark.parametrize("path", ["a.mp4", "videos/VID01", "12:30.mp4", "a..b/c…d.png", "."])
def test_other_paths_are_joined_as_they_are(tmp_path, join, path):
    assert join(tmp_path, path) == tmp_path / path
    remote = place("s3://bucket/folder")
    assert join(remote, path) == remote / path


def test_a_root_in_the_working_folder_stays_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError):
        inside(Path(), "gs:/bucket/key")


def test_links_may_lead_about_inside_but_not_out(tmp_path):
    root, private = tmp_path / "root", tmp_path / "private"
    (root / "films").mkdir(parents=True)
    private.mkdir()
    (root / "within").symlink_to(root / "films")
    (root / "out").symlink_to(private)
    (root / "round").symlink_to(root / "round")
    (tmp_path / "alias").symlink_to(root)
    for top in (root, tmp_path / "alias"):
        assert inside(top, "within/a.mp4") == top / "within/a.mp4"
        assert below(top, "out/a.mp4") == top / "out/a.mp4"
        with pytest.raises(UserError, match="is not inside") as caught:
            inside(top, "out/a.mp4")
        assert str(private) in (caught.value.found or "")
    beside = tmp_path / "root-2"
    beside.mkdir()
    (root / "near").symlink_to(beside)
    with pytest.raises(UserError):
        inside(root, "near")


def test_files_of_a_folder_that_are_links(tmp_path):
    root = tmp_path / "root"
    (root / "v01").mkdir(parents=True)
    (tmp_path / "private.png").touch()
    (root / "v01" / "000000.png").touch()
    (root / "v01" / "000001.png").symlink_to("000000.png")
    check_links(root, "v01", ["000000.png", "000001.png"])
    (root / "v01" / "000002.png").symlink_to(tmp_path / "private.png")
    check_links(root, "v01", ["000000.png"])
    with pytest.raises(UserError, match=re.escape("v01/000002.png")):
        check_links(root, "v01", ["000000.png", "000002.png"])


MEDIA = {
    "transforms/exports/surgveo/study/videos.py",
    "transforms/media/frames.py", "transforms/media/located.py",
    "transforms/steps/observing/plan.py",
}  # fmt: skip
"""What opens a recording, sends it or copies it to others: no link may lead out."""

FILES = {
    "pipeline/cli/contract.py", "pipeline/talks.py", "transforms/checks/books.py",
    "transforms/checks/proof/manifest.py",
    "transforms/checks/sources/claims.py", "transforms/checks/sources/reopen.py",
    "transforms/exports/writing.py",
    "transforms/checks/folder.py", "transforms/exports/sapbench/write.py",
    "transforms/exports/surgveo/cutting.py", "transforms/exports/surgveo/write.py",
    "transforms/inference/images.py", "transforms/labelling/export/yolo.py",
    "transforms/labelling/corrections.py", "transforms/labelling/layer.py",
    "transforms/labelling/pictures.py",
    "transforms/labelling/training.py",
    "transforms/readers/base/contract.py", "transforms/media/found.py",
    "transforms/readers/cholect45/reader.py", "transforms/readers/exports/reader.py",
    "transforms/steps/observing/record.py",
    "transforms/store/evidence.py",
}  # fmt: skip
"""What reads or writes files here whose names a data file holds."""


def _sources():
    for room in ("transforms", "pipeline", "ontology"):
        for file in sorted((ROOT / room).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith("transforms/places/"):
                yield name, file.read_text(encoding="utf-8")


def test_the_users_are_these():
    """Whoever joins a path that it did not make itself is listed here, and nobody else."""
    called: dict[str, set[str]] = {"inside": set(), "below": set()}
    for name, text in _sources():
        nodes = (
            list(ast.walk(ast.parse(text)))
            if "from surgqa.transforms.places import" in text
            else []
        )
        for node in nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in called:
                called[node.func.id].add(name)  # type: ignore[attr-defined]
    assert called == {"inside": MEDIA, "below": FILES}


NAMED = r"(media\.path|media\[.path.\]|video_id|sample_id|media_path|job_id|label_file\(frame\))"


def test_nobody_joins_such_a_name_by_hand():
    """A name out of data stands behind no slash of a path."""
    by_hand = re.compile(rf"[\w)\]] / (f?\"[^\"]*\{{[^}}\"]*{NAMED}\}}|[\w.\[\]]*{NAMED}\b)")
    samples = re.compile(r"transforms/readers/\w+/sample\.py|pipeline/demo/")
    found = {
        f"{name}:{number}"
        for name, text in _sources() if not samples.match(name)
        for number, line in enumerate(text.splitlines(), 1) if by_hand.search(line)
    }  # fmt: skip
    assert found == set()

"""Nothing outside of a root is sent, and a dry run tells what would be."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import pytest

from tests.pipeline.cli.test_infer import frames, said, told  # noqa: F401 - a fixture
from tests.transforms.inference.conftest import finished, row, streaming, stub  # noqa: F401


def outside(path: Path, media: dict[str, object]) -> Path:
    """The jobs with another recording, as somebody might hand them on."""
    lines = [json.loads(line) | {"media": media} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("way", ["up", "absolute", "link", "linked picture"])
def test_nothing_outside_of_a_root_is_sent(way, stub, finished, frames, tmp_path, capsys):  # noqa: F811
    private, path = tmp_path / "private", tmp_path / "jobs.jsonl"
    private.mkdir()
    secret = (frames / "videos" / "v07.mp4" / "000352.jpg").rename(private / "000352.jpg")
    media = {"path": "videos/v07.mp4", "kind": "frames", "fps_num": 1, "fps_den": 1, "first": 0}
    said(capsys, 0, "jobs", finished([row(0, media=media)]), "--to", path)
    if way == "link":
        (frames / "linked").symlink_to(private)
    if way == "linked picture":
        (frames / "videos" / "v07.mp4" / "000352.jpg").symlink_to(secret)
    else:
        name = {"up": "../private", "absolute": str(private), "link": "linked"}[way]
        outside(path, media | {"path": name})
    line = ["infer", path, "--base-url", stub.url, "--model", "m", "--out", tmp_path / "p",
            "--root", f"demochole={frames}"]  # fmt: skip
    for status, more in ((4 if way == "linked picture" else 2, []), (2, ["--dry-run"])):
        _, err = said(capsys, status, *line, *more)
        assert "is not inside" in err and str(frames) in err
    assert not stub.asked


def test_the_root_itself_may_be_a_link(stub, finished, frames, tmp_path, capsys):  # noqa: F811
    media = {"path": "videos/v07.mp4", "kind": "frames", "fps_num": 1, "fps_den": 1}
    path, alias = tmp_path / "jobs.jsonl", tmp_path / "alias"
    alias.symlink_to(frames)
    said(capsys, 0, "jobs", finished([row(0, media=media)]), "--to", path)
    said(capsys, 0, "infer", path, "--base-url", stub.url, "--model", "m", "--out",
         tmp_path / "p", "--root", f"demochole={alias}")  # fmt: skip
    assert sum(stub.asked.values()) == 1


def test_a_dry_run_lists_what_would_leave(stub, finished, frames, tmp_path, capsys):  # noqa: F811
    media = {"path": "videos/v07.mp4", "kind": "frames", "fps_num": 1, "fps_den": 1}
    rows = [row(0, media=media), streaming(1) | {"media": media}]
    path, counts = tmp_path / "jobs.jsonl", tmp_path / "c.json"
    said(capsys, 0, "jobs", finished(rows), "--to", path)
    line = ["infer", path, "--base-url", stub.url, "--model", "m", "--out", tmp_path / "p",
            "--root", f"demochole={frames}", "--max-images", 4]  # fmt: skip
    text, err = said(capsys, 0, *line, "--dry-run", "--json", counts)
    assert not stub.asked and not (tmp_path / "p.journal").exists()
    assert "nothing was sent" in err and "127.0.0.1" in text and "videos/v07.mp4" in text
    plan = json.loads(counts.read_text())
    assert (plan["jobs"], plan["pictures"], plan["host"]) == (5, 20, "127.0.0.1")
    said(capsys, 0, *line)
    assert plan["picture_bytes"] == sum(
        len(b64decode(part["image_url"]["url"].partition(",")[2]))
        for body in stub.bodies for part in body["messages"][-1]["content"]
        if part["type"] == "image_url"
    )  # fmt: skip
    text, _ = said(capsys, 0, *line, "--dry-run")
    assert told(text)["jobs"] == "0"
    text, _ = said(capsys, 0, "infer", path, "--command", "python model.py", "--without-images",
                   "--out", tmp_path / "other", "--dry-run")  # fmt: skip
    assert told(text)["goes to"] == "this machine (python model.py)"
    assert told(text)["pictures"] == "0, 0 bytes as JPEG"

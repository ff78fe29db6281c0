"""The templates that an output keeps are read from a bucket as from a disk."""

from __future__ import annotations

from pathlib import Path

from surgqa.templates import __file__ as templates
from surgqa.transforms.checks.proof.prove import kept_templates
from surgqa.transforms.places import RemotePath, copy_tree
from surgqa.transforms.store.folder import OutputFolder


def test_kept_templates_are_read_from_a_bucket(tmp_path: Path, remote: RemotePath) -> None:
    out = tmp_path / "out"
    copy_tree(Path(templates).parent / "examples", out / "templates" / "examples")
    (out / "manifest.json").write_text("{}", encoding="utf-8")
    copy_tree(out, remote / "out")
    found, wrong = kept_templates(OutputFolder(out))
    assert len(found) == 12 and not wrong
    assert kept_templates(OutputFolder(remote / "out")) == (found, {})

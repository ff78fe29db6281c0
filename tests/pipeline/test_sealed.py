"""What lies beside the data is under digests, the manifest's sums add up, and it can be signed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.manifest import manifest_bytes, signed
from surgqa.pipeline.output import look_over
from surgqa.transforms.checks.books import check_books
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.store.folder import OutputFolder
from surgqa.transforms.store.signature import SIGNATURE, is_signed, private_key, public_key, sign

Manifest = dict[str, Any]


@pytest.fixture
def out(built: Path, tmp_path: Path) -> Path:
    """An output to be changed."""
    return Path(shutil.copytree(built, tmp_path / "out"))


def found(out: Path) -> set[str]:
    findings = Findings()
    check_books(OutputFolder(str(out)), findings)
    return set(findings.counts)


def test_a_build_adds_up(built: Path):
    assert found(built) == set()


@pytest.mark.parametrize(
    "name", ["README.md", "config.yaml", "croissant.json", "licences.md", "report.html"]
)
def test_a_changed_document_is_noticed(out: Path, name: str):
    (out / name).write_bytes((out / name).read_bytes() + b" ")
    assert found(out) == {"document_digest"}


def test_a_missing_document_is_noticed(out: Path):
    (out / "licences.md").unlink()
    assert found(out) == {"document_digest"}


def _settings(manifest: Manifest) -> None:
    manifest["settings"]["seed"] = "7"


def _template(manifest: Manifest) -> None:
    next(iter(manifest["templates"].values()))["digest"] = "0" * 64


def _balance(manifest: Manifest) -> None:
    manifest["books"][-1]["read"] += 1


def _kept(manifest: Manifest) -> None:
    for name in ("read", "kept"):
        manifest["books"][-1][name] += 1


def _asked(manifest: Manifest) -> None:
    next(one for one in manifest["ledger"].values() if one["asked"])["asked"] += 1


def _declined(manifest: Manifest) -> None:
    ledger = next(one for one in manifest["ledger"].values() if one["declined"])
    ledger["declined"][next(iter(ledger["declined"]))] += 1


def _source(manifest: Manifest) -> None:
    manifest["inputs"][0]["sources"][0]["sha256"] = "0" * 64


def _input(manifest: Manifest) -> None:
    del manifest["inputs"][0]


CHANGES: list[tuple[Callable[[Manifest], None], set[str]]] = [
    (_settings, {"settings_digest"}),
    (_template, {"settings_digest"}),
    (_balance, {"books_unbalanced", "books_differ"}),
    (_kept, {"books_differ"}),
    (_asked, {"books_differ"}),
    (_declined, {"books_differ"}),
    (_source, {"books_differ"}),
    (_input, {"books_differ"}),
]


@pytest.mark.parametrize(("change", "codes"), CHANGES)
@pytest.mark.parametrize("sealed", [True, False])
def test_a_changed_manifest_is_noticed_also_when_it_is_sealed_again(
    out: Path, change: Callable[[Manifest], None], codes: set[str], sealed: bool
):
    manifest = orjson.loads((out / "manifest.json").read_bytes())
    change(manifest)
    documents = {k: v for k, v in manifest["documents"].items() if k != "manifest.json"}
    whole = signed(manifest, documents) if sealed else manifest
    (out / "manifest.json").write_bytes(manifest_bytes(whole))
    assert found(out) == codes | (set() if sealed else {"document_digest"})


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """A private and its public key."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "key.pem").write_bytes(private)
    (tmp_path / "key.pub").write_bytes(public)
    return tmp_path / "key.pem", tmp_path / "key.pub"


def test_a_signature_holds_until_the_manifest_changes(out: Path, keys: tuple[Path, Path]):
    key = public_key(keys[1])
    assert not is_signed(out, key)
    assert sign(out, private_key(keys[0])) == out / SIGNATURE
    assert is_signed(out, key)
    assert not is_signed(out, Ed25519PrivateKey.generate().public_key())
    (out / "manifest.json").write_bytes((out / "manifest.json").read_bytes() + b" ")
    assert not is_signed(out, key)


def test_a_signed_output_can_be_built_again(out: Path, keys: tuple[Path, Path]):
    sign(out, private_key(keys[0]))
    assert look_over(out, ["surgstu"]).files == ()


def test_what_is_no_key_is_told(tmp_path: Path, keys: tuple[Path, Path]):
    rsa = generate_private_key(public_exponent=65537, key_size=1024)
    other = tmp_path / "rsa.pem"
    other.write_bytes(rsa.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    for load, file in ((private_key, other), (private_key, keys[1]), (public_key, keys[0]),
                       (private_key, tmp_path / "none.pem")):  # fmt: skip
        with pytest.raises(UserError) as told:
            load(file)
        assert told.value.expected and told.value.fix


def test_build_signs_and_check_verifies(
    sample_root: Path, tmp_path: Path, keys: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
):
    out, (private, public) = str(tmp_path / "new"), map(str, keys)
    line = ["build", "--dataset", "cholect50", "--root", str(sample_root), "--limit", "1",
            "--benchmark", "surgstu", "--only", "surgstu.classes", "--out", out]  # fmt: skip
    assert run([*line, "--sign", private]) == 0
    check = ["check", out, "--verify", public, "--root", f"cholect50={sample_root}"]
    assert run(check) == 0
    assert "pointers followed" in capsys.readouterr().out
    (tmp_path / "new" / SIGNATURE).unlink()
    assert run(check) == 1
    assert "signature_differs" in capsys.readouterr().out


@pytest.mark.parametrize(
    "more", [["--root", "cholect50"], ["--all"], ["--root", "a=b", "--root", "a=c"],
             ["--verify", "nowhere.pem"], ["--root", "cholec80=."]]
)  # fmt: skip
def test_options_that_will_not_do(built: Path, more: list[str], capsys: pytest.CaptureFixture[str]):
    assert run(["check", str(built), "--limit", "1", *more]) in (2, 3)
    err = capsys.readouterr().err
    assert "error[" in err and "fix" in err and "Traceback" not in err

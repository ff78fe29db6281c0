"""``docs/verify.md``: every command and query is run on a build, by programs without surgqa."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from surgqa.transforms.checks.proof.explain import script
from surgqa.transforms.store.folder import OutputFolder
from surgqa.transforms.store.signature import sign

PAGE = (Path(__file__).parents[2] / "docs" / "verify.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|sql)\n(.*?)^```$", PAGE, re.M | re.S)
QUERY = "duckdb < item.sql"
NUMBERS = ("rows", "items")
NEEDED = ("sh", "jq", "sha256sum", "openssl")


@pytest.fixture(scope="module")
def folder(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed output with the signer's public key and the query of one item."""
    lacking = [name for name in NEEDED if shutil.which(name) is None]
    if lacking:
        pytest.skip(f"not on this machine: {', '.join(lacking)}")
    out = Path(shutil.copytree(built, tmp_path_factory.mktemp("published") / "out"))
    key = Ed25519PrivateKey.generate()
    sign(out, key)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (out / "key.pub").write_bytes(public)
    ((item,),) = duckdb.execute(
        f"select item_id from read_parquet('{out}/data/*/*.parquet') where len(options) > 0 "
        "order by sha256(item_id) limit 1"
    ).fetchall()
    (out / "item.sql").write_text(script(OutputFolder(str(out)), item), encoding="utf-8")
    return out


def shell(command: str, folder: Path) -> list[str]:
    """Lines that a command prints; it must succeed."""
    done = subprocess.run(
        ["sh", "-e", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.splitlines()


def tables(text: str) -> list[tuple[list[str], list[tuple[Any, ...]]]]:
    """Columns and rows of every table that statements show, in the current folder."""
    con, out = duckdb.connect(), []
    for statement in con.extract_statements(text):
        done = con.execute(statement)
        if statement.type == duckdb.StatementType.SELECT:
            out.append(([column[0] for column in done.description or ()], done.fetchall()))
    return out


def test_all_that_the_page_says_is_so(
    folder: Path, sample_root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(folder)
    equal, printed = 0, list[str]()
    for language, block in BLOCKS:
        text = block.replace("/data/cholect50", str(sample_root))
        if language == "sql":
            for columns, rows in tables(text):
                assert rows
                if columns[-1] in ("equal", "manifest"):
                    equal += 1
                    assert all(row[-2] == row[-1] > 0 for row in rows), (columns, rows)
        elif text.strip() != QUERY:
            printed += shell(text, folder)
    assert equal == 3
    digests = [line.split()[0] for line in printed if re.match(r"[0-9a-f]{64}\b", line)]
    assert len(digests) == 2 and digests[0] == digests[1]
    others = [line for line in printed if not re.match(r"[0-9a-f]{64}\b", line)]
    assert others and all(line.endswith(": OK") or "Verified" in line for line in others)
    assert not (folder / "labels.sha256").exists()


def test_the_query_of_an_item_gives_its_answer_and_a_reason_for_each_option(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(folder)
    assert any(block.strip() == QUERY for _, block in BLOCKS)
    shown = tables((folder / "item.sql").read_text(encoding="utf-8"))
    (_, answer), (columns, options) = shown[-2:]
    assert len(answer) == 1 and answer[0]
    assert columns == ["key", "text", "value", "reason"]
    assert [reason for *_, reason in options].count("the answer") == 1
    assert len(options) > 1 and all(reason for *_, reason in options)


def test_a_changed_row_or_manifest_shows(folder: Path, tmp_path: Path):
    """The page would tell: what it runs fails or differs once something is changed."""
    out = Path(shutil.copytree(folder, tmp_path / "out"))
    shard = next((out / "data").rglob("*.parquet"))
    shard.write_bytes(shard.read_bytes() + b" ")
    first = next(block for language, block in BLOCKS if language == "sh")
    with pytest.raises(AssertionError, match="did NOT match"):
        shell(first, out)
    (out / "manifest.json").write_bytes((out / "manifest.json").read_bytes() + b" ")
    signature = next(block for _, block in BLOCKS if "openssl" in block)
    with pytest.raises(AssertionError):
        shell(signature, out)

"""A whole build: the contract of the output folder, the books, and what a failure leaves."""

from __future__ import annotations

import hashlib
from pathlib import Path

import orjson
import pyarrow.json
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import EXIT_TOO_MANY_FAILED, SourceBroken, UserError
from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.checks import check_output
from surgqa.transforms.language import Program
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store import OutputFolder
from tests.readers.made import cholect50

from .conftest import run


def test_a_video_without_instruments_is_left_out_with_a_reason(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    load_sample("cataract101")(root)
    config = load_run(None, {"datasets": [{"name": "cataract101", "root": root}],
                             "out": tmp_path / "out"})  # fmt: skip
    result = build(config)
    assert result.items == 0
    rows = [orjson.loads(line) for line in
            (tmp_path / "out" / "rejected" / "cut.jsonl").read_bytes().splitlines()]  # fmt: skip
    assert {row["code"] for row in rows} == {"no_evidence"} and len(rows) == 2
    cut = next(books for books in result.books if books["stage"] == "cut")
    assert cut["read"] == cut["rejected"] == sum(row["count"] for row in rows) > 0


def test_output_folder_holds_what_the_contract_names(built: Path) -> None:
    names = {p.relative_to(built).as_posix() for p in built.rglob("*") if p.is_file()}
    documents = {"manifest.json", "config.yaml", "README.md", "croissant.json", "licences.md"}
    assert documents <= names
    assert "report.html" in names
    assert {f"evidence/{kind}.parquet" for kind in EVIDENCE_TABLES} <= names
    reasons = {f"rejected/{stage}.jsonl" for stage in ("plan", "read", "cut", "ask", "choose")}
    assert (
        "rejected/ask.jsonl" in {name for name in names if name.startswith("rejected/")} < reasons
    )
    assert not [name for name in names if "tmp" in name or "partial" in name]


def test_no_file_is_empty(built: Path) -> None:
    """pyarrow and polars refuse JSON Lines of 0 bytes: a stage without rejects has no file."""
    listed = OutputFolder(built).manifest["files"]
    for path in (built / "rejected").iterdir():
        assert pyarrow.json.read_json(path).num_rows > 0
        assert path.relative_to(built).as_posix() in listed
    assert all((built / name).stat().st_size for name in listed)


def test_both_formats_hold_the_same_rows_in_the_same_order(built: Path) -> None:
    folder = built / "data" / "surgstu"
    shards = sorted(folder.glob("*.parquet"))
    assert shards
    for shard in shards:
        table = pq.read_table(shard)
        assert table.schema.names == ITEM.names
        lines = shard.with_suffix(".jsonl").read_bytes().splitlines()
        assert table.to_pylist() == [orjson.loads(line) for line in lines]
        ids = table.column("item_id").to_pylist()
        assert ids == sorted(ids)


def test_every_row_has_every_key(built: Path) -> None:
    for row in OutputFolder(built).rows():
        assert list(row) == ITEM.names
        assert isinstance(row["options"], list)


def test_manifest_digests_are_those_of_the_files(built: Path) -> None:
    manifest = OutputFolder(built).manifest
    for path, sha in manifest["files"].items():
        assert hashlib.sha256((built / path).read_bytes()).hexdigest() == sha
    lines = "".join(f"{p} {s}\n" for p, s in sorted(manifest["files"].items()))
    assert hashlib.sha256(lines.encode()).hexdigest() == manifest["digest"]


def test_books_balance_and_cover_every_stage(built: Path) -> None:
    books = OutputFolder(built).manifest["books"]
    assert [line["stage"] for line in books] == ["plan", "read", "cut", "ask", "choose"]
    for line in books:
        assert line["read"] == line["kept"] + line["rejected"] + line["failed"], line
        assert line["read"] > 0


def test_a_unit_that_the_engine_loses_makes_the_books_not_balance(
    sample_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Asker.ask_each

    def lossy(self: Asker, program: Program) -> list[Asked]:
        each = ask(self, program)
        (each[0].declined or each[0].items).pop()
        return each

    monkeypatch.setattr(Asker, "ask_each", lossy)
    more = {"dataset": {"videos": ["VID01"]}, "only": ["surgstu.locate"]}
    with pytest.raises(AssertionError, match="row counts do not add up for cholect50/VID01"):
        run(sample_root, tmp_path / "out", **more)


def test_every_declined_window_has_a_row_with_its_reason(built: Path) -> None:
    manifest = OutputFolder(built).manifest
    lines = (built / "rejected" / "ask.jsonl").read_bytes().splitlines()
    declined = sum(sum(entry["declined"].values()) for entry in manifest["ledger"].values())
    assert len(lines) == declined > 0
    for line in map(orjson.loads, lines):
        assert line["reason"]
        assert line["code"] in ("no_filling", "gate", "too_few_options")


def test_no_path_of_the_machine_is_in_the_output(built: Path, sample_root: Path) -> None:
    for path in built.rglob("*"):
        if path.is_file() and path.suffix in (".json", ".yaml", ".md", ".jsonl"):
            assert str(sample_root).encode() not in path.read_bytes(), path.name


def test_a_broken_file_stops_the_run_and_leaves_no_output(
    sample_root: Path, tmp_path: Path
) -> None:
    root = _with_a_broken_video(sample_root, tmp_path)
    with pytest.raises(UserError) as raised:
        run(root, tmp_path / "out")
    assert "VID02.json" in str(raised.value)
    assert raised.value.exit_code == SourceBroken.exit_code
    assert [p.name for p in tmp_path.iterdir()] == ["root"]


def test_max_failed_forgives_and_accounts(sample_root: Path, tmp_path: Path) -> None:
    root = _with_a_broken_video(sample_root, tmp_path)
    result = run(root, tmp_path / "out", max_failed=1, only=["surgstu.locate"])
    assert result.failed == 1
    manifest = OutputFolder(tmp_path / "out").manifest
    assert [(one["key"], one["code"]) for one in manifest["failed"]] == [
        ("cholect50/VID02", "syntax-broken")
    ]
    assert manifest["books"][0] == {
        "stage": "plan", "unit": "videos", "read": 4, "kept": 3, "rejected": 0, "failed": 1,
    }  # fmt: skip
    with pytest.raises(UserError) as raised:
        run(root, tmp_path / "other", max_failed=0.1)
    assert raised.value.exit_code in (EXIT_TOO_MANY_FAILED, SourceBroken.exit_code)


def _with_a_broken_video(sample_root: Path, tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "labels").mkdir(parents=True)
    for path in (sample_root / "labels").iterdir():
        (root / "labels" / path.name).write_bytes(path.read_bytes())
    broken = root / "labels" / "VID02.json"
    broken.write_bytes(broken.read_bytes()[:500])
    return root


def test_an_old_output_is_replaced_only_by_a_whole_new_one(
    sample_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    first = run(sample_root, out, only=["surgstu.locate"])

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("surgqa.pipeline.run.write_documents", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(sample_root, out, only=["surgstu.segment"])
    assert OutputFolder(out).manifest["digest"] == first.digest
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_an_output_between_its_two_renames_is_put_back(
    sample_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    first = run(sample_root, out, only=["surgstu.locate"])
    out.rename(tmp_path / ".out.old")
    with monkeypatch.context() as patched:
        patched.setattr("surgqa.pipeline.run.write_documents", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(sample_root, out, only=["surgstu.segment"])
    assert OutputFolder(out).manifest["digest"] == first.digest


def test_a_foreign_folder_is_never_replaced(sample_root: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="holds something else"):
        run(sample_root, tmp_path / "out")
    assert (tmp_path / "out" / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_balancing_caps_the_modal_answer_and_writes_what_it_dropped(
    sample_root: Path, built: Path, tmp_path: Path
) -> None:
    few = ["surgstu.existence_local_target", "surgstu.first_action", "surgstu.rel_change"]
    before = {r["item_id"] for r in OutputFolder(built).rows() if r["template_id"] in few}
    result = run(sample_root, tmp_path / "out", balance={"modal_cap": 0.4}, only=few)
    dropped = (tmp_path / "out" / "rejected" / "choose.jsonl").read_bytes().splitlines()
    assert len(before) - result.items == len(dropped) > 0
    kept = {row["item_id"] for row in OutputFolder(tmp_path / "out").rows()}
    assert before - kept == {orjson.loads(line)["key"] for line in dropped}
    choose = OutputFolder(tmp_path / "out").manifest["books"][-1]
    assert choose["rejected"] == len(dropped)
    assert check_output(tmp_path / "out").differences == 0


def test_a_build_without_boxes_asks_only_what_labels_can_answer(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    cholect50.write(root, with_boxes=False)
    run(root, tmp_path / "out", profile="paper")
    asked = {row["template_id"] for row in OutputFolder(tmp_path / "out").rows()}
    assert {"surgstu.counting_distinct", "surgstu.action_status", "surgstu.classes"} <= asked
    assert not asked & {"surgstu.locate", "surgstu.velocity"}
    assert check_output(tmp_path / "out").differences == 0


def test_official_splits_and_digest_splits_keep_a_surgery_together(
    sample_root: Path, tmp_path: Path
) -> None:
    more = {"dataset": {"split": "rendezvous"}, "only": ["surgstu.locate"]}
    run(sample_root, tmp_path / "out", **more)
    rows = OutputFolder(tmp_path / "out").rows()
    split = {row["video_id"]: row["split"] for row in rows}
    assert split["VID01"] == "train"


def test_limit_and_exclude(sample_root: Path, tmp_path: Path) -> None:
    more = {"dataset": {"exclude": ["VID01"]}, "only": ["surgstu.locate"]}
    run(sample_root, tmp_path / "out", limit=2, **more)
    videos = [entry["video_id"] for entry in OutputFolder(tmp_path / "out").manifest["inputs"]]
    assert videos == ["VID02", "VID04"]

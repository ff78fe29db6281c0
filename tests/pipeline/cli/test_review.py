"""``surgqa review`` as it is typed: from the sample to a build that honours what was decided."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import orjson
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.checks import check_output
from surgqa.transforms.language import templates_folder
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.diff import compare
from tests.pipeline.cli.chain_of_one_s_own import CHAIN
from tests.pipeline.cli.typed import said_by
from tests.pipeline.conftest import run as build
from tests.transforms.review.conftest import agree, fill, fill_tasks, line, rows_of_sheet

said = said_by("review")

DATE = "2026-11-21"
SINGLE = ["surgstu.existence_global", "surgstu.existence_local_inst", "surgstu.counting_distinct",
          "surgstu.locate"]  # fmt: skip


@pytest.fixture(scope="module")
def root(sample) -> Path:
    """Two made-up operations in CholecT50's layout."""
    return sample("cholect50")


@pytest.fixture(scope="module")
def settings(tmp_path_factory) -> dict:
    """Both kinds of units: single questions of SurgSTU, and chains of a template of one's own."""
    folder = tmp_path_factory.mktemp("templates") / "templates"
    shutil.copytree(templates_folder(), folder)
    (folder / "mine").mkdir()
    (folder / "mine" / "chain.yaml").write_text(CHAIN, encoding="utf-8")
    return {"templates": folder, "benchmarks": ["surgstu", "mine"], "profile": "paper",
            "only": [*SINGLE, "mine.chain"]}  # fmt: skip


@pytest.fixture(scope="module")
def built(root, settings, tmp_path_factory) -> Path:
    """Built without a review."""
    out = tmp_path_factory.mktemp("built") / "out"
    build(root, out, **settings)
    return out


def objecting(cells: dict[str, str]) -> dict[str, str]:
    """A rater who wants out: what is asked last in chains, and all about existence."""
    letter = "A" if cells["options"] else ""
    if cells["kind"].endswith("/where") or cells["kind"].startswith("existence/"):
        return {"answer": letter, "valid": "no", "wrong": "question unclear", "comment": "hm"}
    return {"answer": letter, "valid": "yes"}


@pytest.fixture(scope="module")
def reviewed(built, tmp_path_factory) -> tuple[Path, Path, dict]:
    """Sheets, layer and report of a review in which two of three raters object."""
    folder = tmp_path_factory.mktemp("review")
    sheets, layer, report = folder / "sheets", folder / "layer.jsonl", folder / "report.json"
    line = ["review", "sample", str(built), "--to", str(sheets), "--share", "0.3",
            "--as", "csv,label-studio"]  # fmt: skip
    assert run(line) == 0
    fill(sheets / "A.csv", objecting)
    fill(sheets / "B.csv", objecting, ";")
    fill_tasks(sheets / "C.tasks.json", lambda cells: agree(cells) | (
        {"answer": "A"} if cells["options"] else {}))  # fmt: skip
    line = ["review", "import", str(built), *(str(sheets / name) for name in
            ("A.csv", "B.csv", "C.tasks.json")), "--reviewer", "Dr A", "--reviewer", "Dr B",
            "--reviewer", "Dr C", "--date", DATE, "--to", str(layer), "--json",
            str(report)]  # fmt: skip
    assert run(line) == 0
    return sheets, layer, json.loads(report.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def again(root, settings, reviewed, tmp_path_factory) -> Path:
    """Built again with the review."""
    out = tmp_path_factory.mktemp("again") / "out"
    build(root, out, review=reviewed[1], **settings)
    return out


def decisions(layer: Path) -> list[dict]:
    return [orjson.loads(one) for one in layer.read_bytes().splitlines()]


def left_out(out: Path) -> list[dict]:
    lines = (out / "rejected" / "choose.jsonl").read_bytes().splitlines()
    return [orjson.loads(one) for one in lines]


def lost_ids(built: Path, layer: Path) -> set[str]:
    """What should be gone, worked out from the rows: dropped items, and chains that hold one."""
    dropped = {one["item_id"] for one in decisions(layer)
               if one["decision"] == "drop"}  # fmt: skip
    rows = list(OutputFolder(built).rows(columns=["item_id", "chain_id"]))
    chains = {one["chain_id"] for one in rows if one["item_id"] in dropped} - {None}
    return dropped | {one["item_id"] for one in rows if one["chain_id"] in chains}


def test_a_sample_says_what_was_drawn_and_what_to_do_next(built, tmp_path, capsys):
    out, err = said(capsys, 0, "sample", built, "--to", tmp_path / "sheets", "--raters", "A,B")
    rows = rows_of_sheet(tmp_path / "sheets" / "A.csv")
    assert f"{len(rows)} questions" in out
    assert "mine" in out and "chain/what_where" in out
    assert f"next: surgqa view {built} --root" in err and "surgqa review import" in err
    assert f"--sheet {tmp_path / 'sheets' / 'A.csv'} --sheet" in err
    assert sorted(one.name for one in (tmp_path / "sheets").iterdir()) == [
        "A.csv", "B.csv", "review.json",
    ]  # fmt: skip


def test_the_review_drops_chains_as_a_whole_and_single_questions(built, reviewed):
    _, layer, report = reviewed
    lost = lost_ids(built, layer)
    dropped = report["items"]["dropped"]
    assert len(lost) > dropped > report["units"]["dropped"] - 1 > 1
    assert report["units"]["reviewed"] == report["units"]["kept"] + report["units"]["dropped"]


def test_the_rebuild_differs_in_nothing_but_what_reviewers_left_out(built, reviewed, again):
    lost = lost_ids(built, reviewed[1])
    found = compare(OutputFolder(built), OutputFolder(again))
    assert found.count == found.total("only_a") == len(lost)
    assert {one.item_id for one in found.listed} == lost
    rows = left_out(again)
    assert {one["key"] for one in rows} == lost and len(rows) == len(lost)
    assert {one["code"] for one in rows} == {"reviewed"}
    for one in rows:
        assert (
            "left out by Dr A, Dr B and Dr C on 2026-11-21: question unclear (2 of 3)"
            in (one["reason"])
        )
    mates = [one for one in rows if one["reason"].startswith("another question of its chain")]
    assert len(mates) == len(lost) - sum(
        one["decision"] == "drop" for one in decisions(reviewed[1])
    )
    assert mates


def test_the_books_balance_and_the_manifest_tells_the_layer(again, reviewed):
    manifest = OutputFolder(again).manifest
    choose = manifest["books"][-1]
    assert choose["read"] == choose["kept"] + choose["rejected"]
    assert choose["rejected"] == manifest["review"]["left_out"] == len(left_out(again))
    assert choose["kept"] == sum(1 for _ in OutputFolder(again).rows())
    assert choose["kept"] == sum(one["total"] for one in manifest["items"].values())
    assert manifest["settings"]["review"] == manifest["review"]["sha256"]
    assert manifest["review"]["not_made"] == []
    assert manifest["review"]["decisions"] == reviewed[2]["items"]["reviewed"]
    report = (again / "report.html").read_text(encoding="utf-8")
    assert f'"decisions":{manifest["review"]["decisions"]}' in report


def test_a_build_without_review_says_nothing_of_one(built):
    manifest = OutputFolder(built).manifest
    assert "review" not in manifest and "review" not in manifest["settings"]
    assert '"decisions":' not in (built / "report.html").read_text(encoding="utf-8")


def test_workers_cache_and_the_order_of_the_layer_do_not_show(
    root, settings, built, again, reviewed, tmp_path
):
    expected = OutputFolder(again).manifest["digest"]
    layer, other, cache = reviewed[1], tmp_path / "layer.jsonl", tmp_path / "cache"
    other.write_bytes(b"".join(reversed(layer.read_bytes().splitlines(keepends=True))))
    assert build(root, tmp_path / "two", review=other, workers=2, **settings).digest == expected
    plain = build(root, tmp_path / "plain", cache=cache, **settings)
    assert plain.digest == OutputFolder(built).manifest["digest"]
    assert build(root, tmp_path / "out", cache=cache, review=layer, **settings).digest == expected


def test_a_run_file_names_the_layer_and_what_is_not_made_is_told(root, reviewed, tmp_path, capsys):
    # Without the template of chains, nothing of what was decided about chains is made.
    path, out = tmp_path / "run.yaml", tmp_path / "out"
    path.write_text(
        f"schema: run/v1\ndatasets: [{{name: cholect50, root: {root}}}]\nout: {out}\n"
        f"profile: paper\nreview: {reviewed[1]}\nonly: [{', '.join(SINGLE)}]\n",
        encoding="utf-8",
    )
    assert run(["build", str(path)]) == 0
    printed, err = capsys.readouterr()
    lost = sorted(one["item_id"] for one in decisions(reviewed[1]) if one["benchmark"] == "mine")
    review = OutputFolder(out).manifest["review"]
    assert review["not_made"] == lost and lost
    assert f"{len(lost)} review decision(s) refer to items that this build" in err
    assert f"such as {lost[0]}" in err
    shown = [line.split() for line in printed.splitlines()]
    assert ["choose", str(review["left_out"]), "reviewed"] in shown
    assert check_output(out).differences == 0
    report = (out / "report.html").read_text(encoding="utf-8")
    assert f'"not_made":{json.dumps(lost, separators=(",", ":"))}' in report
    assert str(reviewed[1]) not in (out / "config.yaml").read_text(encoding="utf-8")


def test_what_balance_drops_stays_the_same_and_is_told_once(root, settings, tmp_path):
    settings = settings | {"balance": {"modal_cap": 0.3}}
    build(root, tmp_path / "plain", **settings)
    over = {one["key"] for one in left_out(tmp_path / "plain")}
    kept = sorted(row["item_id"] for row in OutputFolder(tmp_path / "plain").rows())
    layer, wanted = tmp_path / "layer.jsonl", {kept[0], min(over)}
    layer.write_bytes(b"".join(line(item, "drop") for item in sorted(wanted)))
    build(root, tmp_path / "both", review=layer, **settings)
    rows = left_out(tmp_path / "both")
    codes = {one["key"]: one["code"] for one in rows}
    assert len(rows) == len(codes)
    chained = {key for key, code in codes.items() if code == "reviewed"}
    assert wanted <= chained
    assert {key for key, code in codes.items() if code == "over_cap"} == over - wanted
    assert OutputFolder(tmp_path / "both").manifest["books"][-1]["rejected"] == len(rows)


def test_the_same_import_again_and_another_into_the_same_file(built, reviewed, tmp_path, capsys):
    sheets, layer, _ = reviewed
    typed = ["import", built, sheets / "A.csv", "--reviewer", "Dr A", "--date", DATE, "--to"]
    out, err = said(capsys, 0, *typed, tmp_path / "one.jsonl")
    assert "there is only one rater" in out
    out, err = said(capsys, 0, *typed, tmp_path / "one.jsonl")
    assert "already contains these decisions" in err
    _, err = said(capsys, 2, *typed, layer)
    assert "holds something else" in err


def test_what_an_import_prints(built, reviewed, tmp_path, capsys):
    sheets, _, report = reviewed
    out, err = said(
        capsys, 0, "import", built, sheets / "C.tasks.json", sheets / "A.csv", sheets / "B.csv",
        "--reviewer", "Dr C", "--reviewer", "Dr A", "--reviewer", "Dr B", "--date", DATE,
        "--to", tmp_path / "layer.jsonl",
    )  # fmt: skip
    assert (tmp_path / "layer.jsonl").read_bytes() == reviewed[1].read_bytes()
    lines = [line.split() for line in out.splitlines()]
    units = report["units"]
    share = f"{100 * units['share_untouched']:.1f}"
    assert [
        "units",
        *(
            str(units[name])
            for name in ("reviewed", "kept", "dropped", "disputed", "contested", "untouched")
        ),
        share,
        "%",
    ] in lines
    told = "Cohen's kappa of pairs, Fleiss' of all"
    for what in (f"{told}, answer", f"{told}, valid or not", "the reference"):
        assert what in out
    assert "Dr A / Dr B" in out and "undefined: both raters always gave the same value" in out
    assert "next: build again with --review" in err
    known = {row["item_id"]: row["answer_key"] for row in OutputFolder(built).rows()}
    ids = [cells["id"].removeprefix("item ") for cells in rows_of_sheet(sheets / "A.csv")
           if cells["options"]]  # fmt: skip
    right = sum(known[item] == "A" for item in ids)
    assert report["accuracy"]["all"]["n"] == len(ids)
    assert report["accuracy"]["all"]["reviewers"]["Dr A"]["right"] == right


@pytest.mark.parametrize(
    ("line", "status", "said_"),
    [
        (["sample", "{out}", "--to", "{tmp}/s", "--as", "xlsx"], 2, "no format of sheets"),
        (["sample", "{out}", "--to", "{tmp}/s", "--share", "2"], 2, "not a share"),
        (["sample", "{tmp}", "--to", "{tmp}/s"], 2, "not a finished dataset"),
        (["import", "{out}", "{tmp}/A.csv", "--reviewer", "A", "--date", DATE, "--to",
          "{tmp}/l"], 3, "no record of the sample"),
        (["import", "{out}", "{tmp}/A.csv", "--reviewer", "A", "--date", DATE, "--to",
          "{tmp}/l", "--contested", "flip"], 2, "no value of --contested"),
        (["import", "{out}", "{tmp}/A.csv", "--date", DATE, "--to", "{tmp}/l"], 2, "--reviewer"),
    ],
)  # fmt: skip
def test_mistakes_have_a_status_and_no_traceback(built, tmp_path, capsys, line, status, said_):
    _, err = said(capsys, status, *(word.format(out=built, tmp=tmp_path) for word in line))
    assert said_ in err and "Traceback" not in err
    assert not (tmp_path / "l").exists()


def test_a_build_with_a_layer_that_is_not_there_or_is_none(root, tmp_path, capsys):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"item_id": 1}\n', encoding="utf-8")
    line = ["build", "--dataset", "cholect50", "--root", str(root), "--out", str(tmp_path / "out")]
    for layer, what in ((tmp_path / "no.jsonl", "is missing"), (broken, f"{broken}:1")):
        assert run([*line, "--review", str(layer)]) == 3
        assert what in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.nightly
def test_the_real_sample_makes_the_round(real_dataset, tmp_path, capsys):
    """The public three-video sample: drawn, judged, imported, rebuilt, proved."""
    root = real_dataset("cholect50-challenge-val")
    build(root, tmp_path / "out")
    said(capsys, 0, "sample", tmp_path / "out", "--to", tmp_path / "sheets")
    for rater in "ABC":
        fill(tmp_path / "sheets" / f"{rater}.csv", objecting)
    said(
        capsys, 0, "import", tmp_path / "out",
        *(tmp_path / "sheets" / f"{rater}.csv" for rater in "ABC"),
        "--reviewer", "A", "--reviewer", "B", "--reviewer", "C", "--date", DATE,
        "--to", tmp_path / "layer.jsonl",
    )  # fmt: skip
    build(root, tmp_path / "again", review=tmp_path / "layer.jsonl")
    lost = lost_ids(tmp_path / "out", tmp_path / "layer.jsonl")
    found = compare(OutputFolder(tmp_path / "out"), OutputFolder(tmp_path / "again"))
    assert found.count == found.total("only_a") == len(lost) == 3
    assert {one["key"] for one in left_out(tmp_path / "again")} == lost
    assert check_output(tmp_path / "again").differences == 0

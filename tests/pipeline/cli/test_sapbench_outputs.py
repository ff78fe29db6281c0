"""Items of sapbench from a build: jobs, export and import again, scores beside surgeons."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.exports.sapbench.statistics import figures
from surgqa.transforms.scoring.sapbench.report import is_ranked
from surgqa.transforms.steps.beside.action_clips import read_clips
from surgqa.transforms.store import OutputFolder
from tests.transforms.scoring.sapbench.gold import gold

Rows = list[dict]


@pytest.fixture(scope="module")
def root(sample_root: Path) -> Path:
    """Four made-up operations; the first has its pictures."""
    return sample_root


@pytest.fixture(scope="module")
def out(root: Path) -> Path:
    return _built(root, root.parent / "out")


def _built(root: Path, out: Path, **more) -> Path:
    dataset = {"name": "cholect50", "root": root, **more}
    build(load_run(None, {"datasets": [dataset], "out": out, "benchmarks": ["sapbench"]}))
    return out


@pytest.fixture(scope="module")
def rows(out: Path) -> Rows:
    return list(OutputFolder(out).rows("sapbench"))


def lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def asked(out: Path, tmp_path: Path) -> Callable[..., Rows]:
    def ask(*options: str) -> Rows:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        assert run(["jobs", str(out), "--to", str(path), *options]) == 0
        return lines(path)

    return ask


def test_a_job_shows_one_picture_without_a_caption(asked, rows: Rows) -> None:
    jobs = {job["item_id"]: job for job in asked()}
    assert jobs.keys() == {row["item_id"] for row in rows}
    for row in rows:
        job = jobs[row["item_id"]]
        assert job["frames"] == [{"time_us": row["query_us"], "caption": None}]
        assert "unanswerable" not in job["user"]
        assert (row["question"] in job["user"]) == (row["task"] != "future/next_action")


def test_settings_differ_by_what_they_say(asked) -> None:
    full, bare, short = asked(), asked("--manner", "no-system"), asked(
        "--benchmark", "sapbench", "--manner", "only-actions")  # fmt: skip
    assert all(job["system"] for job in full + short) and not any(job["system"] for job in bare)
    assert [job["user"] for job in bare] == [job["user"] for job in full]
    assert all(len(a["user"]) > len(b["user"]) for a, b in zip(full, short, strict=True))
    assert len({job["job_id"] for job in full + bare + short}) == 3 * len(full)


def test_own_texts(asked, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "guidelines.txt").write_text("- Look twice.\n")
    assert all("- Look twice." in job["system"] for job in asked("--prompts", str(folder)))


def test_a_setting_of_nothing_is_refused(out: Path, built: Path, capsys) -> None:
    command = ["jobs", str(built), "--to", "x", "--manner", "full"]
    assert run(command) == 2
    assert "the items that are asked have no prompts of their own" in capsys.readouterr().err
    assert run(["jobs", str(out), "--to", "x", "--benchmark", "surgcot", "--setting", "BL",
                "--manner", "full"]) == 2  # fmt: skip
    assert run(["jobs", str(out), "--to", "x", "--manner", "loud"]) == 2
    assert "full, no-system, only-actions" in capsys.readouterr().err


def test_infer_asks_with_the_pictures_that_there_are(
    root: Path, out: Path, tmp_path: Path, rows: Rows
) -> None:
    """A program that answers from the text alone is given picture and text, and is scored."""
    jobs, replies = tmp_path / "jobs.jsonl", tmp_path / "replies.jsonl"
    assert run(["jobs", str(out), "--to", str(jobs), "--manner", "only-actions"]) == 0
    mine = [line for line in jobs.read_bytes().splitlines(keepends=True) if b'"VID01"' in line]
    jobs.write_bytes(b"".join(mine))
    program = tmp_path / "model.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    job = json.loads(line)\n"
        "    assert len(job['images']) == 1 and job['images'][0]['caption'] is None\n"
        "    reply = 'A' if 'Plan:' in job['user'] else '1. Dissection\\n2. Coagulation'\n"
        "    print(json.dumps({'job_id': job['job_id'], 'response': reply}), flush=True)\n"
    )
    command = ["infer", str(jobs), "--command", f"python {program}", "--out", str(replies)]
    assert run([*command, "--root", f"cholect50={root}"]) == 0
    assert len(lines(replies)) == len(mine)
    assert run(["score", str(out), str(replies), "--json", str(tmp_path / "s.json")]) == 0
    told = json.loads((tmp_path / "s.json").read_text())["sapbench"]
    assert told["plans"]["counts"]["unparsed"] == told["ranked"]["counts"]["unparsed"] == 0
    assert told["ranked"]["counts"]["scored"] > 0


def test_export_and_import_of_the_clips_are_the_same(
    root: Path, out: Path, rows: Rows, tmp_path: Path
) -> None:
    to = tmp_path / "sap"
    assert run(["export", str(out), "--as", "sapbench", "--to", str(to)]) == 0
    table = to / "clips" / "cholect50.csv"
    again = _built(root, tmp_path / "again", action_clips=table)
    assert run(["export", str(again), "--as", "sapbench", "--to", str(tmp_path / "sap2")]) == 0
    assert (tmp_path / "sap2" / "clips" / "cholect50.csv").read_bytes() == table.read_bytes()
    told = json.loads((to / "statistics.json").read_text())
    assert told["all"] == figures(read_clips(table).read.videos).to_dict()
    labels = {(r["video"], r["frame_s"]): r["label"] for r in lines(to / "references.jsonl")}
    after = {(r["video"], r["frame_s"]): r["label"]
             for r in lines(tmp_path / "sap2" / "references.jsonl")}  # fmt: skip
    # Holes between derived clips are asked across once they count as people's.
    assert labels.items() <= after.items()


def test_samples_tell_no_answer_and_references_do(out: Path, rows: Rows, tmp_path: Path) -> None:
    to = tmp_path / "sap"
    assert run(["export", str(out), "--as", "sapbench", "--to", str(to)]) == 0
    samples, references = lines(to / "samples.jsonl"), lines(to / "references.jsonl")
    assert [s["item_id"] for s in samples] == [r["item_id"] for r in references]
    assert sorted(s["item_id"] for s in samples) == sorted(row["item_id"] for row in rows)
    for one in samples:
        assert set(one) == {
            "item_id", "task", "dataset", "video", "split", "frame_s", "picture", "messages",
            "messages_no_system", "messages_only_actions",
        }  # fmt: skip
        assert one["picture"] is None
        assert [m["role"] for m in one["messages"]] == ["system", "user"]
        assert [m["role"] for m in one["messages_no_system"]] == ["user"]
    by_id = {row["item_id"]: row for row in rows}
    for one in references:
        found = list(json.loads(by_id[one["item_id"]]["answer_value"]).values())
        assert one["derivation"] == {"origin": "action_clips"}
        assert one["clip"]["start_s"] == one["frame_s"] + 1
        assert [one["plan"] or one["label"]] == found
    told = json.loads((to / "export.json").read_text())
    assert any("--root cholect50=DIR" in remark for remark in told["remarks"])
    assert set(told["files"]) == {
        str(p.relative_to(to)) for p in to.rglob("*") if p.is_file() and p.name != "export.json"
    }


def test_exported_messages_may_have_own_texts(out: Path, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "process.txt").write_text("1. All at once.\n")
    command = ["export", str(out), "--as", "sapbench", "--to", str(tmp_path / "sap")]
    assert run([*command, "--prompts", str(tmp_path / "texts")]) == 0
    for one in lines(tmp_path / "sap" / "samples.jsonl"):
        assert "1. All at once." in one["messages"][0]["content"]


def test_pictures_are_those_of_the_current_frames(root: Path, out: Path, tmp_path: Path) -> None:
    to = tmp_path / "sap"
    command = ["export", str(out), "--as", "sapbench", "--to", str(to)]
    assert run([*command, "--root", f"cholect50={root}"]) == 0
    shown = {(s["video"], s["frame_s"]): s["picture"] for s in lines(to / "samples.jsonl")}
    assert {video for (video, _), path in shown.items() if path} == {"VID01"}
    for (video, second), path in shown.items():
        if video != "VID01":
            continue
        source = cv2.imread(str(root / "videos" / video / f"{second:06d}.png"))
        assert (cv2.imread(str(to / path)) == source).all()
    again = tmp_path / "again"
    assert run([*command[:-1], str(again), "--root", f"cholect50={root}"]) == 0
    files = [p.relative_to(to) for p in sorted(to.rglob("*")) if p.is_file()]
    assert all((again / name).read_bytes() == (to / name).read_bytes() for name in files)


def test_a_folder_without_the_pictures_is_refused(out: Path, tmp_path: Path, capsys) -> None:
    command = ["export", str(out), "--as", "sapbench", "--to", str(tmp_path / "sap")]
    assert run([*command, "--root", f"cholect50={tmp_path}"]) == 3
    assert "videos/VID01" in capsys.readouterr().err
    assert not (tmp_path / "sap").exists()


def test_gold_is_one_and_surgeons_stand_beside_it(
    out: Path, rows: Rows, tmp_path: Path, capsys
) -> None:
    replies, sheets = tmp_path / "gold.jsonl", {}
    ranked = [row for row in rows if is_ranked(row)]
    answers = {row["item_id"]: row["answer_key"] for row in rows}
    answers |= {key: reply for row in ranked for (key, _), reply in gold(row).items()}
    replies.write_text(
        "".join(json.dumps({"item_id": k, "response": v}) + "\n" for k, v in answers.items())
    )
    for name in "AB":
        sheets[name] = tmp_path / f"{name}.csv"
        body = [
            f"{row['item_id']},{name},Dissection\n" for row in ranked[: 5 if name == "A" else 4]
        ]
        sheets[name].write_text("item_id,surgeon,action\n" + "".join(body))
    command = ["score", str(out), str(replies), "--json", str(tmp_path / "scores.json")]
    for name, path in sheets.items():
        command += ["--surgeon", f"{name}={path}"]
    assert run(command) == 0
    told = json.loads((tmp_path / "scores.json").read_text())["sapbench"]
    assert {share["percent"] for group in told["ranked"]["groups"] for share in group["shares"]
            if share["of"]} == {100.0}  # fmt: skip
    assert {share["percent"] for group in told["plans"]["groups"] for share in group["shares"]} == {
        100.0
    }
    assert {one["reference"] for one in told["ranked"]["surgeons"]} == {"video", "A", "B", "A or B"}
    printed = capsys.readouterr()
    assert "sapbench.next_action_history" in printed.out and "plans of 2" in printed.out
    assert f"{len(ranked) - 4} items were not answered by every surgeon" in printed.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["A"], "not a surgeon's sheet"),
        (["A=a.csv", "A=a.csv"], "named twice"),
        (["C=ab.csv"], "does not say what C chose"),
    ],
)
def test_sheets_that_nobody_can_be_told_from(
    out: Path, tmp_path: Path, capsys, monkeypatch, given: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text("")
    Path("a.csv").write_text("item_id,surgeon,action\nx,A,Dissection\n")
    Path("ab.csv").write_text("item_id,surgeon,action\nx,A,Dissection\nx,B,Dissection\n")
    options = [part for one in given for part in ("--surgeon", one)]
    assert run(["score", str(out), "p.jsonl", *options]) == 2
    assert message in capsys.readouterr().err

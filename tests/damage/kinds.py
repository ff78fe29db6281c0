"""Every kind of file that surgqa reads: how to make a good one, and which command reads it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from surgqa.ontology.errors import EXIT_BUG
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import load_run
from surgqa.pipeline.plan import plan
from surgqa.transforms import registry
from surgqa.transforms.exports.surgveo.write import write as export_surgveo
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.rounds import Project
from surgqa.transforms.language import templates_folder
from surgqa.transforms.steps.tasks import AskSettings, part_folder
from surgqa.transforms.steps.video import DONE, ask_videos
from surgqa.transforms.store import OutputFolder
from tests.damage.tries import Kind, as_command
from tests.fixtures.scenes.scenes import Scene
from tests.pipeline.cli.test_study import fill as fill_study
from tests.pipeline.cli.test_study import saved as save_study
from tests.pipeline.test_anomalies import anomaly
from tests.readers.made import cholect50
from tests.transforms.exports.surgveo import made
from tests.transforms.labelling import conftest as labelling
from tests.transforms.review.conftest import fill, fill_tasks

BENCHMARKS = ("surgstu", "medstream", "surgcot", "sapbench", "surgveo")
ALL = ",".join(BENCHMARKS)

# ---- label files: every reader's sample, through planning, reading and asking


def ask_about(folder: Path, draw: Random, dataset: dict, **more) -> int:
    """Plan a run and ask about its videos, without an engine and without an output folder."""

    def work() -> None:
        config = load_run(None, {
            "datasets": [dataset], "benchmarks": [draw.choice(BENCHMARKS)],
            "out": str(folder / "out"), "limit": 2, **more,
        })  # fmt: skip
        todo = plan(config)
        work_folder = folder / "work"
        (work_folder / DONE).mkdir(parents=True)
        settings = AskSettings(todo.templates, config.seed, config.shares, str(work_folder))
        for task in todo.videos:
            ask_videos((task,), settings)
            info = json.loads((work_folder / DONE / task.part).read_bytes())
            if info["failed"]:
                sys.stderr.write("error: " + "\n".join(info["failed"]))
                assert info["failed"][0]
                continue
            assert not info["unbalanced"], info["unbalanced"]
            assert part_folder(settings, task).is_dir()

    return as_command(work)


def labels(name: str) -> Kind:
    """The label files of one reader's sample."""

    def make(folder: Path) -> None:
        (folder / "root").mkdir()
        registry.load_sample(name)(folder / "root")

    def read(folder: Path, draw: Random) -> int:
        return ask_about(folder, draw, {"name": name, "root": str(folder / "root")})

    return Kind(f"labels/{name}", make, ("root/**/*",), read)


# ---- what lies beside labels


def operations(folder: Path) -> Path:
    """Two made-up operations in CholecT50's layout, without pictures."""
    (folder / "root").mkdir()
    cholect50.write(folder / "root", pictures=None)
    return folder / "root"


CLIPS = [("VID01", 0, 9, "Dissection"), ("VID01", 10, 13, "Vessel Clipping"),
         ("VID01", 14, 29, "Dissection"), ("VID02", 5, 14, "Aspiration")]  # fmt: skip


def make_clips(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    operations(folder)
    lines = ["video,start,end,action", *(",".join(map(str, row)) for row in CLIPS)]
    (folder / "clips.csv").write_text("\n".join(lines) + "\n")
    rows = [dict(zip(("video", "start", "end", "action"), row, strict=True)) for row in CLIPS]
    pq.write_table(pa.Table.from_pylist(rows), folder / "clips.parquet")


def read_clips(folder: Path, draw: Random) -> int:
    path = str(folder / f"clips.{draw.choice(('csv', 'parquet'))}")
    if draw.random() < 0.5:
        return run(["actions", path])
    more = {"name": "cholect50", "root": str(folder / "root"), "action_clips": path}
    return ask_about(folder, draw, more)


def make_anomalies(folder: Path) -> None:
    operations(folder)
    (folder / "rois").mkdir()
    told = {"video_metadata": {"fps": 25, "width": 1920, "height": 1080},
            "anomaly_evidence": {"anomalies": [anomaly(750)]}}  # fmt: skip
    (folder / "rois" / "VID01.json").write_text(json.dumps(told))


def read_anomalies(folder: Path, draw: Random) -> int:
    more = {"name": "cholect50", "root": str(folder / "root"), "anomalies": str(folder / "rois")}
    return ask_about(folder, draw, more)


# ---- run files and templates


def build(out: Path, line: list[str]) -> int:
    """Build; what ends well has balanced books, whatever else it says of itself."""
    status = run(["-q", "build", *line, "--out", str(out)])
    if status == 0 and (out / "manifest.json").is_file():
        books = json.loads((out / "manifest.json").read_bytes())["books"]
        wrong = [b for b in books if b["read"] != b["kept"] + b["rejected"] + b["failed"]]
        if wrong or not books:
            sys.stderr.write(f"error: the books do not balance: {wrong or 'there are none'}")
            return EXIT_BUG
    return status


RUN = """schema: run/v1
datasets:
  - {name: cholect50, root: root, videos: [VID01], exclude: [], rate: "1"}
benchmarks: [surgstu, medstream]
profile: current
seed: 42
only: []
shares: {train: 0.8, val: 0.1, test: 0.1}
balance: {modal_cap: 0.5}
mix: {retrospective: 0.75, present: 0.06, unanswerable: 0.3}
limit: 3
formats: [parquet, jsonl]
shard_rows: 100
max_failed: 0
workers: 1
out: out
"""


def make_run(folder: Path) -> None:
    operations(folder)
    (folder / "run.yaml").write_text(RUN)


def read_run(folder: Path, draw: Random) -> int:
    there = f"root: {folder}/root".encode()
    text = (folder / "run.yaml").read_bytes()
    (folder / "run.yaml").write_bytes(text.replace(b"root: root", there))
    dry = ["--dry-run"] * (draw.random() < 0.9)
    return build(folder / "out", [str(folder / "run.yaml"), "--workers", "1", *dry])


TEMPLATES = ("surgstu/locate.yaml", "surgstu/counting_distinct.yaml", "medstream/set_now.yaml",
             "medstream/alert.yaml", "sapbench", "surgveo", "surgcot")  # fmt: skip


def make_templates(folder: Path) -> None:
    operations(folder)
    for name in TEMPLATES:
        source = templates_folder() / name
        files = sorted(source.glob("*.yaml"))[:2] if source.is_dir() else [source]
        for file in files:
            target = folder / "templates" / file.relative_to(templates_folder())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    shutil.copytree(str(templates_folder() / "examples"), folder / "templates" / "examples")


def read_templates(folder: Path, draw: Random) -> int:
    if draw.random() < 0.6:
        return run(["lint", str(folder / "templates")])
    more = {"name": "cholect50", "root": str(folder / "root")}
    groups = sorted(p.name for p in (folder / "templates").iterdir())
    return ask_about(folder, draw, more, templates=str(folder / "templates"), benchmarks=groups)


# ---- a finished output, and what is read beside it


def make_output(folder: Path) -> None:
    """A copy of what is finished once for all kinds that lie beside one another."""
    made = folder.parent / "finished"
    if not made.is_dir():
        made.mkdir()
        finish(made)
    shutil.copytree(made, folder, dirs_exist_ok=True)


def finish(folder: Path) -> None:
    """An output, and what is made of it."""
    root = operations(folder)
    assert run(["-q", "build", "--dataset", "cholect50", "--root", str(root), "--benchmark", ALL,
                "--out", str(folder / "out"), "--cache", str(folder / "cache")]) == 0  # fmt: skip
    shutil.copytree(folder / "out", folder / "other")
    rows = OutputFolder(folder / "out").rows(None, ["item_id", "answer", "rounds"])
    with (folder / "p.jsonl").open("w") as file:
        for row in rows:
            rounds = [r.get("index", k) for k, r in enumerate(row["rounds"])] or [None]
            for k in rounds:
                line = {"item_id": row["item_id"], "round_index": k, "response": row["answer"]}
                file.write(json.dumps(line) + "\n")
    assert run(["jobs", str(folder / "out"), "--to", str(folder / "jobs.jsonl")]) == 0
    assert run(infer(folder)) in (0, 4)


def infer(folder: Path) -> list[str]:
    """Ask a model that gives one answer to all, without the time that Python takes to start."""
    return ["infer", str(folder / "jobs.jsonl"), "--command", "sed -u 's/^{/{\"response\":\"A\",/'",
            "--without-images", "--out", str(folder / "answers.jsonl")]  # fmt: skip


OUT_COMMANDS: dict[str, list[str]] = {
    "check": [], "score": ["{}/p.jsonl"], "diff": ["{}/other"], "jobs": ["--to", "{}/j2.jsonl"],
    "explain": ["ID"], "export surgcot": [], "export medstreambench": [], "export sapbench": [],
    "export surgveo": [], "actions": [], "view": ["--static", "{}/page"],
    "review": ["--to", "{}/sheets", "--raters", "A,B"],
}  # fmt: skip


def read_output(folder: Path, draw: Random) -> int:
    command = draw.choice(list(OUT_COMMANDS))
    if command == "explain":
        lines = (folder / "p.jsonl").read_text().splitlines()
        ids = [json.loads(line)["item_id"] for line in lines]
        return run(["explain", str(folder / "out"), draw.choice(ids),
                    *draw.choice([[], ["--sql"]])])  # fmt: skip
    if command == "review":
        more = [word.format(folder) for word in OUT_COMMANDS[command]]
        return run(["review", "sample", str(folder / "out"), *more])
    name, _, form = command.partition(" ")
    more = ["--as", form, "--to", str(folder / "to")] if form else OUT_COMMANDS[command]
    return run([name, str(folder / "out"), *(word.format(folder) for word in more)])


def read_predictions(folder: Path, draw: Random) -> int:
    return run(["score", str(folder / "out"), str(folder / "p.jsonl")])


def read_jobs(folder: Path, draw: Random) -> int:
    (folder / "answers.jsonl.journal").unlink()
    return run(infer(folder))


def read_journal(folder: Path, draw: Random) -> int:
    return run(infer(folder))


def read_cached(folder: Path, draw: Random) -> int:
    line = ["--dataset", "cholect50", "--root", str(folder / "root"), "--benchmark", ALL]
    status = build(folder / "again", [*line, "--cache", str(folder / "cache")])
    made, known = (folder / name / "manifest.json" for name in ("again", "out"))
    if status == 0 and made.read_bytes() != known.read_bytes():
        sys.stderr.write("error: a damaged cache changed the output")
        return EXIT_BUG
    return status


def make_release(folder: Path) -> None:
    make_output(folder)
    line = ["export", str(folder / "out"), "--as", "medstreambench", "--to", str(folder / "to")]
    assert run(line) == 0


def read_release(folder: Path, draw: Random) -> int:
    return run(["check", str(folder / "to")])


# ---- what people fill in

SIGNED = ["--date", "2026-11-21"]


def make_review(folder: Path) -> None:
    make_output(folder)
    line = ["review", "sample", str(folder / "out"), "--to", str(folder / "sheets"), "--share",
            "0.3", "--as", "csv,label-studio", "--raters", "A,C"]  # fmt: skip
    assert run(line) == 0

    def answer(cells: dict[str, str]) -> dict[str, str]:
        return {"valid": "yes", "answer": "A" if cells["options"] else ""}

    fill(folder / "sheets/A.csv", answer)
    fill_tasks(folder / "sheets/C.tasks.json", answer)
    assert run(review_import(folder, "layer.jsonl")) == 0


def review_import(folder: Path, to: str) -> list[str]:
    return ["review", "import", str(folder / "out"), str(folder / "sheets/A.csv"),
            str(folder / "sheets/C.tasks.json"), "--reviewer", "A", "--reviewer", "C", *SIGNED,
            "--to", str(folder / to)]  # fmt: skip


def read_review(folder: Path, draw: Random) -> int:
    return run(review_import(folder, "again.jsonl"))


def read_layer(folder: Path, draw: Random) -> int:
    line = ["--dataset", "cholect50", "--root", str(folder / "root"), "--benchmark", "surgstu"]
    dry = ["--dry-run"] * (draw.random() < 0.5)
    return build(folder / "next", [*line, "--review", str(folder / "layer.jsonl"), *dry])


SAMPLES = [made.sample("autolaparo", "01", 0)]


def make_study(folder: Path) -> None:
    roots = made.recordings(folder / "films", SAMPLES)
    built = OutputFolder(made.finished(folder / "built", SAMPLES))
    (folder / "samples").mkdir()
    export_surgveo(built, folder / "samples", {"autolaparo": roots / "autolaparo"})
    videos = made.generated(folder / "generated", SAMPLES)
    line = ["study", "new", str(folder / "samples"), "--videos", str(videos), "--raters",
            "laparoscopic=anna,cleo", "--name", "pilot", "--to", str(folder / "study")]  # fmt: skip
    assert run(line) == 0
    for gone in ("films", "generated", "study/sheets/videos", "samples/references"):
        shutil.rmtree(folder / gone, ignore_errors=True)
    key = json.loads((folder / "study/study.json").read_bytes())
    fill_study(folder / "study/sheets/anna.csv", folder / "anna.csv", key)
    save_study(folder / "study/sheets/cleo.csv", folder / "cleo.json", key)
    assert run(study_import(folder, "scores.csv")) == 0


def study_import(folder: Path, to: str) -> list[str]:
    return ["study", "import", str(folder / "study"), str(folder / "anna.csv"),
            str(folder / "cleo.json"), "--to", str(folder / to)]  # fmt: skip


def read_study(folder: Path, draw: Random) -> int:
    return run(study_import(folder, "again.csv"))


def read_scores(folder: Path, draw: Random) -> int:
    study = ["--study", str(folder / "study")]
    if draw.random() < 0.5:
        return run(["study", "verify", str(folder / "scores.csv"), *study])
    return run(["study", "report", str(folder / "scores.csv"), *study, "--to", str(folder / "to")])


def corrections(form: str) -> Kind:
    """Corrected boxes as a labelling tool exports them."""

    def make(folder: Path) -> None:
        scenes = {f"VID{n:02d}": Scene(n, 20, 1, labelling.SIZE, ("grasper", "hook", "clipper"),
                                       busy=0.7) for n in range(2)}  # fmt: skip
        media = folder / "media"
        for video_id, scene in scenes.items():
            (media / video_id).mkdir(parents=True)
            for second in range(scene.frames):
                _picture(media / video_id / f"{second:06d}.png", scene, second)
        boxes = {video_id: labelling.mistaken(scene) for video_id, scene in scenes.items()}
        labelling.write_store(folder / "store", boxes, media=media)
        line = ["label", "choose", str(folder / "store"), "--out", str(folder / "round"),
                "--no-blur", "--count", "4", "--as", form]  # fmt: skip
        assert run(line) == 0
        sheet = labelling.perfect(Project(folder / "store").round(1).sheet, scenes)
        (folder / "back").mkdir()
        load(form).write(sheet, folder / "back")

    def read(folder: Path, draw: Random) -> int:
        found = sorted(p for p in (folder / "back").iterdir() if p.is_file())
        target = folder / "back" if form == "yolo" else found[0]
        return run(["label", "import", str(folder / "store"), str(target), "--as", form, *SIGNED,
                    "--reviewer", "A"])  # fmt: skip

    patterns = ("back/**/*", "back/**/*", "store/**/*.json") if form == "coco" else ("back/**/*",)
    return Kind(f"corrections/{form}", make, patterns, read)


def _picture(path: Path, scene: Scene, second: int) -> None:
    import cv2

    cv2.imwrite(str(path), labelling.painted(scene, second)[..., ::-1])


Read = Callable[[Path, Random], int]
OTHERS: tuple[Kind, ...] = (
    Kind("run file", make_run, ("run.yaml",), read_run),
    Kind("template", make_templates, ("templates/**/*.yaml",), read_templates),
    Kind("table of clips", make_clips, ("clips.*",), read_clips),
    Kind("anomalies", make_anomalies, ("rois/*",), read_anomalies),
    Kind("output", make_output, ("out/**/*",), read_output),
    Kind("predictions", make_output, ("p.jsonl",), read_predictions),
    Kind("jobs", make_output, ("jobs.jsonl",), read_jobs),
    Kind("journal", make_output, ("answers.jsonl.journal",), read_journal),
    Kind("cached part", make_output, ("cache/**/*",), read_cached),
    Kind("release", make_release, ("to/**/*",), read_release),
    Kind("review sheet", make_review, ("sheets/A.csv", "sheets/C.tasks.json", "sheets/review.json"),
         read_review),
    Kind("review layer", make_review, ("layer.jsonl",), read_layer),
    Kind("study sheet", make_study, ("anna.csv", "cleo.json", "study/study.json"), read_study),
    Kind("study scores", make_study, ("scores.csv", "study/study.json"), read_scores),
    *(corrections(form) for form in ("cvat", "coco", "label-studio", "yolo")),
)  # fmt: skip
KINDS: tuple[Kind, ...] = (*OTHERS, *OTHERS, *map(labels, registry.datasets()))
"""Each of the others twice: about as many tries for them as for the readers."""

"""Task folders of evaluation frameworks: a stub's score is what ``surgqa score`` says of it."""

from __future__ import annotations

import csv
import gc
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from surgqa.ontology.keys import h64
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.run import build
from surgqa.transforms.exports.evaluating import EvaluationTask
from surgqa.transforms.scoring import asked_of, load_predictions, score_dataset
from surgqa.transforms.store import OutputFolder
from tests.conftest import NIGHTLY
from tests.pipeline.conftest import configure
from tests.readers.made import cholect50
from tests.transforms.exports.talked import rows, write_media, write_output


def said(doc: dict[str, Any]) -> str:
    """What the stub says: of about half of the questions the right answer."""
    return doc["answer"] if h64(doc["id"]) % 2 else "A"


ODD = next(str(k) for k in range(9) if h64(str(k)) % 2)
"""An id of which the stub says the answer."""


def exported(out: Path, name: str, to: Path, *more: str) -> Path:
    assert run(["export", str(out), "--as", name, "--to", str(to), *more]) == 0
    return to


def score_of(out: Path, docs: list[dict[str, Any]], scratch: Path) -> dict[str, Any]:
    """What ``surgqa score`` says of the stub's replies, its headlines to the last digit."""
    lines = [{"item_id": doc["item_id"], "response": said(doc),
              "round_index": None if doc["round_index"] < 0 else doc["round_index"]}
             for doc in docs]  # fmt: skip
    predictions, scores = scratch / "p.jsonl", scratch / "scores.json"
    text = "".join(json.dumps(line) + "\n" for line in lines)
    predictions.write_text(text, encoding="utf-8")
    (scratch / "p.jsonl.asked").write_text(text, encoding="utf-8")
    assert run(["score", str(out), str(predictions), "--json", str(scores)]) == 0
    told: dict[str, Any] = json.loads(scores.read_bytes())
    exact = score_dataset(
        OutputFolder(out).rows(), load_predictions(predictions), asked=asked_of(predictions, None)
    ).headlines()
    assert {name: round(one, 6) for name, one in exact.items()} == told["headlines"]
    return told | {"headlines": exact}


def loaded(path: Path) -> ModuleType:
    """A file of an export, as a framework imports it."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def desk(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``surgstu`` as ``out``, of more operations at night, and some units as ``mixed``."""
    desk = tmp_path_factory.mktemp("tasks")
    if NIGHTLY:
        (desk / "cholect50").mkdir()
        cholect50.write(desk / "cholect50", procedures=12)
        build(configure(desk / "cholect50", desk / "out"))
    else:
        (desk / "out").symlink_to(built)
    typed = [
        row | {"answer_value": json.dumps({"value": row["answer"]}), "rule_args": json.dumps(
            {"answer": {"value": {"type": "label", "of": "instrument"}}, "scorer": ""})}
        for row in rows()[:3]
    ]  # fmt: skip
    write_output(desk / "mixed", [*typed, rows()[6]])
    write_media(desk / "root")
    return desk


def seeing(told):
    """A report without the guesser that never looks, which 'surgqa score' sets beside."""
    groups = [
        {key: one for key, one in group.items() if key != "blind"} for group in told["groups"]
    ]
    headlines = {name: round(one, 6) for name, one in told["headlines"].items()}
    return {**told, "groups": groups, "headlines": headlines, "blind": {}}


@pytest.mark.parametrize("name", ["lm-eval", "lmms-eval"])
def test_a_task_s_functions_give_the_score(desk, tmp_path, name):
    to = exported(desk / "out", name, tmp_path / "task")
    module, docs = loaded(to / "surgqa_task.py"), list(EvaluationTask(to).docs())
    assert len(docs) >= (500 if NIGHTLY else 250)
    found: dict[str, list] = {}
    for doc in docs:
        for metric, one in module.results(doc, [said(doc)]).items():
            found.setdefault(metric, []).append(one)
    told = score_of(desk / "out", docs, tmp_path)
    scores = {metric: getattr(module, metric)(answers) for metric, answers in found.items()}
    assert scores == {f"score_{key}": one for key, one in told["headlines"].items()}
    report = module.task.report(found["score_surgstu"])
    assert seeing(report.to_dict()) == seeing({**told, "asked": report.asked.to_dict()})
    assert 0.2 < scores["score_surgstu"] < 0.9


def test_streams_and_pictures_are_asked_one_by_one(desk, tmp_path):
    more = ("--root", f"made={desk / 'root'}", "--media", "frames", "--size", "64")
    to = exported(desk / "mixed", "lmms-eval", tmp_path / "task", *more)
    module = loaded(to / "surgqa_task.py")
    docs = {doc["id"]: doc for doc in module.task.docs()}
    assert sorted(doc["round_index"] for doc in docs.values()) == [-1, -1, 0, 1, 2]
    last = docs[f"{7:032x}.2"]
    pictures = module.visuals(last)
    assert [round(one.getpixel((3, 3))[0] / 6) for one in pictures] == [20, 22, 24, 26, 28, 30]
    kinds = [part["type"] for part in module.chat(last)[1]["content"]]
    assert kinds == ["text", "image"] * 6 + ["text"]
    assert module.tagged(last).count("<image>") == 6
    answers = [module.results(doc, [said(doc)]) for doc in docs.values()]
    found = {name: getattr(module, name)([one[name] for one in answers]) for name in answers[0]}
    told = score_of(desk / "mixed", list(docs.values()), tmp_path)
    assert found == {
        "score_" + name.replace(", ", "_"): one for name, one in told["headlines"].items()
    }


def test_vlmevalkit_s_table_and_class(desk, tmp_path):
    to = exported(desk / "out", "vlmevalkit", tmp_path / "task")
    with (to / "surgqa.tsv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    module = loaded(to / "surgqa_dataset.py")
    docs = list(module.task.docs())
    dataset = module.SurgqaDataset()
    assert len(dataset) == len(lines) == len(docs)
    assert {one["type"] for one in dataset.build_prompt(0)} == {"text"}
    table = dataset.data.assign(prediction=[said(doc) for doc in docs])
    table.to_csv(tmp_path / "said.tsv", sep="\t", index=False)
    found = module.SurgqaDataset.evaluate(tmp_path / "said.tsv")
    assert found == score_of(desk / "out", docs, tmp_path)["headlines"]


def test_a_format_says_what_it_can_show(desk, tmp_path, capsys):
    line = ["export", str(desk / "out"), "--as", "lm-eval", "--to", str(tmp_path / "x")]
    assert run([*line, "--media", "clips"]) == 2
    assert "lm-eval cannot show clips" in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_lm_eval_gives_the_same_score(desk, tmp_path, monkeypatch):
    pytest.importorskip("lm_eval", reason="'make consumers' installs it")
    from lm_eval.api.model import LM
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.tasks import TaskManager

    to = exported(desk / "out", "lm-eval", tmp_path / "task")
    docs = list(EvaluationTask(to).docs())

    class Stub(LM):
        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests):
            return [said(request.doc) for request in requests]

    manager = TaskManager(include_path=str(to), include_defaults=False)
    done = simple_evaluate(model=Stub(), tasks=["surgqa_surgstu"], task_manager=manager)
    told = score_of(desk / "out", docs, tmp_path)["headlines"]["surgstu"]
    found = done["results"]["surgqa_surgstu"]["score_surgstu,none"]
    assert found == told and done["n-samples"]["surgqa_surgstu"]["effective"] == len(docs)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("simple", [True, False])
def test_lmms_eval_gives_the_same_score(desk, tmp_path, monkeypatch, simple):
    pytest.importorskip("torch", reason="'make fetch-models' installs it")
    pytest.importorskip("lmms_eval", reason="'make consumers' installs it")
    from lmms_eval.api.model import lmms
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    to = exported(desk / "out", "lmms-eval", tmp_path / "task")
    docs = list(EvaluationTask(to).docs())
    monkeypatch.chdir(to)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))

    class Stub(lmms):
        is_simple = simple

        def generate_until(self, requests):
            *_, at, task, split = zip(*(one.args for one in requests), strict=True)
            return [said(self.task_dict[t][s][k]) for k, t, s in zip(at, task, split, strict=True)]

        def loglikelihood(self, requests):
            raise NotImplementedError

        generate_until_multi_round = loglikelihood

    manager = TaskManager(include_path=str(to), include_defaults=False)
    done = simple_evaluate(model=Stub(), tasks=["surgqa_surgstu"], task_manager=manager)
    told = score_of(desk / "out", docs, tmp_path)["headlines"]["surgstu"]
    found = done["results"]["surgqa_surgstu"]["score_surgstu,none"]
    assert found == told and done["n-samples"]["surgqa_surgstu"]["effective"] == len(docs)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_inspect_gives_the_same_score(desk, tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai", reason="'make consumers' installs it")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    to = exported(desk / "out", "inspect", tmp_path / "task")
    docs = list(EvaluationTask(to).docs())
    module = loaded(to / "surgqa_inspect.py")
    sys.modules[module.__name__] = module
    task = module.surgqa("surgstu")
    by_text: dict[str, list[str]] = {}
    for doc, sample in zip(docs, task.dataset, strict=True):
        by_text.setdefault(sample.input[-1].text, []).append(said(doc))

    def reply(messages, *_):
        said = ModelOutput.from_content("stub", by_text[messages[-1].text][0])
        said.usage = ModelUsage()  # or tokens are counted, with a table from the network
        return said

    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"),
                             log_format="json", display="none")  # fmt: skip
    assert log.status == "success", log.error
    replies = ((doc["item_id"], doc["round_index"], by_text[sample.input[-1].text][0])
               for doc, sample in zip(docs, task.dataset, strict=True))  # fmt: skip
    metrics = log.results.scores[0].metrics
    found = {name: one.value for name, one in metrics.items()}
    assert found == EvaluationTask(to).report(replies).headlines()
    # Questions that read the same get the same reply here.
    said_of = [doc | {"answer": by_text[sample.input[-1].text][0], "id": ODD}
               for doc, sample in zip(docs, task.dataset, strict=True)]  # fmt: skip
    assert found == score_of(desk / "out", said_of, tmp_path)["headlines"]
    gc.collect()  # the streams that the package leaves open, while warnings are ignored

"""Rankings of options: how they are read, and recall@k."""

from __future__ import annotations

import orjson

from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.ranking import read_ranking
from tests.each import cases

OPTIONS = (("A", "dissect"), ("B", "clip"), ("C", "cut"), ("D", "coagulate"))


def row(name: str, right: str = "B", video: str = "v1", top: int = 3) -> dict:
    types = {"x": {"type": "label", "of": "verb"}}
    return {
        "item_id": name, "benchmark": "mine", "task": "future/next", "template_id": "mine.next",
        "dataset": "d", "video_id": video, "start_us": 0, "end_us": 10, "answer_key": right,
        "answer": f"{right}) {dict(OPTIONS)[right]}", "rounds": [], "form": "choice", "unit": "now",
        "options": [{"key": key, "text": text, "kind": "x"} for key, text in OPTIONS],
        "answer_value": orjson.dumps({"x": dict(OPTIONS)[right]}).decode(), "rule": "only",
        "rule_args": orjson.dumps({"answer": types, "ranked": {"top": top}}).decode(),
    }  # fmt: skip


@cases(
    ("text", "keys"),
    [("B", "B"), ("1. clip\n2. cut\n3. dissect", "BCA"), ("clip > cut > coagulate", "BCD"),
     ("B, C, A", "BCA"), ("- (C) cut\n- (B) clip", "CB"), ('["cut", "clip"]', "CB"),
     ("clip; clip; cut", "BC"), ("qwertz", ""), ("", "")],
)  # fmt: skip
def test_a_ranking_however_it_is_written(text, keys):
    assert "".join(read_ranking(text, OPTIONS)) == keys


def test_recall_at_each_rank():
    rows = [row("a"), row("b", video="v2"), row("c", video="v3"), row("d", video="v4")]
    replies = {"a": "B", "b": "A, B", "c": "A, C, B, D", "d": "D, C, A"}
    report = score_dataset(rows, {(n, None): text for n, text in replies.items()}, replicates=20)
    told = report.own["mine, rankings"]
    assert told.recalls("mine.next") == [(0.25, 0.25), (0.5, 0.5), (0.75, 0.75)]
    assert told.counts() == {"items": 4, "scored": 4, "unparsed": 0, "missing": 0}
    ((title, table),) = told.titled("mine, rankings")
    assert title == "mine, rankings" and [line[1] for line in table[1:]] == [1, 2, 3]
    assert not told.remarks("x") and not report.groups


def test_what_names_no_option_is_counted():
    rows = [row("a"), row("b", top=1)]
    told = score_dataset(rows, {("a", None): "qwertz"}).own["mine, rankings"]
    assert told.counts() == {"items": 2, "scored": 0, "unparsed": 1, "missing": 1}
    assert told.to_dict()["recalls"]["mine.next"][0] == {"k": 1, "recall": 0.0, "chance": 0.25}
    assert len(told.remarks("mine")) == 2

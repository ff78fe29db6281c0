"""``surgqa score`` as it is typed, where only a part was asked."""

from __future__ import annotations

import json
import re
import sys

from tests.pipeline.cli.test_infer import said
from tests.transforms.inference.conftest import finished, row, streaming  # noqa: F401 - a fixture

RIGHT = """
import json, sys
answers = json.load(open(sys.argv[1]))
for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps({"job_id": job["job_id"], "response": answers[job["job_id"]]}), flush=True)
"""


def test_twenty_perfect_answers_score_a_hundred(finished, tmp_path, capsys):  # noqa: F811
    right = '{"kind":"phase","label":"clipping"}'
    rows = [row(n, answer="A) clipping", answer_value=right) for n in range(60)]
    out, path, answers = finished(rows), tmp_path / "jobs.jsonl", tmp_path / "right.json"
    said(capsys, 0, "jobs", out, "--to", path, "--limit", 20)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    answers.write_text(json.dumps({one["job_id"]: "A" for one in lines}))
    (tmp_path / "model.py").write_text(RIGHT)
    predicted, written = tmp_path / "p.jsonl", tmp_path / "s.json"
    said(capsys, 0, "infer", path, "--command", f"{sys.executable} {tmp_path}/model.py {answers}",
         "--without-images", "--out", predicted)  # fmt: skip

    def scored(*more: object) -> tuple[str, str, dict]:
        text, err = said(capsys, 0, "score", out, predicted, "--json", written, *more)
        scores = json.loads(written.read_text())
        (overall,) = (g for g in scores["medstream"]["groups"] if g["kind"] == "overall")
        return text, err, scores | {"overall": overall}

    text, err, scores = scored()
    assert scores["overall"]["overall"] == 1 and scores["overall"]["items"] == 20
    assert (scores["asked"]["items"], scores["asked"]["asked"]) == (60, 20)
    assert "20 of 60 items were asked" in err and re.search(
        r"^medstream +20 +60 +33.33 +0$", text, re.M
    )

    # Leaving lines out hides nothing, and without the record all the rest counts as well.
    predicted.write_text("".join(predicted.read_text().splitlines(keepends=True)[:10]))
    _, err, scores = scored()
    assert scores["overall"]["overall"] == 0.5 and scores["overall"]["missing"] == 10
    (tmp_path / "p.jsonl.asked").unlink()
    _, err, scores = scored()
    assert scores["overall"]["missing"] == 50 and scores["asked"] is None and "--jobs FILE" in err
    _, err, scores = scored("--jobs", path)
    assert scores["overall"]["missing"] == 10 and "--jobs FILE" not in err
    path.write_text('{"item_id": "elsewhere"}\n')
    _, err = said(capsys, 2, "score", out, predicted, "--jobs", path)
    assert "no question of this dataset was asked" in err

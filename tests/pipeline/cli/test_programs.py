"""What an author of a program sees: lint, preview, show, schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.language.units import NO_UNITS
from tests.pipeline.cli.chain_of_one_s_own import CHAIN

BODY = """\
schema: question/v1
id: mine.kinds
version: 1
title: How many kinds of instruments are in view
benchmark: mine
task: counting/kinds
unit: {unit}
let:
  number: {{count: instrument.label, at: {at}}}
where: [number >= 1]
answer: number
wrong: [{{near: answer, most: 3}}]
ask:
  - How many kinds of instruments are in view at that time?
  - Count the kinds of instruments in view at that time.
  - At that time, how many kinds of instruments can be seen?
  - What is the number of kinds of instruments in view then?
say: "{{{{ number | whole }}}}"
examples:
  - seconds: 30
    facts: [{{instrument: hook}}, {{instrument: grasper, from: 2, to: 20}}]
    expect: {{answer: "{answer}"}}
"""


def written(folder: Path, unit: str = "clip", at: str = "window.start + 5 s", answer: str = "2"):
    file = folder / "mine" / "kinds.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(BODY.format(unit=unit, at=at, answer=answer), encoding="utf-8")
    return file


def test_lint_says_what_is_in_order_and_what_it_costs(tmp_path, capsys):
    file = written(tmp_path)
    for line in (["lint", str(file)], ["lint", "--templates", str(tmp_path)]):
        assert run(line) == 0
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines()[-2:] == [
            "mine.kinds: up to 1 filling(s) for a unit", "0 error(s), 0 warning(s)",
        ]  # fmt: skip


def test_lint_runs_the_examples_of_a_file(tmp_path, capsys):
    file = written(tmp_path, answer="3")
    assert run(["lint", str(file), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["path"] == str(file)
    line = file.read_text("utf-8").splitlines()[finding["line"] - 1]
    assert line[finding["column"] - 1 :].startswith("answer: ")
    assert finding["code"] == "T116" and finding["message"] == "the answer is '2', not '3'"


def test_lint_has_a_place_and_what_would_fit(tmp_path, capsys):
    file = written(tmp_path, at="window.strt")
    assert run(["lint", str(file)]) == 1
    place, _, found = capsys.readouterr().out.splitlines()[0].partition(" ")
    assert place == f"{file}:9:41:"
    assert found == (
        "error T104 mine.kinds > let > number > at: 'window.strt': stretch has no reader 'strt'  "
        "(did you mean 'start'?)"
    )


@pytest.mark.parametrize(
    ("unit", "at", "place"),
    [
        ("clip", "window.start + 5 s", "cholec80/video01, clip 0.00-29.00 s"),
        ("{now: any, see: 10 s, every: 30 s}", "now", ", asked at "),
        ("{recording: all}", "video.start + 5 s", ", whole recording of "),
    ],
)
def test_preview_is_shaped_by_the_unit(tmp_path, capsys, unit, at, place):
    assert run(["preview", str(written(tmp_path, unit, at)), "-n", "1"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("mine.kinds v1: asked ")
    assert "\n  `number` is the number of labels of instruments at " in text
    assert "\n  For one unit, up to " in text
    assert place in text and "  [near]\n" in text and "  [answer]\n" in text


def test_preview_says_which_operator_was_not_certain(tmp_path, capsys):
    file = written(tmp_path, "{recording: all}", "video.end + 5 s")
    assert run(["preview", str(file), "--on", "cholec80"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("mine.kinds v1: asked 0 item(s) in the cholec80 sample")
    assert (
        "not asked about 2 recording(s); not certain was\n"
        "  2 x  where[0]: number is at least 1 [count]: "
        "it does not hold here, whatever the labels leave open\n"
    ) in text


@pytest.mark.parametrize(
    ("now", "then", "code"),
    [("at that time?", "at that time", "T112"), ("id: mine.kinds", "id: mine.other", "T103"),
     ('answer: "2"', 'answer: "3"', "T116")],
)  # fmt: skip
def test_preview_tells_what_lint_finds(tmp_path, capsys, now, then, code):
    file = written(tmp_path)
    heading = "'surgqa lint' finds:"
    assert run(["preview", str(file), "-n", "1"]) == 0
    assert heading not in capsys.readouterr().out
    file.write_text(file.read_text(encoding="utf-8").replace(now, then, 1), encoding="utf-8")
    assert run(["preview", str(file), "-n", "1"]) == 0
    out = capsys.readouterr().out
    assert heading in out and code in out
    assert run(["lint", str(file)]) == 1
    said, counted = capsys.readouterr()
    kind, number = ("error", "1 error(s), 0") if code == "T103" else ("warning", "0 error(s), 1")
    assert f"{kind} {code} " in said and f"{number} warning(s)" in counted


def test_preview_says_when_a_dataset_has_no_unit(tmp_path, capsys):
    assert (
        run(["preview", str(written(tmp_path, "still", "window.start")), "--on", "cholec80"]) == 0
    )
    assert f"not asked: {NO_UNITS['still']}" in capsys.readouterr().out


def test_preview_makes_the_facts_that_a_build_makes(capsys):
    """Action clips are made of the labels of each second by a rule."""
    assert run(["preview", "sapbench.next_action", "-n", "1"]) == 0
    assert not capsys.readouterr().out.startswith("sapbench.next_action v2: asked 0")


def test_preview_says_which_kinds_a_sample_lacks(tmp_path, capsys):
    assert run(["preview", str(written(tmp_path)), "--on", "bern_bypass70"]) == 0
    text = capsys.readouterr().out
    assert "not a question for recordings without instrument; missing were" in text
    assert "  2 x  instrument" in text


def test_preview_tells_a_kind_that_only_a_table_of_ones_own_can_have(tmp_path, capsys):
    file = written(tmp_path)
    file.write_text(file.read_text().replace("instrument", "oedema"))
    assert run(["preview", str(file), "--on", "bern_bypass70"]) == 0
    text = capsys.readouterr().out
    assert "  2 x  oedema\n  'oedema' is not a kind that surgqa knows" in text
    assert "phase, rating" in text


def test_preview_asks_real_files(tmp_path, capsys, sample_root):
    file = written(tmp_path)
    line = ["preview", str(file), "--on", "cholect50", "--root", str(sample_root)]
    assert run(line) == 0
    text = capsys.readouterr().out
    assert "in the cholect50 recordings" in text and "cholect50/VID01, clip" in text
    assert run([*line, "--video", "VID02"]) == 0
    assert "cholect50/VID01" not in capsys.readouterr().out
    assert run(["preview", str(file), "--root", str(sample_root)]) == 2
    assert "--root needs the dataset's name" in capsys.readouterr().err


def test_the_stages_of_a_chain_are_told_by_their_names(tmp_path, capsys):
    file = written(tmp_path).with_name("chain.yaml")
    file.write_text(CHAIN, encoding="utf-8")
    assert run(["lint", str(file)]) == 0
    assert run(["preview", str(file), "--on", "cholect50", "-n", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (chain,) = (n for n, line in enumerate(lines) if ", chain " in line)
    stages = [line.split(",")[0].strip() for line in lines[chain + 1 :] if ", window " in line]
    assert stages == ["what", "where"]
    assert "x  what > where[0]: the number of interactions" in lines[-1]


def test_show_says_the_program(tmp_path, capsys):
    assert run(["show", str(written(tmp_path))]) == 0
    shown = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines()
                 if line[:1].strip())  # fmt: skip
    assert shown["unit"] == "clip" and shown["form"] == "choice"
    assert shown["kinds"] == "instrument" and shown["cost"].startswith("up to 1 ")
    assert shown["says"] == "A question is about one clip."
    assert shown["answer"] == "number (number)" and shown["file"] == "mine/kinds.yaml"


def test_the_schema_of_templates_is_that_of_questions(capsys):
    assert run(["schema"]) == 0
    usual = capsys.readouterr().out
    assert run(["schema", "--of", "question"]) == 0
    assert capsys.readouterr().out == usual
    assert json.loads(usual)["title"] == "question/v1"


def test_a_shipped_program_is_listed_and_shown_by_its_id(capsys):
    assert run(["list", "templates", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    row = rows["examples.time_outside"]
    assert (row["unit"], row["path"]) == ("recording", "examples/time_outside.yaml")
    assert run(["show", "examples.time_outside"]) == 0
    assert "The answer is `outside`." in capsys.readouterr().out
    assert run(["preview", "examples.time_outside", "-n", "1"]) == 0
    assert capsys.readouterr().out.startswith("examples.time_outside v1: asked ")


def test_lint_knows_the_scorers(tmp_path, capsys):
    file = written(tmp_path)
    text = file.read_text("utf-8")
    file.write_text(text.replace("task:", "scorer: surgstu.step\ntask:"), "utf-8")
    assert run(["lint", str(file), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["code"], finding["line"], finding["column"]) == ("T106", 6, 9)
    assert "surgstu.steps" in finding["fix"]

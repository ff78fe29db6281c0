"""What the flags of a build mean, and what it says in the end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.build import configuration, datasets_of
from surgqa.pipeline.cli.given import allowed_failures, balance_of
from surgqa.pipeline.cli.outcome import reasons
from surgqa.pipeline.cli.progress import Progress
from surgqa.pipeline.config import RunConfig
from surgqa.pipeline.docs.language import UNITS
from surgqa.pipeline.located import option_of
from surgqa.pipeline.observing.config import ObserveConfig
from surgqa.pipeline.unasked import unasked
from surgqa.transforms.language import load_asked
from surgqa.transforms.language.units import NO_UNITS, PLAIN, UNIT_KEYS
from surgqa.transforms.store import OutputFolder
from tests.each import cases
from tests.pipeline.cli.conftest import ID_A, item

FLAGS = ["--dataset", "cholect50", "--root", "/data", "--benchmark", "surgstu", "--out", "out"]


@pytest.fixture
def built(monkeypatch, dataset):
    """Stands in for the run: keeps the configuration, reports one failed video if asked."""
    import surgqa.pipeline.run
    from surgqa.pipeline.run import BuildResult

    seen = {}
    folder = dataset([item(ID_A)], "built")

    def build(config, progress=None, *, cost=False):
        seen["config"] = config
        progress("videos", 1, 1)
        books = [
            {"stage": "read", "unit": "rows", "read": 5, "kept": 3, "rejected": 2, "failed": 0}
        ]
        return BuildResult(folder, "d1ge57", 1, books, {}, seen.get("failed", 0))

    monkeypatch.setattr(surgqa.pipeline.run, "build", build)
    return seen


def test_flags_reach_the_run(built, capsys):
    more = ["--seed", "7", "--format", "parquet", "--modal-cap", "0.4", "--max-failed", "1%",
            "--only", "surgstu.locate", "--only", "surgstu.window", "--exclude", "VID01",
            "--", "--flink_master=localhost:8081"]  # fmt: skip
    assert run(["build", *FLAGS, *more]) == 0
    config = built["config"]
    assert config.seed == "7"
    assert config.formats == ["parquet"]
    assert config.balance.modal_cap == 0.4
    assert config.max_failed == 0.01
    assert config.only == ["surgstu.locate", "surgstu.window"]
    assert config.engine == ["--flink_master=localhost:8081"]
    (one,) = config.datasets
    assert (one.name, one.root, one.exclude) == ("cholect50", "/data", ["VID01"])


@pytest.mark.parametrize("more", [["medstream,surgcot"], ["medstream", "surgcot"]])
def test_benchmarks_are_named_with_commas_or_one_by_one(built, more):
    assert run(["build", *FLAGS, *(part for name in more for part in ("--benchmark", name))]) == 0
    assert built["config"].benchmarks == ["surgstu", "medstream", "surgcot"]


def test_the_closing_account(built, capsys):
    assert run(["build", *FLAGS]) == 0
    text = capsys.readouterr().out
    lines = [line.split() for line in text.splitlines()]
    assert ["digest", "d1ge57"] in lines
    assert ["read", "rows", "5", "3", "2", "0"] in lines
    assert "surgqa check" in text
    for stage, count, reason in (
        ("read", 3, "bad_row"),
        ("read", 2, "bad_box, repaired"),
        ("ask", 40, "gate: overlap of surgstu.locate"),
        ("choose", 5, "over_cap"),
    ):
        assert [stage, str(count), *reason.split()] in lines
    assert ["no", "items", "of"] in lines


def test_each_template_without_items_has_its_main_reason(dataset):
    asked = load_asked(None, ["surgstu", "medstream"], "current")
    found = unasked(OutputFolder(dataset([item(ID_A)], "o")), asked)
    assert found["surgstu.locate"] == "over_cap" and "surgstu.classes" not in found
    for kind in ("clip", "still", "recording", "now"):
        assert f"no_unit: {NO_UNITS[kind]}" in found.values()
    assert NO_UNITS.keys() == UNITS.keys() == {*PLAIN, *UNIT_KEYS}


def test_many_reasons_are_summed_up():
    declined = {f"gate: g{number:02d}": 100 - number for number in range(11)}
    ledger = {"t": {"declined": declined}, "u": {"declined": {"gate: g03": 1, "gate: g04": 200}}}
    manifest = {"rejected": {}, "ledger": ledger, "dropped": {}}
    rows = reasons(manifest, {}, {})
    assert len(rows) == 9
    assert rows[0] == ["", "ask", 296, "gate: g04", "of u and 1 more"]
    assert ["", "ask", 98, "gate: g03", "of t and 1 more"] in rows
    assert ["", "ask", 100, "gate: g00", "of t"] in rows
    assert rows[-1] == ["", "ask", 92 + 91 + 90, "for other reasons, see rejected/ask.jsonl"]


def test_failed_videos_that_were_allowed_end_with_4(built, capsys):
    built["failed"] = 1
    assert run(["build", *FLAGS, "--max-failed", "1"]) == 4
    shown = "failed[source-broken]: cholect50/VID02: torn\n  where     x"
    assert shown in capsys.readouterr().err


def test_flags_override_the_run_file(built, tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(
        "schema: run/v1\ndatasets:\n  - {name: cholect50, root: /data}\nout: there\nseed: 1\n",
        encoding="utf-8",
    )
    assert run(["build", str(file), "--seed", "2"]) == 0
    assert (built["config"].seed, built["config"].out) == ("2", "there")


def test_print_config_names_every_origin(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SURGQA_WORKERS", "3")
    file = tmp_path / "run.yaml"
    file.write_text("schema: run/v1\nprofile: paper\nunkown: 1\n", encoding="utf-8")
    assert run(["build", str(file), "--seed", "2", "--print-config"]) == 0
    rows = {
        line.split()[0]: line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()
    }
    assert rows["seed"].startswith("flag") and rows["seed"].endswith('"2"')
    assert rows["workers"].startswith("environment")
    assert rows["profile"].startswith(f"run file {file}")
    assert rows["limit"].startswith("default") and rows["limit"].endswith("null")
    assert rows["datasets"].startswith("not set")
    assert rows["unkown"].endswith("unknown setting")


def test_configuration_without_anything_shows_defaults():
    assert "default" in configuration(None, {})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(["--dataset", "cholect50"], "every --dataset needs its --root", id="no-root"),
        pytest.param(["--root", "x"], "every --dataset needs its --root", id="no-dataset"),
        pytest.param(["--split", "challenge"], "need a --dataset", id="split-alone"),
        pytest.param([*FLAGS, "--max-failed", "few"], "not a number of videos", id="max-failed"),
        pytest.param([*FLAGS, "--profile", "old"], "profile (--profile)", id="profile"),
        pytest.param(["missing.yaml"], "missing.yaml is missing", id="run-file"),
    ],
)
def test_wrong_flags_are_explained(capsys, line, said):
    assert run(["build", *line]) in (2, 3)
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("command", "model", "file_only"),
    [
        pytest.param("build", RunConfig, {"schema_", "shares", "observers", "shard_rows"},
                     id="build"),
        pytest.param("observe", ObserveConfig,
                     {"schema_", "privacy", "quality", "link", "derive", "curate"}, id="observe"),
    ],
)  # fmt: skip
def test_messages_about_settings_name_options_that_exist(capsys, command, model, file_only):
    assert run([command, "--help"]) == 0
    there = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    settings = set(model.model_fields) - file_only - {"engine"}
    assert {option_of(name) for name in settings} <= there
    assert not {option_of(name) for name in file_only} & there
    given = ["--workers", "0", "--dataset", "cholect50", "--root", "x", "--out", "y"]
    assert run([command, *given]) == 2
    err = capsys.readouterr().err
    assert "workers (--workers)" in err
    assert set(re.findall(r"--[a-z-]+", err.partition("fix")[2])) <= there


def test_pairs_of_datasets():
    roots = [Path("a"), Path("b")]
    assert datasets_of(["x", "y"], roots, None, "challenge") == [
        {"name": "x", "root": Path("a"), "split": "challenge"},
        {"name": "y", "root": Path("b"), "split": "challenge"},
    ]
    assert datasets_of(None, None, None, None) is None


@cases(("text", "value"), [("0", 0), ("3", 3), ("1%", 0.01), ("0.5", 0.5), ("2.5%", 0.025)])
def test_allowed_failures(text, value):
    assert allowed_failures(text) == value


@cases("text", ["-1", "2.5", "100%", "nan", "inf", "%", ""])
def test_failures_that_are_no_number_of_videos(text):
    with pytest.raises(UserError, match="not a number of videos"):
        allowed_failures(text)


def test_balance_by_name_and_cap():
    assert balance_of(None, None) is None
    assert balance_of("pairs", None) == {"by": "pairs"}
    assert balance_of(None, 0.3) == {"modal_cap": 0.3}


def test_a_log_gets_one_line_every_thirty_seconds(capsys):
    now = [0.0]
    with Progress(live=False, clock=lambda: now[0]) as progress:
        for second in range(100):
            now[0] = float(second)
            progress("videos", second, 99)
            progress("videos", second, 99)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "videos: 30 of 99 after 30 s",
        "videos: 60 of 99 after 60 s",
        "videos: 90 of 99 after 90 s",
        "videos: 99 of 99 after 99 s",
    ]


def test_a_terminal_gets_a_bar(capsys):
    with Progress(live=True) as progress:
        progress("videos", 1, 2)
        progress("files", 4, 0)
        assert set(progress._tasks) == {"videos", "files"}
    assert capsys.readouterr().out == ""

"""The one place where errors are printed: exit status, message, no traceback."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from surgqa.ontology.errors import SourceMissing, UserError, VideosFailed
from surgqa.pipeline.cli import app, units
from surgqa.pipeline.cli.app import COMMANDS, run
from tests.pipeline.cli.conftest import ID_A, item
from tests.pipeline.cli.test_start import IN_GROUPS

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def logging_as_before():
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        pytest.param(UserError("wrong", fix="do this"), 2, id="wrong-usage"),
        pytest.param(SourceMissing("gone", fix="do this"), 3, id="missing"),
        pytest.param(VideosFailed("failed", fix="do this"), 4, id="too-many-failed"),
    ],
)
def test_user_errors_have_a_status_and_no_traceback(monkeypatch, capsys, raised, status):
    def fail() -> list:
        raise raised

    monkeypatch.setitem(units.KINDS, "datasets", fail)
    assert run(["list", "datasets"]) == status
    out, err = capsys.readouterr()
    assert out == ""
    code = f"[{raised.code}]" if raised.code else ""
    assert err == f"error{code}: {raised.summary}\n  fix       do this\n"


def test_a_bug_keeps_its_traceback(monkeypatch, capsys):
    monkeypatch.setitem(units.KINDS, "datasets", lambda: 1 // 0)
    assert run(["list", "datasets"]) == 70
    err = capsys.readouterr().err
    assert "Traceback" in err and "ZeroDivisionError" in err
    assert "report it" in err.splitlines()[-1]


def test_a_dataset_that_was_changed_is_no_bug(monkeypatch, capsys, dataset, tmp_path):
    """What a command makes of a changed file cannot be foreseen; the digests tell."""
    out = dataset([item(ID_A)])
    monkeypatch.setattr("surgqa.transforms.store.OutputFolder.evidence", lambda *_: 1 // 0)
    assert run(["jobs", str(out), "--to", str(tmp_path / "jobs.jsonl")]) == 2
    err = capsys.readouterr().err
    assert "was changed since it was built" in err and "manifest.json" in err
    assert "evidence/events.parquet" in err and "Traceback" not in err


def test_an_error_of_a_step_is_told_once(capsys):
    run(["list", "datasets"])
    capsys.readouterr()
    logger = logging.getLogger("apache_beam.runners.common")
    try:
        raise RuntimeError("OSError: [Errno 28] No space left on device [while running 'A/B']")
    except RuntimeError as error:
        logger.exception(error)
    logger.error("another one [while running 'A/B']")
    assert capsys.readouterr().err.count("while running") == 1


def test_ctrl_c_is_130(monkeypatch, capsys):
    def stop() -> list:
        raise KeyboardInterrupt

    monkeypatch.setitem(units.KINDS, "datasets", stop)
    assert run(["list", "datasets"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(["lst"], "Did you mean 'list'?", id="command"),
        pytest.param(["build", "--datset", "x"], "--dataset", id="option"),
        pytest.param(["diff", "out"], "missing argument 'B'", id="argument"),
        pytest.param(["explain", "out"], "surgqa explain OUT ITEM_ID", id="item"),
        pytest.param(["explain", "file-mising"], "did you mean file-missing?", id="code"),
        pytest.param(["check", "out", "--limit", "many"], "--limit", id="number"),
        pytest.param(["list", "dataset"], "did you mean datasets?", id="kind"),
        pytest.param(["show", "cholec50"], "did you mean cholect50?", id="dataset"),
        pytest.param(["show", "surgstu.locte"], "did you mean surgstu.locate?", id="template"),
        pytest.param(["show", "option_posiiton"], "option_position", id="check"),
        pytest.param(["new", "raeder", "x"], "did you mean reader?", id="new"),
        pytest.param(["verify", "cholec50", "--root", "."], "did you mean cholect50?", id="verify"),
    ],
)
def test_wrong_usage_names_the_closest(capsys, line, said):
    assert run(line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error[")
    assert said in err
    assert "Traceback" not in err


def test_no_words_print_the_help(capsys):
    assert run([]) == 0
    out, err = capsys.readouterr()
    assert "Commands:" in out
    assert err == ""


@pytest.mark.parametrize("name", [*COMMANDS, *IN_GROUPS])
def test_help_shows_an_example_before_the_options(capsys, name):
    assert run([*name.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert text.index(f"  surgqa {name}") < text.index("Options:")


def test_every_option_has_a_help(capsys):
    for name in COMMANDS:
        run([name, "--help"])
        options = capsys.readouterr().out.split("Options:")[1].splitlines()
        bare = [one for one in options if one.startswith("  -") and len(one.split()) < 3]
        assert not bare, (name, bare)


def test_quiet_keeps_results_and_drops_talk(capsys):
    assert run(["-q", "lint"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert run(["list", "datasets", "--json"]) == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} >= {"cholect50"}


def test_beams_remark_about_google_is_not_news(capsys):
    run(["list", "datasets"])
    logging.warning("apitools not found, and so on")
    logging.warning("a real one")
    assert capsys.readouterr().err == "WARNING root: a real one\n"


def test_only_a_builds_dashes_belong_to_the_runner():
    assert app._split_extra(["build", "run.yaml", "--", "--x=1"]) == (
        ["build", "run.yaml"],
        ["--x=1"],
    )
    assert app._split_extra(["-q", "build", "--", "a"]) == (["-q", "build"], ["a"])
    assert app._split_extra(["show", "--", "build"]) == (["show", "--", "build"], [])


def test_a_reader_of_the_pipe_may_stop_early():
    """'surgqa list | head' ends without a message."""
    command = f"{sys.executable} -m surgqa.pipeline.cli list templates | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_poor_terminal_gets_escapes_and_json_is_always_utf_8(tmp_path, encoding):
    """A template's title may hold any character; no terminal may turn that into a traceback."""
    file = tmp_path / "one.yaml"
    file.write_text("id: mine.one\ntitle: What comes … then\n", encoding="utf-8")
    for more in ([], ["--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "surgqa.pipeline.cli", "show", str(file), *more],
            cwd=ROOT,
            env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert "then" in done.stdout.decode("utf-8" if more else encoding)
    assert "…".encode() in done.stdout


@pytest.mark.parametrize(
    ("given", "status", "without"),
    [
        (["list"], 0, True),
        (["observe", "a"], 7, False),
        (["label", "status"], KeyboardInterrupt(), False),
    ],
)
def test_pandas_is_only_left_to_commands_that_run_models(given, status, without, monkeypatch):
    called: list[bool] = []

    def command(arguments: list[str]) -> int:
        if isinstance(status, BaseException):
            raise status
        return status

    monkeypatch.setattr(app, "without_pandas", lambda: called.append(True))
    monkeypatch.setattr(app, "run", command)
    for name in ("listen", "signal"):
        monkeypatch.setattr(app, name, MagicMock())
    with pytest.raises(SystemExit) as ended:
        app.main(given)
    assert (ended.value.code, bool(called)) == (status if isinstance(status, int) else 130, without)

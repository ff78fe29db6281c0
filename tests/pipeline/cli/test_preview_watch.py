"""``surgqa preview --watch``: a saved file is rendered again, until Ctrl-C."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import surgqa.pipeline.preview
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.preview import CLEAR
from surgqa.pipeline.preview import edits

ROOT = Path(__file__).parents[3]
PATIENCE_S = 30.0
TITLE = "mine.how_many v{}: asked "


@pytest.fixture
def file(tmp_path, capsys):
    run(["new", "template", "mine.how_many", "--templates", str(tmp_path)])
    capsys.readouterr()
    return tmp_path / "mine" / "how_many.yaml"


def save(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def raised_version(file: Path) -> None:
    save(file, "version: 1\n", "version: 2\nchanges: {2: asked in other words}\n")


def pauses(monkeypatch, *acts) -> None:
    """Instead of waiting: the next act each time, and Ctrl-C after the last."""
    left = iter(acts)

    def sleep(seconds: float) -> None:
        assert 0 < seconds <= 0.5
        act = next(left, None)
        if act is None:
            raise KeyboardInterrupt
        act()

    monkeypatch.setattr(surgqa.pipeline.preview.time, "sleep", sleep)


def test_only_a_change_is_an_edit(file):
    aside, shared = file.with_suffix(".old"), file.parent.parent / "shared"
    acts = [
        ("nothing", lambda: None),
        ("saved", lambda: save(file, "version: 1", "version: 10")),
        ("nothing", lambda: None),
        ("taken away", lambda: file.rename(aside)),
        ("put back", lambda: file.write_bytes(aside.read_bytes())),
        ("a block is new", lambda: (shared.mkdir(), (shared / "a.yaml").write_text("b: 1\n"))),
        ("no block", lambda: (shared / "notes.txt").write_text("later")),
        ("a block is changed", lambda: (shared / "a.yaml").write_text("b: 1000\n")),
        ("a block is gone", lambda: (shared / "a.yaml").unlink()),
    ]
    done: list[str] = []

    class Enough(Exception):
        pass

    def pause() -> None:
        if len(done) == len(acts):
            raise Enough
        name, act = acts[len(done)]
        act()
        done.append(name)

    seen = []
    with pytest.raises(Enough):
        for _ in edits(file, pause):
            seen.append(done[-1] if done else "the start")
    assert seen == [
        "the start", "saved", "put back", "a block is new", "a block is changed",
        "a block is gone",
    ]  # fmt: skip


def test_a_saved_file_is_asked_again_and_ctrl_c_is_no_failure(file, monkeypatch, capsys):
    pauses(monkeypatch, lambda: raised_version(file), lambda: None)
    assert run(["preview", str(file), "--watch", "-n", "1"]) == 0
    out, err = capsys.readouterr()
    assert [out.count(TITLE.format(n)) for n in (1, 2)] == [1, 1]
    assert out.count("\n  Q  ") == 2
    assert err.count(f"watching {file}") == 2
    assert "interrupted" not in err and CLEAR not in out


def test_findings_are_shown_and_watching_goes_on(file, monkeypatch, capsys):
    good = file.read_bytes()
    pauses(
        monkeypatch,
        lambda: save(file, "unit: clip", "unit: clap"),
        lambda: file.write_bytes(b""),
        lambda: file.write_bytes(good),
    )
    assert run(["preview", str(file), "--watch"]) == 0
    out, err = capsys.readouterr()
    assert out.count(TITLE.format(1)) == 2
    assert err.count("error[template-errors]: ") == 2
    assert "T102 mine.how_many > unit" in err


def test_a_changed_block_is_asked_again(file, monkeypatch, capsys):
    shared = file.parent.parent / "shared"
    shared.mkdir()
    block = shared / "answers.yaml"
    block.write_text("say: '{{ number | whole }}'\n", encoding="utf-8")
    save(file, '"{{ number | whole }}"', "{use: shared/answers#say}")
    pauses(monkeypatch, lambda: save(block, "whole", "times"))
    assert run(["preview", str(file), "--watch", "-n", "1"]) == 0
    before, after = capsys.readouterr().out.split(TITLE.format(1))[1:]
    assert (") Once" in before, ") Once" in after) == (False, True)


def test_a_shipped_template_can_be_followed_by_its_id(monkeypatch, capsys):
    pauses(monkeypatch)
    assert run(["preview", "surgstu.locate", "--watch", "-n", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("surgstu.locate v")
    assert str(Path("surgstu") / "locate.yaml") in err


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        pytest.param(["mine/nowhere.yaml"], 3, "no such template file", id="file"),
        pytest.param(["surgstu.locate", "--on", "cholec50"], 2, "did you mean cholect50?", id="on"),
    ],
)
def test_what_no_edit_can_mend_ends_at_once(line, status, said, capsys):
    assert run(["preview", *line, "--watch"]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("term", "clears"), [("xterm", 2), ("dumb", 0)])
def test_a_terminal_is_cleared_before_each_rendering(file, monkeypatch, term, clears):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", term)
    pauses(monkeypatch, lambda: raised_version(file))
    assert run(["preview", str(file), "--watch"]) == 0
    assert screen.getvalue().count(CLEAR) == clears


def wait_for(said: str, log: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_S
    while said not in log.read_text(encoding="utf-8"):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < until, f"no {said!r} in:\n{log.read_text(encoding='utf-8')}"
        time.sleep(0.05)


def test_a_process_follows_the_editor_until_it_is_interrupted(file, tmp_path):
    log = tmp_path / "log.txt"
    line = [sys.executable, "-m", "surgqa.pipeline.cli", "preview", str(file), "--watch", "-n", "1"]
    with (
        log.open("wb") as sink,
        subprocess.Popen(
            line,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as process,
    ):
        try:
            wait_for(TITLE.format(1), log, process)
            raised_version(file)
            wait_for(TITLE.format(2), log, process)
            save(file, "unit: clip", "unit: clap")
            wait_for("T102 mine.how_many > unit", log, process)
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()
    assert "Traceback" not in log.read_text(encoding="utf-8")

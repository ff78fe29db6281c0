"""The command that shows a dataset in a browser."""

import webbrowser

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.labelling.export import load
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Server
from tests.transforms.labelling.test_formats import SHEET
from tests.transforms.view.made import write


@pytest.fixture
def out(tmp_path):
    return write(tmp_path / "out")


@pytest.fixture
def opened(monkeypatch):
    """Addresses that are opened; the server is ended as by Ctrl-C."""

    def interrupted(_server):
        raise KeyboardInterrupt

    found = []
    monkeypatch.setattr(webbrowser, "open", found.append)
    monkeypatch.setattr(Server, "serve_forever", interrupted)
    return found


def test_the_address_is_printed_and_opened(out, opened, capsys):
    assert run(["view", str(out)]) == 0
    address = capsys.readouterr().out.strip()
    assert address.startswith("http://127.0.0.1:") and opened == [address]
    assert len(address.rstrip("/").rpartition("/")[2]) == 32


def test_each_time_has_its_own_token_and_nothing_is_opened_unasked(out, opened, capsys):
    for _ in range(2):
        assert run(["view", str(out), "--no-browser"]) == 0
    first, second = (one.rstrip("/").rpartition("/")[2] for one in capsys.readouterr().out.split())
    assert first != second and opened == []


def test_a_page_of_files_is_written(out, tmp_path, capsys):
    assert run(["view", str(out), "--static", str(tmp_path / "page"), "--sample", "3"]) == 0
    assert (tmp_path / "page" / "index.html").is_file()
    assert "3 items" in capsys.readouterr().err


def test_a_page_without_the_frames_that_were_asked_for_says_so(out, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    dataset = next(OutputFolder(out).rows())["dataset"]
    assert run(["view", str(out), "--root", f"{dataset}={tmp_path / 'empty'}", "--static",
                str(tmp_path / "page"), "--sample", "3"]) == 0  # fmt: skip
    printed = capsys.readouterr().err
    assert f"videos are missing, such as {dataset}/" in printed and "is missing" in printed


@pytest.mark.parametrize(("more", "told"), [
    (["--root", "films"], "not a dataset's folder"),
    (["--predictions", "nowhere.jsonl"], "nowhere.jsonl"),
    (["--port", "70000"], "65535"),
])  # fmt: skip
def test_mistakes_are_told(out, capsys, more, told):
    assert run(["view", str(out), *more]) != 0
    text = capsys.readouterr().err
    assert told in text and "Traceback" not in text


def test_a_round_is_corrected_on_a_page(tmp_path, opened, capsys):
    load("label-studio").write(SHEET, tmp_path)
    assert run(["label", "correct", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert opened == [out.strip()] and "label import STORE" in err
    (tmp_path / "config.xml").unlink()
    assert run(["label", "correct", str(tmp_path)]) == 3
    assert "config.xml is missing" in capsys.readouterr().err


def test_what_is_no_dataset_is_told(tmp_path, capsys):
    assert run(["view", str(tmp_path)]) != 0
    assert "not a finished dataset" in capsys.readouterr().err


def test_a_broken_file_is_told(out, capsys):
    (shard,) = (out / "data" / "bench").iterdir()
    shard.write_bytes(b"PAR1 no more")
    assert run(["view", str(out)]) != 0
    text = capsys.readouterr().err
    assert "cannot be read" in text and "Traceback" not in text

"""The journal: what is in it survives, and only one run writes to it."""

from __future__ import annotations

import json
import os

import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.transforms.inference import journal as module
from surgqa.transforms.inference.journal import Journal, Tokens, answered, entries, spent

ASKED = {"model": "m", "temperature": 0.0}


def entry(name: str, response: str = "B") -> dict[str, object]:
    return {"id": name, "response": response, "usage": {"prompt_tokens": 3}}


def test_what_was_written_is_there_again(tmp_path):
    path = tmp_path / "j"
    with Journal(path, ASKED) as one:
        one.append(entry("a"))
    with Journal(path, ASKED) as two:
        two.append(entry("b", "ä\n"))
        assert [e["id"] for e in two.entries()] == ["a", "b"]
    assert answered(entries(path)) == {"a": "B", "b": "ä\n"}
    assert spent(entries(path)) == Tokens(6, 0, 2)
    assert oct(path.stat().st_mode)[-3:] == "600"


def test_a_line_is_on_disk_before_append_returns(tmp_path, monkeypatch):
    seen = []
    real = os.fsync
    with Journal(tmp_path / "j", ASKED) as one:
        monkeypatch.setattr(
            module.os, "fsync", lambda f: (seen.append(os.fstat(f).st_size), real(f))
        )
        one.append(entry("a"))
    assert seen == [(tmp_path / "j").stat().st_size]


@pytest.mark.parametrize("kept", range(1, 40, 3))
def test_a_torn_last_line_is_cut_wherever_it_tore(tmp_path, kept):
    path = tmp_path / "j"
    with Journal(path, ASKED) as one:
        one.append(entry("a"))
        whole = path.stat().st_size
        one.append(entry("b"))
    with path.open("r+b") as file:
        file.truncate(whole + kept)
    assert list(answered(entries(path))) == ["a"]
    with Journal(path, ASKED) as two:
        assert two.repaired == kept and path.stat().st_size == whole
        two.append(entry("b"))
    assert list(answered(entries(path))) == ["a", "b"]


def test_a_last_line_that_lacks_only_its_end_counts(tmp_path):
    path = tmp_path / "j"
    with Journal(path, ASKED) as one:
        one.append(entry("a"))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)
    with Journal(path, ASKED) as two:
        assert two.repaired == 0
        two.append(entry("b"))
    assert list(answered(entries(path))) == ["a", "b"]


def test_a_torn_first_line_begins_anew_and_long_tails_are_found(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b'{"journal": "surg')
    with Journal(path, ASKED) as one:
        one.append(entry("a"))
    with path.open("ab") as file:
        file.write(b'{"id": "' + b"x" * 200_000)
    with Journal(path, ASKED) as two:
        assert two.repaired == 200_008
    assert list(answered(entries(path))) == ["a"]


def test_a_second_run_is_refused_while_the_first_lives(tmp_path):
    with Journal(tmp_path / "j", ASKED), pytest.raises(UserError, match="another run"):
        Journal(tmp_path / "j", ASKED)
    Journal(tmp_path / "j", ASKED).__exit__(None, None, None)


def test_other_settings_are_refused(tmp_path):
    Journal(tmp_path / "j", ASKED).__exit__(None, None, None)
    with pytest.raises(UserError, match="other settings") as caught:
        Journal(tmp_path / "j", {**ASKED, "model": "n"})
    assert (caught.value.expected, caught.value.found) == ("model: m", "model: n")


def test_what_is_no_journal_is_left_alone(tmp_path):
    path = tmp_path / "j"
    path.write_text('{"item_id": "a", "response": "B"}\n', encoding="utf-8")
    with pytest.raises(SourceBroken, match="not a journal"):
        Journal(path, ASKED)
    assert path.read_text(encoding="utf-8").startswith('{"item_id"')
    with pytest.raises(UserError, match="cannot be written"):
        Journal(tmp_path / "no" / "j", ASKED)


def test_a_damaged_line_in_the_middle_is_told(tmp_path):
    path = tmp_path / "j"
    with Journal(path, ASKED) as one:
        one.append(entry("a"))
    with path.open("ab") as file:
        file.write(b"\x00\x00\n" + json.dumps(entry("b")).encode() + b"\n")
    with pytest.raises(SourceBroken) as caught:
        list(entries(path))
    assert caught.value.where == f"{path}:3"


def test_a_full_disk_leaves_whole_lines(tmp_path, monkeypatch):
    path = tmp_path / "j"
    real, calls = os.write, []

    def short(file, data):
        calls.append(1)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(file, data[:10])

    with Journal(path, ASKED) as one:
        one.append(entry("a"))
        size = path.stat().st_size
        monkeypatch.setattr(module.os, "write", short)
        with pytest.raises(UserError, match="cannot be written"):
            one.append(entry("b"))
        assert path.stat().st_size == size


def test_the_first_response_of_a_call_counts():
    assert answered([{"id": "a", "failed": "x"}, entry("a", "1"), entry("a", "2")]) == {"a": "1"}

"""Formats take the rows that they have a place for, whatever benchmark these are of."""

from __future__ import annotations

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.app import run
from surgqa.transforms.exports.formats import fit_of, format_of, formats, require_fit
from surgqa.transforms.store import OutputFolder
from tests.own_rows import action, chain, clip, every, fact, finished, now, recording, stream, video

TAKEN = {
    "medstreambench": {"now": 1, "recording": 1, "stream": 1},
    "surgcot": {"chain": 3},
    "sapbench": {},
    "surgveo": {},
}


@pytest.mark.parametrize("name", TAKEN)
def test_rows_fit_by_their_unit(tmp_path, name):
    fit = fit_of(OutputFolder(finished(tmp_path / "out", every())), format_of(name).taking)
    assert dict(fit.taken) == TAKEN[name]
    assert sum(fit.taken.values()) + sum(fit.left.values()) == len(every())


def test_where_nothing_fits_it_is_told_what_would(tmp_path):
    out = OutputFolder(finished(tmp_path / "out", chain()))
    with pytest.raises(UserError, match="no rows for the format medstreambench") as error:
        require_fit(out, format_of("medstreambench"))
    assert "3 of unit chain" in str(error.value.found) and "--as surgcot" in str(error.value.fix)
    clips = OutputFolder(finished(tmp_path / "clips", [clip()]))
    for one in formats().values():
        if one.questions and not one.talk:
            with pytest.raises(UserError, match="no rows for"):
                require_fit(clips, one)


def exported(tmp_path, capsys, name, rows, facts=()):
    out = finished(tmp_path / "out", rows, facts)
    assert run(["export", str(out), "--as", name, "--to", str(tmp_path / "to")]) == 0
    return tmp_path / "to", capsys.readouterr()


def lines(path):
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_a_user_s_chain_is_a_chain(tmp_path, capsys):
    to, said = exported(tmp_path, capsys, "surgcot", every())
    (one,) = lines(to / "chains.jsonl")
    assert [name for name in ("main", "Q1", "Q2", "Q3") if name in one] == ["main", "Q1", "Q2"]
    assert one["Q1"]["options"] == [] and one["Q2"]["context_from_Q1"] == "Known 2."
    assert len(orjson.loads((to / "Q_dq" / "data.json").read_bytes())) == 3
    assert "surgcot has no place for 1 of unit clip" in said.err


def test_a_user_s_stream_is_a_stream(tmp_path, capsys):
    to, _ = exported(tmp_path, capsys, "medstreambench", every())
    rows = {one["task"]: one for one in lines(to / "annotations" / "demo.jsonl")}
    assert set(rows) == {"tool", "length", "alert"}
    alert = rows["alert"]
    assert (alert["task_mode"], alert["temporal_mode"]) == ("streaming", "proactive")
    assert [one["current_time"] for one in alert["rounds"]] == [6, 9, 12, 15]
    assert alert["expected_response_time"] == 12 and "no_alert" in alert["response_protocol"]
    assert rows["tool"]["input_range"] == [0, 12] and rows["tool"]["query_time"] == 12
    assert rows["tool"]["evidence"] == "hook, 2.00-7.00 s."
    assert rows["length"]["query_time"] == 20


def test_a_user_s_next_action_is_a_sample(tmp_path, capsys):
    facts = [fact("action_clip", "dissection", 1, 5), fact("action_clip", "vessel_clipping", 6, 9),
             fact("phase", "preparation", 0, 20)]  # fmt: skip
    to, said = exported(tmp_path, capsys, "sapbench", [action(), now()], facts)
    (one,), (sample,) = lines(to / "references.jsonl"), lines(to / "samples.jsonl")
    assert (one["label"], one["previous"], one["frame_s"]) == ("vessel_clipping", "dissection", 4)
    assert one["clip"] == {"start_s": 6, "end_s": 8} and one["phase"] == "preparation"
    assert "What of next?" in sample["messages"][-1]["content"]
    assert "1 of unit now" in said.err


def test_a_user_s_continuation_is_a_sample(tmp_path, capsys):
    facts = [fact("phase", "washing", 2, 18)]
    to, _ = exported(tmp_path, capsys, "surgveo", [video()], facts)
    (one,) = lines(to / "samples.jsonl")
    assert (one["stage"], one["frame"], one["frames"]) == ("washing", 4, 8)  # one a second
    assert one["t0_s"] == 4 and one["stage_interval_s"] == [2, 18]


def test_the_evidence_is_written_of_any_output(tmp_path):
    for one in (recording(), stream()):
        fit = fit_of(OutputFolder(finished(tmp_path / one["unit"], [one])),
                     format_of("unified").taking)  # fmt: skip
        assert not fit.left

"""The two prompts differ by the sentence that names the stage, and by nothing else."""

from dataclasses import replace

import pytest

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.continuations import TRACKS
from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.exports.surgveo.prompts import (
    check_pair,
    packaged,
    prompts_of,
    read_prompts,
    sentences,
)
from tests.each import cases

STAGES = [(track, stage) for track in TRACKS.values() for stage in track.stages]


def test_the_packaged_pair_is_one():
    check_pair(packaged())


def test_tracks_name_stages_that_there_are():
    assert [len(track.stages) for track in TRACKS.values()] == [7, 12]
    for track, stage in STAGES:
        assert stage in vocabulary(f"{track.kind}s")


@cases(("track", "stage"), STAGES, ids=lambda one: getattr(one, "name", one))
def test_every_stage_makes_a_pair(track, stage):
    found = prompts_of(packaged(), track, stage)
    plain, aware = map(sentences, found.values())
    name = vocabulary(f"{track.kind}s")[stage].display
    assert aware[0] == plain[0]
    assert name in aware[1]
    assert aware[2:] == plain[1:]
    assert track.procedure in plain[0]
    assert track.modality in found["baseline"]
    assert name not in found["baseline"]
    assert "{" not in found["stage_aware"]


@cases(
    ("baseline", "aware", "words"),
    [
        ("A {stage}. B.", "A {stage}. It is {stage}. B.", "baseline prompt contains the stage"),
        ("A. B.", "A. B. It is {stage}.", "differ by more"),
        ("A. B.", "It is {stage}. A. B.", "differ by more"),
        ("A. B.", "A. It is {stage}. C.", "differ by more"),
        ("A. B.", "A. It is {stage}. Twice. B.", "differ by more"),
        ("A. B.", "A. B.", "differ by more"),
        ("", "It is {stage}.", "differ by more"),
        ("A. B.", "A. It is late. B.", "does not name the stage"),
        ("A. B.", "A. {stage}, {stage}. B.", "more than once"),
        ("A {tool}. B.", "A {tool}. {stage}. B.", "unknown slot"),
        ("A } B.", "A } B. {stage}.", "unknown slot"),
        ("A. Then washing.", "A. It is {stage}. Then washing.", "names a stage"),
        ("A. Opening of the Sella.", "A. {stage}. Opening of the Sella.", "names a stage"),
        ("A. tumor  excision.", "A. {stage}. tumor  excision.", "names a stage"),
    ],
)
def test_what_is_no_pair_is_refused(baseline, aware, words):
    with pytest.raises(UserError, match=words) as caught:
        check_pair(replace(packaged(), baseline=baseline, stage_aware=aware))
    assert caught.value.expected
    assert caught.value.where
    assert caught.value.fix


def test_own_texts_are_read_and_checked(tmp_path):
    with pytest.raises(SourceMissing):
        read_prompts(tmp_path)
    (tmp_path / "baseline.txt").write_text("Show the next step of {procedure}.\nStay real.\n")
    aware = tmp_path / "stage_aware.txt"
    aware.write_text("Show the next step of {procedure}.\nNow: {stage}.\nStay real.\n")
    found = prompts_of(read_prompts(tmp_path), TRACKS["laparoscopic"], "washing")
    assert found["stage_aware"] == (
        "Show the next step of laparoscopic hysterectomy. Now: washing. Stay real."
    )
    aware.write_text("Show the next step of {procedure}.\nNow: {stag}.\nStay real.\n")
    with pytest.raises(UserError) as caught:
        read_prompts(tmp_path)
    assert caught.value.where == f"{aware}:2"

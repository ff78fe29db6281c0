"""Templates of questions that are put at a time, as the commands list, show and ask them."""

from __future__ import annotations

import json
from pathlib import Path

from ontology.yaml import read_yaml
from pipeline.cli import units
from pipeline.cli.app import run
from pipeline.cli.query_card import query_card
from pipeline.preview.samples import all_samples, first_sample, sample_books
from transforms.language import Query, load_questions, templates_folder

PHASE = "medstream.state_now.phase"
GONE = "medstream.alert.view_lost"


def printed(capsys, *line: str) -> str:
    """What a command that ends well prints."""
    assert run(list(line)) == 0
    return capsys.readouterr().out


# -- list and show -----------------------------------------------------------------------------


def test_variants_are_listed_with_their_own_titles(capsys):
    rows = {row["id"]: row for row in json.loads(printed(capsys, "list", "templates", "--json"))}
    assert rows[PHASE]["title"] == "Which phase is under way"
    assert rows[PHASE]["task"] == "present/phase_now"
    mine = [row for row in rows.values() if row["benchmark"] == "medstream"]
    assert mine and not [row for row in mine if "{{" in row["title"] + row["task"]]
    benchmarks = json.loads(printed(capsys, "list", "benchmarks", "--json"))
    assert {"name": "medstream", "templates": len(mine)} in benchmarks


def test_a_query_is_shown_with_its_finder_and_window(capsys):
    lines = printed(capsys, "show", PHASE).splitlines()
    assert lines[0].split() == ["id", PHASE]
    told = {line[:10].strip(): line[10:].strip() for line in lines}
    assert told["task"] == "present/phase_now"
    assert told["form"] == "choice"
    assert told["finder"] == "state_now: of phase"
    assert told["asked"] == "once, at the end of a window of 10 s at most"
    assert told["answer"] == "{{ label | name }}"
    assert sum("phase of the operation" in line for line in lines) == 3
    assert told["file"] == "medstream/state_now.yaml"


def test_a_stream_and_a_whole_recording_are_told(capsys):
    text = printed(capsys, "show", GONE)
    assert "in rounds, which see all from the question on" in text
    assert "alert: trigger view_lost_alert" in text and "grounds " in text
    assert "with the whole recording in view" in printed(capsys, "show", "medstream.whole_score")


def test_a_query_in_full(capsys):
    whole = read_yaml(printed(capsys, "show", PHASE, "--expanded"), "printed").data
    assert whole["find"] == {"by": "state_now", "of": "phase"}
    assert whole["id"] == PHASE and "variants" not in whole
    assert {"kind": "template", **whole} == json.loads(printed(capsys, "show", PHASE, "--json"))


def test_queries_have_cards():
    every = [question for question in load_questions() if isinstance(question, Query)]
    for query in every[::7]:
        file = Path(str(units.template_file(query.id)))
        card = query_card(query.id, file, templates_folder())
        assert card is not None
        assert (card["id"], card["form"], card["title"]) == (query.id, query.form, query.title)
        assert card["finder"].startswith(f"{query.finder}: ")


# -- preview -----------------------------------------------------------------------------------


def test_preview_asks_the_first_sample_that_gives_items(capsys):
    text = printed(capsys, "preview", PHASE, "-n", "1")
    (query,) = [one for one in load_questions() if one.id == PHASE]
    assert isinstance(query, Query)
    dataset, asked = first_sample(query)
    assert text.startswith(f"{PHASE} v1: asked {len(asked.items)} item(s) in the {dataset} sample")
    assert text.count("\n  Q  ") == 1
    assert text.count("\n    * ") == 1
    assert "window_s: 10 (<= 10)" in text and "evidence: segments " in text


def test_preview_of_another_dataset_and_why_not(capsys):
    text = printed(capsys, "preview", "medstream.presence.instrument", "--dataset", "cholect50")
    assert "in the cholect50 sample" in text
    assert printed(capsys, "preview", "medstream.presence.instrument", "--on", "cholect50") == text
    text = printed(capsys, "preview", PHASE, "--on", "avos")
    assert text.startswith(f"{PHASE} v1: asked 0 item(s) in the avos sample")
    assert "\nnot a question for 2 recording(s) without such labels\n" in text


def test_preview_shows_rounds_and_what_an_answer_is_judged_by(capsys):
    text = printed(capsys, "preview", "medstream.state_begins_open.phase", "-n", "1")
    assert text.count(" s: unanswerable\n") in (2, 3)
    assert text.count(" s: The phase of the operation that has begun is ") == 2
    assert "correctness 2: names " in text and "evidence grounding 2: " in text
    assert "not asked in " in text and "x  state_begins: " in text


def test_a_reader_still_to_be_written_has_no_sample(monkeypatch):
    from pipeline.preview import samples

    def unwritten(name):
        if name == "aixsuture":
            raise NotImplementedError("lay out one procedure")
        return sample_books(name)

    monkeypatch.setattr(samples, "sample_books", unwritten)
    name, _ = next(all_samples())
    assert name == "autolaparo"


# -- schema, new and lint ------------------------------------------------------------------------


def test_the_schema_of_queries(tmp_path, capsys):
    schema = json.loads(printed(capsys, "schema", "--of", "query"))
    assert schema["properties"]["find"] and "needs" not in schema["properties"]
    assert json.loads(printed(capsys, "schema", "--of", "template"))["properties"]["needs"]
    assert run(["schema", "--of", "queries"]) == 2
    assert "did you mean query?" in capsys.readouterr().err

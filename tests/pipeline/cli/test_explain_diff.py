"""From an item back to its sources, and from one dataset to the next."""

from __future__ import annotations

import json

import pytest

from surgqa.ontology.errors import OutputBroken, UserError
from surgqa.pipeline.cli.app import run
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.diff import changed_fields, compare
from surgqa.transforms.store.trace import find_item, trace
from tests.pipeline.cli.conftest import ID_A, ID_B, ID_C, item


@pytest.mark.parametrize("parquet", [True, False], ids=["parquet", "jsonl"])
def test_an_item_is_found_by_the_beginning_of_its_id(dataset, parquet):
    folder = OutputFolder(dataset([item(ID_A), item(ID_B), item(ID_C)], parquet=parquet))
    assert find_item(folder, ID_B)["item_id"] == ID_B
    assert find_item(folder, "bbbb00")["item_id"] == ID_C


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        pytest.param("ffffff", "no item is called ffffff", id="none"),
        pytest.param("aaaa000", "2 items begin with aaaa000", id="two"),
        pytest.param("aaaa", "at least 6", id="short"),
    ],
)
def test_an_id_that_does_not_say_which(dataset, typed, said):
    folder = OutputFolder(dataset([item(ID_A), item(ID_B)]))
    with pytest.raises(UserError, match=said):
        find_item(folder, typed)


def test_pointers_are_joined_to_rows_each_once_in_time_order(dataset):
    found = trace(OutputFolder(dataset([item(ID_A)])), ID_A)
    assert [row["event_id"] for row in found.events] == ["e1", "e2"]
    assert found.item["answer_value"] == {"number": 1}


def test_a_window_stands_for_everything_in_it(dataset):
    whole = [{"kind": "window", "id": "w1", "start_us": 0, "end_us": 20_000_000}]
    found = trace(OutputFolder(dataset([item(ID_A, evidence=whole)])), ID_A)
    assert [row["event_id"] for row in found.events] == ["e0", "e1", "e2", "e3"]


@pytest.mark.parametrize(
    ("box", "slots", "shown"),
    [
        pytest.param([0.1, 0.2, 0.3, 0.4], {"moment": 5_000_000}, ["e1", "e3"], id="at-a-time"),
        pytest.param([0.1, 0.2, 0.3, 0.4], {}, ["e0", "e1", "e2", "e3"], id="all-like-it"),
        pytest.param([0.1, 0.2, 0.3, 0.5], {"moment": 5_000_000}, ["e1"], id="no-row"),
    ],
)
def test_the_row_whose_box_is_the_answer_is_shown(dataset, box, slots, shown):
    first = [{"kind": "events", "id": "e1", "start_us": 3_000_000, "end_us": 3_000_000}]
    one = item(ID_A, evidence=first, form="box", answer_value=json.dumps({"box": box}),
               slots=json.dumps(slots))  # fmt: skip
    found = trace(OutputFolder(dataset([one])), ID_A)
    assert [row["event_id"] for row in found.events] == shown


def test_a_segment_is_joined(dataset):
    clip = [{"kind": "segments", "id": "w1", "start_us": 0, "end_us": 20_000_000}]
    found = trace(OutputFolder(dataset([item(ID_A, evidence=clip)])), ID_A)
    assert found.events == ()
    assert [row["segment_id"] for row in found.segments] == ["w1"]


@pytest.mark.parametrize("kind", ["events", "segments"])
def test_a_pointer_to_nothing_is_an_error(dataset, kind):
    lost = [{"kind": kind, "id": "gone", "start_us": 0, "end_us": 1}]
    with pytest.raises(OutputBroken, match=f"gone of evidence/{kind}"):
        trace(OutputFolder(dataset([item(ID_A, evidence=lost)])), ID_A)


def test_explain_prints_question_options_evidence_and_source(dataset, capsys):
    out = dataset([item(ID_A)])
    assert run(["explain", str(out), ID_A[:8]]) == 0
    text = capsys.readouterr().out
    for part in (
        "surgstu.counting_distinct version 1",
        "How many kinds of instruments",
        "->  A  1  answer",
        "near",
        "number = 1",
        "moment  3000000",
        "[100, 200, 300, 400]",
        'annotations["3"][0]',
        "labels/VID01.json  sha256 c0ffee",
        ">= 1",
    ):
        assert part in text


def test_explain_says_how_many_rows_it_left_out(dataset, capsys):
    out = str(dataset([item(ID_A)]))
    run(["explain", out, ID_A, "--rows", "1"])
    assert "and 1 more rows" in capsys.readouterr().out
    run(["explain", out, ID_A, "--rows", "0"])
    assert "more rows" not in capsys.readouterr().out


def test_explain_shows_an_instant_without_instruments(dataset, capsys):
    whole = [{"kind": "window", "id": "w1", "start_us": 0, "end_us": 20_000_000}]
    run(["explain", str(dataset([item(ID_A, evidence=whole)])), ID_A])
    assert "none in view" in capsys.readouterr().out


def test_explain_as_json(dataset, capsys):
    run(["explain", str(dataset([item(ID_A)])), ID_A, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["item"]["item_id"] == ID_A
    assert len(found["evidence"]["events"]) == 2


def test_equal_datasets_do_not_differ_whatever_their_shards(dataset):
    rows = [item(ID_A), item(ID_B), item(ID_C)]
    a, b = dataset(rows, "a"), dataset(rows, "b", shards=2)
    c = dataset(rows, "c", parquet=False)
    assert compare(OutputFolder(a), OutputFolder(b)).count == 0
    found = compare(OutputFolder(a), OutputFolder(c))
    assert (found.count, found.total("same")) == (0, 3)


def test_differences_by_template_and_field(dataset, capsys):
    a = dataset([item(ID_A), item(ID_B)], "a")
    b = dataset(
        [item(ID_B, answer="A) one", answer_key="B"), item(ID_C, template_id="surgstu.locate")], "b"
    )
    found = compare(OutputFolder(a), OutputFolder(b))
    assert found.to_dict()["templates"] == {
        "surgstu.counting_distinct": {"same": 0, "only_a": 1, "only_b": 0, "changed": 1},
        "surgstu.locate": {"same": 0, "only_a": 0, "only_b": 1, "changed": 0},
    }
    assert [(one.kind, one.item_id, one.fields) for one in found.listed] == [
        ("only_a", ID_A, ()),
        ("changed", ID_B, ("answer", "answer_key")),
        ("only_b", ID_C, ()),
    ]
    assert run(["diff", str(a), str(b)]) == 1
    assert "changed: answer 1, answer_key 1" in capsys.readouterr().out
    assert run(["diff", str(a), str(b), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["different"] == 3


def test_diff_of_the_same_is_0(dataset, capsys):
    out = str(dataset([item(ID_A)]))
    assert run(["diff", out, out]) == 0
    assert capsys.readouterr().out == "the same 1 items\n"


def test_a_shard_out_of_order_is_refused(dataset):
    a, b = dataset([item(ID_B), item(ID_A)], "a"), dataset([item(ID_A)], "b")
    with pytest.raises(OutputBroken, match="not in the order"):
        compare(OutputFolder(a), OutputFolder(b))


def test_not_a_number_equals_itself_and_null_equals_missing():
    nan = float("nan")
    assert changed_fields({"checks": [{"x": nan}]}, {"checks": [{"x": nan}]}) == ()
    assert changed_fields({"a": None}, {}) == ()
    assert changed_fields({"a": 1}, {"a": 2, "b": 3}) == ("a", "b")


@pytest.mark.parametrize("line", [["explain", "x", ID_A], ["diff", "x", "x"], ["check", "x"]])
def test_a_folder_that_is_no_dataset(tmp_path, capsys, line):
    line = [str(tmp_path) if word == "x" else word for word in line]
    assert run(line) == 2
    err = capsys.readouterr().err
    assert "is not a finished dataset" in err and "surgqa build" in err


@pytest.mark.parametrize("line", [["explain", "x", ID_A], ["check", "x"]])
def test_a_folder_around_a_dataset_tells_where_that_is(tmp_path, capsys, line):
    (tmp_path / "inner" / "data").mkdir(parents=True)
    (tmp_path / "inner" / "manifest.json").write_text("{}")
    (tmp_path / "inner" / "data" / "a.jsonl").write_text("{}\n")
    assert run([str(tmp_path) if word == "x" else word for word in line]) == 2
    err = capsys.readouterr().err
    assert "finished datasets in inner" in err and str(tmp_path / "inner") in err

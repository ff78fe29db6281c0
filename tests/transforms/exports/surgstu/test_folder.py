"""The folder that ``--as surgstu`` writes: clips, questions, prompts, events and examples."""

from __future__ import annotations

import json

import av
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.rows import EVENTS
from surgqa.pipeline.cutting import CutRun
from surgqa.pipeline.talks import write_talks
from surgqa.transforms.exports.formats import adjusted, format_of
from surgqa.transforms.exports.talking import DialogueForm
from surgqa.transforms.store import OutputFolder
from tests.each import cases
from tests.transforms.exports.talked import S, item, lines_of, store_of, write_media, write_output

OPTIONS = [{"key": key, "text": text, "value": "0", "is_answer": key == "B", "kind": "other"}
           for key, text in (("A", "2"), ("B", "1"))]  # fmt: skip


def rows():
    """Two questions about a test clip, and one of each kind about two training groups."""
    out = []
    for number, (split, group, start) in enumerate(
        [("test", "g0", 10), ("train", "g1", 20), ("train", "g2", 20)]
    ):
        common = {"split": split, "split_group": group, "procedure": "made", "benchmark": "surgstu"}
        out += [
            item(10 * number, "clip", start, (start + 10) * S, template_id="surgstu.locate",
                 task="spatial_temporal_grounding/locate", question="Where is the hook at 3.00 s?",
                 answer="[0, 0, 500, 500]", form="box", **common),
            item(10 * number + 1, "clip", start, (start + 10) * S, template_id="surgstu.counting",
                 task="counting/distinct", question="How many at 3.00 s?", answer="B) 1",
                 answer_key="B", options=OPTIONS, form="choice", **common),
        ]  # fmt: skip
    return [*out, item(90, "still", 0, 0, benchmark="surgstu")]


def event(second, **more):
    found = {"dataset": "made", "video_id": "v1", "event_id": str(second), "time_us": second * S}
    return dict.fromkeys(EVENTS.names) | found | more


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = tmp_path_factory.mktemp("surgstu")
    write_output(desk / "out", rows())
    box = {"x1": 0.1, "y1": 0.2, "x2": 0.3, "y2": 0.4}
    events = [
        event(9, label="hook", track_id="hook-1", **box),
        event(12, label="hook", track_id="hook-1", **box,
              pairs=[{"verb": "dissect", "target": "gallbladder"}]),
        event(13, label="grasper", track_id="grasper-1", **box,
              pairs=[{"verb": "null_verb", "target": "null_target"}]),
        event(14),
    ]  # fmt: skip
    path = desk / "out" / "evidence" / "events.parquet"
    pq.write_table(pa.Table.from_pylist(events, EVENTS), path)
    write_media(desk / "root")
    return desk


def exported(desk, media="none", *settings):
    to = desk / "-".join([media, *settings])
    to.mkdir()
    store = None if media == "none" else store_of(desk / "store", desk / "root")
    form = adjusted(format_of("surgstu"), settings)
    table, _ = write_talks(
        OutputFolder(desk / "out"), form, to, DialogueForm(media), store, CutRun()
    )
    return to, table


def test_clips_have_the_published_kind_of_name_and_event_tuples(desk):
    to, table = exported(desk, "clips")
    assert table[1:] == [["test", 1, 2, 0, 1], ["train", 1, 4, 0, 1]]
    clips = {one["clip"]: one for one in lines_of(to / "clips.jsonl")}
    assert sorted(clips) == ["made_v1_10_20", "made_v1_20_30"]
    clip = clips["made_v1_10_20"]
    assert clip["video"] == "clips/made_v1_10_20.mp4"
    with av.open(str(to / clip["video"])) as box:
        assert sum(1 for _ in box.decode(video=0)) == 10
    (lists,) = json.loads((to / "candidates.json").read_bytes()).values()
    assert lists == {"instruments": ["grasper", "hook"], "verbs": ["dissect"],
                     "targets": ["gallbladder"]}  # fmt: skip
    assert clip["events"] == [[12.0, 1, 1, 0.1, 0.3, 0.2, 0.4, 0, 0],
                              [13.0, 0, 1, 0.1, 0.3, 0.2, 0.4, -1, -1]]  # fmt: skip
    assert not (to / "media").exists()
    asked = list(lines_of(to / "test.jsonl"))
    assert {one["video"] for one in asked} == {clip["video"]}
    assert [one["subcategory"] for one in asked] == ["locate", "distinct"]


def test_the_context_is_the_paper_s(desk):
    to, _ = exported(desk, "none", "context=example", "times=fraction", "boxes=bbox_2d",
                     "answers=sentences")  # fmt: skip
    box, count = lines_of(to / "test.jsonl")
    assert box["question"] == "Where is the hook at t=0.300?"
    assert box["answer"] == 'The bounding box is {"bbox_2d": [0, 0, 500, 500]}.'
    assert count["answer"] == "Answer: B) 1"
    for told in ("10.00 s long", "0 to 1000", "bbox_2d", "t=0.000 at its start",
                 "Instruments: grasper, hook.", "Actions: dissect.", "Targets: gallbladder.",
                 "An example from another clip"):  # fmt: skip
        assert told in box["prompt"], told
    assert box["prompt"].endswith(box["question"]) and box["prompt"].count("Where is") == 2
    assert "A) 2\nB) 1\nAnswer: Answer: B) 1" in count["prompt"]


def test_no_example_is_of_the_question_s_own_group(desk):
    one, two = (item | {"item_id": name} for name, item in zip("xy", rows()[2::2], strict=False))
    from surgqa.transforms.exports.surgstu.styles import Examples

    examples = Examples()
    for row in (one, two):
        examples.add(row, {"id": row["item_id"]})
    assert examples.of(one) == {"id": "y"} and examples.of(two) == {"id": "x"}
    assert examples.of(one | {"template_id": "another"}) == {"id": "y"}  # of its category
    assert examples.of(one | {"template_id": "another", "task": "another"}) is None
    assert examples.of(one | {"procedure": "another"}) == {"id": "y"}


def test_the_plain_prompt_has_no_example(desk):
    to, _ = exported(desk)
    (box, _) = lines_of(to / "test.jsonl")
    assert "example" not in box["prompt"] and "Instruments" not in box["prompt"]
    assert box["video"] is None and box["answer"] == "[0, 0, 500, 500]"
    assert json.loads((to / "export.json").read_bytes())["times"] == "seconds"


@cases("given", ["times=hours", "colour=red", "times"])
def test_a_setting_that_is_not_there(given):
    with pytest.raises(UserError, match="has no setting") as told:
        adjusted(format_of("surgstu"), [given])
    assert "times=seconds|tenths|fraction" in "\n".join(told.value.lines())

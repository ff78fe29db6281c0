"""``export --as surgveo``: samples, prompts, media to the frame, and what tells no answer."""

from __future__ import annotations

import json
from fractions import Fraction

import av
import cv2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.rows import ITEM
from surgqa.transforms.exports.surgveo.samples import chosen, read_rows, samples_of
from surgqa.transforms.exports.surgveo.write import write
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.surgveo.made import begins, finished, recordings, rows_of, sample
from tests.transforms.media.conftest import number_in

LAP = [sample("autolaparo", video, k) for video in ("01", "02") for k in (0, 1)]
NEURO = [sample("pitvis", "04", 0), sample("pitvis", "05", 0, fps=10)]


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    root = recordings(tmp_path_factory.mktemp("films"), [*LAP, *NEURO])
    return {name: root / name for name in ("autolaparo", "pitvis")}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return OutputFolder(finished(tmp_path_factory.mktemp("built") / "out", [*NEURO, *LAP]))


@pytest.fixture(scope="module")
def exported(out, roots, tmp_path_factory):
    to = tmp_path_factory.mktemp("exported")
    return to, write(out, to, roots)


def shown(path):
    with av.open(str(path)) as box:
        stream = box.streams.video[0]
        numbers = [number_in(one.to_ndarray(format="rgb24")) for one in box.decode(stream)]
        return stream.average_rate, numbers


def head(path):
    """Number of the first picture, and how many there are."""
    with av.open(str(path)) as box:
        stream = box.streams.video[0]
        return number_in(next(box.decode(stream)).to_ndarray(format="rgb24")), stream.frames


def picture(path):
    return number_in(cv2.imread(str(path))[..., ::-1])


def test_a_sample_has_its_picture_and_the_eight_seconds_after_it(exported):
    to, table = exported
    assert table == [
        ["track", "operations", "samples", "extension", "remark"],
        ["laparoscopic", 2, 4, 12, "fewer than 3 operations: all are taken"],
        ["neurosurgical", 2, 2, 4, "fewer than 3 operations: all are taken"],
    ]
    found = {one["sample_id"]: one for one in lines(to / "samples.jsonl")}
    assert list(found) == [one.sample_id for one in [*LAP, *NEURO]]
    for one in [*LAP, *NEURO]:
        told = found[one.sample_id]
        rate, numbers = shown(to / told["reference"])
        assert rate == one.fps == Fraction(told["fps"])
        first = begins(one.video) + one.frame
        assert numbers == list(range(first, first + one.frames))
        assert len(numbers) == {25: 200, 24: 192, 10: 80}[int(rate)]
        assert picture(to / told["input"]) == first
        assert told["licence"] == f"licence of {told['dataset']}"
        assert told["end_s"] - told["t0_s"] == 8


def test_both_prompts_are_there_and_differ_by_the_stage(exported):
    to, _ = exported
    for told in lines(to / "samples.jsonl"):
        for name, text in told["prompts"].items():
            file = to / "prompts" / f"{told['sample_id']}.{name}.txt"
            assert file.read_text(encoding="utf-8") == f"{text}\n"
        plain, aware = told["prompts"]["baseline"], told["prompts"]["stage_aware"]
        assert told["stage_name"] in aware and told["stage_name"] not in plain
    assert "{stage}" in (to / "prompts" / "stage_aware.txt").read_text(encoding="utf-8")


def test_texts_of_ones_own_are_used(out, tmp_path):
    texts, to = tmp_path / "texts", tmp_path / "to"
    texts.mkdir()
    to.mkdir()
    (texts / "baseline.txt").write_text("Film a {procedure}. Be exact.\n", encoding="utf-8")
    aware = "Film a {procedure}. It is at {stage}. Be exact.\n"
    (texts / "stage_aware.txt").write_text(aware, encoding="utf-8")
    write(out, to, {}, texts)
    first = lines(to / "samples.jsonl")[0]["prompts"]
    assert first["baseline"] == "Film a laparoscopic hysterectomy. Be exact."
    assert first["stage_aware"].startswith("Film a laparoscopic hysterectomy. It is at prep")
    assert (to / "prompts" / "stage_aware.txt").read_text(encoding="utf-8") == aware


def test_what_a_model_sees_tells_no_answer(exported):
    to, _ = exported
    plain, answers = lines(to / "extension.jsonl"), lines(to / "extension_answers.jsonl")
    assert [one["item_id"] for one in plain] == [one["item_id"] for one in answers]
    assert {one["kind"] for one in plain} == {"stage_now", "frame_order", "which_clip"}
    assert {one["mark"] for one in plain} == {"extension"}
    for one in plain:
        assert set(one) == {"mark", "item_id", "kind", "sample_id", "track", "question",
                            "pictures", "options", "licence"}  # fmt: skip
        assert all(set(option) == {"key", "text", "clip", "path"} for option in one["options"])
        assert all(set(shown) == {"letter", "path"} for shown in one["pictures"])
        assert len(one["options"]) == 4
    assert all(sum(o["is_answer"] for o in one["options"]) == 1 for one in answers)


def test_pictures_out_of_order_are_those_of_their_letters(exported):
    to, _ = exported
    for one in lines(to / "extension_answers.jsonl"):
        if one["kind"] == "frame_order":
            first = begins(one["video_id"])
            frames = {shown["letter"]: picture(to / shown["path"]) for shown in one["pictures"]}
            assert frames == {shown["letter"]: first + shown["frame"] for shown in one["pictures"]}
            right = next(o["text"] for o in one["options"] if o["is_answer"])
            assert "".join(sorted(frames, key=frames.get)) == right


def test_the_clip_that_goes_on_is_the_reference_and_the_others_are_not(exported):
    to, _ = exported
    found = [one for one in lines(to / "extension_answers.jsonl") if one["kind"] == "which_clip"]
    assert len(found) == 4
    for one in found:
        assert len({option["why"] for option in one["options"]}) == 4
        for option in one["options"]:
            source = option["from"]
            first = begins(source["video_id"]) + source["frame"]
            assert head(to / option["path"]) == (first, source["frames"]) == (first, 200)
            same = (to / option["path"]).read_bytes() == (
                to / "reference" / f"{one['sample_id']}.mp4").read_bytes()  # fmt: skip
            assert same == option["is_answer"]
        right = next(o for o in one["options"] if o["is_answer"])
        assert (one["answer_key"], one["answer_value"]) == (right["key"], {"clip": right["clip"]})


def test_hidden_time_is_in_no_clip(tmp_path):
    dark = [("autolaparo", "01", 20, 21)]
    folder = OutputFolder(finished(tmp_path / "out", LAP, dark))
    (tmp_path / "to").mkdir()
    write(folder, tmp_path / "to", {})
    kinds = [(one["kind"], one["sample_id"]) for one in lines(tmp_path / "to/extension.jsonl")]
    assert ("which_clip", LAP[0].sample_id) not in kinds
    assert ("which_clip", LAP[2].sample_id) in kinds


def test_without_recordings_nothing_is_cut_and_no_path_is_told(out, tmp_path):
    write(out, tmp_path, {})
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "README.md", "export.json", "extension.jsonl", "extension_answers.jsonl", "prompts",
        "samples.jsonl",
    ]  # fmt: skip
    assert all(one["input"] is one["reference"] is None for one in
               lines(tmp_path / "samples.jsonl"))  # fmt: skip
    assert "No media were exported" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_same_dataset_gives_the_same_bytes(out, roots, exported, tmp_path):
    to, _ = exported
    write(out, tmp_path, roots)
    files = json.loads((to / "export.json").read_bytes())["files"]
    for name, known in files.items():
        assert bytes_digest((tmp_path / name).read_bytes()) == known, name
    assert (tmp_path / "export.json").read_bytes() == (to / "export.json").read_bytes()


def test_the_operations_with_most_stages_are_taken_ties_by_id(tmp_path):
    many = [
        sample("autolaparo", video, k)
        for video, stages in (("05", 2), ("01", 1), ("04", 3), ("02", 2), ("03", 2))
        for k in range(stages)
    ]
    # fmt: skip
    folder = OutputFolder(finished(tmp_path / "out", many))
    (found,) = chosen(samples_of(read_rows(folder)))
    assert found.videos == ("autolaparo/02", "autolaparo/03", "autolaparo/04")
    assert (len(found.samples), found.there) == (7, 5)
    assert found.note == "the 3 of 5 operations with most stages"


def test_a_recording_of_another_rate_is_not_cut(tmp_path):
    root = recordings(tmp_path / "films", LAP[:1], rate=20)
    (tmp_path / "to").mkdir()
    folder = OutputFolder(finished(tmp_path / "out", LAP[:1]))
    with pytest.raises(UserError, match="another frame rate than its samples") as caught:
        write(folder, tmp_path / "to", {"autolaparo": root / "autolaparo"})
    assert (caught.value.expected, caught.value.found) == ("25 frames a second", "20.000")
    assert "build with these videos" in caught.value.fix


def test_recordings_that_are_not_there_are_told_before_anything_is_cut(out, roots, tmp_path):
    with pytest.raises(UserError, match="dataset pitvis has no folder") as caught:
        write(out, tmp_path, {"autolaparo": roots["autolaparo"]})
    assert caught.value.expected == "--root pitvis=DIR"
    with pytest.raises(SourceMissing, match="2 of 4 videos are missing") as absent:
        write(out, tmp_path, {**roots, "autolaparo": tmp_path})
    assert "autolaparo/01.mp4, autolaparo/02.mp4" in absent.value.found
    assert not list(tmp_path.iterdir())


def test_items_without_a_sample_are_nothing_to_export(tmp_path):
    folder = OutputFolder(finished(tmp_path / "out", LAP[:1], tasks=("present/stage_now",)))
    with pytest.raises(UserError, match="has no samples"):
        write(folder, tmp_path, {})


def test_questions_about_no_sample_are_counted(tmp_path):
    folder = finished(tmp_path / "out", LAP)
    (first, *_) = (row for row in rows_of(LAP[0]) if row["form"] == "choice")
    alone = first | {"item_id": "0" * 32, "start_us": 1}
    shard = folder / "data" / "surgveo" / "train-00001-of-00002.parquet"
    pq.write_table(pa.Table.from_pylist([alone], ITEM), shard)
    (tmp_path / "to").mkdir()
    table = write(OutputFolder(folder), tmp_path / "to", {})
    assert table[-1] == [
        "-", "-", "-", 1, "left out: questions about frames that are not samples here",
    ]  # fmt: skip

"""Tables of clips and the predecessor's JSON: what is taken, what is not, and what is said."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Code
from surgqa.transforms.steps.beside import clip_tables
from surgqa.transforms.steps.beside import predecessor as old
from surgqa.transforms.steps.beside.action_clips import read_clips


def read_clip_table(path: Path) -> clip_tables.ImportedClips:
    return clip_tables.read_clip_table(path.read_bytes(), str(path))


def read_predecessor(path: Path, *ends: dict[str, int]) -> clip_tables.ImportedClips:
    return old.read_predecessor(path.read_bytes(), str(path), *ends)


def csv_of(folder: Path, text: str) -> Path:
    path = folder / "clips.csv"
    path.write_text(text, encoding="utf-8")
    return path


GOOD = "video,start,end,action\nVID01,10,19,Dissection\nVID01,20,24,vessel_clipping\n"


def test_csv_and_parquet_say_the_same(tmp_path):
    parquet = tmp_path / "clips.parquet"
    columns = {
        "Video": ["VID01", "VID01"], "Start_Frame": [10, 20], "duration": [10.0, 5.0],
        "Label": ["Dissection", "clipping"],
    }  # fmt: skip
    pq.write_table(pa.table(columns), parquet)
    for path in (csv_of(tmp_path, GOOD), parquet):
        made = read_clip_table(path)
        (video,) = made.videos
        assert [(c.start, c.end, c.action) for c in video.clips] == [
            (10, 19, "dissection"), (20, 24, "vessel_clipping"),
        ]  # fmt: skip
        assert not made.rejected and made.books.balanced
    assert video.clips[1].where == f"{parquet}: row 2"


def test_semicolons_byte_order_mark_and_empty_lines(tmp_path):
    path = csv_of(tmp_path, "\ufeffvideo;start;frames;action\r\n\r\nV;0;3;suction\r\n;;;\r\n")
    (video,) = read_clip_table(path).videos
    assert [(c.start, c.end, c.action) for c in video.clips] == [(0, 2, "aspiration")]
    assert video.clips[0].where.endswith("clips.csv:3")


@pytest.mark.parametrize(
    ("row", "code", "says"),
    [
        (",30,40,Dissection", Code.BAD_ROW, "names no video"),
        ("VID01,x,40,Dissection", Code.BAD_TIME, "start is not a whole number"),
        ("VID01,-1,40,Dissection", Code.BAD_TIME, "start is not a whole number"),
        ("VID01,30.5,40,Dissection", Code.BAD_TIME, "start is not a whole number"),
        ("VID01,30,,Dissection", Code.BAD_TIME, "neither the last frame nor"),
        ("VID01,30,29,Dissection", Code.BAD_TIME, "before the first"),
        ("VID01,30,40,Suturing", Code.UNKNOWN_LABEL, "'Suturing' is none of the actions"),
        ("VID01,24,40,Dissection", Code.CONTRADICTION, "overlap 20 to 24"),
        ("VID01,30", Code.BAD_TIME, "neither the last frame nor"),
    ],
)
def test_a_bad_row_is_left_out_with_its_line(tmp_path, row, code, says):
    made = read_clip_table(csv_of(tmp_path, GOOD + row + "\n"))
    (reject,) = made.rejected
    assert (reject.code, reject.outcome) == (code, "rejected")
    assert says in reject.reason
    assert reject.where.endswith("clips.csv:4")
    assert (made.books.read, made.books.kept, made.books.rejected) == (3, 2, 1)


def test_frames_that_contradict_the_end_are_not_taken(tmp_path):
    path = csv_of(tmp_path, "video,start,end,frames,action\nV,0,9,10,cut\nV,10,19,9,clip\n")
    made = read_clip_table(path)
    assert [r.reason for r in made.rejected] == ["10 to 19 are 10 frames, not 9"]


def test_equal_neighbours_stay_apart_and_are_noted(tmp_path):
    made = read_clip_table(csv_of(tmp_path, GOOD + "VID01,25,29,clip\n"))
    assert len(made.videos[0].clips) == 3
    assert [(r.outcome, r.where[-2:]) for r in made.rejected] == [("repaired", ":4")]
    assert made.books.balanced


def test_people_s_clips_are_asked_about_across_a_hole(tmp_path):
    (video,) = read_clip_table(csv_of(tmp_path, GOOD + "VID01,30,39,cut\n")).videos
    assert video.following == 2
    assert replace(video, derived=True).following == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a column 'video'"),
        ("a,b\n", "a column 'video'"),
        ("video,start,action\n", "a column 'end'"),
        ("video,start,end,label,action\n", "one column for action"),
        ("video,start,end,action\n", "rows with video, start, end and action"),
        ("video,start,end,action\nV,1,2,Sewing\n", "rows with video, start, end and action"),
        ('video,start,end,action\nV,1,2,"cut\n', None),
    ],
)
def test_what_is_no_table_says_so_with_its_line(tmp_path, text, expected):
    with pytest.raises(SourceBroken) as caught:
        read_clip_table(csv_of(tmp_path, text))
    assert expected is None or expected in caught.value.expected
    assert "clips.csv" in caught.value.where


def test_other_files_and_missing_ones(tmp_path):
    (tmp_path / "clips.txt").write_text(GOOD)
    with pytest.raises(UserError, match="not a table of clips"):
        read_clip_table(tmp_path / "clips.txt")
    with pytest.raises(SourceMissing):
        read_clips(tmp_path / "clips.csv")
    broken = tmp_path / "clips.parquet"
    broken.write_bytes(b"PAR1")
    with pytest.raises(SourceBroken, match="Parquet"):
        read_clip_table(broken)


# ---- the predecessor's JSON ------------------------------------------------------------


def predecessor(**changes) -> dict:
    third = {
        "Action": "Coagulation", "Action_Reg": "Dissection", "Frame_id": 61, "Test": True,
        "Distant Actions": ["Dissection"], "Nearest Action": "Vessel Clipping",
        "History": ["Dissection", "Vessel Clipping"], "Next Action": "Coagulation",
        "Near Frames": [40, 44, 48, 52, 56, 60, 61],
    }  # fmt: skip
    clips = {
        "2": {**third, **changes},
        "0": {"Action": "Dissection", "Action_Reg": "Dissection", "Frame_id": 10, "Test": False},
        "1": {"Action": "Vessel Clipping", "Frame_id": "40", "Test": "False"},
        "10": {"Action": "Tissue Retraction", "Frame_id": 90, "Test": False},
    }
    return {"VID01": clips}


def written(folder: Path, data: object) -> Path:
    path = folder / "clips.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 3000 + "]" * 3000])
def test_a_value_without_end_in_the_predecessor_s_file(tmp_path, value):
    with pytest.raises(SourceBroken, match="has an invalid value"):
        read_predecessor(written(tmp_path, f'{{"VID01": {value}}}'))


def test_the_predecessor_s_clips_end_before_the_next(tmp_path):
    made = read_predecessor(written(tmp_path, predecessor()))
    (video,) = made.videos
    assert [(c.start, c.end, c.action) for c in video.clips] == [
        (10, 39, "dissection"), (40, 60, "vessel_clipping"), (61, 89, "coagulation"),
        (90, 90, "tissue_retraction"),
    ]  # fmt: skip
    assert video.open_end
    assert not made.rejected and made.books.balanced


def test_a_known_end_closes_the_last_clip(tmp_path):
    (video,) = read_predecessor(written(tmp_path, predecessor()), {"VID01": 99}).videos
    assert video.clips[-1].end == 99 and not video.open_end


def test_an_end_before_the_last_clip_is_not_believed(tmp_path):
    made = read_predecessor(written(tmp_path, predecessor()), {"VID01": 80})
    assert made.videos[0].open_end and made.videos[0].clips[-1].end == 90
    assert [r.outcome for r in made.rejected] == ["repaired"]
    assert "end on 80" in made.rejected[0].reason


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"Next Action": "Aspiration"}, "Next Action is Aspiration"),
        ({"Near Frames": [40, 44, 48, 52, 56, 60, 62]}, "by their rule"),
        ({"Nearest Action": "Dissection"}, "Nearest Action is Dissection"),
    ],
)
def test_a_tested_clip_that_contradicts_the_clips_is_noted(tmp_path, changes, says):
    made = read_predecessor(written(tmp_path, predecessor(**changes)))
    (note,) = made.rejected
    assert note.outcome == "repaired" and says in note.reason
    assert note.where.endswith("clips.json: VID01 2")


def test_an_unknown_action_leaves_a_hole(tmp_path):
    made = read_predecessor(written(tmp_path, predecessor(Action="Stapling")))
    assert [(r.code, r.outcome) for r in made.rejected] == [(Code.UNKNOWN_LABEL, "rejected")]
    assert made.videos[0].context == ((10, 60), (90, 90))
    assert made.books.balanced


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ('{"VID01": {', "clips.json:1:12"),
        ([], "clips.json"),
        ({"VID01": []}, "clips.json: VID01"),
        ({"VID01": {"0": 3}}, "clips.json: VID01 0"),
        ({"VID01": {"0": {"Action": "Dissection"}}}, "clips.json: VID01 0"),
        (predecessor(Frame_id=95), "clips.json: VID01 10"),
        ({}, "clips.json"),
        ({"VID01": {"0": {"Action": "Sewing", "Frame_id": 1}}}, "clips.json: VID01 0"),
        ("[" * 100_000, "clips.json"),
    ],
)
def test_what_is_no_such_json_says_where(tmp_path, data, place):
    with pytest.raises(SourceBroken) as caught:
        read_predecessor(written(tmp_path, data))
    assert caught.value.where.endswith(place)

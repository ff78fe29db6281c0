"""The reader of a hospital's own tables: every way to write times, places and labels."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.recognise import recognised
from surgqa.transforms.exports.evidence import evidence_tables
from surgqa.transforms.readers.base import moments, words
from surgqa.transforms.readers.base.tables import sorts as table_plan
from surgqa.transforms.readers.exports import plan as export_plan
from surgqa.transforms.readers.tables.reader import Reader
from surgqa.transforms.registry import load_reader
from surgqa.transforms.samples.pictures import png
from surgqa.transforms.timeline import build_timeline

SECOND = 1_000_000
PHASE = (
    "labels: {phase: {Prep: preparation, Calot: calot triangle dissection, Pause: {drop: idle}}}\n"
)


def laid_out(root: Path, files: Mapping[str, str]) -> Reader:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Reader(root)


def spans_of(evidence: VideoEvidence) -> list[tuple[str, float, float]]:
    return [(s.label, s.start_us / SECOND, s.end_us / SECOND) for s in evidence.spans]


def balanced(evidence: VideoEvidence) -> bool:
    return all(books.balanced for books in evidence.books)


# A file for every picture


def grey(*values: int) -> bytes:
    """Five lines of each value."""
    ids = np.repeat(np.array(values, np.uint8), 5)[:, None].repeat(8, axis=1)
    return png(ids[:, :, None].repeat(3, axis=2))


def test_masks_whose_values_are_labels(tmp_path) -> None:
    (tmp_path / "a" / "masks").mkdir(parents=True)
    for frame, values in ((5, (0, 1, 2, 3)), (6, (0, 1)), (7, (9,))):
        (tmp_path / "a" / "masks" / f"{frame}.png").write_bytes(grey(*values))
    (tmp_path / "surgqa.yaml").write_text(
        "rate: 1\nlabels: {structure: {Liver: uterus}, instrument: {Grasper: grasper}}\n"
        "tables:\n  masks:\n    holds: masks\n    file: '{video}/masks/{frame}.png'\n"
        "    values:\n      structure: {1: Liver}\n"
        "      instrument: {2: {Grasper: tip}, 3: {Grasper: shaft}}\n"
    )
    evidence = Reader(tmp_path).read("a")
    tools, liver = evidence.instruments, evidence.regions["structure"]
    assert (tools.frames.tolist(), tools.sample.tolist()) == ([5, 6], [0])
    assert tools.box_xyxy.tolist() == [[0, 0.5, 1, 1]]
    shares = {one.name: one.values.tolist() for one in tools.attributes}
    assert shares == {"area": [0.5], "shaft_area": [0.25], "tip_area": [0.25]}
    assert [liver.labels[code] for code in liver.label] == ["uterus", "uterus"]
    assert [(e.code, e.where) for e in evidence.rejected] == [(Code.BAD_MASK, "a/masks/7.png")]
    assert balanced(evidence)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("file: '{frame}.png', values: {finding: {1: polyp}}", "a path with {video}"),
        ("file: '{video}/{frame}.png'", "one of values, parts and colours"),
        ("file: '{video}/{frame}.png', parts: {1: tip}", "{instrument} in it"),
        ("file: '{video}/{finding}/{frame}.png', values: {finding: {1: polyp}}", "with parts"),
        ("file: '{video}/{frame}.png', values: {finding: {300: polyp}}", "from 0 to 255"),
        ("file: '{video}/{frame}.png', values: {finding: {1: pebble}}", "a finding of"),
    ],
)
def test_mistakes_in_tables_of_masks_are_named(tmp_path, table: str, expected: str) -> None:
    mapping = f"labels: {{finding: same}}\ntables:\n  masks: {{holds: masks, {table}}}\n"
    with pytest.raises(UserError) as error:
        laid_out(tmp_path, {"surgqa.yaml": mapping}).found()
    assert expected in (error.value.expected or "")
    assert re.match(r"surgqa\.yaml:\d+", error.value.where or "")


def test_every_white_area_of_a_mask_may_be_a_thing(tmp_path) -> None:
    whites = np.zeros((40, 40, 3), np.uint8)
    whites[:10, :10], whites[20:40, 20:40], whites[0, 39] = 255, 130, 255
    (tmp_path / "a.png").write_bytes(png(whites))
    (tmp_path / "surgqa.yaml").write_text(
        "labels: {finding: same}\ntables:\n  masks:\n    holds: masks\n    file: '{video}.png'\n"
        "    values: {finding: {white: polyp}}\n    apart: 10\n"
    )
    evidence = Reader(tmp_path).read("a")
    boxes = evidence.regions["finding"].box_xyxy.tolist()
    assert boxes == [[0, 0, 0.25, 0.25], [0.5, 0.5, 1, 1]]
    assert [entry.code for entry in evidence.rejected] == [Code.BAD_MASK]
    assert (evidence.video.clock, evidence.books[0].read) == (Clock.WHOLE, 3)


def test_masks_in_colours_and_instances_beside_them(tmp_path) -> None:
    reds = np.zeros((10, 10, 3), np.uint8)
    reds[:5] = 255, 0, 0
    reds[5:, :5] = 0, 255, 0
    for name, pixels in (("masks/1.png", reds), ("masks/2.png", reds), ("one/1_4_0.png", reds)):
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_bytes(png(pixels))
    colours = [("Hook", [255, 0, 0], 7), ("Womb", [0, 255, 0], 8), ("None", [0, 0, 0], 0)]
    listed = [{"name": name, "color": rgb, "classid": n} for name, rgb, n in colours]
    (tmp_path / "colours.json").write_text(json.dumps(listed))
    (tmp_path / "surgqa.yaml").write_text(
        "labels: {instrument: {Hook: hook}, structure: {Womb: uterus, None: {drop: nothing}}}\n"
        "tables:\n  masks:\n    holds: masks\n    file: '{video}/masks/{frame}.png'\n"
        "    colours: {file: colours.json, kinds: [instrument, structure]}\n"
        "    instances: {file: '{above}/one/{frame}_{code}_{number}.png', instrument: {4: Hook}}\n"
    )
    evidence = Reader(tmp_path).read("a")
    assert evidence.instruments.row.tolist() == [400, 7]
    assert evidence.instruments.box_xyxy.tolist() == [[0, 0, 1, 1], [0, 0, 1, 0.5]]
    assert evidence.regions["structure"].row.tolist() == [8, 8]
    assert evidence.rejected == () and balanced(evidence)


def test_shapes_of_pictures_in_their_natural_order(tmp_path) -> None:
    shape = '{"label": "Grasper", "points": [[0, 0], [50, 100]], "attributes": {"does": "cut"}}'
    tree = f'{{"shapes": [{shape}], "imageWidth": 100, "imageHeight": 100}}'
    empty = '{"shapes": [], "imageWidth": 100, "imageHeight": 100}'
    mapping = (
        "labels: {instrument: same}\ntables:\n  shapes:\n    holds: shapes\n"
        "    file: '{video}/*.json'\n    columns: {instrument: label}\n"
    )
    files = {"a/10.json": empty, "a/9.json": tree, "surgqa.yaml": mapping}
    evidence = laid_out(tmp_path, files).read("a")
    assert evidence.instruments.frames.tolist() == [0, 1]
    assert evidence.instruments.box_xyxy.tolist() == [[0, 0, 0.5, 1]]
    assert evidence.video.clock == Clock.ORDER and balanced(evidence)


def test_frames_from_one_on_with_marks_about_which_annotators_disagree(tmp_path) -> None:
    mapping = (
        "rate: 1\nlabels: {instrument: {Grasper: grasper, Hook: hook}}\ntables:\n  tools:\n"
        "    holds: frames\n    file: ['{video}/*.csv']\n    first_line: '(?i).*hook.*'\n"
        "    flags: {instrument: known}\n    unsure: '0.5'\n    line_end: true\n"
        "    time: {unit: frames, base: 1}\n"
    )
    table = "Frame,scored,HOOK,grasper\n0,9,0,0\n1,9,1,0\n2,9,0.5,0\n3,9,0,1\n4,9,1,1"
    files = {"a/1.csv": "Frame,Step\n1,2\n", "a/2.csv": table, "surgqa.yaml": mapping}
    evidence = laid_out(tmp_path, files).read("a")
    tools = evidence.instruments
    assert tools.frames.tolist() == [0, 2]
    assert [tools.labels[code] for code in tools.label] == ["hook", "grasper"]
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (Code.BAD_FRAME, "a/2.csv:2"), (Code.CONTRADICTION, "a/2.csv:4"),
        (Code.BAD_ROW, "a/2.csv:6"),
    ]  # fmt: skip
    assert balanced(evidence)


def test_a_coco_file_of_many_videos(tmp_path) -> None:
    images = [
        {"id": n, "file_name": f"a/{n:05d}.jpg", "width": 100, "height": 50} for n in (1, 2)
    ] + [{"id": 9, "file_name": "b/00004.jpg", "width": 100, "height": 50}]
    rows = [
        {"image_id": 1, "category_id": 3, "bbox": [10, 10, 40, 20], "phase": 0},
        {"image_id": 9, "category_id": 3, "bbox": [0, 0, 0, 0], "phase": -1},
    ]
    tree = {
        "images": images, "annotations": rows, "categories": [{"id": 3, "name": "Grasper"}],
        "phase_categories": [{"id": 0, "name": "Prep"}],
    }  # fmt: skip
    mapping = (
        "labels: {instrument: same, phase: {Prep: preparation}}\ntables:\n  coco:\n"
        "    holds: coco\n    file: labels.json\n"
        "    columns: {instrument: category_id, phase: phase}\n"
    )
    files = {"labels.json": json.dumps(tree), "surgqa.yaml": mapping}
    reader = laid_out(tmp_path, files)
    assert reader.videos() == ["a", "b"]
    evidence = reader.read("a")
    assert evidence.instruments.frames.tolist() == [1, 2]
    assert evidence.instruments.box_xyxy.tolist() == [[0.1, 0.2, 0.5, 0.6]]
    assert spans_of(evidence) == [("preparation", 1, 2)]
    assert evidence.video.clock == Clock.TIME and balanced(evidence)
    with pytest.raises(SourceMissing, match="does not list c"):
        reader.read("c")


# Times


@pytest.mark.parametrize(
    ("time", "row", "start", "end"),
    [
        pytest.param("unit: seconds", "1.5,4", 1.5, 4, id="seconds"),
        pytest.param("unit: seconds, end: inclusive", "1,4", 1, 5, id="whole-seconds-inclusive"),
        pytest.param("unit: milliseconds", "1500,4001", 1.5, 4.001, id="milliseconds"),
        pytest.param("unit: clock", "00:00:01.5,00:01:04", 1.5, 64, id="clock"),
        pytest.param("unit: clock", "0:01,1:00:00", 1, 3600, id="minutes-and-hours"),
        pytest.param("unit: frames", "25,50", 1, 2, id="frames-from-0"),
        pytest.param("unit: frames, end: inclusive", "25,49", 1, 2, id="frames-inclusive"),
        pytest.param("unit: frames, base: 1", "26,51", 1, 2, id="frames-from-1"),
        pytest.param("unit: frames, base: 1, end: inclusive", "26,50", 1, 2, id="from-1-inclusive"),
        pytest.param("unit: frames, rate: 50", "25,50", 0.5, 1, id="frames-of-their-own-rate"),
    ],
)  # fmt: skip
def test_every_way_to_write_an_interval(tmp_path, time, row, start, end) -> None:
    mapping = f"""
rate: 25
tables:
  phases: {{holds: segments, file: p.csv, time: {{{time}}},
    columns: {{video: v, start: s, end: e, phase: p}}}}
{PHASE}"""
    reader = laid_out(tmp_path, {"surgqa.yaml": mapping, "p.csv": f"v,s,e,p\na,{row},Prep\n"})
    evidence = reader.read("a")
    assert spans_of(evidence) == [("preparation", start, end)]
    assert evidence.video.clock == Clock.TIME
    assert evidence.video.fps == 25


STARTS = f"""
videos: {{file: videos.csv, columns: {{video: v, duration: seconds}}}}
tables:
  phases: {{holds: segments, file: "phases/{{video}}.csv", columns: {{start: s, phase: p}}}}
{PHASE}"""


def test_a_start_alone_holds_until_the_next_row_or_the_end(tmp_path) -> None:
    rows = "s,p\n60,Prep\n90,\n100,Calot\n120,Pause\n150,Calot\n"
    reader = laid_out(tmp_path, {"surgqa.yaml": STARTS, "phases/a.csv": rows,
                                 "videos.csv": "v,seconds\na,3:20\n"})  # fmt: skip
    evidence = reader.read("a")
    assert spans_of(evidence) == [
        ("preparation", 60, 90), ("calot_triangle_dissection", 100, 120),
        ("calot_triangle_dissection", 150, 200),
    ]  # fmt: skip
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (Code.DROPPED_LABEL, "phases/a.csv:5")
    ]
    assert balanced(evidence) and evidence.books[0].read == 5


def test_a_last_start_without_a_known_end_is_left_out(tmp_path) -> None:
    mapping = STARTS.replace(
        "videos: {file: videos.csv, columns: {video: v, duration: seconds}}", ""
    )
    reader = laid_out(
        tmp_path, {"surgqa.yaml": mapping, "phases/a.csv": "s,p\n60,Prep\n90,Calot\n"}
    )
    evidence = reader.read("a")
    assert spans_of(evidence) == [("preparation", 60, 90)]
    assert [entry.code for entry in evidence.rejected] == [Code.BAD_TIME]
    assert balanced(evidence)


ROWS = f"""
rate: 25
tables:
  phases: {{holds: segments, file: p.csv, columns: {{video: v, at: f, phase: p, rater: r}},
    time: {{unit: frames}}}}
{PHASE}"""


def test_rows_of_single_frames_become_spans_for_each_rater(tmp_path) -> None:
    lines = [f"a,{frame},{'Prep' if frame < 100 else 'Calot'},A" for frame in range(0, 200, 25)]
    lines += [f"a,{frame},{'' if frame == 50 else 'Prep'},B" for frame in range(0, 150, 25)]
    lines += ["a,500,Prep,A"]  # far away: no span bridges what nobody looked at
    reader = laid_out(tmp_path, {"surgqa.yaml": ROWS, "p.csv": "\n".join(["v,f,p,r", *lines])})
    evidence = reader.read("a")
    assert [(s.rater, s.label, s.start_us / SECOND, s.end_us / SECOND) for s in evidence.spans] == [
        ("B", "preparation", 0, 2), ("A", "preparation", 0, 4), ("B", "preparation", 3, 6),
        ("A", "calot_triangle_dissection", 4, 8), ("A", "preparation", 20, 21),
    ]  # fmt: skip
    assert evidence.books[0].read == evidence.books[0].kept == 15


def test_without_a_rate_only_the_order_of_frames_is_known(tmp_path) -> None:
    files = {
        "surgqa.yaml": ROWS.replace("rate: 25\n", ""),
        "p.csv": "v,f,p,r\na,0,Prep,\na,1,Prep,\n",
    }
    laid_out(tmp_path, files)
    ordered, timed = Reader(tmp_path).read("a"), Reader(tmp_path, rate=Fraction(2)).read("a")
    assert (ordered.video.clock, spans_of(ordered)) == (Clock.ORDER, [("preparation", 0, 2)])
    assert (timed.video.clock, spans_of(timed)) == (Clock.TIME, [("preparation", 0, 1)])


def test_seconds_beside_frames_without_a_rate_are_refused(tmp_path) -> None:
    columns = "columns: {video: v, start: s, end: e, phase: p}"
    more = f"tables:\n  more: {{holds: segments, file: q.csv, {columns}}}\n"
    mapping = ROWS.replace("rate: 25\n", "").replace("tables:\n", more)
    reader = laid_out(tmp_path, {"surgqa.yaml": mapping, "p.csv": "v,f,p,r\na,0,Prep,\n",
                                 "q.csv": "v,s,e,p\na,1,2,Calot\n"})  # fmt: skip
    with pytest.raises(UserError, match="the frame rate is unknown") as error:
        reader.read("a")
    assert error.value.where == "surgqa.yaml:4"


def test_the_rate_and_length_of_a_film_are_asked_where_no_table_tells(
    tmp_path: Path, films: ModuleType
) -> None:
    mapping = "media: videos/{video}.mp4\n" + ROWS.replace("rate: 25\n", "")
    laid_out(tmp_path, {"surgqa.yaml": mapping, "p.csv": "v,f,p,r\na,0,Prep,\na,10,Prep,\n"})
    (tmp_path / "videos").mkdir()
    films.film(tmp_path / "videos" / "a.mp4", 1, 4.0)
    evidence = Reader(tmp_path).read("a")
    assert (evidence.video.fps, evidence.video.duration_us) == (10, 4 * SECOND)
    assert evidence.video.media.kind == MediaKind.VIDEO and evidence.video.media.width == 400
    assert spans_of(evidence) == [("preparation", 0, 2)]


@pytest.mark.parametrize(
    ("text", "header"),
    [("v;s;e;p\r\na;1,5;2,5;Prep\r\n", "semicolons"), ("v\ts\te\tp\na\t1.5\t2.5\tPrep\n", "tabs"),
     ("v|s|e|p\na|1.5|2.5|Prep", "bars"), ('V , S,E ,"P"\n"a",1.5, 2.5 ,Prep\n\n', "blanks")],
)  # fmt: skip
def test_separators_decimal_commas_and_blanks(tmp_path, text, header) -> None:
    mapping = f"""
tables:
  phases: {{holds: segments, file: p.csv, columns: {{video: v, start: s, end: e, phase: p}}}}
{PHASE}"""
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "p.csv": text}).read("a")
    assert spans_of(evidence) == [("preparation", 1.5, 2.5)]


def test_bad_times_are_left_out_row_by_row(tmp_path) -> None:
    mapping = f"""
tables:
  phases: {{holds: segments, file: "{{video}}.csv", columns: {{start: s, end: e, phase: p}}}}
{PHASE}"""
    rows = "s,e,p\nsoon,2,Prep\n-1,2,Prep\n3,2,Prep\n2,,Prep\n1,2\n4,5,Prep\n4,5,Prep\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "a.csv": rows}).read("a")
    assert spans_of(evidence) == [("preparation", 4, 5)]
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (Code.BAD_TIME, "a.csv:2"), (Code.BAD_TIME, "a.csv:3"), (Code.BAD_TIME, "a.csv:4"),
        (Code.BAD_TIME, "a.csv:5"), (Code.BAD_ROW, "a.csv:6"), (Code.BAD_ROW, "a.csv:8"),
    ]  # fmt: skip
    assert balanced(evidence) and evidence.books[0].read == 7


# Instants

TOOLS = """
rate: 1
tables:
  tools: {holds: events, file: t.csv, columns: {video: v, at: f}, time: {unit: frames},
    flags: {instrument: [Grasper, L-Hook], phase: [Prep]}}
labels:
  instrument: {Grasper: grasper, L-Hook: hook, Clips: clipper}
  phase: [Preparation, Prep]
"""


def test_columns_that_are_named_by_labels_hold_whether_they_apply(tmp_path) -> None:
    mapping = TOOLS.replace("[Preparation, Prep]", "{Prep: preparation}")
    text = "v,f,Grasper,L-Hook,Prep\na,0,1,0,1\na,1,yes,X,0.0\na,2,0,,\na,3,1.0,false,no\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    table = evidence.instruments
    assert table.labels == evidence.video.vocabulary == ("clipper", "grasper", "hook")
    assert table.instants_us.tolist() == [0, SECOND, 2 * SECOND, 3 * SECOND]
    assert [(s, table.labels[c]) for s, c in zip(table.sample, table.label, strict=True)] == [
        (0, "grasper"), (1, "grasper"), (1, "hook"), (3, "grasper")]  # fmt: skip
    assert spans_of(evidence) == [("preparation", 0, 1)]
    assert evidence.rejected == ()
    assert balanced(evidence) and evidence.books[0].read == 6  # 5 flags and an empty row


@pytest.mark.parametrize("cell", ["-1", "2", "7", "0.5", "1e9", "nan", "maybe", "-", "10"])
def test_a_line_with_a_flag_that_is_neither_1_nor_0_is_not_used(tmp_path, cell: str) -> None:
    text = f"v,f,Grasper,L-Hook,Prep\na,0,1,0,1\na,1,{cell},1,0\na,2,1,0,1\n"
    mapping = TOOLS.replace("[Preparation, Prep]", "{Prep: preparation}")
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    assert evidence.instruments.frames.tolist() == [0, 2]  # the others of the line are not known
    assert [(e.code, e.where, e.count) for e in evidence.rejected] == [
        (Code.BAD_VALUE, "t.csv:3", 2)
    ]
    assert balanced(evidence)


@pytest.mark.parametrize("second", ["1,1,0,0", "1,0,1,0", "1,0,0,0", "1.2,1,0,1", "1,,,"])
def test_of_two_lines_of_flags_about_one_frame_none_is_used(tmp_path, second: str) -> None:
    text = f"v,f,Grasper,L-Hook,Prep\na,0,1,0,1\na,1,1,0,0\na,{second}\na,2,0,0,1\nb,1,1,0,0\n"
    mapping = TOOLS.replace("[Preparation, Prep]", "{Prep: preparation}").replace(
        "time: {unit: frames}", "time: {unit: seconds}"
    )
    reader = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text})
    evidence = reader.read("a")
    assert evidence.instruments.frames.tolist() == [0, 2]
    assert [(e.code, e.where) for e in evidence.rejected] == [
        (Code.DUPLICATE_FRAME, "t.csv:3"), (Code.DUPLICATE_FRAME, "t.csv:4"),
    ]  # fmt: skip
    assert balanced(evidence) and reader.read("b").rejected == ()


def test_of_two_lines_of_flags_about_one_video_none_is_used(tmp_path) -> None:
    mapping = """
tables:
  seen: {holds: labels, file: t.csv, columns: {video: v, rater: r}, flags: {finding: [Polyp]}}
labels: {finding: same}
"""
    text = "v,r,Polyp\na,A,1\na,A,0\na,B,x\nb,A,1\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    assert [(one.label, one.rater) for one in evidence.labels] == [("polyp", "B")]
    assert [(e.code, e.where) for e in evidence.rejected] == [
        (Code.BAD_ROW, "t.csv:2"), (Code.BAD_ROW, "t.csv:3"),
    ]  # fmt: skip
    assert balanced(evidence)


def test_lines_of_flags_by_two_raters_or_about_two_hands_are_used(tmp_path) -> None:
    mapping = TOOLS.replace("[Preparation, Prep]", "same").replace(
        "columns: {video: v, at: f}", "columns: {video: v, at: f, rater: r, subject: s}"
    ).replace("[Prep]", "[Preparation]")  # fmt: skip
    text = "v,f,r,s,Grasper,L-Hook,Preparation\na,0,A,left,0,0,1\na,0,B,left,0,0,1\n"
    text += "a,0,A,right,0,0,1\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    assert evidence.rejected == () and len(evidence.spans) == 3


def test_every_row_of_instruments_names_the_line_of_its_table(tmp_path) -> None:
    files = {"surgqa.yaml": BOXES, "p.csv": "v,f,i\na,0,hook\na,1,\na,2,hook\n",
             "b.csv": "v,f,i,what,on,a,b,c,d,id,s\na,0,grasper,,,0.1,0.1,0.2,0.2,,\n"}  # fmt: skip
    evidence = laid_out(tmp_path, files).read("a")
    tables = evidence_tables(evidence, build_timeline(evidence), ())
    events = tables["events"].to_pylist()
    digests = {source.path: source.sha256 for source in evidence.video.sources}
    assert [(e["time_us"], e["label"], e["source_path"], e["pointer"]) for e in events] == [
        (0, "grasper", "b.csv", "b.csv:2"), (0, "hook", "p.csv", "p.csv:2"),
        (SECOND, None, "p.csv", "p.csv:3"), (2 * SECOND, "hook", "p.csv", "p.csv:4"),
    ]  # fmt: skip
    assert all(e["source_sha256"] == digests[e["source_path"]] for e in events)
    assert list(digests) == ["p.csv", "b.csv", "surgqa.yaml"]  # tables first: others name the first


def test_several_labels_in_one_cell(tmp_path) -> None:
    mapping = """
tables:
  tools: {holds: events, file: t.csv, separator: +, columns: {video: v, at: s, instrument: i}}
labels: {instrument: same}
"""
    text = "v,s,i\na,0.5,grasper + hook\na,1.5,\na,2.5,Clip applier\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    table = evidence.instruments
    assert [table.labels[code] for code in table.label] == ["grasper", "hook", "clipper"]
    assert table.instants_us.tolist() == [500_000, 1_500_000, 2_500_000]
    assert (evidence.video.fps, evidence.video.period_us) == (1000, SECOND)


def test_instants_lie_on_the_nearest_frame_of_the_recording(tmp_path) -> None:
    mapping = """
rate: 30000/1001
tables:
  tools: {holds: events, file: t.csv, columns: {video: v, at: s, instrument: i}, every: 0.5}
labels: {instrument: same}
"""
    text = "v,s,i\na,1,grasper\na,2,hook\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    assert evidence.instruments.frames.tolist() == [30, 60]
    assert evidence.instruments.instants_us.tolist() == [1_001_000, 2_002_000]
    assert evidence.video.period_us == 500_000


def test_findings_at_instants_are_seen_somewhere_and_actions_last(tmp_path) -> None:
    mapping = """
tables:
  seen: {holds: events, file: t.csv, columns: {video: v, at: s, finding: f, action: a, subject: w}}
labels: {finding: {Pol: polyp}, action: {Cut: cutting}, instrument: same}
"""
    text = "v,s,f,a,w\na,0,Pol,Cut,Scissors\na,1,,Cut,Scissors\na,2,,,\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text}).read("a")
    table = evidence.regions["finding"]
    assert (table.labels, table.sample.tolist(), table.box_origin) == (("polyp",), [0], "none")
    assert np.isnan(table.box_xyxy).all() and evidence.instruments is None
    assert spans_of(evidence) == [("cutting", 0, 2)]
    assert evidence.spans[0].subject == "scissors"


# Boxes

FORMS = {
    "corners": ("x1: a, y1: b, x2: c, y2: d", "pixels, size: [640, 480]", "64,48,320,96"),
    "any two corners": ("x1: a, y1: b, x2: c, y2: d", "pixels, size: [640, 480]", "320,96,64,48"),
    "size": ("x: a, y: b, w: c, h: d", "pixels, size: [640, 480]", "64,48,256,48"),
    "centre": ("cx: a, cy: b, w: c, h: d", "shares", "0.3,0.15,0.4,0.1"),
    "percent": ("x: a, y: b, w: c, h: d", "percent", "10,10,40,10"),
    "columns": ("x: a, y: b, w: c, h: d, picture_width: W, picture_height: H", "pixels",
                "64,48,256,48"),
    "media": ("x: a, y: b, w: c, h: d", "pixels", "6.4,4.8,25.6,4.8"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_write_a_box(tmp_path, form) -> None:
    roles, box, cells = FORMS[form]
    mapping = f"""
rate: 1
media: frames/{{video}}
tables:
  boxes: {{holds: boxes, file: t.csv, columns: {{video: v, at: f, instrument: i, {roles}}},
    time: {{unit: frames}}, box: {{unit: {box}}}}}
labels: {{instrument: same}}
"""
    text = f"v,f,i,a,b,c,d,W,H\na,0,grasper,{cells},640,480\n"
    reader = laid_out(tmp_path, {"surgqa.yaml": mapping, "t.csv": text})
    if form == "media":
        (tmp_path / "frames" / "a").mkdir(parents=True)
        (tmp_path / "frames" / "a" / "1.png").write_bytes(png(np.zeros((48, 64, 3), np.uint8)))
    evidence = reader.read("a")
    assert evidence.instruments.box_xyxy.round(9).tolist() == [[0.1, 0.1, 0.5, 0.2]]
    assert evidence.rejected == ()


def test_a_picture_s_name_tells_video_and_frame_in_a_table_without_a_header(tmp_path) -> None:
    mapping = """
tables:
  boxes: {holds: boxes, file: b.csv, header: false, picture: "{video}-{frame}.jpg",
    columns: {picture: 1, x1: 2, y1: 3, x2: 4, y2: 5, instrument: 6},
    time: {unit: frames, rate: 15}, box: {size: [1280, 720]}}
labels: {instrument: {bovie: hook, hand: {drop: no tool}}}
"""
    text = "x/a-1-30.jpg,128,72,640,360,bovie\nx/a-1-31.jpg,1,1,9,9,hand\nx/a-1-32.jpg,,,,,\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "b.csv": text}).read("a-1")
    table = evidence.instruments
    assert table.frames.tolist() == [30, 31, 32] and table.instants_us[0] == 2 * SECOND
    assert table.box_xyxy.tolist() == [[0.1, 0.1, 0.5, 0.5]] and table.labels == ("hook",)
    assert [entry.code for entry in evidence.rejected] == [Code.DROPPED_LABEL]
    assert balanced(evidence)


def test_pixels_without_a_size_are_refused(tmp_path) -> None:
    mapping = """rate: 1
tables:
  boxes:
    {holds: boxes, file: t.csv, columns: {video: v, at: f, instrument: i, x: a, y: b, w: c, h: d}}
labels: {instrument: same}
"""
    reader = laid_out(
        tmp_path, {"surgqa.yaml": mapping, "t.csv": "v,f,i,a,b,c,d\na,0,hook,1,1,2,2\n"}
    )
    with pytest.raises(UserError, match="the size of the pictures is not known") as error:
        reader.read("a")
    assert error.value.where == "surgqa.yaml:3"


BOXES = """
rate: 1
tables:
  presence: {holds: events, file: p.csv, columns: {video: v, at: f, instrument: i},
    time: {unit: frames}}
  boxes: {holds: boxes, file: b.csv, box: {unit: shares}, time: {unit: frames}, columns: {video: v,
    at: f, instrument: i, verb: what, target: on, x: a, y: b, w: c, h: d, track: id, score: s}}
labels: {instrument: same, verb: same, target: same}
"""


def test_rows_of_one_box_are_one_instance_and_a_box_says_more_than_presence(tmp_path) -> None:
    reader = laid_out(tmp_path, {
        "surgqa.yaml": BOXES,
        "p.csv": "v,f,i\na,0,grasper\na,0,hook\na,1,hook\n",
        "b.csv": "v,f,i,what,on,a,b,c,d,id,s\n"
                 "a,0,grasper,grasp,gallbladder,0.1,0.1,0.2,0.2,left,0.75\n"
                 "a,0,grasper,retract,liver,0.1,0.1,0.2,0.2,left,0.75\n"
                 "a,1,grasper,grasp,,0.9,0.9,0.2,0.2,right,1\n"
                 "a,1,grasper,,,0.5,0.5,0,0.2,right,1\n"
                 "a,1,grasper,,,x,0.5,0.1,0.2,right,1\n",
    })  # fmt: skip
    evidence = reader.read("a")
    table = evidence.instruments
    assert [(s, table.labels[c]) for s, c in zip(table.sample, table.label, strict=True)] == [
        (0, "grasper"),
        (0, "hook"),
        (1, "grasper"),
        (1, "grasper"),
        (1, "grasper"),
        (1, "hook"),
    ]
    assert table.pair_sets == ((("grasp", "gallbladder"), ("retract", "liver")),)
    assert table.pairs.tolist() == [0, -1, -1, -1, -1, -1]
    assert table.track.tolist() == [0, -1, 1, 1, 1, -1]
    assert table.score.tolist()[0] == 0.75
    assert np.isfinite(table.box_xyxy[:, 0]).tolist() == [True, False, True, False, False, False]
    assert [(entry.code, entry.outcome, entry.where) for entry in evidence.rejected] == [
        (Code.BAD_BOX, "repaired", "b.csv:4"), (Code.UNKNOWN_LABEL, "repaired", "b.csv:4"),
        (Code.BAD_BOX, "repaired", "b.csv:5"), (Code.BAD_BOX, "repaired", "b.csv:6"),
    ]  # fmt: skip
    assert balanced(evidence) and evidence.books[0].read == evidence.books[0].kept == 8


# Ratings and labels of whole recordings

RATED = """
tables:
  cvs: {holds: ratings, file: r.csv, columns: {video: v, rater: who, rating: what, value: score}}
  level: {holds: labels, file: r.csv, columns: {video: v, condition: view, rater: who}}
labels:
  rating: {two: cvs_two_structures, plate: cvs_cystic_plate}
  condition: {clean: normal_mucosa}
"""


def test_ratings_of_several_raters_and_what_is_off_the_scale(tmp_path) -> None:
    rows = ["a,A,two,2,clean", "a,B,two,0,", "a,A,plate,3,", "a,A,plate,,", "a,A,two,1,"]
    text = "\n".join(["v,who,what,score,view", *rows])
    evidence = laid_out(tmp_path, {"surgqa.yaml": RATED, "r.csv": text}).read("a")
    assert [(e.kind, e.label, e.value, e.rater) for e in evidence.labels] == [
        ("condition", "normal_mucosa", None, "A"), ("rating", "cvs_two_structures", 2.0, "A"),
        ("rating", "cvs_two_structures", 0.0, "B"),
    ]  # fmt: skip
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (Code.BAD_VALUE, "r.csv:4"), (Code.BAD_VALUE, "r.csv:5"), (Code.BAD_ROW, "r.csv:6"),
    ]  # fmt: skip
    assert evidence.video.clock == Clock.WHOLE and balanced(evidence)


def test_a_scale_that_is_not_the_rating_s_own_is_refused(tmp_path) -> None:
    mapping = RATED.replace("value: score}}", "value: score}, scale: [1, 5]}")
    with pytest.raises(UserError, match="scale") as error:
        laid_out(tmp_path, {"surgqa.yaml": mapping, "r.csv": "v\n"}).videos()
    assert error.value.expected == "[0, 2], the scale of cvs_cystic_plate"
    assert error.value.where == "surgqa.yaml:3"


CLIPS = """
tables: {clips: {holds: labels, file: "clips/{finding}/{video}.png"}}
labels: {finding: {Polyps: polyp, Zotten: {drop: healthy}}}
"""


def test_folders_of_clips_that_are_named_by_classes(tmp_path) -> None:
    reader = laid_out(tmp_path, {"surgqa.yaml": CLIPS})
    for name in ("Polyps/p1", "Zotten/z1", "Schleim/s1"):
        (tmp_path / "clips" / name).parent.mkdir(parents=True)
        (tmp_path / f"clips/{name}.png").write_bytes(png(np.zeros((48, 64, 3), np.uint8)))
    assert reader.videos() == ["p1", "s1", "z1"]
    found = {video: reader.read(video) for video in reader.videos()}
    assert [(e.kind, e.label) for e in found["p1"].labels] == [("finding", "polyp")]
    media = found["p1"].video.media
    assert (media.kind, media.path, media.width) == (MediaKind.IMAGE, "clips/Polyps/p1.png", 64)
    assert found["p1"].video.clock == Clock.WHOLE
    assert [e.code for e in found["z1"].rejected] == [Code.DROPPED_LABEL]
    assert [e.code for e in found["s1"].rejected] == [Code.UNKNOWN_LABEL]
    assert all(balanced(evidence) for evidence in found.values())
    shutil.copy(tmp_path / "clips/Polyps/p1.png", tmp_path / "clips/Zotten/p1.png")
    with pytest.raises(SourceBroken, match="two clips are called p1"):
        Reader(tmp_path).read("p1")


# Words


def test_an_unknown_word_is_rejected_with_near_ones(tmp_path) -> None:
    mapping = f"""
tables:
  phases: {{holds: segments, file: p.csv, columns: {{video: v, start: s, end: e, phase: p}}}}
{PHASE}"""
    text = "v,s,e,p\na,0,1,prep\na,1,2,Prepp\na,2,3,Xyz\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "p.csv": text}).read("a")
    reasons = [entry.reason for entry in evidence.rejected]
    assert [entry.code for entry in evidence.rejected] == [Code.UNKNOWN_LABEL] * 2
    assert reasons[0] == "phase 'Prepp' is not in labels.phase of surgqa.yaml; near: Prep"
    assert reasons[1] == "phase 'Xyz' is not in labels.phase of surgqa.yaml"
    assert spans_of(evidence) == [("preparation", 0, 1)]


def test_a_word_that_may_mean_several_things_is_not_guessed(tmp_path, monkeypatch) -> None:
    meanings = {"burning": ("cut_hot", "coagulate_hot"), "tying": ("tying",)}
    monkeypatch.setattr(words, "names_of", lambda kind: meanings)
    mapping = """
tables:
  acts: {holds: segments, file: p.csv, columns: {video: v, start: s, end: e, action: a}}
labels: {action: same}
"""
    rows = "v,s,e,a\na,0,1,Burning\na,1,2,tying\n"
    evidence = laid_out(tmp_path, {"surgqa.yaml": mapping, "p.csv": rows}).read("a")
    assert spans_of(evidence) == [("tying", 1, 2)]
    assert evidence.rejected[0].reason.endswith("it may mean cut_hot or coagulate_hot")
    laid_out(tmp_path, {"surgqa.yaml": mapping.replace("same", "{Burn: burning}")})
    with pytest.raises(UserError, match="several actions") as error:
        Reader(tmp_path).videos()
    assert error.value.fix == "did you mean cut_hot or coagulate_hot?"
    assert error.value.where == "surgqa.yaml:4"


def test_ids_go_before_names_and_names_before_synonyms() -> None:
    names = words.names_of("instrument")
    assert names["clipper"] == ("clipper",) and names["clip applier"] == ("clipper",)
    assert names["endoclip applier"] == ("clipper",)
    for kind in words.KINDS:
        for key in vocabulary(f"{kind}s"):
            assert words.names_of(kind)[words.fold(key)] == (key,)


# Mistakes in the mapping, and in tables

GOOD = """rate: 25
tables:
  phases:
    holds: segments
    file: p.csv
    columns: {video: v, start: s, end: e, phase: p}
    time: {unit: frames}
labels:
  phase: {Prep: preparation}
"""
WRONG = {
    "unknown key": ("rate:", "rates:", 1, "did you mean rate?"),
    "unknown key of a table": ("holds:", "hold:", 4, "did you mean holds?"),
    "unknown role": ("start:", "begin:", 6, ""),
    "unknown unit": ("unit: frames", "unit: frame", 7, "did you mean frames?"),
    "a rate of 0": ("rate: 25", "rate: 0", 1, ""),
    "a word of another kind": ("preparation", "grasper", 9, "grasper is a word for instrument"),
    "a rate of words": ("rate: 25", "rate: fast", 1, ""),
    "what it holds": ("segments", "segment", 4, "did you mean segments?"),
    "a base of 2": ("unit: frames", "unit: frames, base: 2", 7, ""),
    "a base of seconds": ("unit: frames", "unit: seconds, base: 1", 7, ""),
    "no file": ("    file: p.csv\n", "", 3, "add 'file: …'"),
    "a path outside": ("p.csv", "../p.csv", 5, ""),
    "an unknown placeholder": ("p.csv", "'{case}.csv'", 5, ""),
    "no video": ("video: v, ", "", 6, "add 'video: …'"),
    "an end without a start": ("start: s, ", "", 6, ""),
    "two times": ("start: s,", "start: s, at: f,", 6, ""),
    "no label": (", phase: p}", "}", 6, ""),
    "labels of nothing": ("  phase: {Prep: preparation}", "  step: same", 6, ""),
    "an unknown kind": ("  phase: {", "  phases: {", 9, "did you mean phase?"),
    "an unknown concept": ("Prep: preparation", "Prep: preperation", 9,
                           "did you mean preparation"),
    "words of no shape": ("{Prep: preparation}", "7", 9, ""),
    "a key twice": ("labels:\n", "labels: {}\nlabels:\n", 9, ""),
    "not YAML": ("labels:", "labels: [", 10, ""),
    "a picture without a pattern": ("start: s, end: e", "picture: s", 6, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_in_the_mapping_are_named_with_their_line(name: str, tmp_path: Path) -> None:
    old, new, line, fix = WRONG[name]
    assert old in GOOD
    laid_out(tmp_path, {"surgqa.yaml": GOOD.replace(old, new, 1), "p.csv": "v,s,e,p\na,0,1,Prep\n"})
    with pytest.raises(UserError) as error:
        Reader(tmp_path).videos()
    assert re.match(rf"surgqa\.yaml:{line}\b", error.value.where or ""), error.value
    assert error.value.expected or error.value.found, error.value
    assert fix in (error.value.fix or ""), error.value


def test_the_mapping_that_the_mistakes_were_made_in_is_good(tmp_path) -> None:
    reader = laid_out(tmp_path, {"surgqa.yaml": GOOD, "p.csv": "v,s,e,p\na,0,25,Prep\n"})
    assert spans_of(reader.read("a")) == [("preparation", 0, 1)]


LISTED = "videos: {file: videos.csv, columns: {video: v, rate: r, patient: who}}\n" + GOOD
TABLES = {
    "a column is missing": ("p.csv", "v,s,e\na,0,1\n", "p.csv:1", "no column 'p'"),
    "a line is no row": ("p.csv", "v,s,e,p\na,0\n", "p.csv:2", "a malformed line"),
    "a row of no video": ("p.csv", "v,s,e,p\n,0,1,Prep\n", "p.csv:2", "a row that names no video"),
    "an unlisted video": ("p.csv", "v,s,e,p\nb,0,1,Prep\n", "p.csv:2", "lacks the video 'b'"),
    "an empty table": ("p.csv", "", "p.csv:1", "is empty"),
    "a table of bytes": ("p.csv", "v,s,e,p\n\udcff\n", "p.csv:2", "not UTF-8"),
    "a video twice": ("videos.csv", "v,r,who\na,25,P\na,25,P\n", "videos.csv:3", "table of videos"),
    "a rate of 0": ("videos.csv", "v,r,who\na,0,P\n", "videos.csv:2", "table of videos"),
    "no rate column": ("videos.csv", "v,who\na,P\n", "videos.csv:1", "table of videos"),
}


@pytest.mark.parametrize("name", TABLES)
def test_mistakes_in_tables_are_named_with_their_line(name: str, tmp_path: Path) -> None:
    file, text, where, summary = TABLES[name]
    files = {
        "surgqa.yaml": LISTED,
        "videos.csv": "v,r,who\na,25,P\n",
        "p.csv": "v,s,e,p\na,0,1,Prep\n",
    }
    laid_out(tmp_path, files)
    assert Reader(tmp_path).read("a").video.split_group == "tables/P"
    (tmp_path / file).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SourceBroken, match=summary) as error:
        Reader(tmp_path).read(Reader(tmp_path).videos()[0])
    assert error.value.where == where


@pytest.mark.parametrize(
    ("file", "wrong", "where", "found"),
    [
        ("p.csv", "pp.csv", "surgqa.yaml:6", "p.csv"),
        ("videos.csv", "video.csv", "surgqa.yaml:1", "videos.csv"),
        ("p.csv", "phazes/q.csv", "surgqa.yaml:6", "phases"),
        ("p.csv", "phase/{video}.csv", "surgqa.yaml:6", "phases"),
        ("p.csv", "phases/{video}.tsv", "surgqa.yaml:6", "phases/a.csv"),
    ],
)
def test_a_file_that_is_not_there_is_an_error_of_the_mapping_s_line(
    tmp_path: Path, capsys, file: str, wrong: str, where: str, found: str
) -> None:
    mapping = LISTED.replace(f"file: {file}", f"file: '{wrong}'")
    laid_out(tmp_path, {"surgqa.yaml": mapping, "videos.csv": "v,r,who\na,25,P\nb,25,P\n",
                        "p.csv": "v,s,e,p\na,0,1,Prep\nb,0,1,Prep\n",
                        "phases/a.csv": "v,s,e,p\na,0,1,Prep\n"})  # fmt: skip
    with pytest.raises(SourceMissing) as error:
        Reader(tmp_path).videos()
    assert (error.value.where, error.value.found) == (where, found)
    assert Reader(tmp_path).missing() == [wrong]
    assert run(["verify", "tables", "--root", str(tmp_path)]) == SourceMissing.exit_code
    assert capsys.readouterr().err.count(where) == 1


def test_a_row_about_an_unlisted_video_is_named_once(tmp_path: Path, capsys) -> None:
    laid_out(tmp_path, {"surgqa.yaml": LISTED, "videos.csv": "v,r,who\na,25,P\nb,25,P\n",
                        "p.csv": "v,s,e,p\na,0,1,Prep\nb,0,1,Prep\nc,0,1,Prep\n"})  # fmt: skip
    assert run(["verify", "tables", "--root", str(tmp_path)]) == SourceBroken.exit_code
    told = "".join(capsys.readouterr())
    assert told.count("lacks the video 'c'") == 1 and "p.csv:4" in told
    assert "lacks the video 'c'" in next(recognised(tmp_path)).refused["tables"]


def test_a_video_of_which_nothing_is_there(tmp_path) -> None:
    mapping = GOOD.replace("p.csv", "'phases/{video}.csv'").replace("video: v, ", "")
    reader = laid_out(tmp_path, {"surgqa.yaml": mapping, "phases/a.csv": "s,e,p\n0,1,Prep\n"})
    assert reader.videos() == ["a"] and reader.missing() == []
    with pytest.raises(SourceMissing) as error:
        reader.read("b")
    assert error.value.where == "phases/b.csv"


# docs/your_data.md

BLOCK = re.compile(r"^(?:`([^`\n]+)`|Read with `(\w+)` as):\n\n```\w*\n(.*?)^```$", re.M | re.S)


def examples(repo_root: Path) -> dict[str, tuple[dict[str, str], str, str]]:
    """Title -> files, reader and what it reads, of every example of the page."""
    page = (repo_root / "docs" / "your_data.md").read_text(encoding="utf-8")
    out = {}
    for part in page.split("\n## ")[1:]:
        files, reader, told = {}, "", ""
        for name, wanted, text in BLOCK.findall(part):
            if name and name not in files:
                files[name] = text
            elif wanted:
                reader, told = wanted, text
        if reader:
            out[part.split("\n")[0]] = files, reader, told
    return out


def in_words(evidence: VideoEvidence) -> str:
    """What was read, as the page shows it."""
    name, lines = evidence.video.video_id, []
    for span in evidence.spans:
        start, end = span.start_us / SECOND, span.end_us / SECOND
        lines.append(f"{span.kind} {span.label} {start:g} to {end:g}")
    table = evidence.instruments
    for sample, code, box in (
        zip(table.sample, table.label, table.box_xyxy, strict=True) if table else ()
    ):
        shown = "" if np.isnan(box[0]) else " box " + " ".join(f"{v:g}" for v in box.round(9))
        lines.append(
            f"instrument {table.labels[code]} at {table.instants_us[sample] / SECOND:g}{shown}"
        )
    for one in evidence.labels:
        value = "" if one.value is None else f" {one.value:g}"
        lines.append(f"{one.kind} {one.label}{value}" + (f" by {one.rater}" if one.rater else ""))
    lines += [f"left out: {entry.code} {entry.where}" for entry in evidence.rejected]
    return "".join(f"{name} {line}\n" for line in lines)


def test_every_example_of_the_page_is_read_as_it_says(repo_root: Path, tmp_path: Path) -> None:
    shown = examples(repo_root)
    assert len(shown) == 4
    for number, (title, (files, reader, told)) in enumerate(shown.items()):
        root = tmp_path / str(number)
        laid_out(root, files)
        if "clips" in title:
            (root / "clips/Polyps").mkdir(parents=True)
            (root / "clips/Polyps/p1.png").write_bytes(png(np.zeros((48, 64, 3), np.uint8)))
        one = load_reader(reader)(root)
        assert "".join(in_words(one.read(video)) for video in one.videos()) == told, title


def test_the_page_explains_every_key(repo_root: Path) -> None:
    page = (repo_root / "docs" / "your_data.md").read_text(encoding="utf-8")
    tables = {*table_plan.TABLE_KEYS, *table_plan.TOP_KEYS, *table_plan.VIDEO_ROLES,
              *table_plan.HOLDS, *table_plan.BOX_UNITS, *moments.UNITS, *export_plan.KEYS,
              *(role for roles in table_plan.ROLES.values() for role in roles)}  # fmt: skip
    missing = sorted(key for key in tables if f"`{key}`" not in page)
    assert missing == []

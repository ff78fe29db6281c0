"""Blinded sheets out, scores back: complete, once each, in range, of this study."""

import json
import re
from pathlib import Path

import orjson
import pytest

from surgqa.ontology.continuations import ASKED, DIMENSIONS, PROMPTS, RATERS_PER_TRACK, anchors
from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.transforms.exports.surgveo.sheets import (
    HEADER,
    StudySample,
    make_study,
    order,
    study_from_dict,
    study_to_dict,
    write_table,
)
from surgqa.transforms.exports.surgveo.sheets.page import page
from surgqa.transforms.exports.surgveo.sheets.take_in import take_in
from tests.damage.everywhere import everywhere
from tests.transforms.exports.surgveo.study import (
    csv_bytes,
    filled_table,
    json_text,
    rows_of,
    score_of,
    study,
)

COLUMN = {name: k for k, name in enumerate(HEADER)}


def test_each_dimension_has_five_descriptions_of_its_own():
    assert list(anchors()) == list(DIMENSIONS) == list(ASKED)
    assert all(list(words) == [5, 4, 3, 2, 1] for words in anchors().values())
    told = [text for words in anchors().values() for text in words.values()]
    assert len({text.casefold() for text in told}) == len(told) == 20
    assert all(30 < len(text) < 110 and not text.endswith(".") for text in told)


def test_every_row_of_a_table_tells_the_scale_of_its_dimension():
    rows = rows_of(write_table(study(), "Ada"))[1:]
    assert {row[COLUMN["dimension"]] for row in rows} == set(DIMENSIONS)
    for row in rows:
        told = row[COLUMN["scale"]].split(" | ")
        meant = anchors()[row[COLUMN["dimension"]]]
        assert told == [f"{score}: {text}" for score, text in meant.items()]


def test_the_page_holds_all_twenty_descriptions():
    text = page(study(), "Ada").decode()
    (told,) = re.findall('<script type="application/json" id="sheet">(.*)</script>', text)
    for one in json.loads(told)["dimensions"]:
        assert one["anchors"] == [[score, text] for score, text in anchors()[one["id"]].items()]


def test_the_documentation_shows_the_scale():
    pages = (Path(__file__).parents[4] / "docs" / "surgveo.md").read_text(encoding="utf-8")
    for words in anchors().values():
        for score, text in words.items():
            assert f"| {score} | {text} |" in pages


@pytest.fixture
def sheets(tmp_path):
    """A filled-in CSV sheet for every rater of the small study."""
    found = study()
    for rater in found.everybody:
        (tmp_path / f"{rater}.csv").write_bytes(csv_bytes(filled_table(found, rater)))
    return found, [tmp_path / f"{rater}.csv" for rater in found.everybody]


def edited(path, change):
    rows = rows_of(path.read_bytes())
    path.write_bytes(csv_bytes(change(rows) or rows))


def refused(found, paths):
    with pytest.raises(UserError) as caught:
        take_in(found, paths)
    assert caught.value.where
    assert caught.value.fix
    assert caught.value.found
    return caught.value


def test_the_whole_design_is_2400_fields():
    found = study(18, 32, {"laparoscopic": ("a", "b"), "neurosurgical": ("c", "d")})
    assert len(found.clips) == 100
    assert sum(len(rows_of(write_table(found, one))) - 1 for one in found.everybody) == 2400
    assert len({one.code for one in found.clips}) == 100


def test_orders_are_fixed_differ_by_rater_and_keep_a_samples_videos_apart():
    found = study(18, 32)
    ada, bo = order(found, "Ada"), order(found, "Bo")
    assert ada == order(study(18, 32), "Ada")
    assert sorted(one.code for one in ada) == sorted(one.code for one in found.clips)
    in_common = {one.code for one in bo}
    assert [one.code for one in ada if one.code in in_common] != [one.code for one in bo]
    assert all(a.sample_id != b.sample_id for a, b in zip(ada, ada[1:], strict=False))
    first = [one.prompt for one in ada[: len(ada) // 2]]
    assert len({one.sample_id for one in ada[: len(ada) // 2]}) == len(ada) // 2
    assert first.count(PROMPTS[0]) == first.count(PROMPTS[1])
    two = make_study("n", "s", [StudySample("x", "t", "c")], {"t": ("A",)})
    assert len(order(two, "A")) == 2


def test_an_order_does_not_depend_on_the_order_of_samples():
    samples = [StudySample(f"s{k}", "t", "c") for k in range(9)]
    raters = {"t": ("A", "B")}
    assert order(make_study("n", "s", samples, raters), "A") == order(
        make_study("n", "s", samples[::-1], raters), "A"
    )


def test_only_raters_of_the_study_get_a_sheet():
    for write in (order, write_table, page):
        with pytest.raises(UserError, match="no rater of this name"):
            write(study(), "Zoe")


def test_neither_sheet_tells_prompt_or_sample():
    found = study()
    told = page(found, "Ada").decode().partition("</head>")[2]  # before it stands the style
    for text in (write_table(found, "Ada").decode(), told):
        for word in ("baseline", "stage_aware", "lap0", "neu0", '"prompt"', "seed"):
            assert word not in text


NAMESPACE = "http://www.w3.org/2000/svg"
"""A name, which nobody asks for."""


def test_a_page_holds_all_it_needs():
    text = page(study(), "Ada").decode()
    assert page(study(), "Ada").decode() == text
    text = text.replace(NAMESPACE, "")
    for word in ("http:", "https:", "//cdn", "@import", "<link", " src=", "fetch(", "XMLHttp"):
        assert word not in text
    assert "default-src 'none'" in text
    assert "\\u003c0\\u003e \\u0026 \\u2028" in text
    assert "<0>" not in text


def test_csv_sheets_come_back(sheets):
    found, paths = sheets
    rows = take_in(found, paths)
    assert len(rows) == 2 * 12 * RATERS_PER_TRACK * 3
    clips = {(one.sample_id, one.prompt): one for one in found.clips}
    for row in rows:
        clip = clips[row.sample_id, row.prompt]
        assert row.score == score_of(row.rater_id, clip, row.time_s, row.dimension)
        assert row.track == clip.track
    marked = [row for row in rows if row.error_types]
    assert len(marked) == 12
    assert {row.error_types for row in marked} == {("target", "intent")}
    assert {row.comment for row in marked} == {'odd, "very"'}
    assert take_in(found, paths[::-1]) == rows


def test_both_forms_give_the_same_rows(sheets, tmp_path):
    found, paths = sheets
    rows = take_in(found, paths)
    saved = tmp_path / "Ada.json"
    saved.write_text(json_text(found, "Ada"))
    mixed = take_in(found, [saved, *paths[1:]])
    plain = [(r.sample_id, r.prompt, r.rater_id, r.time_s, r.dimension, r.score, r.error_types,
              r.comment) for r in rows]  # fmt: skip
    assert [(r.sample_id, r.prompt, r.rater_id, r.time_s, r.dimension, r.score, r.error_types,
             r.comment) for r in mixed] == plain  # fmt: skip
    ada = next(row for row in mixed if row.rater_id == "Ada")
    assert ada.where.startswith(f"{saved}:")
    assert ada.where != f"{saved}:1"


def test_a_spreadsheets_own_habits_are_borne(sheets):
    found, paths = sheets
    rows = take_in(found, paths)
    text = paths[0].read_bytes().decode()
    table = rows_of(text.encode())
    keep = [COLUMN[one] for one in ("comment", "score", "video", "time_s", "dimension", "sheet",
                                    "error_types")]  # fmt: skip
    lines = [";".join(f'"{row[k].replace(chr(34), chr(34) * 2)}"' for k in keep) for row in table]
    paths[0].write_text("\ufeff" + "\n".join([*lines, ";" * 6]) + "\n")
    assert [r.score for r in take_in(found, paths)] == [r.score for r in rows]


def test_a_comment_like_a_formula_comes_back_as_it_was(sheets):
    found, paths = sheets

    def change(rows):
        rows[1][COLUMN["comment"]] = "'=1+1"
        rows[2][COLUMN["comment"]] = "'quoted'"

    edited(paths[0], change)
    comments = {row.comment for row in take_in(found, paths)}
    assert {"=1+1", "'quoted'"} <= comments


def test_an_empty_score_is_missing(sheets):
    found, paths = sheets

    def change(rows):
        rows[4][COLUMN["score"]] = " "

    edited(paths[0], change)
    error = refused(found, paths)
    assert (error.summary, error.where) == ("the score is missing", f"{paths[0]}:5")
    assert error.expected == "1 to 5"
    assert error.found.startswith("nothing for v")


@pytest.mark.parametrize(
    ("column", "value", "summary", "expected"),
    [
        ("score", "6", "score out of range", "1 to 5"),
        ("score", "0", "score out of range", "1 to 5"),
        ("score", "4.0", "score out of range", "1 to 5"),
        ("error_types", "blood", "unknown type of error", "visual_quality, instrument"),
        ("video", "v0", "2 problems", "the video is not on this sheet"),
        ("time_s", "2", "2 problems", "unknown time"),
        ("dimension", "looks", "2 problems", "unknown dimension"),
        ("sheet", "pilot-Bo", "the row belongs to another sheet", "pilot-Ada"),
        ("sheet", "other-Ada", "the row belongs to another sheet", "pilot-Ada"),
    ],
)
def test_odd_fields_are_told_with_their_line(sheets, column, value, summary, expected):
    found, paths = sheets

    def change(rows):
        rows[6][COLUMN[column]] = value

    edited(paths[0], change)
    error = refused(found, paths)
    assert error.summary.startswith(summary)
    assert f"{paths[0]}:7" in error.where + error.found
    assert expected in f"{error.expected}, {error.found}"


def test_missing_and_doubled_rows_are_told(sheets):
    found, paths = sheets
    edited(paths[0], lambda rows: rows[:9] + rows[10:])
    error = refused(found, paths)
    assert error.summary == "1 row(s) of the sheet are missing"
    assert error.expected == "72 rows"
    edited(paths[0], lambda rows: [*rows, rows[3]])
    error = refused(found, paths)
    assert error.summary == "2 problems in the sheets"
    assert "the score is given twice" in error.found
    assert f"also in {paths[0]}:4" in error.found


def test_missing_and_doubled_sheets_are_told(sheets, tmp_path):
    found, paths = sheets
    error = refused(found, paths[:2])
    assert error.summary == "the sheet of rater 'Cy' is missing"
    again = tmp_path / "again.csv"
    again.write_bytes(paths[0].read_bytes())
    assert "given twice" in refused(found, [*paths, again]).summary
    edited(again, lambda rows: rows[:1])
    assert "no rows" in refused(found, [*paths, again]).summary


def test_what_is_no_sheet(sheets, tmp_path):
    found, paths = sheets
    with pytest.raises(SourceMissing):
        take_in(found, [tmp_path / "absent.csv"])
    odd = tmp_path / "odd.csv"
    for text in ("", "a,b\n1,2\n", '"a'):
        odd.write_text(text)
        with pytest.raises(SourceBroken):
            take_in(found, [odd])
    odd = tmp_path / "odd.json"
    for text in ("", "[]", "{}", '{"format": "x"}', "[" * 9000, "9" * 5000,
                 json_text(found, "Ada")[:-20],
                 json_text(found, "Ada").replace('"scores"', '"points"')):  # fmt: skip
        odd.write_text(text)
        with pytest.raises(SourceBroken):
            take_in(found, [odd, *paths[1:]])


def test_a_saved_sheet_is_held_to_the_same_rules(sheets, tmp_path):
    found, paths = sheets
    saved = tmp_path / "Ada.json"
    text = json_text(found, "Ada")
    code = order(found, "Ada")[0].code
    line = f"{saved}:3"
    data = json.loads(text)
    first = data["videos"][code]["scores"]["1"]["visual"]
    for new, summary in (
        (text.replace(f'"visual": {first}', '"visual": 6', 1), "score out of range"),
        (text.replace(f'"visual": {first}', '"visual": null', 1), "the score is missing"),
        (text.replace(f'"visual": {first}', '"visual": "3"', 1), "score out of range"),
        (text.replace(f'"visual": {first}', '"visual": true', 1), "score out of range"),
        (text.replace(f'"visual": {first}, ', "", 1), "the score is missing"),
        (text.replace('"target"', '"blood"', 1), "unknown type of error"),
    ):
        saved.write_text(new)
        error = refused(found, [saved, *paths[1:]])
        assert (error.summary, error.where) == (summary, line)
    lines = text.split("\n")
    saved.write_text("\n".join([*lines[:2], lines[2], *lines[2:]]))
    error = refused(found, [saved, *paths[1:]])
    assert (error.summary, error.where) == ("a video or score is given twice", f"{saved}:4")


def test_a_study_survives_its_file():
    found = study()
    assert study_from_dict(json.loads(json.dumps(study_to_dict(found))), "f") == found
    for odd in ({}, [], None, {"format": "x"}, study_to_dict(found) | {"clips": [{}]}):
        with pytest.raises(SourceBroken):
            study_from_dict(odd, "f")


def test_a_study_s_file_with_any_value_anywhere() -> None:
    """What is read has an order for every rater; all else is refused in words."""
    whole = study_to_dict(study(1, 1))
    for what, tree in everywhere(json.loads(json.dumps(whole))):
        try:
            found = study_from_dict(orjson.loads(json.dumps(tree)), "f")
        except UserError as error:
            assert error.where == "f", what
        else:
            assert all(order(found, rater) for rater in found.everybody), what


def test_a_study_needs_samples_once_and_raters():
    one = StudySample("x", "t", "c")
    for samples, raters in (([one, one], {"t": ("A",)}), ([one], {}), ([one], {"t": ("A", "A")}),
                            ([one], {"t": ("A", "A ")}), ([one], {"t": ("A", " ")})):  # fmt: skip
        with pytest.raises(UserError):
            make_study("n", "s", samples, raters)
    for who in ("A", "ABC"):
        assert make_study("n", "s", [one], {"t": tuple(who)}).everybody == tuple(who)

"""Lists and counts."""

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Api, Database
from surgqa.transforms.view.items import answers, facets, filter_of, page
from tests.transforms.view.made import HOSTILE, ident, write


def ids(found):
    return [int(one["item_id"][:2]) for one in found["items"]]


def test_pages_follow_each_other_in_both_ways(api):
    wanted = filter_of({})
    first = page(api.db, wanted, limit=3)
    assert ids(first) == [0, 1, 2] and first["more_after"] and not first["more_before"]
    second = page(api.db, wanted, after=ident(2), limit=3)
    assert ids(second) == [3, 4, 5] and second["more_after"] and second["more_before"]
    last = page(api.db, wanted, after=ident(5), limit=3)
    assert ids(last) == [6, 7] and not last["more_after"]
    assert ids(page(api.db, wanted, before=ident(3), limit=2)) == [1, 2]
    assert not page(api.db, wanted, before=ident(2), limit=2)["more_before"]
    assert ids(page(api.db, wanted, at=ident(6), limit=3)) == [6, 7]


@pytest.mark.parametrize(("asked", "found"), [
    ({"task": ["chain/main", "chain/q1"]}, [4, 5]),
    ({"video": ["films/A'1"], "form": ["choice"]}, [1]),
    ({"temporal_mode": [""]}, [0, 1, 4, 5, 6, 7]),
    ({"temporal_mode": ["", "present"]}, [0, 1, 3, 4, 5, 6, 7]),
    ({"stage": ["1"]}, [5]),
    ({"q": ["HOOK appear 12.00"]}, [1]),
    ({"q": ["'; drop table"]}, [6]),
    ({"q": ["it is known"]}, [5]),
    ({"q": ["appear 15.00"]}, [1]),  # a wrong option
    ({"q": ["100%_"]}, []),
    ({"task": ["x' OR 1=1 --"]}, []),
    ({"task": [HOSTILE]}, [6]),
    ({"mark": ["good:right"]}, [1]),
    ({"mark": ["good:right", "good:wrong"]}, [1, 2]),
    ({"mark": ["bad:wrong", "good:right"]}, [1]),  # models narrow each other
    ({"mark": ["bad:wrong", "good:wrong"]}, []),
    ({"mark": ["good:x'; DROP TABLE items"]}, [0, 1, 2, 3, 4, 5, 6, 7]),
    ({"mark": ["good:missing"]}, [0, 3, 4, 5, 6, 7]),
    ({"mark": ["reviewers:dropped", "reviewers:kept", "bad:missing"]}, [0, 4, 5]),
    ({"answer": ["12.00 s"]}, [1]),
    ({"level": ["2"]}, []),
    ({"blind": ["guessed"]}, []),
    ({"q": ["(12[.]00"]}, []),
    ({"unknown": ["x"]}, [0, 1, 2, 3, 4, 5, 6, 7]),
])  # fmt: skip
def test_filters(api, asked, found):
    assert ids(page(api.db, filter_of(asked))) == found


def test_a_chosen_facet_still_counts_its_other_values(api):
    found = facets(api.db, filter_of({"form": ["choice"]}))
    assert found["total"] == 1
    assert found["facets"]["form"]["values"] == [["open", 7], ["choice", 1]]
    assert found["facets"]["benchmark"]["values"] == [["bench", 1]]
    assert found["facets"]["temporal_mode"]["values"] == [["", 1]]


def test_models_are_counted_beside_each_other(api):
    found = {
        (one["model"], one["status"]): one["n"] for one in facets(api.db, filter_of({}))["marks"]
    }
    assert found[("good", "right")] == found[("bad", "wrong")] == 1
    assert found[("good", "missing")] == 6 and found[("reviewers", "dropped")] == 2
    chosen = facets(api.db, filter_of({"mark": ["good:right"]}))["marks"]
    told = [
        (one["model"], one["status"], one["n"]) for one in chosen if one["model"] in ("good", "bad")
    ]
    assert told == [("bad", "wrong", 1), ("good", "right", 1), ("good", "wrong", 1),
                    ("good", "missing", 6)]  # fmt: skip
    (row,) = page(api.db, filter_of({"form": ["choice"]}))["items"]
    assert row["marks"] == {"good": "right", "bad": "wrong"}


def test_answers_are_counted_without_their_letters(api):
    found = answers(api.db, filter_of({"answer": ["12.00 s"]}))
    assert found["values"][0] == ["A grasper.", 6] and ["12.00 s", 1] in found["values"]
    assert answers(api.db, filter_of({"q": ["nowhere"]})) == {
        "values": [], "left_out": 0, "other_items": 0}  # fmt: skip


def test_outputs_may_hold_levels_and_who_guesses_them(tmp_path):
    folder = write(tmp_path / "out")
    (shard,) = (folder / "data" / "bench").iterdir()
    table = pq.read_table(shard)
    levels = pa.array([1, 2, 2, *[None] * 5], pa.int8())
    table = table.set_column(table.column_names.index("level"), "level", levels)
    rules = pa.array([["majority"], [], *[None] * 6], pa.list_(pa.string()))
    pq.write_table(table.append_column("blind", rules), shard)
    api = Api(Database(OutputFolder(folder)))
    found = facets(api.db, filter_of({}))["facets"]
    assert found["level"]["values"] == [["", 5], ["2", 2], ["1", 1]]
    assert ids(page(api.db, filter_of({"blind": ["guessed"]}))) == [0]
    assert ids(page(api.db, filter_of({"blind": ["needs looking"], "level": ["2"]}))) == [1]


def report(tmp_path, **told):
    """A report of a check of the eight made-up items."""
    plain = {"template": "t1", "setting": None, "best": 0.75, "rule": "place", "items": 1,
             "left_out": 0, "judged": True}  # fmt: skip
    blind = {"items": {ident(1): ["place"]}, "templates": [plain]}
    path = tmp_path / "report.json"
    path.write_bytes(orjson.dumps({"items": 8, "checked": 8, "blind": blind} | told))
    return path


def test_a_report_tells_what_is_guessed(tmp_path):
    folder = OutputFolder(write(tmp_path / "out"))
    names = {row["item_id"]: row["template_id"] for row in Database(folder).rows("FROM items")}
    one = {"template": names[ident(1)], "setting": "BL", "best": 0.75, "rule": "place", "items": 4,
           "left_out": 0, "judged": True}  # fmt: skip
    other = one | {"best": 0.25, "rule": "option"}
    told = one | {"setting": "KE", "best": 1.0}
    blind = {"items": {ident(1): ["place"]}, "templates": [one, other, told]}
    api = Api(Database(folder, checked=report(tmp_path, blind=blind)))
    assert ids(page(api.db, filter_of({"blind": ["guessed"]}))) == [1]
    mine = sorted(int(k[:2]) for k, name in names.items() if name == names[ident(1)])
    looking = ids(page(api.db, filter_of({"blind": ["needs looking"]})))
    assert sorted([1, *looking]) == mine
    assert api.item({"id": [ident(1)]})["item"]["blind"] == ["place"]
    shown = {one["template"]: (one["blind"], one["by"]) for one in api.overview({})["answers"]}
    assert shown[names[ident(1)]] == (0.5, "place, option")
    assert {pair for name, pair in shown.items() if name != names[ident(1)]} <= {(None, None)}


@pytest.mark.parametrize("told", [{"items": 9}, {"checked": 3}])
def test_a_report_of_something_else_is_refused(tmp_path, told):
    folder = OutputFolder(write(tmp_path / "out"))
    with pytest.raises(UserError, match="another dataset or to a part"):
        Database(folder, checked=report(tmp_path, **told))


def test_a_file_that_is_no_report_is_refused(tmp_path):
    folder = OutputFolder(write(tmp_path / "out"))
    (tmp_path / "scores.json").write_text("{}")
    with pytest.raises(SourceBroken, match="not a report"):
        Database(folder, checked=tmp_path / "scores.json")
    with pytest.raises(SourceMissing):
        Database(folder, checked=tmp_path / "nothing.json")

"""Sample-S, Video-S, Sample-R and Video-R: the published vectors, the denominators, the floors."""

import json
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest

from surgqa.ontology.errors import OutputBroken, SourceBroken, UserError
from surgqa.ontology.next_actions import action_ids, display
from surgqa.transforms.review.surgeons import load_choices
from surgqa.transforms.scoring.sapbench import SapbenchBooks
from surgqa.transforms.scoring.sapbench.items import BASELINES, item_of
from surgqa.transforms.scoring.sapbench.report import is_ranked
from surgqa.transforms.scoring.sapbench.tables import percent
from tests.each import cases
from tests.transforms.exports.sapbench.published import rows
from tests.transforms.scoring.sapbench.gold import gold

D, V, R, C, A = action_ids()
RANKED = json.dumps({
    "answer": {"clip.label": {"type": "label", "of": "next_action"}},
    "ranked": {"top": 3, "also": "after.label"},
})  # fmt: skip
IDS = {display(one): one for one in action_ids()}


def row(number, video, action, following=None, previous=None, dataset="cholect50"):
    slots = {"before": {"label": previous}, "also": following}
    return {
        "item_id": f"i{number:04d}", "template_id": "sap.next", "dataset": dataset,
        "video_id": video, "answer_value": json.dumps({"clip.label": action}),
        "slots": json.dumps(slots), "rule_args": RANKED,
    }  # fmt: skip


def published(source):
    """Rows of data as the synthetic table of a source gives them: every clip but the first."""
    by_video = {}
    for video, _, _, action in rows(source):
        by_video.setdefault(video, []).append(IDS[action])
    out = []
    for video, known in by_video.items():
        for k in range(1, len(known)):
            following = known[k + 1] if k + 1 < len(known) else None
            out.append(row(len(out), video, known[k], following, known[k - 1], dataset=source))
    return out


def scored(some, replies, replicates=0, choices=None, seed="s"):
    """The report of rows and replies; a reply is a list of ids, a text or None."""
    books = SapbenchBooks(choices)
    for one, reply in zip(some, replies, strict=True):
        text = "\n".join(f"{k}. {a}" for k, a in enumerate(reply, 1)) if isinstance(
            reply, list) else reply  # fmt: skip
        books.take(one, {} if text is None else {(one["item_id"], None): text})
    found = books.report(replicates, seed)
    return found and found.ranked


def share(report, measure, k, group=0):
    found = (one for one in report.groups[group].shares if (one.measure, one.k) == (measure, k))
    return next(found)


@cases(
    ("hits", "of", "printed"),
    [(235, 679, "34.61"), (424, 629, "67.41"), (271, 473, "57.29"), (344, 449, "76.61")],
)
def test_published_fractions_print_as_published(hits, of, printed):
    assert percent(Fraction(hits, of)) == Decimal(printed)


@pytest.mark.parametrize(
    ("source", "strict", "relaxed"),
    [
        ("cholect50", (235, 679, "34.61"), (424, 629, "67.41")),
        ("heichole", (271, 473, "57.29"), (344, 449, "76.61")),
    ],
)
def test_published_hits_through_the_whole_scorer(source, strict, relaxed):
    """That many right, that many right by the following action, the rest wrong."""
    some = published(source)
    items = [item_of(one) for one in some]
    replies: list[list[str] | None] = [None] * len(items)
    later = [k for k, one in enumerate(items) if one.following not in (None, one.action)]
    only_strict = [k for k, one in enumerate(items) if one.following is None]
    # Last samples of videos are answered rightly as far as needed, so that they show in S alone.
    right, by_next = strict[0], relaxed[0]
    use_last = len(only_strict) // 2
    for k in only_strict[:use_last]:
        replies[k] = [items[k].action]
    open_ = [k for k, one in enumerate(items) if one.following is not None]
    same = [k for k in open_ if k not in set(later)]
    for k in (same + later)[: right - use_last]:
        replies[k] = [items[k].action]
    left = [k for k in later if replies[k] is None]
    for k in left[: by_next - (right - use_last)]:
        replies[k] = [items[k].following]
    for k, one in enumerate(items):
        if replies[k] is None:
            wrong = {one.action, one.following}
            replies[k] = [next(a for a in action_ids() if a not in wrong)]
    report = scored(some, replies)
    found = [share(report, "sample_s", 1), share(report, "sample_r", 1)]
    for one, (hits, of, printed) in zip(found, (strict, relaxed), strict=True):
        assert (one.hits, one.of, one.percent) == (hits, of, Decimal(printed))


def test_gold_is_one_everywhere():
    some = published("cholect50")
    books = SapbenchBooks()
    for one in some:
        books.take(one, gold(one))
    report = books.report(200, "seed").ranked
    assert all(one.value == 1 and one.interval == (1.0, 1.0) for one in report.groups[0].shares)
    assert report.counts()["scored"] == len(some) == 679


SMALL = [
    row(0, "a", D, V, R), row(1, "a", V, D, D), row(2, "a", D, None, V),
    row(3, "b", C, None, D), row(4, "c", A, D, D), row(5, "c", D, None, A),
]  # fmt: skip


def test_strict_and_relaxed_by_sample_and_by_video_by_hand():
    replies = [[V, D], [V], [C, A, D], [D], [D, A], None]
    report = scored(SMALL, replies)
    values = {
        (measure, k): share(report, measure, k).value
        for measure in ("sample_s", "video_s", "sample_r", "video_r") for k in (1, 2, 3)
    }  # fmt: skip
    f = Fraction
    assert values == {
        ("sample_s", 1): f(1, 6), ("sample_s", 2): f(3, 6), ("sample_s", 3): f(4, 6),
        ("video_s", 1): f(1, 9), ("video_s", 2): f(7, 18), ("video_s", 3): f(1, 2),
        ("sample_r", 1): f(3, 3), ("sample_r", 2): f(3, 3), ("sample_r", 3): f(3, 3),
        ("video_r", 1): f(1), ("video_r", 2): f(1), ("video_r", 3): f(1),
    }  # fmt: skip
    assert report.groups[0].counts == {
        "items": 6, "videos": 3, "eligible": 3, "videos_left_out": 1,
    }  # fmt: skip
    assert share(report, "video_r", 1).of == 2


def test_what_cannot_be_read_is_wrong_and_counted():
    replies = [[D], "no idea what the team there wants to do", None, ["sewing", C], [A, A], ""]
    counts = scored(SMALL, replies).counts()
    assert counts == {
        "items": 6, "scored": 3, "unparsed": 2, "missing": 1, "with_unknown_labels": 1,
        "unknown_labels": 1, "duplicate_labels": 1,
    }  # fmt: skip
    assert share(scored(SMALL, replies), "sample_s", 1).hits == 2
    assert share(scored(SMALL, replies), "sample_s", 2).hits == 3
    assert share(scored(SMALL, replies), "sample_s", 1).of == 6


def test_uniform_is_the_mean_over_all_rankings():
    items = [item_of(one) for one in SMALL]
    marks = BASELINES["uniform"](items)
    orders = list(permutations(action_ids()))
    for item, mark in zip(items, marks, strict=True):
        for k in (1, 2, 3):
            hits = sum(item.action in order[:k] for order in orders)
            assert mark.strict[k - 1] == Fraction(hits, len(orders)) == Fraction(k, 5)
            if item.following:
                either = sum(bool({item.action, item.following} & {*order[:k]}) for order in orders)
                assert mark.relaxed[k - 1] == Fraction(either, len(orders))
        assert (mark.relaxed is None) == (item.following is None)


def test_majority_and_transition_count_on_the_other_videos_only():
    some = [row(0, "a", D, None, V), row(1, "a", D, None, V), row(2, "b", C, None, V),
            row(3, "c", C, None, R), row(4, "c", C, None, R), row(5, "c", D, None, V)]  # fmt: skip
    items = [item_of(one) for one in some]
    majority = [mark.strict[0] for mark in BASELINES["majority"](items)]
    # a: C thrice, D once elsewhere; b: D thrice, C twice; c: D twice, C once.
    assert majority == [0, 0, 0, 0, 0, 1]
    transition = [mark.strict[0] for mark in BASELINES["transition"](items)]
    # After V: for a C and D once each, D first in order; for b D; for c D twice, C once.
    # After R for c: nothing known, so the commonest, D.
    assert transition == [1, 1, 0, 0, 0, 1]


def test_intervals_are_keyed_and_do_not_depend_on_the_order_of_rows():
    replies = [[V, D], [V], [C, A, D], [D], [D, A], None]
    once = scored(SMALL, replies, 300).to_dict()
    again = scored(SMALL[::-1], replies[::-1], 300).to_dict()
    other = scored(SMALL, replies, 300, seed="t").to_dict()
    assert once == again and once != other
    assert json.loads(json.dumps(once)) == once
    low, high = share(scored(SMALL, replies, 300), "sample_s", 1).interval
    assert low <= 1 / 6 <= high
    assert share(scored(SMALL[:3], replies[:3], 300), "sample_s", 1).interval is None


def test_tables_and_groups_by_dataset():
    some = [*SMALL, row(9, "h", C, D, D, dataset="heichole")]
    report = scored(some, [[D]] * 7, 50)
    assert [group.name for group in report.groups] == ["all items", "cholect50", "heichole"]
    for table in report.tables():
        assert [line[0] for line in table[1:]] == [
            "model", "95% interval", "N", "majority", "transition", "uniform",
        ]  # fmt: skip
        assert {len(line) for line in table} == {13}
    assert scored([], []) is None


def test_templates_are_scored_apart_since_they_may_ask_about_one_frame():
    told = [{**one, "item_id": f"t{k}", "template_id": "sap.told"} for k, one in enumerate(SMALL)]
    more = {**SMALL[0], "item_id": "h", "dataset": "heichole"}
    report = scored([*told, *SMALL, more], [[A]] * 6 + [[D]] * 7)
    assert [(group.name, group.counts["items"]) for group in report.groups] == [
        ("sap.next", 7), ("sap.next, cholect50", 6), ("sap.next, heichole", 1), ("sap.told", 6),
    ]  # fmt: skip
    assert [share(report, "sample_s", 1, k).hits for k in range(4)] == [4, 3, 1, 1]


def test_a_plan_is_no_ranking():
    plan = {"answer": {"plan": {"type": "sequence", "of": "next_action"}}}
    assert [is_ranked({"rule_args": said}) for said in (RANKED, json.dumps(plan))] == [True, False]


# ---- surgeons -----------------------------------------------------------------------


def test_against_each_surgeon_and_any_of_them(tmp_path):
    sheet = tmp_path / "surgeons.csv"
    sheet.write_text(
        "item_id,surgeon,action\ni0000,A,Dissection\ni0000,B,suction\n"
        "i0001,A,clip\ni0001,B,Clip\ni0002,A,Coagulation\ni0002,B,Aspiration\ni0003,A,clip\n"
    )
    choices = load_choices(sheet)
    report = scored(SMALL, [[A, D], [V], [C], [D], [D], None], choices=choices)
    found = {(one.who, one.reference): [(s.hits, s.of) for s in one.shares]
             for one in report.surgeons}  # fmt: skip
    assert found == {
        ("model", "video"): [(1, 3), (2, 3), (2, 3)],
        ("model", "A"): [(2, 3), (3, 3), (3, 3)],
        ("model", "B"): [(2, 3), (2, 3), (2, 3)],
        ("model", "A or B"): [(3, 3), (3, 3), (3, 3)],
        ("A", "video"): [(2, 3)], ("A", "B"): [(1, 3)],
        ("B", "video"): [(1, 3)], ("B", "A"): [(1, 3)],
    }  # fmt: skip
    assert report.unanswered == 3
    assert report.tables()[-1][0][:2] == ["who", "against"]
    assert json.dumps(report.to_dict())


@pytest.mark.parametrize(
    ("text", "error", "says", "line"),
    [
        ("", SourceBroken, "not a sheet", 1),
        ("item_id,surgeon\n", SourceBroken, "not a sheet", 1),
        ("item_id,surgeon,action\ni1,A,sewing\n", UserError, "an action that is not known", 2),
        ("item_id,surgeon,action\ni1,A,clip\n\ni1,A,cut\n", UserError, "twice", 4),
        ("item_id,surgeon,action\n,A,clip\n", UserError, "no item", 2),
        ("item_id,surgeon,action\ni1\n", UserError, "no item id or no surgeon", 2),
    ],
)
def test_bad_sheets_say_where(tmp_path, text, error, says, line):
    sheet = tmp_path / "surgeons.csv"
    sheet.write_text(text)
    with pytest.raises(error, match=says) as caught:
        load_choices(sheet)
    assert caught.value.where == f"{sheet}:{line}"


@cases(
    "more",
    [*({"answer_value": value} for value in ("", "[]", "{", '{"clip.label": "sewing"}')),
     {"slots": '{"also": "x"}'}],
)  # fmt: skip
def test_a_row_that_is_no_sample_is_refused(more):
    with pytest.raises(OutputBroken, match="i0000"):
        item_of(row(0, "a", D) | more)

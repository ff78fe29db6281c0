"""Pairs: one question, two answers, as many as can be, in any order of the rows."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.keys import digest
from surgqa.transforms.exports.rows import pairs_of

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["Yes", "No", "Maybe"])),
                max_size=30)  # fmt: skip


def row(k: int, of: str, answer: str, **more) -> dict:
    return {"item_id": digest(k), "template_id": "t", "question": f"Is {of} there at {k}.00 s?",
            "stage": None, "options": [], "answer": answer, **more}  # fmt: skip


def rows(drawn) -> list[dict]:
    return [row(k, *one) for k, one in enumerate(drawn)]


@given(ROWS)
def test_as_many_as_can_be_one_with_one(drawn):
    some = {one["item_id"]: one for one in rows(drawn)}
    found = pairs_of(some.values())
    members: dict[str, list[dict]] = {}
    for item, pair in found.items():
        members.setdefault(pair, []).append(some[item])
    for pair, both in members.items():
        a, b = both
        assert a["answer"] != b["answer"] and a["question"][:5] == b["question"][:5]
        assert pair == digest("pair", "t", *sorted((a["item_id"], b["item_id"])))
    for of in "ab":
        sizes = Counter(answer for name, answer in drawn if name == of)
        most = max(sizes.values(), default=0)
        total = sum(sizes.values())
        mine = [one for both in members.values() for one in both if one["question"][3] == of]
        assert len(mine) == 2 * min(total // 2, total - most)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(drawn, random):
    some = rows(drawn)
    assert pairs_of(random.sample(some, len(some))) == pairs_of(some)


def test_letters_make_no_other_answer_and_options_count_by_their_text():
    def closed(k: int, key: str) -> dict:
        options = [
            {"key": one, "text": "Hook" if one == key else "Clipper", "is_answer": one == key}
            for one in "AB"
        ]
        return row(k, "a", f"{key}) Hook", options=options)

    assert pairs_of([closed(1, "A"), closed(2, "B")]) == {}
    assert len(pairs_of([closed(1, "A"), row(2, "a", "Clipper")])) == 2


def test_other_templates_and_later_stages_are_no_partners():
    assert pairs_of([row(1, "a", "Yes"), row(2, "a", "No", template_id="u")]) == {}
    assert pairs_of([row(1, "a", "Yes", stage=1), row(2, "a", "No", stage=1)]) == {}
    assert len(pairs_of([row(1, "a", "Yes", stage=0), row(2, "a", "No", stage=0)])) == 2

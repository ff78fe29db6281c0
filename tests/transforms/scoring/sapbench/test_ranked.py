"""Rankings in every form that models write them."""

from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.next_actions import action_ids, next_actions
from surgqa.transforms.scoring.sapbench.ranked import read_ranked
from tests.each import cases

D, V, R, C, A = action_ids()


@cases(
    ("reply", "entries", "form"),
    [
        ("1. Dissection\n2. Coagulation\n3. Aspiration", (D, C, A), "numbered"),
        ("1) **Vessel Clipping**: the duct is free.\n2) **Dissection** - more", (V, D), "numbered"),
        ("1. Coagulation: seal before dissection\n2. Tissue retraction", (C, R), "numbered"),
        ("First: clipping\nSecond: suction\nThird: cutting", (V, A, D), "numbered"),
        ("Rank 1: B. Vessel Clipping\nRank 2: A. Dissection", (V, D), "numbered"),
        ("Next actions: 1. Dissection 2. Coagulation 3. Aspiration", (D, C, A), "numbered"),
        ("1. A\n2. C\n3. E", (D, R, A), "numbered"),
        ("1. Action: Coagulation, because it bleeds", (C,), "numbered"),
        ('["Dissection", "Coagulation"]', (D, C), "json"),
        ('```json\n{"next_actions": ["suction", "cut", "clip"]}\n```', (A, D, V), "json"),
        ('[{"rank": 2, "action": "Dissection"}, {"rank": 1, "action": "clip"}]', (V, D), "json"),
        ('{"1": "Dissection", "2": "Retraction", "10": "clip"}', (D, R, V), "json"),
        ('{"first": {"action": "A"}, "second": {"action": "E"}}', (D, A), "json"),
        ('{"action": "Dissection", "reason": "open plane"}', (D,), "json"),
        ('["A", "C"]', (D, R), "json"),
        ("B, A, D", (V, D, C), "letters"),
        ("B > A > D", (V, D, C), "letters"),
        ("(B)", (V,), "letters"),
        ("[E]", (A,), "letters"),
        ("D\nC\nA", (C, R, D), "letters"),
        ("<answer>C</answer>", (R,), "letters"),
        ("- Dissection\n- Aspiration: blood", (D, A), "lines"),
        ("Dissection\nVessel clipping\n", (D, V), "lines"),
        ("Coagulation", (C,), "lines"),
        ("Dissection, Coagulation, Aspiration", (D, C, A), "list"),
        ("My ranking: dissection > vessel clipping > suction.", (D, V, A), "list"),
        ("Dissection -> Coagulation", (D, C), "list"),
        ("I would dissect the triangle, and then place clips on the duct.", (D, V), "prose"),
        ("We are in the phase of clipping and cutting. The surgeon will now coagulate.",
         (C,), "prose"),
        ("1. Option A\n2. Choice (C)\n3. action E", (D, R, A), "numbered"),
        ("| Rank | Action | Reason |\n|---|---|---|\n| 1 | Dissection | to free it for clipping |\n"
         "| 2 | Coagulation | it bleeds |", (D, C), "numbered"),
        ("1\ufe0f\u20e3 Dissection: before clipping\n2\ufe0f\u20e3 Suction", (D, A), "numbered"),
        ("1. Dissection: go on.\n 1.1 mind the clip\n2. Clipping", (D, V), "numbered"),
        ("1. Dissection: first, retract the fundus; second, cut", (D,), "numbered"),
        ("1. The field is dry.\nFinal: 1. Clipping, 2. Dissection", (V, D), "numbered"),
        ("First, Dissection; second, Coagulation; third, Aspiration", (D, C, A), "numbered"),
        ("1. Electrocautery dissection\n2. Irrigation", (D, A), "numbered"),
        ("A) Dissection: before clipping\nd) Coagulation: it bleeds", (D, C), "lines"),
        ("Dissection\nReason: no clip\n\nCoagulation\nReason: suction is done", (D, C), "lines"),
        ("- Dissection\n  - Why: no clip\n- Coagulation", (D, C), "lines"),
        ("Dissection (most likely), then Coagulation, finally Aspiration", (D, C, A), "list"),
        ('{"scene": ["hook"], "actions": ["A", "D"], "reasons": ["to dissect", "clip"]}',
         (D, C), "json"),
        ('{"actions": [["Dissection", "clip later"], ["Coagulation", "dry"]]}', (D, C), "json"),
        ('{"rank_1": "Dissection", "reason_1": "clip later", "rank_2": "suction"}', (D, A), "json"),
        ("", (), "none"),
        ("I am not able to tell what the surgeon is going to do in this picture.", (), "none"),
    ],
)  # fmt: skip
def test_forms(reply, entries, form):
    read = read_ranked(reply)
    assert (read.entries, read.form) == (entries, form)
    assert not read.unknown


def test_four_requests_are_answered_and_only_the_last_counts():
    reply = """1. **Scene understanding**: The hook is used for dissection; the grasper retracts.
2. **Progress judgement**: Calot triangle dissection is under way.
3. **Safety considerations**: No clip before the critical view of safety.
4. **Ready-to-execute actions**:
1. Vessel Clipping: the duct is bare.
2. Dissection: fat is left.
3. Coagulation: a small vessel bleeds."""
    assert read_ranked(reply).entries == (V, D, C)


def test_thoughts_do_not_count():
    assert read_ranked("<think>1. Aspiration\n2. Coagulation</think>1. Dissection").entries == (D,)


def test_an_unknown_label_keeps_its_rank_and_is_counted():
    read = read_ranked("1. Suturing before clipping\n2. Dissection\n3. Stapling")
    assert read.entries == (None, D, None)
    assert read.unknown == ("Suturing", "Stapling")
    assert read_ranked("1. Suturing\n2. Stapling").entries == (None, None)
    assert read_ranked("Suturing").entries == (None,)
    assert read_ranked('["Suturing"]').unknown == ("Suturing",)


def test_duplicates_collapse_whatever_their_spelling():
    read = read_ranked("1. Dissection\n2. Cutting\n3. dissect\n4. Suction\n5. Sewing\n6. sewing")
    assert read.entries == (D, A, None)
    assert read.duplicates == 3


@cases("one", next_actions(), ids=lambda one: one.id)
def test_every_spelling_of_every_action(one):
    for name in (one.id, one.display, one.display.upper(), *one.synonyms):
        assert read_ranked(name).entries == (one.id,), name
        assert read_ranked(f"1. {name}: because\n2. Sewing").entries == (one.id, None), name
    assert read_ranked(one.letter).entries == (one.id,)
    assert read_ranked(f"Answer: {one.letter}").entries == (one.id,)


@given(st.permutations(action_ids()), st.sampled_from(["1. {}", "{}", "- {}"]))
def test_any_order_comes_back(order, form):
    lines = [form.replace("1", str(k)).format(a) for k, a in enumerate(order, start=1)]
    assert read_ranked("\n".join(lines)).entries == tuple(order)


@given(st.text(max_size=200))
def test_any_text_is_accepted(text):
    read = read_ranked(text)
    assert len(set(read.entries) - {None}) == len([e for e in read.entries if e])


@cases(
    "text",
    [
        "[" * 50_000, "{" * 50_000, "1. " * 20_000, "A, " * 20_000, "next action " * 5_000,
        "\n" * 40_000, "- \n" * 10_000,
    ],
)  # fmt: skip
def test_long_nonsense_is_read_in_no_time(text):
    read_ranked(text)

"""Reading of single values: one table line per accepted form."""

import pytest
from hypothesis import strategies as st

from surgqa.ontology.concepts import vocabulary
from surgqa.transforms.scoring import parse, passages
from surgqa.transforms.scoring.lexicon import labels
from surgqa.transforms.scoring.text import answer_parts, tidy
from tests.each import cases

COUNTS = (("A", "1"), ("B", "2"), ("C", "12"), ("D", "4"))
SETS = (("A", "grasper"), ("B", "grasper, hook"), ("C", "bipolar forceps, hook"))
YES_NO = (("A", "Yes"), ("B", "No"))
PHASES = (("A", "Preparation"), ("B", "Gallbladder extraction"), ("C", "Clipping and cutting"))
ORDERS = (("A", "Hook, then grasper"), ("B", "Grasper, then hook"), ("C", "With a hook alone"))
BOX = (0.154, 0.387, 0.344, 0.477)


def option(text, options):
    parts = (parse.read_option(part, options) for part in answer_parts(tidy(text)))
    return next((key for key in parts if key), None)


@pytest.mark.parametrize(
    ("text", "options", "key"),
    [
        pytest.param("B", COUNTS, "B", id="letter"),
        pytest.param("b)", COUNTS, "B", id="lower-case"),
        pytest.param("(B)", COUNTS, "B", id="brackets"),
        pytest.param("B. 2", COUNTS, "B", id="full-stop"),
        pytest.param("Answer: B) 2", COUNTS, "B", id="canonical"),
        pytest.param("The answer is B", COUNTS, "B", id="sentence"),
        pytest.param("**B**", COUNTS, "B", id="markdown"),
        pytest.param("I choose option d.", COUNTS, "D", id="option-d"),
        pytest.param("I would go for D", COUNTS, "D", id="lone-capital"),
        pytest.param("<think>A or B?</think><answer>D</answer>", COUNTS, "D", id="tags"),
        pytest.param("\\boxed{C}", COUNTS, "C", id="boxed"),
        pytest.param("There are 12 of them", COUNTS, "C", id="number"),
        pytest.param("two instruments", COUNTS, "B", id="number-word"),
        pytest.param("B) 4", COUNTS, "B", id="letter-before-text"),
        pytest.param("hook and grasper", SETS, "B", id="set-any-order"),
        pytest.param("Grasper", SETS, "A", id="subset-is-another-option"),
        pytest.param("a bipolar and a hook", SETS, "C", id="set-by-synonym"),
        pytest.param("No, it is not there", YES_NO, "B", id="no-sentence"),
        pytest.param("yes", YES_NO, "A", id="yes-word"),
        pytest.param("A grasper is there", COUNTS, None, id="article-is-no-option"),
        pytest.param("E", COUNTS, None, id="no-such-option"),
        pytest.param("A) 1 B) 2 C) 12 D) 4", COUNTS, None, id="whole-list-repeated"),
        pytest.param("7", COUNTS, None, id="no-such-number"),
        pytest.param("yes and no", YES_NO, None, id="both-texts"),
        pytest.param("", COUNTS, None, id="empty"),
        pytest.param("not B", COUNTS, None, id="ruled-out"),
        pytest.param("It is not B.", COUNTS, None, id="ruled-out-in-a-sentence"),
        pytest.param("Neither A nor B", COUNTS, None, id="both-ruled-out"),
        pytest.param("不是B", COUNTS, None, id="ruled-out-in-chinese"),
        pytest.param("It isn't B; it is C.", COUNTS, "C", id="another-ruled-out"),
        pytest.param("A and C are wrong, so B", COUNTS, "B", id="two-ruled-out"),
        pytest.param("Option B is wrong. Option D.", COUNTS, "D", id="named-and-ruled-out"),
        pytest.param("B) because A) lacks it", COUNTS, "B", id="reason-with-a-letter"),
        pytest.param("B because A is not there", COUNTS, "B", id="reason-without-brackets"),
        pytest.param("B, A hook is there", COUNTS, "B", id="article-after-comma"),
        pytest.param("A or B", COUNTS, None, id="either"),
        pytest.param("A, B", COUNTS, None, id="two-letters"),
        pytest.param("The answer is A or B", COUNTS, None, id="answer-of-two"),
        pytest.param("A) grasper\nB) grasper, hook", SETS, None, id="part-of-the-list"),
        pytest.param("No hook, only a grasper", SETS, "A", id="denied-label"),
        pytest.param("This is not gallbladder extraction", PHASES, None, id="denied-words"),
        pytest.param("Not preparation but clipping and cutting", PHASES, "C", id="but"),
        pytest.param("B GALLBLADDER EXTRACTION", PHASES, "B", id="capitals"),
        pytest.param("THE ANSWER IS C", PHASES, "C", id="letter-in-capitals"),
        pytest.param("Grasper, then hook", ORDERS, "B", id="same-labels-in-another-order"),
        pytest.param("WITH A HOOK ALONE", ORDERS, "C", id="article-in-capitals"),
        pytest.param("答案是B", COUNTS, "B", id="chinese"),
        pytest.param("B选项", COUNTS, "B", id="chinese-after"),
    ],
)
def test_options(text, options, key):
    assert option(text, options) == key


@cases(
    "text",
    [
        "[154, 387, 344, 477]",
        '{"bbox_2d": [154, 387, 344, 477]}',
        "<154,387,344,477>",
        "(154 387 344 477)",
        "<box>(154,387),(344,477)</box>",
        "[0.154, 0.387, 0.344, 0.477]",
        '{"x1": 154, "y1": 387, "x2": 344, "y2": 477}',
        "[344, 477, 154, 387]",
        "The box is 154, 387, 344, 477.",
    ],
)
def test_boxes(text):
    assert parse.read_box(tidy(text)) == pytest.approx(BOX)


def test_box_outside_the_frame_is_cut():
    assert parse.read_box("[-5, 10, 1500, 2000]") == (0.0, 0.01, 1.0, 1.0)


def test_three_numbers_are_no_box():
    assert parse.read_box("[1, 2, 3]") is None


READ = {
    parse.read_time: {
        "3.00 s": 3.0,
        "at t=3.00 s": 3.0,
        "about 3 seconds in": 3.0,
        "3sec": 3.0,
        "00:03": 3.0,
        "1:05.5": 65.5,
        "1:02:03": 3723.0,
        "1 minute and 5 seconds": 65.0,
        "2 min": 120.0,
        "500 ms": 0.5,
        "at 12,5 s": 12.5,
        "1分5秒": 65.0,
        "frame 300": None,
        "3": 3.0,
        "[100, 200, 300, 400] at 3 s": 3.0,
        "between 2 and 4": None,
        "soon": None,
    },
    parse.read_pair: {
        "dissect the cystic duct": ("dissect", "cystic_duct"),
        "It starts dissecting the cystic duct.": ("dissect", "cystic_duct"),
        "After it stops grasping the liver, it cuts the omentum": ("cut", "omentum"),
        "idle": ("null_verb", "null_target"),
        "It performs no specific action on the liver": ("null_verb", "null_target"),
        "retracting": ("retract", "null_target"),
        "the liver": None,
    },
    parse.is_refusal: {
        "The hook is not present in this clip; no bounding box exists.": True,
        "The hook isn't visible.": True,
        "There is no hook.": True,
        "no box": True,
        "It does not appear.": True,
        "The hook is here.": False,
    },
    parse.read_region: {
        "left, middle": ("left", "middle"),
        "Center": ("centre", "middle"),
        "centre, middle": ("centre", "middle"),
        "upper right": ("right", "top"),
        "bottom center": ("centre", "bottom"),
        "left": ("left", None),
        "nowhere": None,
    },
    parse.read_yes_no: {
        "Yes": True,
        "no, they differ": False,
        "They are different.": False,
        "not the same": False,
        "the same tool": True,
        "it depends": None,
    },
    parse.says_none: {"Nothing": True, "no tools": True, "a nonesuch": False},
    parse.read_left_right: {"on the right, not left": "right", "leftmost": "left", "middle": None},
    parse.read_above_below: {"higher": "above", "it lies beneath": "below", "left": None},
    parse.read_change: {
        "it is unchanged": "maintained",
        "closer, then farther apart": "closer",
        "they diverge and then converge": "farther",
        "gone": None,
    },
    parse.read_instruments: {
        "grasper (instance 2) and a hook": [(("grasper", 2), 19), (("hook", None), 31)],
        "a grasper #12": [(("grasper", 12), 13)],
    },
    parse.read_verb: {
        "no action": "null_verb",
        "not acting, then cuts": "null_verb",
        "cuts, then no action": "cut",
        "liver": None,
    },
    parse.read_targets: {"liver and omentum": ["liver", "omentum"], "no target": []},
    parse.read_boxes: {
        "[0, 1, 1, 0]": [(0.0, 0.0, 1.0, 1.0)],
        "1, 2, 3, 4": [],
        "[0, 0, 1.5, 2] {10 20 30 40}": [(0.0, 0.0, 0.0015, 0.002), (0.01, 0.02, 0.03, 0.04)],
    },
    parse.without_boxes: {"a [1, 2, 3, 4] b": "a   b"},
    parse.read_times: {"2 s, 1:02:03.5 and t=7": [2.0, 3723.5, 7.0], "4 m, 5 mm/s, 3": []},
    parse.read_window: {
        "at 9 s and then at 4 s": (4.0, 9.0),
        "at 9 s": None,
        "3 until 1": (1, 3),
        "from 0:12 to 1:15": (12, 75),
        "0:12-0:15": (12, 15),
        "12s -> 15s": (12, 15),
        '{"start": 12, "end": 15}': (12, 15),
        "12秒到15秒": (12, 15),
    },  # fmt: skip
    parse.read_numbers: {"-2, +.5 and 3a [1, 2, 3, 4]": [-2.0, 0.5]},
    parse.without_times: {"2 tools at 3 s": "2 tools at  "},
    parse.read_counts: {"two at 3 s": [2.0], "2 of three at 4 s": [2.0], "zero or ten": [0, 10]},
    passages.read_rel_change: {
        "closer (-0.35)": ("closer", -0.35),
        "closer (−0.35)": ("closer", -0.35),
        "They come nearer by 0.35 from 3.00 s to 9.50 s": ("closer", -0.35),
        "farther (+0.41)": ("farther", 0.41),
        "approximately maintained (0.02)": ("maintained", 0.02),
        "it moves away": ("farther", None),
        "hm": None,
    },
}
"""Reader -> text -> what it reads."""


@cases(
    ("read", "text", "expected"),
    [(read, *one) for read, texts in READ.items() for one in texts.items()],
)
def test_one_text(read, text, expected):
    assert read(tidy(text)) == expected


@cases(
    "text",
    [
        "Window [1.50 s – 12.00 s]",
        "Window [1.50 - 12.00]",
        "Window [1.50 s — 12.00 s]",
        "from 1.5 to 12 s",
        "between 1.5s and 12s",
        "[1.5, 12]",
        "starts at 1.5 s, ends at t=12 s",
        "12 s - 1.5 s",
    ],
)
def test_window(text):
    assert parse.read_window(tidy(text)) == (1.5, 12.0)


@cases(
    ("text", "kind", "found"),
    [
        ("Clipping", "verbs", ["clip"]),
        ("it is coagulating and cuts", "verbs", ["coagulate", "cut"]),
        ("nothing happens in the clip", "verbs", ["null_verb"]),
        ("the clip applier is idle", "verbs", ["null_verb"]),
        ("bipolar grasper", "instruments", ["bipolar"]),
        ("two graspers, one L-hook", "instruments", ["grasper", "hook"]),
        ("Suction-Irrigator", "instruments", ["irrigator"]),
        ("cystic_duct", "targets", ["cystic_duct"]),
        ("gall\nbladder", "targets", ["gallbladder"]),
        ("blood vessel", "targets", ["blood_vessel"]),
        ("abdominal wall/cavity", "targets", ["abdominal_wall_cavity"]),
        ("hooked", "instruments", []),
        ("moves slowly", "speeds", ["slow"]),
        ("not moving", "speeds", ["stationary"]),
    ],
)
def test_labels(text, kind, found):
    assert labels(text, kind) == found


@cases("kind", ["instruments", "verbs", "targets"])
def test_every_spelling_of_the_vocabulary_is_read_back(kind):
    terms = vocabulary(kind)
    owners = {}
    for key, term in terms.items():
        for text in (term.id, term.display, term.phrase, term.third, term.gerund, *term.synonyms):
            owners.setdefault(text.casefold(), []).append(key)
    shared = {text: keys for text, keys in owners.items() if text and len(set(keys)) > 1}
    assert not shared
    texts = {text: keys[0] for text, keys in owners.items() if text}
    bare = {f"the {term.display}" for term in terms.values()} if kind == "verbs" else set()
    read = {text: labels(text, kind) for text in texts if text not in bare}
    assert read == {text: [texts[text]] for text in read}


def test_every_printed_action_is_read_back():
    for verb in vocabulary("verbs").values():
        for target in vocabulary("targets").values():
            if verb.id == "null_verb":
                assert parse.read_pair(verb.display) == ("null_verb", "null_target")
                continue
            assert parse.read_pair(f"{verb.display} {target.phrase}") == (verb.id, target.id)
            assert parse.read_pair(f"{verb.gerund} {target.display}") == (verb.id, target.id)


def test_sequence_with_arrows_of_every_kind():
    expected = (("grasp", "gallbladder"), ("null_verb", "null_target"))
    for arrow in ("→", "->", "=>", "-->"):
        assert passages.read_sequence(tidy(f"(0.00 s) grasp gallbladder {arrow} idle")) == expected
    assert passages.read_sequence("grasping the gallbladder, then idle") == expected


def test_presences_on_one_line():
    text = "hook: Window [1 - 2 s], Start BBox [154, 387, 344, 477]; grasper: not seen"
    (presence,) = passages.read_presences(tidy(text))
    assert presence.instrument == ("hook", None)
    assert presence.window_s == (1.0, 2.0)
    assert presence.start_box == pytest.approx(BOX)
    assert presence.end_box is None


def test_extremes_without_words_keep_their_order():
    text = "[154, 387, 344, 477] at 3 s and [1, 2, 30, 40] at 7 s"
    assert [(side, time) for side, _, time in passages.read_extremes(text)] == [
        (None, 3),
        (None, 7),
    ]


def test_trace_reads_each_part_under_its_label():
    text = (
        "Initialization: (154, 387, 344, 477)\nMotion: 4 s, path length 0.33, slow\n"
        "Consistency: mostly clipping\nSummary: fast, 9 s"
    )
    trace = passages.read_trace(tidy(text))
    assert trace.box == pytest.approx(BOX)
    assert (trace.seconds, trace.path, trace.speed_word, trace.verb) == (4, 0.33, "slow", "clip")


FRAGMENTS = st.sampled_from(
    ["[", "]", "(", ")", "{", "1", "0.5", "9" * 400, ".", "-", "–", ",", ":", "s", "t=", "%", "→"]
    + ["Answer:", "A)", "B", "<answer>", "</think>", "\\boxed{", "grasper", "(instance 2)", "clip"]
    + ["the ", "gallbladder", "Window", "left", "Extreme Right", "closer", "min", "mean", "/s"]
    + [
        "after",
        "not present",
        "Initialisation:",
        "٣",
        "ß",
        "\ud800",
        "K",
        "none",
        "idle",
        " ",
        "\n",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=30).map("".join))

"""Chains with one thing wrong: exactly the check that is for it finds it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ontology.keys import digest
from transforms.checks.codes import CODES

from . import right_chains as right
from .right_chains import RIGHT, SEGMENTS, WINDOWS
from .world import KEY, ChainWorld, us

CLIP, CUT = "action-50200000-clip", "action-58000000-cut"
HOOK = "action-100000000-dissect"
GRASPER = "action-130000000-retract"
BIPOLAR = "action-150000000-coagulate"
OWN = {
    "stage_differs", "stage_texts", "chain_incomplete", "chain_mixed", "chain_window_differs",
    "windows_not_narrower", "outside_window", "scale_differs", "measure_differs", "event_missing",
    "order_tie", "order_unlinked", "rule_broken", "cue_unwatched", "deed_implausible",
    "transition_gap", "segment_misses", "segments_unfair", "instants_unfair", "boxes_unfair",
    "main_unfair", "knowledge_specific", "knowledge_differs", "clue_vague", "clue_differs",
    "clue_is_knowledge", "context_silent",
}  # fmt: skip


@pytest.fixture
def world(tmp_path) -> ChainWorld:
    return ChainWorld(tmp_path / "out")


# one thing wrong in what is written about a chain: (name, what, where or how, expected codes)

Change = Callable[[dict], Any]


def put(column: str, stage: int, value: Any) -> Change:
    def change(spec: dict) -> None:
        spec[column][stage] = value

    return change


def option(stage: int, number: int, text: str) -> Change:
    def change(spec: dict) -> None:
        spec["options"][stage][number] = text

    return change


def slot(name: str, value: Any) -> Change:
    def change(spec: dict) -> None:
        spec["slots"]["chain"][name] = value

    return change


def measure(stage: int, name: str, value: float | None) -> Change:
    def change(spec: dict) -> None:
        kept = [one for one in spec["checks"][stage] if one["name"] != name]
        more = [] if value is None else [{"name": name, "measured": value, "limit": ""}]
        spec["checks"][stage] = kept + more

    return change


def event(name: str) -> Change:
    def change(spec: dict) -> None:
        spec["slots"]["chain"]["event"] = name
        spec["proof"] = [name, *spec["proof"]]

    return change


def without(name: str) -> Change:
    def change(spec: dict) -> None:
        spec["proof"].remove(name)

    return change


def shared(spec: dict) -> None:
    spec["clue"][2] = f"{spec['knowledge'][2]} {spec['clue'][2]}"


def unsaid(spec: dict) -> None:
    spec["context"][3] = spec["context"][3].replace("50.00 s", "51.00 s")


WATCHED = "watched-110000000-tracks"
SPECS = [
    # texts
    ("order", put("knowledge", 0, "The duct is short."), "stage_texts"),
    ("order", put("clue", 0, "It is seen at 52.04 s."), "stage_texts"),
    ("order", put("knowledge", 2, None), "stage_texts"),
    ("order", put("context", 1, "It is established."), "stage_texts"),
    ("order", put("context", 3, " "), "stage_texts"),
    ("order", put("knowledge", 1, "The duct is short."), "knowledge_differs"),
    ("coarse order", put("knowledge", 1, "The duct is short."), "knowledge_differs"),
    ("change", put("knowledge", 3, "Bleeding is red."), "knowledge_differs"),
    ("order", put("knowledge", 1, "A clip takes 3 seconds."), "knowledge_specific"),
    ("order", put("knowledge", 2, "It lies at [1, 2, 3, 4]."), "knowledge_specific"),
    ("order", put("clue", 1, "It begins soon."), "clue_vague"),
    ("order", put("clue", 3, "The decisive picture is at 52.04 s."), "clue_vague"),
    ("anomaly", put("clue", 3, "The onset is at 170.00 s."), "clue_vague"),
    ("order", put("clue", 3, "It is at 52.04 s at [300, 300, 400, 400]."), "clue_differs"),
    ("order", put("clue", 2, "Watch [1, 2, 300, 400] from 50.00 s on."), "clue_differs"),
    ("order", put("clue", 1, "It is to be seen at 12.00 s."), "clue_differs"),
    ("order", shared, "clue_is_knowledge"),
    # contexts
    ("order", put("context", 2, "It is established that both are done."), "context_silent"),
    ("order", put("context", 2, "It is established that {1}."), "context_silent"),
    ("order", unsaid, "context_silent"),
    ("cue", put("context", 2, "It comes to dissecting the gallbladder: nothing announces it."),
     "context_silent"),
    ("cue", put("context", 2, "It comes to dissecting the gallbladder: the camera moves in."),
     "context_silent"),
    ("cue", put("context", 2, "It comes to this: the instrument moves towards the tissue."),
     "context_silent"),
    ("no cue", put("context", 2, "The surgeon announces retracting the liver."), "context_silent"),
    ("effect", put("context", 2, "It is known that {1}."), "context_silent"),
    ("change", put("context", 2, "The use of the bipolar forceps changes {1}."), "context_silent"),
    ("anomaly", put("context", 2, "What goes wrong is {1}."), "context_silent"),
    # structure
    ("order", event(WATCHED), "event_missing"),
    ("coarse order", event(WATCHED), "event_missing"),
    ("cue", event(WATCHED), "event_missing"),
    ("effect", event(WATCHED), "event_missing"),
    ("change", event(WATCHED), "event_missing"),
    ("anomaly", event(WATCHED), "event_missing"),
    ("order", without(CUT), "event_missing"),
    ("order", without(CLIP), "chain_mixed"),
    ("order", slot("event", "nothing"), "chain_mixed"),
    ("order", slot("scale", "huge"), "slots_malformed"),
    ("order", slot("spacing_us", "500000"), "slots_malformed"),
    ("order", slot("spacing_us", 1_000_000), "scale_differs"),
    ("order", slot("scale", "coarse"), "scale_differs instants_unfair measure_differs"),
    # measured values
    ("order", measure(0, "window_s", 19), "measure_differs"),
    ("order", measure(1, "scale_coarse", 1), "measure_differs"),
    ("order", measure(2, "segment_iou", 0.8), "measure_differs"),
    ("order", measure(2, "grid_s", 0.5), "measure_differs"),
    ("order", measure(3, "spacing_s", 0.6), "measure_differs"),
    ("order", measure(3, "resolution_s", 0.1), "measure_differs"),
    ("order", measure(3, "resolution_s", None), "measure_differs"),
    # answers
    ("order", put("values", 1, {"relation": "other_before_one"}), "answer_differs"),
    ("order", put("values", 2, {"interval_us": [us(50), us(53.5)]}), "answer_differs option_false"),
    ("order", put("values", 2, {"interval_us": [us(49), us(52)]}), "segment_misses option_false"),
    ("order", put("values", 2, {"interval_us": "50"}), "slots_malformed"),
    ("order", put("values", 3, {"time_us": us(52.08)}), "answer_differs option_false"),
    ("cue", put("values", 1, {"cue": "one", "label": "intent"}), "answer_differs"),
    ("effect", put("values", 1, {"effect": "held"}), "answer_differs"),
    ("anomaly", put("values", 1, {"anomaly": "bleeding", "target": "gut"}), "answer_differs"),
    # options
    ("order", option(1, 1, "it is the other way round*"), "option_unreadable"),
    ("order", option(2, 0, "soon"), "option_unreadable"),
    ("order", option(3, 0, "52 s"), "option_unreadable"),
    ("order", option(0, 1, "Both at once"), "option_unreadable"),
    ("order", option(3, 3, "52.12 s*"), "option_false"),
    ("order", option(2, 2, "50.00 s to 53.50 s*"), "option_false segments_unfair context_silent"),
    ("order", option(2, 3, "56.00 s to 58.00 s"), "segments_unfair"),
    ("order", option(2, 3, "54.00 s to 57.00 s"), "segments_unfair"),
    ("order", option(2, 3, "52.90 s to 55.90 s"), "option_true"),
    ("order", option(3, 0, "53.44 s"), "instants_unfair"),
    ("order", option(1, 0, ""), "options_malformed"),
    ("order", option(0, 3, "The two overlap, and clipping the cystic duct with the clip applier "
                     "begins first, at 52.04 s"), "main_unfair"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "codes"), SPECS)
def test_what_is_written_wrong_is_found(world, name, change, codes):
    spec = RIGHT[name]()
    wrong = [text.rstrip("*") for text in spec["options"][1] if not text.endswith("*")]
    change(spec)
    for stage in (2, 3):  # "{1}" stands for a wrong option of Q1
        spec["context"][stage] = (spec["context"][stage] or "").replace("{1}", wrong[0])
    assert world.codes(world.chain(spec)) == set(codes.split())


# whole chains that were made wrongly

WHOLE = [
    (right.order(windows=[(44, 64), (46, 60), (45, 59.5)]), "windows_not_narrower"),
    (right.order(windows=[(44, 64), (50, 62), (51, 53.5)]), "outside_window"),
    (right.order(windows=[(44, 64), (46, 60), (52.2, 54)]), "outside_window"),
    (right.order(windows=[(50.2, 70.2), (46, 60), (51, 53.5)]), "outside_window clue_differs"),
    (right.order(windows=[(31, 51), (46, 60), (51, 53.5)]), "outside_window clue_differs"),
    (right.order(segments=[(49, 52), (46, 49), (53, 56), (56, 59)]), "segment_misses"),
    (right.order(segments=[(50.2, 53), *SEGMENTS[1:]]), "answer_differs segments_unfair"),
    (right.order(instants=[52.04, 52.14, 51.52, 52.56], windows=WINDOWS),
     "instants_unfair main_unfair check_failed"),
    (right.anomaly("[560, 430, 640, 490]"), "boxes_unfair"),
    (right.anomaly("[100, 100, 300, 160]"), "boxes_unfair"),
    (right.anomaly_places([*right.PLACES[:3], "[570, 430, 650, 490]"]), "boxes_unfair"),
    (right.anomaly_places(["[541, 420, 620, 480]", *right.PLACES[1:]]), "option_false"),
    (right.anomaly_places([*right.PLACES[:3], "below"]), "option_unreadable"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "codes"), WHOLE)
def test_what_is_made_wrong_is_found(world, spec, codes):
    assert world.codes(world.chain(spec)) == set(codes.split())


# rows that do not belong together


def window(row: dict, start: float, end: float) -> None:
    times = us(start), us(end)
    row.update(start_us=times[0], end_us=times[1], window_id=digest("chain", KEY, *times))
    row["checks"] = [{"name": "window_s", "measured": end - start, "limit": ""},
                     *row["checks"][1:]]  # fmt: skip


def other_task(rows: list[dict]) -> None:
    for row in rows:
        slots = json.loads(row["slots"])
        slots["chain"]["task"] = right.CUES
        row["slots"] = json.dumps(slots)


ROWS = [
    (lambda rows: rows.pop(), "chain_incomplete"),
    (lambda rows: rows.append(rows[1]), "chain_incomplete"),
    (lambda rows: rows[1].update(stage=2), "stage_differs chain_incomplete"),
    (lambda rows: rows[1].update(form="open"), "stage_differs"),
    (lambda rows: rows[1].update(task="past/q1"), "rule_missing"),
    (lambda rows: rows[1].update(task=f"{right.ORDER}/q2"), "stage_differs"),
    (lambda rows: rows[1].update(task=f"{right.CUES}/q1"), "chain_mixed"),
    (lambda rows: rows[1].update(template_id="surgcot.other"), "chain_mixed"),
    (lambda rows: rows[1].update(split="test"), "chain_mixed"),
    (lambda rows: rows[1].update(slots=json.dumps({"chain": {}})), "chain_mixed"),
    (other_task, "chain_mixed"),
    (lambda rows: rows[1].update(slots="no"), "slots_malformed"),
    (lambda rows: rows[2].update(evidence=[]), "pointer_none chain_mixed"),
    (lambda rows: rows[2]["evidence"][0].update(start_us=0), "pointer_outside"),
    (lambda rows: rows[2]["evidence"][1].update(id="nothing"), "pointer_missing"),
    (lambda rows: rows[1].update(window_id="0" * 32), "chain_window_differs"),
    (lambda rows: window(rows[0], 43, 64), "chain_window_differs"),
    (lambda rows: rows[1].update(answer_key="D"), "options_malformed"),
]


@pytest.mark.parametrize(("change", "codes"), ROWS)
def test_rows_that_do_not_belong_together_are_found(world, change, codes):
    rows = world.chain(RIGHT["order"]())
    change(rows)
    assert world.codes(rows) == set(codes.split())


# evidence that does not bear a chain out


def set_moment(name: str, **fields: Any) -> Callable[[ChainWorld], Any]:
    return lambda world: world.found(name).update(fields)


def add(*args: Any, **more: Any) -> Callable[[ChainWorld], Any]:
    return lambda world: world.moment(*args, **more)


def phase_changes(world: ChainWorld) -> None:
    world.segments = [one for one in world.segments if one["start_us"] != us(90)]
    world.phase("gallbladder_dissection", 90, 152)
    world.phase("gallbladder_packaging", 152, 200)


def reworked(world: ChainWorld) -> None:
    """The grasper acts on the cystic duct between the two runs of the coarse chain."""
    world.drop(25, None)
    world.event("v1", 25, "grasper-1", None, [("grasp", "cystic_duct")])


AGAIN = {"tool": "bipolar", "verb": "grasp", "target": "liver"}
EVIDENCE = [
    ("order", set_moment("state-52040000-clipped", resolution_us=400_000), "scale_differs"),
    ("order", set_moment("state-52040000-clipped", target="cystic_artery"),
     "answer_differs option_false clue_differs measure_differs instants_unfair"),
    ("order", set_moment(CUT, resolution_us=5_000_000), "order_tie"),
    ("order", set_moment(CUT, start_us=us(52.5)), "answer_differs option_false option_true "
     "context_silent"),
    ("order", add("action", "clip", 62, 63, **right.DEEDS["clip"]), "not_unique"),
    ("order", add("action", "clip", 62, 63, tool="", verb="clip", target="cystic_duct"),
     "not_unique"),
    ("no cue", set_moment("watched-110000000-camera", end_us=us(128.5)), "cue_unwatched"),
    ("no cue", set_moment("watched-110000000-speech", start_us=us(129)), "cue_unwatched"),
    ("effect", set_moment(BIPOLAR, tool="grasper", start_us=us(141), end_us=us(143)),
     "not_unique"),
    ("change", set_moment(BIPOLAR, end_us=us(152)), "transition_gap"),
    ("change", set_moment(BIPOLAR, end_us=us(154.6)), "transition_gap"),
    ("change", phase_changes, "transition_gap"),
    ("change", add("action", "grasp", 156, 158, **AGAIN), "transition_gap"),
    ("change", add("transition", "dissect,cystic_plate>coagulate,liver", 160, tool="bipolar"),
     "option_true"),
    ("anomaly", add("anomaly", "perforation", 180, 181, target="liver"), "option_true"),
    ("anomaly", add("anomaly", "perforation", 180, 181), "option_true"),
    ("anomaly", add("anomaly", "perforation", 190, 191), ""),
    ("anomaly", add("anomaly", "bleeding", 177, 178, target="gut"), "not_unique option_true"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "codes"), EVIDENCE)
def test_what_the_evidence_does_not_bear_out_is_found(world, name, change, codes):
    change(world)
    assert world.codes(world.chain(RIGHT[name]())) == set(codes.split())


def placed(world: ChainWorld, name: str, second: float, deed: dict) -> None:
    """Make an action another one, with the id that goes with it."""
    world.found(name).update(label=deed["verb"], **deed,
                             moment_id=f"action-{us(second)}-{deed['verb']}")  # fmt: skip


def swapped(world: ChainWorld) -> dict:
    placed(world, CLIP, 50.2, right.DEEDS["cut"])
    placed(world, CUT, 58, right.DEEDS["clip"])
    return right.order("cut", "clip")


def test_actions_that_break_a_rule_need_an_anomaly(world):
    spec = swapped(world)
    assert world.codes(world.chain(spec)) == {"rule_broken"}
    world.moment("anomaly", "bleeding", 30, 40, target="liver")
    assert world.codes(world.chain(spec)) == set()


def test_actions_that_have_nothing_in_common(world):
    placed(world, CUT, 58, right.DEEDS["irrigate"])
    assert world.codes(world.chain(right.order("clip", "irrigate"))) == {"order_unlinked"}


def test_an_instrument_that_does_no_such_thing(world):
    world.found(GRASPER)["tool"] = "clipper"
    spec = right.effect()
    spec["slots"]["tool"] = "clipper"
    assert world.codes(world.chain(spec)) == {"deed_implausible"}


def test_every_code_of_chains_has_a_chain_that_it_finds():
    tried = {code for case in (*SPECS, *WHOLE, *ROWS, *EVIDENCE) for code in case[-1].split()}
    tried |= {"rule_broken", "order_unlinked", "deed_implausible"}
    assert tried & set(CODES) >= OWN
    alone = {case[-1] for case in (*SPECS, *WHOLE, *ROWS, *EVIDENCE)}
    assert OWN - alone == {"rule_broken", "order_unlinked", "deed_implausible"}

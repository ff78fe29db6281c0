"""Rules of order and triples: sound as data, and true of real operations."""

import csv
import json
from collections import Counter

import pytest

from surgqa.ontology.concepts import label_map, load_data, vocabulary
from surgqa.ontology.files import listed
from surgqa.ontology.knowledge import ALWAYS, ANY, USUALLY, admissible, rule_between, rules
from tests.each import cases

CHOLE = "laparoscopic cholecystectomy"
PROSTATE = "robot-assisted radical prostatectomy"
NAMES = load_data("knowledge", "operations")["procedures"]
PROCEDURES = ["", *(names[0] for names in NAMES.values())]
CLIP, CUT = ("clip", "cystic_duct"), ("cut", "cystic_duct")


def test_a_rule_is_found_from_both_sides():
    rule, leads = rule_between(CHOLE, CLIP, CUT)
    assert (rule.force, leads) == (ALWAYS, True)
    assert rule_between(CHOLE, CUT, CLIP) == (rule, False)
    assert rule_between(CHOLE, CLIP, CLIP) is None
    assert rule_between(CHOLE, ("aspirate", "fluid"), CUT) is None


def test_own_rules_come_before_those_of_every_operation():
    assert rule_between("appendectomy", CLIP, CUT)[0].force == USUALLY
    assert rule_between("hysterectomy", ("coagulate", "blood_vessel"), ("cut", "blood_vessel"))[
        0
    ].force == (ALWAYS)
    assert rule_between(CHOLE, ("coagulate", "omentum"), ("cut", "omentum"))[0].force == USUALLY


def test_what_an_asterisk_stands_for():
    same = rule_between("", ("grasp", "liver"), ("retract", "liver"))
    assert same[0].before[1] == same[0].after[1] == ANY
    assert rule_between("", ("grasp", "liver"), ("retract", "gut")) is None
    rinse = ("irrigate", "abdominal_wall_cavity"), ("aspirate", "fluid")
    assert rule_between("", *rinse)[1] is True
    assert rule_between("", rinse[0], ("aspirate", "liver")) is None


@cases("procedure", PROCEDURES)
def test_rules_have_no_circle_and_no_two_of_the_same_pair(procedure):
    told = rules(procedure)
    assert len({rule.id for rule in told}) == len(told)
    assert len({(rule.before, rule.after) for rule in told}) == len(told)
    targets = sorted({t for r in told for _, t in (r.before, r.after)} - {ANY}) + ["liver"]
    acts = sorted({(v, t) for r in told for v, _ in (r.before, r.after) for t in targets})
    above = {act: [other for other in acts if any(r.orders(other, act) for r in told)]
             for act in acts}  # fmt: skip

    def climb(act, path=()):
        assert act not in path, f"circle: {path}"
        for other in above[act]:
            climb(other, (*path, act))

    for act in acts:
        climb(act)


def test_triples_name_concepts():
    data = load_data("knowledge", "triples")
    tools, verbs, targets = (set(vocabulary(k)) for k in ("instruments", "verbs", "targets"))
    assert set(data["tools"]) <= tools
    for tool, entry in data["tools"].items():
        assert set(entry) <= verbs | {"like"}, tool
        for verb in set(entry) - {"like"}:
            assert set(entry[verb]) <= targets | set(data["groups"]), (tool, verb)
    for name, group in data["groups"].items():
        assert set(group) <= targets and name not in targets


def test_every_triplet_of_cholect50_is_admissible():
    spelled = label_map("cholect50")
    for row in load_data("maps", "cholect50_triplets").values():
        kinds = zip(("instrument", "verb", "target"), row, strict=True)
        assert admissible(*(spelled[kind][label] for kind, label in kinds)), row


def test_every_triplet_of_prostatd_is_admissible(real_dataset):
    lines = (real_dataset("prostatd") / "triplet_maps_v2.txt").read_text().splitlines()
    maps = label_map("prostatd")
    lists = [list(maps[kind].values()) for kind in ("instrument", "verb", "target")]
    rows = [row[1:4] for row in csv.reader(lines) if not row[0].startswith("#")]
    assert len(rows) == 89
    for row in rows:
        triple = [names[int(number)] for names, number in zip(lists, row, strict=True)]
        assert admissible(*triple), triple


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        pytest.param(("clipper", "cut", "cystic_duct"), False, id="clips-do-not-cut"),
        pytest.param(("grasper", "aspirate", "fluid"), False, id="graspers-do-not-suck"),
        pytest.param(("irrigator", "clip", "cystic_duct"), False, id="irrigators-do-not-clip"),
        pytest.param(("hook", "null_verb", "null_target"), True, id="anything-may-be-idle"),
        pytest.param(("needle_driver", "null_verb", "null_target"), True, id="idle-of-our-own"),
        pytest.param(("hook", "null_verb", "liver"), False, id="idle-has-no-target"),
        pytest.param(("flat_grasper", "retract", "gallbladder"), True, id="like-a-grasper"),
        pytest.param(("flat_grasper", "cut", "gallbladder"), False, id="nor-more"),
        pytest.param(("mendez_ring", "grasp", "liver"), None, id="unknown-tool"),
    ],
)
def test_admissible(triple, expected):
    assert admissible(*triple) is expected


def _operations(folder):
    """(verb, target) -> first second, for each real operation with triplets."""
    for path in (p for p in listed(folder / "labels") if p.suffix == ".json"):
        yield path.stem, json.loads(path.read_text())


def _firsts(told):
    spelled = label_map("cholect50")
    triplets = load_data("maps", "cholect50_triplets")
    first = {}
    for second, rows in sorted(told["annotations"].items(), key=lambda item: int(item[0])):
        for row in rows:
            if int(row[0]) >= 0:
                _, verb, target = triplets[int(row[0])]
                act = spelled["verb"][verb], spelled["target"][target]
                first.setdefault(act, int(second))
    return first


def test_real_operations_keep_what_is_always_so(real_dataset):
    """Of two actions the first occurrences are in the order of the rule."""
    kept, broken = Counter(), Counter()
    for name, told in _operations(real_dataset("cholect50-challenge-val")):
        first = _firsts(told)
        for one, other in ((a, b) for a in first for b in first if first[a] < first[b]):
            found = rule_between(CHOLE, one, other)
            if found and found[0].force == ALWAYS:
                (kept if found[1] else broken)[name, found[0].id] += 1
    assert kept.total() >= 6
    assert not broken, broken

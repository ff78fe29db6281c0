"""The order of operations: sound as data, read conservatively, and true of real operations."""

import csv
import json
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from surgqa.ontology.concepts import label_map, load_data, vocabulary
from surgqa.ontology.files import listed
from surgqa.ontology.workflow import (
    END,
    any_time,
    closes,
    needs,
    successors,
    workflow,
    workflow_files,
)
from tests.each import cases

CHOLE = "laparoscopic cholecystectomy"
BYPASS = "laparoscopic Roux-en-Y gastric bypass"
CATARACT = "cataract surgery"
FLOWS = [
    (name, procedure, kind)
    for name in workflow_files()
    for procedure in load_data("workflows", name)["procedures"]
    for kind in load_data("workflows", name)["kinds"]
]


@cases(("name", "procedure", "kind"), FLOWS)
def test_every_label_is_a_concept_and_stands_once(name, procedure, kind):
    entry = load_data("workflows", name)["kinds"][kind]
    assert set(entry) <= {"any_time", "order"}
    known = vocabulary(f"{kind}s")
    free = entry.get("any_time", [])
    assert not set(free) & set(entry["order"])
    assert set(free) | set(entry["order"]) <= set(known)
    for label, place in entry["order"].items():
        assert place, f"{label} says nothing: leave it out"
        assert set(place) <= {"next", "needs", "closes"}
        for key, others in place.items():
            assert len(set(others)) == len(others), (label, key)
            assert label not in others, (label, key)
            assert not set(others) & set(free), (label, key)
            assert set(others) <= set(known) | ({END} if key == "next" else set()), (label, key)


@cases(("name", "procedure", "kind"), FLOWS)
def test_needs_have_no_circle_and_nothing_is_closed_by_what_it_may_precede(name, procedure, kind):
    order = workflow(procedure, kind).order

    def above(label, path=()):
        assert label not in path, f"circle: {path}"
        for need in needs(procedure, kind, label):
            above(need, (*path, label))

    for label, place in order.items():
        above(label)
        assert not set(place.closes) & set(place.next or ()), label
        for need in place.needs:
            assert label not in closes(procedure, kind, need), (label, need)


def test_no_two_files_speak_of_the_same_procedure_and_kind():
    assert max(Counter((procedure, kind) for _, procedure, kind in FLOWS).values()) == 1


def test_successors_of_one_several_none_and_unsaid():
    assert successors(CHOLE, "phase", "preparation") == ("calot_triangle_dissection",)
    assert len(successors(CHOLE, "phase", "gallbladder_dissection")) == 2
    assert successors(CATARACT, "phase", "tonifying_and_antibiotics") == ()
    assert successors(CHOLE, "phase", "gallbladder_extraction") is None, "or it may end there"
    assert successors(CHOLE, "step", "haemostasis") is None
    assert successors("appendectomy", "phase", "preparation") is None
    assert END not in {s for _, p, k in FLOWS for label in workflow(p, k).order
                       for s in successors(p, k, label) or ()}  # fmt: skip


def test_a_procedure_is_known_however_it_is_spelled():
    assert successors("Laparoscopic  Cholecystectomy", "phase", "preparation")
    assert successors("laparoscopic roux-en-y gastric bypass", "phase", "gastric_pouch_creation")


def test_needs_and_what_any_time_means():
    assert needs(CHOLE, "phase", "gallbladder_packaging") == (
        "clipping_and_cutting",
        "gallbladder_dissection",
    )
    assert needs(CHOLE, "phase", "gallbladder_dissection") == (), "fundus first"
    assert needs("appendectomy", "phase", "preparation") == ()
    assert any_time(CATARACT, "step") == {"cataract_idle"}
    assert any_time(CHOLE, "phase") == frozenset()


def _runs(labels):
    return [a for n, a in enumerate(labels) if n == 0 or labels[n - 1] != a]


def _bypass(folder, kind):
    known, rows = label_map("multibypass140")[kind], []
    for path in sorted(p for f in ("bern", "strasbourg")
                       for p in listed(folder / "labels" / f / "labels_by70")):  # fmt: skip
        spans = sorted(json.loads(path.read_text())[f"{kind}s"], key=lambda s: s["start"])
        rows.append([known[s["label_name"]] for s in spans if s["label_name"] in known])
    return [_runs([label for label in row if isinstance(label, str)]) for row in rows]


def _cataract(folder):
    with (folder / "phases.csv").open() as text:
        names = {r["Phase"]: r["Meaning"] for r in csv.DictReader(text, delimiter=";")}
    known, videos = label_map("cataract101")["phase"], defaultdict(list)
    with (folder / "annotations.csv").open() as text:
        for row in csv.DictReader(text, delimiter=";"):
            label = known[names[row["Phase"]]]
            videos[row["VideoID"]].append((int(row["FrameNo"]), label))
    return [_runs([label for _, label in sorted(rows)]) for rows in videos.values()]


def _operations(real_dataset, procedure, kind):
    if procedure == BYPASS:
        return _bypass(real_dataset("multibypass140"), kind)
    return _cataract(real_dataset("cataract-101"))


REAL = [(BYPASS, "phase", 140), (BYPASS, "step", 140), (CATARACT, "phase", 101)]


@pytest.mark.parametrize(("procedure", "kind", "count"), REAL)
def test_real_operations_follow_a_sole_successor(real_dataset, procedure, kind, count):
    """Where only one label may follow, it does in nine cases of ten, counting the ends."""
    operations = _operations(real_dataset, procedure, kind)
    assert len(operations) == count
    free, after = any_time(procedure, kind), defaultdict(Counter)
    for labels in operations:
        ordered = _runs([label for label in labels if label not in free])
        for before, label in pairwise([*ordered, END]):
            after[before][label] += 1
    sole = {a: f[0] for a in after if len(f := successors(procedure, kind, a) or ()) == 1}
    assert sole
    for label, following in sole.items():
        share = after[label][following] / after[label].total()
        assert share >= 0.9, (label, following, share)


@pytest.mark.parametrize(("procedure", "kind", "count"), REAL)
def test_real_operations_break_no_need_and_reopen_nothing(real_dataset, procedure, kind, count):
    """What is alerted at is not what surgeons do."""
    broken = Counter()
    for labels in _operations(real_dataset, procedure, kind):
        for place, label in enumerate(labels):
            seen = labels[:place]
            begun = [other for other in seen if other not in any_time(procedure, kind)]
            if begun and not needs(procedure, kind, begun[0]):  # else it begins in mid-operation
                for need in set(needs(procedure, kind, label)) - set(begun):
                    broken[label, "before", need] += 1
            for other in set(seen):
                if label in closes(procedure, kind, other):
                    broken[label, "after", other] += 1
    assert broken.total() <= count * 0.02, broken

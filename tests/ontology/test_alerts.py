"""Triggers of alerts: every concept is known, and the words can be said."""

import re

import pytest

from ontology.alerts import ANY, TRIPLET, Trigger, triggers
from ontology.concepts import LABEL_KINDS, load_data, vocabulary

ALL = triggers()
NAMES = {"clip_alert", "bleeding_alert", "view_lost_alert", "lesion_alert", "workflow_alert"}


def test_the_alerts_that_are_asked_for_are_there():
    assert {trigger.alert for trigger in ALL} >= NAMES
    assert len({(t.alert, t.kind) for t in ALL}) == len(ALL)


@pytest.mark.parametrize("trigger", ALL, ids=lambda t: f"{t.alert}-{t.kind}")
def test_every_label_is_a_concept_and_stands_once(trigger):
    assert len(set(trigger.labels)) == len(trigger.labels)
    assert trigger.labels or trigger.alert == "workflow_alert"
    for label in trigger.labels:
        if trigger.kind == TRIPLET:
            parts = label.split(",")
            for kind, part in zip(("instruments", "verbs", "targets"), parts, strict=True):
                assert part == ANY or part in vocabulary(kind), label
        else:
            assert label in vocabulary(f"{trigger.kind}s"), label


@pytest.mark.parametrize("trigger", ALL, ids=lambda t: f"{t.alert}-{t.kind}")
def test_words_can_be_put_into_sentences(trigger):
    assert trigger.kind == TRIPLET or f"{trigger.kind}s" in LABEL_KINDS
    assert re.fullmatch(r"(the|a) \S.*[^.]|[a-z]\S*( \S+)+[^.]", trigger.watch_for)
    assert trigger.instruction.startswith("when ")
    assert not trigger.instruction.endswith(".")
    fields = re.findall(r"\{(\w+)\}", trigger.reason + trigger.reason_over)
    assert set(fields) <= {"display", "other"}
    assert ("other" in fields) == (not trigger.labels)


def test_entries_have_no_unknown_keys():
    known = {"labels", "once", "watch_for", "instruction", "reason", "reason_over"}
    for kinds in load_data("vocab", "alerts").values():
        for entry in kinds.values():
            assert set(entry) <= known


def triggers_of(kind: str) -> list[Trigger]:
    return [one for one in triggers() if one.kind == kind]


def test_the_first_clip_on_duct_or_artery():
    (clip,) = triggers_of(TRIPLET)
    assert clip.once
    assert clip.matches("clipper,clip,cystic_duct")
    assert clip.matches("clipper,clip,cystic_artery")
    assert not clip.matches("clipper,clip,blood_vessel")
    assert not clip.matches("hook,dissect,cystic_duct")
    assert clip.says("clipper,clip,cystic_artery") == "first clip on the cystic artery"


@pytest.mark.parametrize(
    ("alert", "kind", "label", "reason"),
    [
        ("bleeding_alert", "condition", "bleeding_in_view", "bleeding in view"),
        ("bleeding_alert", "finding", "fresh_blood", "fresh blood in view"),
        ("view_lost_alert", "event", "out_of_body", "camera outside the body"),
        ("view_lost_alert", "condition", "stained_lens", "stained lens"),
        ("lesion_alert", "finding", "polyp", "polyp in view"),
    ],
)
def test_reasons(alert, kind, label, reason):
    (trigger,) = (t for t in triggers_of(kind) if t.alert == alert)
    assert trigger.matches(label)
    assert trigger.says(label) == reason


def test_old_blood_and_normal_anatomy_are_no_alert():
    for trigger in triggers_of("finding"):
        assert not trigger.matches("hematin")
        assert not trigger.matches("erythema")


def test_reasons_of_a_broken_order():
    trigger = next(t for t in triggers_of("phase") if t.alert == "workflow_alert")
    assert not trigger.matches("gallbladder_packaging")
    assert trigger.says("gallbladder_packaging", before="clipping_and_cutting") == (
        "gallbladder packaging before clipping and cutting"
    )
    assert trigger.says("preparation", after="gallbladder_extraction") == (
        "preparation after gallbladder extraction"
    )

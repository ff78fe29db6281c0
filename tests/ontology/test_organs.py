"""Organs: every procedure of a reader is found, and names that we do not know are "other"."""

from __future__ import annotations

from surgqa.ontology.concepts import load_data
from surgqa.ontology.organs import OTHER, organ_of
from surgqa.transforms.registry import card, datasets
from tests.each import cases

NOT_ONE_ORGAN = {
    "open surgery", "as the mapping file says", "as the files say", "as told to 'surgqa observe'",
}  # fmt: skip


def test_every_readers_procedure_has_its_organ():
    found = {name: organ_of(card(name).procedure) for name in datasets()}
    assert {card(name).procedure for name, organ in found.items() if organ == OTHER} == (
        NOT_ONE_ORGAN
    )
    assert found["cholect50"] == found["heichole"] == "gallbladder"
    assert found["kvasir_capsule"] == "small bowel"
    assert found["multibypass140"] == "stomach and small bowel"


@cases(
    ("procedure", "organ"),
    [
        ("Laparoscopic  Cholecystectomy", "gallbladder"),
        ("robotic cholecystectomy (difficult)", "gallbladder"),
        ("cholecystectomies", OTHER),
        ("knot tying on a bench model", "practice model"),
        ("video capsule endoscopy", "small bowel"),
        ("upper endoscopy", "gastrointestinal tract"),
        ("", OTHER), (None, OTHER), ("unknown", OTHER),
    ],
)  # fmt: skip
def test_organ(procedure, organ):
    assert organ_of(procedure) == organ


def test_no_name_of_a_procedure_means_two_organs():
    names = [name for group in load_data("vocab", "organs").values() for name in group]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)

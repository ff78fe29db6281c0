"""Groups over the vocabularies: trees that hold every concept once."""

import pytest

from ontology.concepts import LABEL_KINDS, vocabulary
from ontology.errors import UserError
from ontology.parents import groups, heading, is_a, kinds, members, parents, related

SOME = ("instruments", "verbs", "targets", "structures", "landmarks", "phases", "steps", "findings",
        "events")  # fmt: skip


def test_kinds_with_groups():
    assert kinds() == SOME
    assert set(kinds()) <= set(LABEL_KINDS)


@pytest.mark.parametrize("kind", SOME)
def test_every_concept_is_in_one_group_and_every_group_in_a_tree(kind):
    known, terms = groups(kind), vocabulary(kind)
    homes = [concept for group in known.values() for concept in group.members]
    assert len(homes) == len(set(homes))
    assert set(homes) == set(terms)
    seen = set()
    for key, group in known.items():
        assert group.parent == "" or group.parent in seen, "above stands before below"
        assert group.display and members(kind, key), f"{key} is empty"
        assert key not in terms
        seen.add(key)
    assert len({group.display for group in known.values()}) == len(known)


def test_groups_of_one_kind_are_no_concepts_of_any():
    every = {concept for kind in LABEL_KINDS for concept in vocabulary(kind)}
    assert not {key for kind in kinds() for key in groups(kind)} & every


def test_up_and_down():
    assert parents("targets", "cystic_artery") == (
        "artery", "vascular_structure", "anatomical_structure",
    )  # fmt: skip
    assert parents("targets", "artery") == ("vascular_structure", "anatomical_structure")
    assert parents("targets", "never heard of") == ()
    assert is_a("instruments", "hemolok_clip_applier", "closing_instrument")
    assert not is_a("instruments", "hook", "closing_instrument")
    assert set(members("targets", "vascular_structure")) == {"blood_vessel", "cystic_artery"}
    assert related("instruments", "clipper")[:2] == ("metal_clip_applier", "hemolok_clip_applier")
    assert "clipper" not in related("instruments", "clipper")
    with pytest.raises(UserError, match="no groups of 'motions'"):
        groups("motions")


def test_headings():
    assert heading("targets", "cystic_duct") == "Cystic Duct"
    assert heading("targets", "cystic_artery") == "Arteries"
    assert heading("instruments", "hook") == "Surgical Instruments"
    assert heading("events", "out_of_body") == heading("targets", "never heard of") == ""

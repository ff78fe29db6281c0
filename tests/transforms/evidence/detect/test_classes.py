"""Names of classes become concepts, or errors that say what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.evidence.detect.classes import (
    ClassMeaning,
    Dropped,
    mapped,
    read_class_map,
    understood,
)
from tests.each import cases


@cases(
    ("name", "meaning"),
    [
        ("grasper", ClassMeaning("instrument", "grasper")),
        ("Clip Applier", ClassMeaning("instrument", "clipper")),
        ("L-Hook", ClassMeaning("instrument", "hook")),
        ("suction_irrigator", ClassMeaning("instrument", "irrigator")),
        ("SHEARS", ClassMeaning("instrument", "scissors")),
        ("cystic_duct", ClassMeaning("tissue", "cystic_duct")),
        ("Gall Bladder", ClassMeaning("tissue", "gallbladder")),
        ("abdominal wall/cavity", ClassMeaning("tissue", "abdominal_wall_cavity")),
        ("cystic_duct.clipped", ClassMeaning("tissue", "cystic_duct", "clipped")),
        ("Cystic Duct (clipped)", ClassMeaning("tissue", "cystic_duct", "clipped")),
        ("cystic artery (divided, partial)",
         ClassMeaning("tissue", "cystic_artery", "divided", "partial")),
        ("grasper:occluded", ClassMeaning("instrument", "grasper", None, "occluded")),
    ],
)  # fmt: skip
def test_names_say_what_they_mean(name: str, meaning: ClassMeaning) -> None:
    assert understood(name) == meaning


@cases(
    "name",
    [
        "trocar", "", "grasper.clipped", "cystic_duct.blue", "cystic_duct.clipped.divided",
        "null_target", "none", "grasper hook",
    ],
)  # fmt: skip
def test_what_a_name_does_not_say_is_not_guessed(name: str) -> None:
    assert understood(name) is None


def test_every_concept_is_found_by_each_of_its_spellings() -> None:
    meant: dict[str, set[ClassMeaning]] = {}
    for kind, words in (("instrument", "instruments"), ("tissue", "targets")):
        for concept, term in vocabulary(words).items():
            if concept != "null_target":
                for spelling in (concept, term.display, *term.synonyms):
                    plain = spelling.lower().replace("_", " ").replace("-", " ")
                    meant.setdefault(plain, set()).add(ClassMeaning(kind, concept))
    for spelling, meanings in meant.items():
        # A bag is an instrument in some datasets and a target in others: not guessed.
        assert understood(spelling) == (None if len(meanings) > 1 else meanings.pop()), spelling
    assert sum(len(meanings) > 1 for meanings in meant.values()) <= 3


def test_a_map_has_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(
        "Trocar: {drop: nothing is asked about it}\n"
        "tool 3: Clip Applier\n"
        "hook: scissors\n"
        "cd_cut: {kind: tissue, concept: cystic_duct, state: divided, visibility: partial}\n"
    )
    got = mapped(["grasper", "hook", "tool 3", "Trocar", "cd_cut"], read_class_map(path))
    assert got == [
        ClassMeaning("instrument", "grasper"),
        ClassMeaning("instrument", "scissors"),
        ClassMeaning("instrument", "clipper"),
        Dropped("nothing is asked about it"),
        ClassMeaning("tissue", "cystic_duct", "divided", "partial"),
    ]


def test_unknown_names_are_all_listed() -> None:
    with pytest.raises(UserError) as caught:
        mapped(["grasper", "trocar", "needle"])
    assert caught.value.found == "trocar, needle"
    assert "{drop: REASON}" in str(caught.value.fix)


def test_a_map_for_other_weights_is_refused() -> None:
    with pytest.raises(UserError, match="does not have") as caught:
        mapped(["grasper"], {"graspr": Dropped("typo")})
    assert caught.value.found == "graspr"


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("a: trocar", "no such concept"),
        ("a: {drop: ''}", "neither a concept nor a reason"),
        ("a: {drop: x, concept: hook}", "neither a concept nor a reason"),
        ("a: 7", "neither a concept nor a reason"),
        ("a: {kind: thing, concept: hook}", "kind must be instrument or tissue"),
        ("a: {kind: instrument, concept: liver}", "no such concept among the instruments"),
        ("a: {kind: tissue, concept: null_target}", "no such concept among the targets"),
        ("a: {kind: tissue, concept: liver, state: blue}", "state must be one of"),
        ("a: {kind: tissue, concept: liver, visibility: some}", "visibility must be one of"),
        ("a: {kind: instrument, concept: hook, state: clipped}", "only tissue can have a state"),
    ],
)
def test_a_wrong_entry_names_its_line(tmp_path: Path, entry: str, problem: str) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(f"b: hook\n{entry}\n")
    with pytest.raises(UserError, match=problem) as caught:
        read_class_map(path)
    assert caught.value.where == "map.yaml:2"


def test_a_map_that_is_not_there_or_no_map(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        read_class_map(tmp_path / "none.yaml")
    (tmp_path / "list.yaml").write_text("- hook\n")
    with pytest.raises(UserError, match="NAME: CONCEPT"):
        read_class_map(tmp_path / "list.yaml")

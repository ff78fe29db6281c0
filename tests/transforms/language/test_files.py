"""Files of a folder: variants, shared blocks, ids, a user's own kinds, the editor's schema."""

from __future__ import annotations

from functools import partial
from importlib import resources

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.language import json_schema, load_programs, parse_folder, parse_text, said
from surgqa.transforms.language.findings import TemplateErrors
from surgqa.transforms.language.load import files_used, load_asked, program_files, select
from tests.transforms.language.wrong_programs import CLIP

VARIED = CLIP.replace("title: An example", "title: About {{ variant.many }}")
VARIED = VARIED.replace("instrument.label, at: m", '"{{ variant.kind }}.label", at: m')
VARIED += """\
variants:
  step: {kind: step, many: steps}
  phase: {kind: phase, many: phases}
"""

OWN = CLIP.replace(
    "{count: instrument.label, at: moment}", "{count: blood_loss, at: moment, label: severe}"
)


def lay_out(folder, **files):
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder


def test_a_file_with_variants_is_a_program_for_each():
    programs, findings = parse_text(VARIED)
    assert findings == []
    assert [(one.id, one.variant, one.title, one.kinds) for one in programs] == [
        ("mine.example.step", "step", "About steps", ("instrument", "interaction", "step")),
        ("mine.example.phase", "phase", "About phases", ("instrument", "interaction", "phase")),
    ]
    assert {one.file_id for one in programs} == {"mine.example"}


def test_variants_may_be_whole_steps():
    text = CLIP.replace("number: {count: instrument.label, at: moment}", "number: {variant: how}")
    text += "variants: {one: {how: {count: phase, at: moment}}}\n"
    (program,), findings = parse_text(text)
    assert findings == []
    assert program.step("number").node.place[0] == 12


def test_a_shared_block_stands_for_a_whole_value(tmp_path):
    text = CLIP.replace("wrong: [{near: answer, most: 3}]", "wrong: {use: shared/pools#near}")
    folder = lay_out(
        tmp_path, mine__example=text, shared__pools="near: [{near: answer, most: 3}]\n"
    )
    (program,), findings = parse_folder(folder)
    assert findings == []
    assert program.stages == parse_text(CLIP)[0][0].stages


def test_an_unknown_block_is_a_finding(tmp_path):
    text = CLIP.replace("wrong: [{near: answer, most: 3}]", "wrong: {use: shared/pools#far}")
    _, findings = parse_folder(lay_out(tmp_path, mine__example=text))
    assert findings[0].code == "T106"


def test_an_id_is_the_path_and_used_once(tmp_path):
    other = CLIP.replace("mine.example", "mine.other")
    folder = lay_out(tmp_path, mine__example=CLIP, mine__wrong=CLIP, mine__other=other)
    _, findings = parse_folder(folder)
    assert {(one.path, one.code) for one in findings} == {("mine/wrong.yaml", "T103")}
    assert len(findings) == 2


def test_broken_programs_are_not_skipped(tmp_path):
    folder = lay_out(tmp_path, mine__example=CLIP.replace("number >= 1", "nubmer >= 1"))
    with pytest.raises(TemplateErrors, match="nubmer"):
        load_programs(folder)


@pytest.mark.parametrize("profile", ["paper", "current"])
def test_what_is_asked_is_what_would_be_chosen_of_all(profile: str):
    every = load_programs()
    for benchmark in sorted({one.benchmark for one in every}):
        chosen = select(every, [benchmark], profile)
        assert load_asked(None, [benchmark], profile) == chosen
        for one in chosen[:3]:
            assert load_asked(None, [benchmark], profile, [one.id]) == [one]


def test_files_that_are_not_asked_are_not_read(tmp_path):
    broken = CLIP.replace("mine.example", "mine.other").replace("number >= 1", "nubmer >= 1")
    folder = lay_out(tmp_path, mine__example=CLIP, mine__other=broken)
    ask = partial(load_asked, folder, ["mine"], "current")
    assert [one.id for one in ask(["mine.example"])] == ["mine.example"]
    with pytest.raises(TemplateErrors, match="nubmer"):
        ask(["mine.other"])
    with pytest.raises(TemplateErrors, match="nubmer"):
        ask()


def test_a_benchmark_of_a_template_is_its_folder(tmp_path):
    folder = lay_out(tmp_path, mine__example=CLIP.replace("benchmark: mine", "benchmark: ours"))
    with pytest.raises(TemplateErrors, match="'ours' is not the first part of the id"):
        load_asked(folder, ["ours"], "current")


@pytest.mark.parametrize(
    ("benchmark", "only", "meant"),
    [("minee", [], "did you mean mine?"), ("mine", ["mine.exampel"], "did you mean mine.example?")],
)
def test_what_is_not_there_brings_what_is(tmp_path, benchmark, only, meant):
    folder = lay_out(tmp_path, mine__example=CLIP)
    with pytest.raises(UserError) as raised:
        load_asked(folder, [benchmark], "current", only)
    assert raised.value.fix == meant


def test_what_only_lint_refuses_can_be_asked(tmp_path):
    folder = lay_out(tmp_path, mine__example=CLIP.replace("the image show?", "the image show"))
    assert [one.id for one in load_programs(folder)] == ["mine.example"]
    assert [one.code for one in parse_folder(folder)[1]] == ["T112"]


def test_retired_programs_are_not_asked(tmp_path):
    folder = lay_out(tmp_path, mine__example=CLIP.replace("unit:", "status: retired\nunit:"))
    assert load_programs(folder) == []


def test_folders_that_are_no_groups_are_left_out(tmp_path):
    folder = lay_out(tmp_path, mine__a="x", shared__b="x", schema__c="x", _draft__d="x")
    assert [file.stem for file in program_files(folder)] == ["a"]


def test_a_kind_of_a_users_own_needs_no_code():
    (program,), findings = parse_text(OWN)
    assert findings == []
    assert "blood_loss" in program.kinds
    assert any("blood loss" in line for line in said(program))


def test_the_digest_is_of_what_a_file_means():
    (one,), _ = parse_text(CLIP)
    (same,), _ = parse_text("# a comment\n" + CLIP)
    (other,), _ = parse_text(CLIP.replace("most: 3", "most: 2"))
    assert one.digest == same.digest != other.digest


def test_the_schema_that_ships_is_that_of_the_code():
    file = resources.files("surgqa.templates") / "schema" / "question-v1.json"
    assert orjson.loads(file.read_bytes()) == json_schema(), (
        "write it anew: transforms.language.json_schema"
    )


def test_the_files_that_templates_need_are_theirs_and_those_of_their_blocks(tmp_path):
    text = CLIP.replace("wrong: [{near: answer, most: 3}]", "wrong: {use: shared/pools#near}")
    blocks = "near: [{near: answer, most: 3}]\n"
    folder = lay_out(tmp_path / "all", mine__example=text, shared__pools=blocks,
                     shared__other="a: 1\n")  # fmt: skip
    needed = ["mine/example.yaml", "shared/pools.yaml"]
    assert files_used(folder, ["mine/example.yaml"]) == needed
    kept = tmp_path / "kept"
    for name in needed:
        (kept / name).parent.mkdir(parents=True)
        (kept / name).write_bytes((folder / name).read_bytes())
    assert [one.digest for one in parse_folder(kept)[0]] == [
        one.digest for one in parse_folder(folder)[0]
    ]


def test_a_file_that_was_changed_is_read_anew(tmp_path):
    """What is kept of a file in a process goes by its text and that of what is shared."""
    lay_out(tmp_path, core__example=CLIP)
    (before,) = parse_folder(tmp_path)[0]
    lay_out(tmp_path, core__example=CLIP.replace("title: An example", "title: Another"))
    (after,) = parse_folder(tmp_path)[0]
    assert (before.title, after.title) == ("An example", "Another")

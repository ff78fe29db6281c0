"""The prompts: four requests in order, two ablations, and files that may be edited."""

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.ontology.next_actions import next_actions
from surgqa.transforms.exports.sapbench.messages import (
    KNOWLEDGE,
    REQUESTS,
    SLOTS,
    action_list,
    load_prompts,
)

PROCEDURE = "laparoscopic cholecystectomy"


def test_system_part_holds_the_three_blocks_of_knowledge():
    prompts = load_prompts()
    system = prompts.messages(PROCEDURE).system
    places = [system.index(prompts.knowledge[name]) for name in KNOWLEDGE]
    assert places == sorted(places) and PROCEDURE in system
    for one in next_actions():
        assert f"- {one.display}:" in prompts.knowledge["action_descriptions"]


def test_user_part_makes_four_requests_in_order():
    user = load_prompts().messages(PROCEDURE).user.casefold()
    places = [user.index(f"{name}:") for name in REQUESTS]
    assert places == sorted(places)
    assert action_list().casefold() in user


def test_no_remark_and_no_slot_is_left():
    for with_system in (True, False):
        for only_actions in (True, False):
            made = load_prompts().messages(
                PROCEDURE, with_system=with_system, only_actions=only_actions
            )
            text = f"{made.system}{made.user}"
            assert "{" not in text and "[" not in text and "#" not in text


def test_ablations():
    prompts = load_prompts()
    whole = prompts.messages(PROCEDURE)
    without = prompts.messages(PROCEDURE, with_system=False)
    assert without.system == "" and without.user == whole.user
    only = prompts.messages(PROCEDURE, only_actions=True)
    assert only.system == whole.system
    lower = only.user.casefold()
    assert f"{REQUESTS[-1]}:" in lower
    assert all(f"{name}:" not in lower for name in REQUESTS[:-1])
    assert whole.user.endswith(prompts.sections[REQUESTS[-1]].split("{action_list}")[1].strip())


def test_the_list_of_actions_has_their_letters_in_the_fixed_order():
    assert action_list().split("\n") == [
        "A. Dissection", "B. Vessel Clipping", "C. Tissue Retraction", "D. Coagulation",
        "E. Aspiration",
    ]  # fmt: skip


def test_own_files_replace_the_shipped_ones(tmp_path):
    (tmp_path / "guidelines.txt").write_text("# mine\n- Look twice.\n")
    prompts = load_prompts(tmp_path)
    assert prompts.knowledge["guidelines"] == "- Look twice."
    assert "Look twice." in prompts.messages(PROCEDURE).system
    assert prompts.sections == load_prompts().sections


@pytest.mark.parametrize(
    ("name", "text", "says", "line"),
    [
        ("system", "ok {proces}\n", "no slot called 'proces'", 1),
        ("system", "{procedure} {process} {guidelines}", "does not use {action_descriptions}", 0),
        ("process", "a\n{procedure}\n", "no slot called 'procedure'", 2),
        ("user", "[safety]\nx\n", "no section called 'safety'", 1),
        ("user", "hello\n[opening]\n", "text before the first section", 1),
        ("user", "[opening]\na\n[opening]\nb\n", "occurs twice", 3),
        ("user", "[opening]\n{action_list}\n", "has no request", 0),
        ("user", "[opening]\n" + "".join(f"[{n}]\nx\n" for n in REQUESTS), "use {action_list}", 0),
    ],
)
def test_mistakes_are_told_with_file_and_line(tmp_path, name, text, says, line):
    (tmp_path / f"{name}.txt").write_text(text)
    with pytest.raises(UserError) as caught:
        load_prompts(tmp_path)
    assert says in caught.value.summary
    assert caught.value.where == f"{tmp_path / name}.txt" + (f":{line}" if line else "")


def test_a_folder_without_prompts(tmp_path):
    with pytest.raises(SourceMissing) as caught:
        load_prompts(tmp_path)
    assert all(name in caught.value.expected for name in SLOTS)

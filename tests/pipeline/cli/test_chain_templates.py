"""Templates of chains, as the commands list, show, ask and make them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ontology.yaml import read_yaml
from pipeline.cli import units
from pipeline.cli.app import run
from pipeline.cli.chain_card import chain_card
from pipeline.preview.samples import first_chains
from transforms.language import Chain, load_questions, templates_folder
from transforms.language.chains import STAGES

ORDER = "surgcot.action_ordering"


def printed(capsys, *line: str) -> str:
    """What a command that ends well prints."""
    assert run(list(line)) == 0
    return capsys.readouterr().out


def shipped(name: str) -> Chain:
    (chain,) = [one for one in load_questions() if one.id == name]
    assert isinstance(chain, Chain)
    return chain


# -- list and show -----------------------------------------------------------------------------


def test_chains_are_listed(capsys):
    rows = {row["id"]: row for row in json.loads(printed(capsys, "list", "templates", "--json"))}
    assert rows[ORDER]["form"] == "choice"
    assert rows[ORDER]["task"] == "causal_action_ordering"
    mine = [row for row in rows.values() if row["benchmark"] == "surgcot"]
    benchmarks = json.loads(printed(capsys, "list", "benchmarks", "--json"))
    assert {"name": "surgcot", "templates": len(mine)} in benchmarks and len(mine) == 5


def test_a_chain_is_shown_with_its_four_questions(capsys):
    chain = shipped(ORDER)
    lines = printed(capsys, "show", ORDER).splitlines()
    assert lines[0].split() == ["id", ORDER]
    told = {line[:12].strip(): line[12:].strip() for line in lines}
    assert told["task"] == "causal_action_ordering"
    assert told["finder"] == "ordered_actions: coarse true"
    assert told["asked"] == "one chain at most for each 60 s of a recording"
    assert told["needs"].startswith("actions, stated or as interactions")
    assert told["q2 context"] == "It is established that {{ order | text }}."
    assert told["q1 clue"] == "The earlier of the two is under way from {{ segment | span }}."
    assert {"main context", "main clue", "q1 context"}.isdisjoint(told)
    assert told["main"] == "(what, and when)" and told["file"] == chain.path
    words = " ".join(" ".join(line[12:].strip() for line in lines).split())
    for stage in chain.stages.values():
        assert all(wording[0] in words for wording in stage.ask)


def test_a_chain_in_full(capsys):
    whole = read_yaml(printed(capsys, "show", ORDER, "--expanded"), "printed").data
    assert whole["find"] == {"by": "ordered_actions"} and set(STAGES) <= set(whole)
    assert {"kind": "template", **whole} == json.loads(printed(capsys, "show", ORDER, "--json"))


def test_chains_have_cards_and_others_have_none():
    for head in units.headlines()[::9]:
        file = Path(str(units.template_file(head.id)))
        card = chain_card(head.id, file, templates_folder())
        assert (card is not None) == (head.benchmark == "surgcot")
    for head in (head for head in units.headlines() if head.benchmark == "surgcot"):
        card = chain_card(head.id, Path(str(units.template_file(head.id))), templates_folder())
        assert card is not None
        assert (card["id"], card["title"]) == (head.id, head.title)
        assert all(len(card[stage]) >= 5 for stage in STAGES)


# -- preview -----------------------------------------------------------------------------------


@pytest.mark.parametrize("head", ["action_ordering", "anomaly_onset"])
def test_preview_shows_whole_chains(capsys, head):
    chain = shipped(f"surgcot.{head}")
    text = printed(capsys, "preview", chain.id, "-n", "1")
    dataset, asked = first_chains(chain)
    count = len(asked.items)
    assert count and count % 4 == 0
    first = text.split("\n")[0]
    assert first == (
        f"{chain.id} v1: asked {count // 4} chain(s), {count} item(s) in the {dataset} sample"
    )
    assert text.count("\n  Q  ") == 4 == text.count("\n    * ")
    assert [text.count(f"\n  {stage}, window ") for stage in STAGES] == [1, 1, 1, 1]
    assert text.count("\n     knowledge: ") == 3 == text.count("\n     clue: ")
    assert text.count("\n     known: ") == 2
    assert "     segment_iou: " in text and "     spacing_s: " in text


def test_preview_of_another_dataset_and_why_not(capsys):
    text = printed(capsys, "preview", ORDER, "--on", "cholect50", "-n", "1")
    assert "item(s) in the cholect50 sample" in text
    assert "\nnot asked about " in text and " x  ordered_actions: " in text
    text = printed(capsys, "preview", ORDER, "--on", "avos")
    assert text.startswith(f"{ORDER} v1: asked 0 chain(s), 0 item(s) in the avos sample")
    assert "\nno such event in 2 recording(s)\n" in text


# -- schema, new and lint ------------------------------------------------------------------------


def test_the_schema_of_chains(capsys):
    schema = json.loads(printed(capsys, "schema", "--of", "chain"))
    assert set(STAGES) <= set(schema["required"]) and "ask" not in schema["properties"]

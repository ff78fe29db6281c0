"""Examples: their evidence becomes records, fixed slots are kept, and what differs is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontology.records import IDLE, UNKNOWN
from ontology.yaml import read_yaml
from tests.templates import scenes
from tests.templates.world import templates
from transforms.language import Finding, Template, lint, load_templates, templates_folder
from transforms.language.examples import EvidenceFile, instants_us
from transforms.questions import ask
from transforms.questions.example import (
    _MATCHES,
    asked,
    examples_come_out,
    records,
    view_of,
)
from transforms.questions.slots import SLOTS

OWN = Path(__file__).parents[1] / "language" / "own"
PAGE = (Path(__file__).parents[3] / "docs" / "templates.md").read_text(encoding="utf-8")
SHIPPED = sorted(name for name, template in templates().items() if template.examples)
BASE = (
    Path(__file__).parents[1] / "language" / "wrong" / "example_answer" / "template.yaml"
).read_text(encoding="utf-8")
S = 1_000_000


def evidence(text: str) -> EvidenceFile:
    return EvidenceFile.model_validate(read_yaml(text, "evidence").data)


# -- evidence -------------------------------------------------------------------------------


def test_instants_are_evenly_spaced_but_for_gaps() -> None:
    found = instants_us(evidence("{seconds: 3, every: 0.5, gaps: [[0.5, 1], [2.4, 2.4]]}"))
    assert found == [0, 1_500_000, 2_000_000, 2_500_000]
    assert instants_us(evidence("{seconds: 2.5}")) == [0, S, 2 * S]


def test_records_hold_what_is_said_and_nothing_else() -> None:
    made = records(
        evidence("""
seconds: 6
vocabulary: [scissors]
seen:
  - instrument: hook
    from: 1
    to: 5
    path: [[0, 0, 100, 100], [200, 0, 300, 100], [200, 400, 300, 500]]
  - {instrument: grasper, from: 4.5, does: [retract liver, grasp omentum]}
  - {instrument: grasper, from: 5, to: 5, does: [idle]}
""")
    )
    table = made.instruments
    assert table is not None
    assert made.video.vocabulary == ("grasper", "hook", "scissors")
    assert made.video.duration_us == 6 * S and made.video.period_us == S
    assert table.labels == ("grasper", "hook")
    assert table.sample.tolist() == [1, 2, 3, 4, 5, 5, 5]
    assert table.label.tolist() == [1, 1, 1, 1, 0, 0, 1]
    hook = table.box_xyxy[table.label == 1]
    assert np.allclose(hook[:, 0], [0, 0.1, 0.2, 0.2, 0.2])
    assert np.allclose(hook[:, 1], [0, 0, 0, 0.2, 0.4])
    assert np.isnan(table.box_xyxy[table.label == 0]).all()
    assert table.pairs[table.label == 1].tolist() == [UNKNOWN] * 5
    done = {table.pair_sets[code] for code in table.pairs[table.label == 0].tolist()}
    assert done == {(IDLE,), (("grasp", "omentum"), ("retract", "liver"))}


def test_a_path_ends_where_it_is_last_seen() -> None:
    table = records(
        evidence(
            "{seconds: 5, seen: [{instrument: hook, from: 1, "
            "path: [[0, 0, 100, 100], [300, 0, 400, 100]]}]}"
        )
    ).instruments
    assert table is not None
    assert np.allclose(table.box_xyxy[:, 0], [0, 0.1, 0.2, 0.3])


def test_one_box_of_one_instrument_is_one_instance() -> None:
    table = records(
        evidence("""
seconds: 5
seen:
  - {instrument: hook, from: 0, to: 2, box: [0, 0, 100, 100], does: [dissect liver]}
  - {instrument: hook, from: 2, to: 4, box: [0, 0, 100, 100], does: [idle]}
  - {instrument: hook, from: 2, to: 2, box: [500, 0, 600, 100]}
""")
    ).instruments
    assert table is not None
    assert table.sample.tolist() == [0, 1, 2, 2, 3, 4]
    both = table.pair_sets[table.pairs[2]]
    assert both == (("dissect", "liver"), IDLE)


def test_the_page_describes_every_field_of_evidence() -> None:
    section = PAGE.split("\n## Examples\n")[1].split("\n## ")[0]
    for model in (EvidenceFile, EvidenceFile.model_fields["seen"].annotation.__args__[0]):
        for name, part in model.model_fields.items():
            word = part.alias or name
            assert re.search(rf"`(evidence\.)?{word}[`:]", section), word


# -- fixing slots ---------------------------------------------------------------------------


def test_every_kind_of_slot_can_be_fixed() -> None:
    assert set(_MATCHES) == set(SLOTS)


def plain(kind: str, value: Any, start_us: int) -> Any:
    """A slot of an item as an example writes it."""
    if kind in ("instant", "change"):
        return (value["time_us"] - start_us) / 1e6
    if kind == "interval":
        return [(value[end] - start_us) / 1e6 for end in ("start_us", "end_us")]
    if kind == "point":
        return [round(value["x"] * 1000), round(value["y"] * 1000)]
    if kind == "box":
        return [side * 1000 for side in value["box_xyxy"]]
    if kind == "instrument":
        number = value["instance"]
        return value["label"] if number is None else f"{value['label']} {number}"
    return value if kind == "choice" else value["label"]


@pytest.mark.parametrize("template_id", sorted(templates()))
def test_the_slots_of_an_item_give_that_item_again(template_id: str) -> None:
    """Whatever was drawn in a build's clip can be written down as an example's slots."""
    template = templates()[template_id]
    view = scenes.view_of(scenes.busy())
    items = [item for seed in "12" for item in ask(view, [template], seed).items]
    assert items
    for item in items:
        kinds = {slot: call.op for slot, call in template.needs.items()}
        start = item.window.start_us
        slots = {slot: plain(kind, item.slots[slot], start) for slot, kind in kinds.items()}
        again = asked(template, view, slots)
        (found,) = [i for i in again.items if i.window == item.window]
        assert found.slots == item.slots
        assert found.answer_value == item.answer_value


def test_a_value_that_is_not_there_leaves_nothing() -> None:
    template = templates()["surgstu.locate"]
    view = view_of(evidence("{seconds: 9, seen: [{instrument: hook, to: 3, box: [0, 0, 9, 9]}]}"))
    for slots, slot in (
        ({"moment": 4.0}, "moment"),
        ({"moment": 2.5}, "moment"),
        ({"tool": "grasper"}, "tool"),
        ({"tool": "hook 2"}, "tool"),
        ({"moment": 8.0, "tool": "hook"}, "moment"),
    ):
        out = asked(template, view, slots)
        assert not out.items
        assert [entry.where for entry in out.declined] == [slot]
    (item,) = asked(template, view, {"moment": 2.0, "tool": "hook 1"}).items
    assert item.slots["moment"]["time_us"] == 2 * S


# -- what comes out -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wrong").mkdir()
    return tmp_path


def found(folder: Path, text: str) -> list[Finding]:
    """What lint says of the template of ``wrong/``, with these examples."""
    template = BASE.split("examples:")[0]
    (folder / "wrong" / "example.yaml").write_text(template + text, encoding="utf-8")
    return lint([folder], [examples_come_out])


def test_the_example_on_the_page_comes_out(folder: Path) -> None:
    section = PAGE.split("\n## Examples\n")[1].split("\n## ")[0]
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found(folder, text) == []
    (finding,) = found(folder, text.replace("[460, 400, 560, 500]", "[480, 400, 580, 500]"))
    assert finding.code == "T116"
    assert finding.where == "wrong.example > examples[0] > expect > answer"
    assert "'[440, 400, 540, 500]', not '[430, 400, 530, 500]'" in finding.message


def test_every_example_is_run_and_told_by_its_line(folder: Path) -> None:
    one = """  - evidence: {seconds: 8, seen: [{instrument: hook, box: [0, 0, 100, 100]}]}
    expect: {answer: "[0, 0, 100, 100]"}
"""
    text = "examples:\n" + one + one.replace('"[0, 0, 100, 100]"', '"[1, 1, 1, 1]"') + one
    (finding,) = found(folder, text)
    assert ("examples[1]" in finding.where, finding.line) == (True, 21)


def test_any_wording_may_be_expected(folder: Path) -> None:
    for question in (
        "Where is the hook at 2.00 s?",
        "Give the bounding box of the hook at 2.00 s.",
        "At 2.00 s, which box encloses the hook?",
    ):
        text = f"""examples:
  - evidence: {{seconds: 8, seen: [{{instrument: hook, box: [0, 0, 100, 100]}}]}}
    slots: {{moment: 2}}
    expect: {{answer: "[0, 0, 100, 100]", question: "{question}"}}
"""
        assert found(folder, text) == []
        (finding,) = found(folder, text.replace("moment: 2", "moment: 3"))
        assert "expect > question" in finding.where


def test_examples_ask_nothing(folder: Path) -> None:
    plain_text, examples = BASE.split("examples:")
    file = folder / "wrong" / "example.yaml"
    file.write_text(plain_text, encoding="utf-8")
    (without,) = load_templates(folder)
    file.write_text(BASE, encoding="utf-8")
    (with_one,) = load_templates(folder)
    assert without.digest == with_one.digest
    assert (len(without.examples), len(with_one.examples)) == (0, 1)
    view = scenes.view_of(scenes.busy())
    assert ask(view, [without], "1").items == ask(view, [with_one], "1").items


@pytest.fixture
def chain(tmp_path: Path) -> Template:
    (tmp_path / "mine").mkdir()
    text = (OWN / "chain.yaml").read_text(encoding="utf-8")
    text += """examples:
  - evidence:
      seconds: 12
      seen:
        - instrument: hook
          path: [[100, 100, 200, 200], [760, 100, 860, 200]]
          does: [dissect cystic_duct]
    slots: {tool: hook, span: [0, 11], moment: 5}
    expect:
      question: {Q3: Where is the hook at 5.00 s?}
      answer: {Q1: dissect, Q3: "[400, 100, 500, 200]"}
"""
    (tmp_path / "mine" / "chain.yaml").write_text(text, encoding="utf-8")
    (template,) = load_templates(tmp_path)
    return template


def test_a_chain_is_expected_stage_by_stage(chain: Template) -> None:
    assert [str(problem) for problem in examples_come_out(chain)] == []
    data = chain.examples[0]
    data["expect"]["answer"]["Q2"] = "fast as light"
    data["expect"]["question"]["Q3"] = "Where is the hook at 4.00 s?"
    places = [problem.at for problem in examples_come_out(chain)]
    assert places == [
        ("examples", 0, "expect", "answer", "Q2"),
        ("examples", 0, "expect", "question", "Q3"),
    ]


def test_shipped_examples_come_out() -> None:
    assert len(SHIPPED) >= 3
    assert [str(f) for f in lint([templates_folder()], [examples_come_out])] == []


@pytest.mark.parametrize("template_id", SHIPPED)
def test_shipped_examples_would_tell_a_difference(template_id: str) -> None:
    """The same examples fail when other things are expected of them."""
    template = templates()[template_id]
    for example in template.examples:
        turned = {"answer": "?"} if "not_asked" in example["expect"] else {"not_asked": "options"}
        changed = Template(
            **{
                name: getattr(template, name)
                for name in Template.__dataclass_fields__
                if name != "examples"
            },
            examples=({**example, "expect": turned},),
        )
        assert [problem.code for problem in examples_come_out(changed)] == ["T116"]

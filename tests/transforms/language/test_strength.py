"""What the language can say beyond the shipped templates: chains, trees, shared blocks.

The templates are in ``own/``.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from ontology.errors import UserError
from tests.templates import scenes
from transforms.language import Template, lint, load_templates, select
from transforms.language.load import parse_files, template_files
from transforms.questions import Asked, ask

OWN = Path(__file__).parent / "own"
CHAIN, TREE, WORDS = (
    (OWN / name).read_text(encoding="utf-8") for name in ("chain.yaml", "tree.yaml", "words.yaml")
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A templates folder of the user's own."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "mine" / "chain.yaml").write_text(CHAIN, encoding="utf-8")
    (tmp_path / "mine" / "tree.yaml").write_text(TREE, encoding="utf-8")
    (tmp_path / "shared" / "words.yaml").write_text(WORDS, encoding="utf-8")
    return tmp_path


def asked(template: Template, seed: str = "42") -> Asked:
    """One template on the busy scene."""
    return ask(scenes.view_of(scenes.busy()), [template], seed)


def by_id(folder: Path) -> dict[str, Template]:
    """The active templates of a folder."""
    return {template.id: template for template in load_templates(folder)}


def test_own_templates_are_clean(folder: Path) -> None:
    assert [str(finding) for finding in lint([folder])] == []


def test_a_chain_gives_three_items_about_one_event(folder: Path) -> None:
    found = asked(by_id(folder)["mine.chain"])
    chains: dict[str, list] = {}
    for item in found.items:
        chains.setdefault(item.chain_id, []).append(item)
    assert len(chains) == found.asked["mine.chain"] == 2
    for items in chains.values():
        assert [item.stage for item in items] == [1, 2, 3]
        assert len({item.item_id for item in items}) == 3
        assert all(item.slots == items[0].slots for item in items)
        first, second, third = items
        assert first.knowledge == "Blunt tension on one side opens the plane on the other."
        assert first.clue is not None and "{{" not in first.clue and " s and " in first.clue
        assert first.context is None
        assert second.context in ("The instrument is the hook.", "The instrument is the grasper.",
                                  "The instrument is the bipolar forceps.",
                                  "The instrument is the grasper (instance 1).",
                                  "The instrument is the grasper (instance 2).")  # fmt: skip
        assert third.answer_value["box_xyxy"] and first.answer_value["verb"]


def test_a_chain_is_asked_whole_or_not_at_all(folder: Path) -> None:
    found = ask(scenes.view_of(scenes.unboxed()), [by_id(folder)["mine.chain"]], "42")
    assert not found.items
    assert {entry.where for entry in found.declined} == {"tool"}


def test_a_tree_lets_through_what_it_says(folder: Path) -> None:
    template = by_id(folder)["mine.tree"]
    times = {}
    for seed in range(30):
        for item in asked(template, str(seed)).items:
            assert [check.name for check in item.checks] == ["where"]
            key = (item.window.window_id, item.slots["moment"]["time_us"])
            times.setdefault(key, set()).add(item.slots["tool"]["label"])
    hook = {t % 25_000_000 // 1_000_000 for (_, t), names in times.items() if "hook" in names}
    # Idle from 9 to 13 s: idle all around at 10 to 12 s, but seen long and overlapping nothing.
    assert hook & {10, 11, 12}
    without = TREE.replace("below: 3}", "below: 30}")
    (folder / "mine" / "tree.yaml").write_text(without, encoding="utf-8")
    stricter = by_id(folder)["mine.tree"]
    seen = {
        item.slots["moment"]["time_us"] % 25_000_000 // 1_000_000
        for seed in range(30)
        for item in asked(stricter, str(seed)).items
        if item.slots["tool"]["label"] == "hook"
    }
    assert seen and not seen & {10, 11, 12}


def test_shared_blocks_are_taken_whole(folder: Path) -> None:
    template = by_id(folder)["mine.tree"]
    (stage,) = template.stages
    assert len(stage.ask) == 3
    assert stage.options is not None and stage.options.args["beyond"] == 2
    inline = TREE.replace("{use: shared/words#numbers}", "{rule: numbers, wrong: 3, beyond: 2}")
    (folder / "mine" / "tree.yaml").write_text(inline, encoding="utf-8")
    assert by_id(folder)["mine.tree"].digest == template.digest


def test_the_digest_follows_the_meaning(folder: Path) -> None:
    before = by_id(folder)["mine.tree"].digest
    file = folder / "mine" / "tree.yaml"
    file.write_text("# a comment\n" + TREE, encoding="utf-8")
    assert by_id(folder)["mine.tree"].digest == before
    file.write_text(TREE.replace("seconds: 1", "seconds: 2"), encoding="utf-8")
    assert by_id(folder)["mine.tree"].digest != before


def test_profiles_and_names_select(folder: Path) -> None:
    templates = load_templates(folder)
    assert [t.id for t in select(templates, ["mine"], "paper")] == ["mine.chain"]
    assert [t.id for t in select(templates, ["mine"], "current")] == ["mine.tree"]
    assert select(templates, ["mine"], "paper", ["mine.tree"]) == []
    assert [t.id for t in select(templates, ["mine"], "current", ["mine.tree"])] == ["mine.tree"]


def test_unknown_names_are_told(folder: Path) -> None:
    templates = load_templates(folder)
    with pytest.raises(UserError, match="no templates for benchmark 'ours'") as error:
        select(templates, ["ours"], "paper")
    assert "mine" in str(error.value)
    with pytest.raises(UserError, match="no template 'mine.trees'"):
        select(templates, ["mine"], "paper", ["mine.trees"])
    with pytest.raises(UserError, match="no such templates folder"):
        load_templates(folder / "nowhere")


def test_retired_templates_are_kept_and_not_asked(folder: Path) -> None:
    file = folder / "mine" / "tree.yaml"
    file.write_text(TREE.replace("version: 3\n", "version: 3\nstatus: retired\n"), encoding="utf-8")
    assert set(by_id(folder)) == {"mine.chain"}
    templates, findings = parse_files(template_files(folder), folder)
    assert ("mine.tree", "retired") in {(t.id, t.status) for t in templates}
    assert findings == []


def test_folders_that_hold_no_templates_are_left_alone(folder: Path) -> None:
    for name in ("schema", "_drafts", ".hidden"):
        (folder / name).mkdir()
        (folder / name / "broken.yaml").write_text(":", encoding="utf-8")
    assert set(by_id(folder)) == {"mine.chain", "mine.tree"}


def test_a_template_travels_to_workers(folder: Path) -> None:
    for template in load_templates(folder):
        assert pickle.loads(pickle.dumps(template)) == template


def test_items_do_not_depend_on_other_templates(folder: Path) -> None:
    both = list(by_id(folder).values())
    view = scenes.view_of(scenes.busy())
    together = ask(view, both, "7").items
    apart = [item for template in reversed(both) for item in ask(view, [template], "7").items]
    assert {i.item_id: i for i in together} == {i.item_id: i for i in apart}

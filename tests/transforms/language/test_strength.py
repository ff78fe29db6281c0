"""What the language can say beyond the shipped templates: chains, trees, shared blocks.

The templates are in ``own/``.
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from pathlib import Path

import pytest

from ontology.errors import UserError
from tests.templates import scenes
from transforms.language import Template, lint, load_templates, select
from transforms.language.examples import EvidenceFile
from transforms.language.load import parse_files, template_files
from transforms.questions import Asked, ask
from transforms.questions.example import view_of

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


@pytest.fixture
def drawn(folder: Path) -> Path:
    """The file of a template whose draw is steered."""
    file = folder / "mine" / "drawn.yaml"
    file.write_text((OWN / "drawn.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return file


def sides(folder: Path) -> Counter[tuple[str, bool]]:
    """(side, the class is seen somewhere in the window) of 60 runs' items."""
    template = by_id(folder)["mine.drawn"]
    view = scenes.view_of(scenes.busy())
    table = view.timeline.table
    counts: Counter[tuple[str, bool]] = Counter()
    for seed in range(60):
        for item in ask(view, [template], str(seed)).items:
            inside = (table.instants_us >= item.window.start_us) & (
                table.instants_us < item.window.end_us
            )
            seen = {table.labels[k] for k in table.label[inside[table.sample]].tolist()}
            counts[item.slots["truth"], item.slots["kind"]["label"] in seen] += 1
    return counts


def test_what_is_drawn_first_is_equally_likely(drawn: Path, folder: Path) -> None:
    text = drawn.read_text(encoding="utf-8")
    text = re.sub(r"  prefer:\n    - .*\n", "", text)
    seen_once = {"instrument": "hook", "from": 5, "to": 5}
    view = view_of(EvidenceFile.model_validate({"seconds": 25, "seen": [seen_once]}))

    def yes() -> int:
        template = by_id(folder)["mine.drawn"]
        items = [item for seed in range(100) for item in ask(view, [template], str(seed)).items]
        assert len(items) == 100
        return sum(item.slots["truth"] == "yes" for item in items)

    drawn.write_text(text, encoding="utf-8")
    assert 35 <= yes() <= 65
    drawn.write_text(text.replace("draw:\n  first: [truth]\n", ""), encoding="utf-8")
    assert yes() <= 12, "one of 25 fillings"


def test_what_is_preferred_is_taken_where_there_is_any(drawn: Path, folder: Path) -> None:
    assert all(seen for _, seen in sides(folder))
    text = drawn.read_text(encoding="utf-8")
    without = text.replace("  prefer:\n    - seen_in_window: {kind: kind}\n", "")
    assert without != text
    drawn.write_text(without, encoding="utf-8")
    assert ("no", False) in sides(folder)
    avoided = text.replace(
        "- seen_in_window: {kind: kind}", "- not: {seen_in_window: {kind: kind}}"
    )
    drawn.write_text(avoided, encoding="utf-8")
    counts = sides(folder)
    assert {seen for side, seen in counts if side == "no"} == {False}
    assert {seen for side, seen in counts if side == "yes"} == {True}

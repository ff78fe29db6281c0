"""A family in one file is what its members would be in files of their own."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import jsonschema
import pytest

from ontology.yaml import read_yaml
from tests.templates import scenes
from transforms.language import (
    Template,
    TemplateErrors,
    expanded,
    json_schema,
    lint,
    load_templates,
    select,
)
from transforms.questions import ask

OWN = Path(__file__).parent / "own"
SIGHTING, WORDS = (
    (OWN / name).read_text(encoding="utf-8") for name in ("sighting.yaml", "words.yaml")
)
PAGE = (Path(__file__).parents[3] / "docs" / "templates.md").read_text(encoding="utf-8")
IDS = ["mine.sighting.first", "mine.sighting.last"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, text in {"mine/sighting": SIGHTING, "shared/words": WORDS}.items():
        file = tmp_path / f"{place}.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def rewritten(folder: Path, old: str, new: str) -> Path:
    """The folder with a family that says something else."""
    file = folder / "mine" / "sighting.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def by_id(folder: Path) -> dict[str, Template]:
    return {template.id: template for template in load_templates(folder)}


def test_a_family_is_clean_and_each_member_a_template(folder: Path) -> None:
    assert [str(finding) for finding in lint([folder])] == []
    first, last = load_templates(folder)
    assert [first.id, last.id] == IDS
    assert [first.variant, last.variant] == ["first", "last"]
    assert {t.file_id for t in (first, last)} == {"mine.sighting"}
    assert {t.path for t in (first, last)} == {"mine/sighting.yaml"}
    assert {t.version for t in (first, last)} == {2}
    assert first.title == "When a class of instruments is seen first"
    assert [first.task, last.task] == ["existence/first_sighting", "existence/last_sighting"]
    assert first.stages[0].answer.args["end"] == "first"
    assert first.stages[0].reasoning[0][0] == "The first sight of the class is at "
    assert pickle.loads(pickle.dumps(first)) == first


def test_members_are_asked_with_their_own_answers(folder: Path) -> None:
    view = scenes.view_of(scenes.busy())
    items = ask(view, load_templates(folder), "42").items
    assert {item.template_id for item in items} == set(IDS)
    ends = {"first": min, "last": max}
    timeline = view.timeline
    for item in items:
        name = item.template_id.rsplit(".", 1)[1]
        label = timeline.table.labels.index(item.slots["kind"]["label"])
        times = [
            int(timeline.table.instants_us[sample])
            for sample, code in zip(timeline.table.sample, timeline.table.label, strict=True)
            if code == label
            and item.window.start_us <= timeline.table.instants_us[sample] < item.window.end_us
        ]
        seconds = (ends[name](times) - item.window.start_us) / 1e6
        assert item.answer == f"{seconds:.2f} s"
        assert f" {name} " in item.question


def test_a_member_equals_a_file_of_its_own(folder: Path, tmp_path: Path) -> None:
    family = by_id(folder)
    alone = tmp_path / "alone" / "mine" / "sighting"
    alone.mkdir(parents=True)
    for word in ("first", "last"):
        text = re.sub(r"^variants:\n(  .*\n)+", "", SIGHTING, flags=re.MULTILINE)
        words = {"word": word, "task": f"existence/{word}_sighting", "end": word,
                 "status": "active", "words": f"shared/words#{word}"}  # fmt: skip
        for key, value in words.items():
            text = text.replace(f"{{variant: {key}}}", value)
            text = re.sub(rf"\{{\{{ ?variant\.{key} ?\}}\}}", value, text)
        text = text.replace("id: mine.sighting", f"id: mine.sighting.{word}")
        (alone / f"{word}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "shared").rename(tmp_path / "alone" / "shared")
    single = by_id(tmp_path / "alone")
    assert {name: t.digest for name, t in single.items()} == {
        name: t.digest for name, t in family.items()
    }
    assert len({t.digest for t in family.values()}) == 2
    view = scenes.view_of(scenes.busy())
    together, apart = (
        {i.item_id: i for i in ask(view, list(ts.values()), "7").items} for ts in (family, single)
    )
    assert together == apart


def test_a_change_of_one_member_leaves_the_others_digest(folder: Path) -> None:
    before = by_id(folder)
    after = by_id(rewritten(folder, "word: last,", "word: finally,"))
    assert before[IDS[0]].digest == after[IDS[0]].digest
    assert before[IDS[1]].digest != after[IDS[1]].digest


def test_a_member_retires_alone(folder: Path) -> None:
    kept = load_templates(
        rewritten(folder, "end: last, status: active", "end: last, status: retired")
    )
    assert [t.id for t in kept] == IDS[:1]


def test_members_are_selected_by_name(folder: Path) -> None:
    found = select(load_templates(folder), ["mine"], "current", IDS[1:])
    assert [t.id for t in found] == IDS[1:]


def test_an_id_may_not_be_a_members_and_a_files(folder: Path) -> None:
    other = folder / "mine" / "sighting"
    other.mkdir()
    member = read_yaml(SIGHTING, "x").data["variants"]["first"]
    assert member["word"] == "first"
    text = (OWN / "drawn.yaml").read_text(encoding="utf-8")
    text = text.replace("id: mine.drawn", "id: mine.sighting.first")
    (other / "first.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TemplateErrors, match=r"T103 mine\.sighting\.first: id is also used by"):
        load_templates(folder)


def test_a_broken_member_leaves_the_sound_ones_to_lint(folder: Path) -> None:
    broken = rewritten(folder, "end: last, s", "end: middle, s")
    (finding, *more) = lint([broken])
    assert finding.code == "T102"
    assert finding.where.startswith("mine.sighting.last > ")
    assert all("mine.sighting.last" in f.where for f in more)


def test_expansion_is_a_file_that_says_the_same(folder: Path) -> None:
    found = expanded(folder / "mine" / "sighting.yaml", folder)
    assert list(found) == IDS
    text = str(found)
    assert "variant" not in text and "use" not in found[IDS[0]]["ask"]
    assert found[IDS[0]]["ask"][2].startswith("Give the first time")
    assert validator().is_valid(found[IDS[1]])


def test_expansion_tells_what_is_not_there(folder: Path) -> None:
    with pytest.raises(TemplateErrors, match="a variant has no key 'side'"):
        expanded(
            rewritten(folder, "{variant: end}", "{variant: side}") / "mine/sighting.yaml", folder
        )
    with pytest.raises(TemplateErrors, match="no shared block 'shared/words#late'"):
        expanded(
            rewritten(rewritten(folder, "{variant: side}", "{variant: end}"), "#last", "#late")
            / "mine/sighting.yaml",
            folder,
        )


def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize("name", ["sighting", "chain", "tree", "drawn"])
def test_editors_find_nothing_wrong(name: str) -> None:
    data = read_yaml((OWN / f"{name}.yaml").read_text(encoding="utf-8"), name).data
    assert [error.message for error in validator().iter_errors(data)] == []


def test_editors_find_a_value_that_is_neither(folder: Path) -> None:
    data = read_yaml(SIGHTING, "sighting").data
    assert not validator().is_valid({**data, "task": {"variants": "task"}})
    assert not validator().is_valid({**data, "id": {"variant": "task"}})


def test_the_family_on_the_page_is_clean(tmp_path: Path) -> None:
    section = PAGE.split("\n## Variants\n")[1].split("\n## ")[0]
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "sighting.yaml").write_text(text, encoding="utf-8")
    assert [str(finding) for finding in lint([tmp_path])] == []
    assert [template.id for template in load_templates(tmp_path)] == IDS

"""What the generated pages say of chains is complete and true."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from ontology.errors import UserError
from pipeline.docs.chain_finders import CHAIN_PRINTS, chain_finders_part
from pipeline.docs.chains import chains_part, first_chains_of_all, overview
from pipeline.docs.operators import UNUSED
from transforms.language import Chain, load_questions
from transforms.language.chains import STAGES
from transforms.language.chains.finders import FILTERS, FINDERS, NEEDS, TASKS, TEXTS


@cache
def chains() -> tuple[Chain, ...]:
    """The shipped templates of chains."""
    return tuple(question for question in load_questions() if isinstance(question, Chain))


def described(folder: Path) -> Path:
    """A folder whose hand-written pages have a row for every finder and task."""
    rows = [f"| `{name}` | slots | value of {name} | truth of {name} |" for name in FINDERS]
    (folder / "answers.md").write_text("\n".join(rows), encoding="utf-8")
    (folder / "scoring.md").write_text(
        "\n".join(f"| `{task}` | score of {task} |" for task in TASKS), encoding="utf-8"
    )
    return folder


def test_every_finder_has_its_place() -> None:
    page = chain_finders_part(chains(), UNUSED)
    for name, finder in FINDERS.items():
        text = page.split(f"### `{name}`\n")[1].split("\n##")[0]
        assert finder.doc in text and f"*Task `{finder.task}`.*" in text
        assert all(f"| `{argument}` |" in text for argument in finder.params)
        fields = {**finder.asks, **finder.answers, **finder.found}
        assert all(f"`{field}` ({kind}; filters `" in text for field, kind in fields.items())
        assert all(TEXTS[field].strip() in text for field in fields if field in TEXTS)
        used = [chain.id for chain in chains() if chain.finder == name]
        assert all(f"`{template}`" in text for template in used)
    assert "Used by" not in chain_finders_part((), UNUSED).replace(UNUSED, "")
    assert list(CHAIN_PRINTS) == list(FILTERS)
    assert all(f"\n| `{name}` | " in page for name in FILTERS)


def test_every_task_has_its_place_and_an_example(tmp_path: Path) -> None:
    page = chains_part(chains(), described(tmp_path))
    parts = {part.split("\n")[0]: part for part in page.split("\n### ")[1:]}
    assert list(parts) == sorted(TASKS)
    for chain in chains():
        text = parts[chain.task]
        assert f"`{chain.id}` (version {chain.version}, " in text
        assert f"[`{chain.finder}`](operators.md#{chain.finder})" in text
        assert f"- **`answer_value`** of `q1`: value of {chain.finder}\n" in text
        assert f"- **true when**: truth of {chain.finder}\n" in text
        assert f"- **score**: score of {chain.task}\n" in text
        assert f"- **needs**: {NEEDS[chain.finder]}\n" in text
        assert [text.count(f"\n{stage}\n") for stage in STAGES] == [1] * len(STAGES)
        assert text.count("\nQ  ") == len(STAGES) == text.count("\n   * ")
        assert '\n{"' in text and '"what":' in text


def test_the_table_links_to_every_task() -> None:
    lines = overview(chains())
    assert len(lines) == len(TASKS)
    for chain in chains():
        (line,) = [one for one in lines if one.startswith(f"| [{chain.task}](#{chain.task}) |")]
        assert "| 4 x choice | paper, current |" in line and NEEDS[chain.finder] in line


def test_examples_are_whole_chains() -> None:
    for template, (_, items) in first_chains_of_all(chains()).items():
        assert [item.stage for item in items] == list(range(len(STAGES)))
        assert {item.template_id for item in items} == {template}
        assert len({item.chain_id for item in items}) == 1


def test_a_task_that_is_not_described_is_an_error(tmp_path: Path) -> None:
    described(tmp_path)
    (tmp_path / "answers.md").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="answers.md does not say what"):
        chains_part(chains(), tmp_path)
    described(tmp_path)
    (tmp_path / "scoring.md").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="scoring.md does not say how"):
        chains_part(chains(), tmp_path)

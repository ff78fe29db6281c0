"""The contract of every shipped template; whoever adds one writes no test.

``snapshot`` tests compare with ``golden/<id>.txt``.  After a template was changed on
purpose, raise its version, say why under ``changes`` and run
``pytest tests/templates --update-golden``; a snapshot of the same version is never
overwritten, delete it first if the scenes or the engine changed on purpose.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from ontology.concepts import vocabulary
from ontology.records import Item
from ontology.yaml import read_yaml
from tests.templates.world import asked_everywhere, busy_items, templates
from transforms.language import json_schema, lint, template_files, templates_folder
from transforms.language.small import language_of
from transforms.language.template import Ref, Wording

GOLDEN = Path(__file__).parent / "golden"
GOLDEN_ITEMS = 3

ALWAYS_POSSIBLE = {
    "surgstu.counting_distinct": "where no instrument is in view the answer is 0",
}
"""Templates that decline nowhere, and why."""

every_template = pytest.mark.parametrize("template_id", sorted(templates()))


def test_lint_is_clean() -> None:
    assert [str(finding) for finding in lint()] == []


@every_template
def test_fires(template_id: str) -> None:
    assert sum(asked.asked[template_id] for asked in asked_everywhere()) > 0


@every_template
def test_declines_somewhere_with_a_reason(template_id: str) -> None:
    declined = [
        entry
        for asked in asked_everywhere()
        for entry in asked.declined
        if entry.key.split()[0] == template_id
    ]
    assert bool(declined) != (template_id in ALWAYS_POSSIBLE)
    assert all(entry.reason and entry.where for entry in declined)


@every_template
def test_every_window_is_asked_or_declined(template_id: str) -> None:
    for asked in asked_everywhere():
        windows = {item.window.window_id for item in asked.items if item.template_id == template_id}
        other = {e.key.split()[2] for e in asked.declined if e.key.split()[0] == template_id}
        assert not windows & other


# -- snapshots ------------------------------------------------------------------------------


@every_template
def test_snapshot(template_id: str, update_golden: bool) -> None:
    template = templates()[template_id]
    file = GOLDEN / f"{template_id}.txt"
    text = snapshot(template_id)
    old = file.read_text(encoding="utf-8") if file.is_file() else None
    if old == text:
        return
    if update_golden and (old is None or recorded_version(old) < template.version):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return
    assert old is not None, f"no {file.name}: run pytest tests/templates --update-golden"
    if recorded_version(old) == template.version:
        pytest.fail(
            f"{template_id} gives other items than before; raise version to "
            f"{template.version + 1} and say why in `changes`\n{first_difference(old, text)}"
        )
    pytest.fail(f"{file.name} is of version {recorded_version(old)}: run with --update-golden")


def snapshot(template_id: str) -> str:
    """A few items of the busy scene as text, under the template's version."""
    head = f"{template_id} version {templates()[template_id].version}"
    shown = [_shown(item) for item in busy_items()[template_id][:GOLDEN_ITEMS]]
    return "\n\n".join([head, *shown]) + "\n"


def _shown(item: Item) -> str:
    lines = [f"Q {item.question}"]
    for option in item.options:
        mark = "*" if option.is_answer else " "
        lines.append(f"  {mark} {option.key}) {option.text} [{option.kind}]")
    lines.append("A " + item.answer.replace("\n", "\n  "))
    lines += [f"  - {step}" for step in item.reasoning]
    return "\n".join(lines)


def recorded_version(text: str) -> int:
    """The version in the first line of a snapshot."""
    return int(text.split("\n", 1)[0].rsplit(" ", 1)[1])


def first_difference(old: str, new: str) -> str:
    """The first lines that differ."""
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    return next((f"  was {a}\n  is  {b}" for a, b in pairs if a != b), "  other number of lines")


def test_no_snapshot_without_a_template() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(templates())


# -- words and options ------------------------------------------------------------------------


@every_template
def test_every_wording_is_used(template_id: str) -> None:
    (stage,) = templates()[template_id].stages
    questions = [item.question for item in busy_items()[template_id]]
    forms = [matcher(wording) for wording in stage.ask]
    used = Counter(i for q in questions for i, form in enumerate(forms) if form.fullmatch(q))
    assert sorted(used) == list(range(len(forms)))
    assert used.total() == len(questions), "a question fits two wordings or none"


def matcher(wording: Wording) -> re.Pattern[str]:
    """What questions of the wording look like."""
    return re.compile("".join(".+" if isinstance(p, Ref) else re.escape(p) for p in wording))


@every_template
def test_letters_of_the_answer_are_spread(template_id: str) -> None:
    template = templates()[template_id]
    items = busy_items()[template_id]
    letters = Counter(o.key for item in items for o in item.options if o.is_answer)
    if template.form == "yes_no":
        assert min(letters["A"], letters["B"]) >= 0.25 * len(items)
    elif template.form == "choice":
        assert min(letters[key] for key in "ABCD") >= 0.1 * len(items)
    else:
        assert not letters


@every_template
def test_no_option_means_the_answer(template_id: str) -> None:
    for item in busy_items()[template_id]:
        if not item.options:
            continue
        assert [option.is_answer for option in item.options].count(True) == 1
        assert all(option.kind for option in item.options)
        meanings = [meaning(option.text) for option in item.options]
        assert len(set(meanings)) == len(meanings), item.options
        answer = next(option for option in item.options if option.is_answer)
        assert item.answer == f"{answer.key}) {answer.text}"


def meaning(text: str) -> frozenset[str]:
    """The concepts a list of names stands for; numbers and yes or no as they are."""
    return frozenset(_concept(part.strip().lower()) for part in text.split(","))


def _concept(name: str) -> str:
    for kind in ("instruments", "targets", "verbs"):
        for term in vocabulary(kind).values():
            if name in (term.display.lower(), *(s.lower() for s in term.synonyms)):
                return term.id
    return name


def test_refusal_looks_like_the_question_it_refuses() -> None:
    by_id = templates()
    (refusal,) = by_id["surgstu.refusal_absent_instrument"].stages
    (locate,) = by_id["surgstu.locate"].stages
    assert [_about_tool(wording) for wording in refusal.ask] == list(locate.ask)


def _about_tool(wording: Wording) -> Wording:
    """The wording with its slot ``kind`` called ``tool``."""
    return tuple(
        Ref(("tool",), p.filters) if isinstance(p, Ref) and p.path == ("kind",) else p
        for p in wording
    )


# -- the schema for editors -------------------------------------------------------------------


def test_schema_file_is_fresh() -> None:
    file = resources.files("templates") / "schema" / "template-v1.json"
    assert json.loads(file.read_text(encoding="utf-8")) == json_schema(), (
        "run 'surgqa schema --out templates/schema/template-v1.json'"
    )


def test_schema_describes_every_field() -> None:
    schema = json_schema()
    for owner in (schema, schema["$defs"]["StageFile"], schema["$defs"]["Draw"]):
        assert [k for k, part in owner["properties"].items() if not part.get("description")] == []


def test_schema_accepts_every_template() -> None:
    check = jsonschema.Draft202012Validator(json_schema())
    jsonschema.Draft202012Validator.check_schema(json_schema())
    for file in template_files(templates_folder()):
        if language_of(file) != "template":
            continue
        text = file.read_text(encoding="utf-8")
        assert text.startswith("# yaml-language-server: $schema=../schema/template-v1.json\n")
        problems = [e.message for e in check.iter_errors(read_yaml(text, file.name).data)]
        assert problems == [], file.name

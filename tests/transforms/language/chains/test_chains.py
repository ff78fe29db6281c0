"""The language of chains: in step with its engine, its schema and its files."""

from __future__ import annotations

import json
import pickle
import re
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from ontology.concepts import vocabulary
from ontology.statements import lint_clue
from ontology.yaml import read_yaml
from tests.transforms.language.test_odd_values import ODD, places, put
from transforms.language import Chain, lint, load_questions, select, template_files
from transforms.language.chains import STAGES, is_chain, json_schema, load_chains
from transforms.language.chains.finders import (
    FILTERS,
    FINDERS,
    NEEDS,
    RESTATED,
    TASKS,
    TEXTS,
)
from transforms.language.chains.lint import ANSWERS_NAMED
from transforms.language.load import parse_file, templates_folder
from transforms.language.template import Ref, Wording
from transforms.questions.chains import ask, words
from transforms.questions.queries.found import Named
from transforms.timeline.story import Deed

SHIPPED = [file for file in template_files(templates_folder()) if is_chain(file)]
EACH = 7
"""Every seventh odd value in each place; the next place has the next ones."""

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FAMILY = """\
schema: chain/v1
id: mine.which_first
version: 2
changes: {2: coarse as well}
title: Which of two actions comes first, {{ variant.word }}
benchmark: mine
task: causal_action_ordering
find: {by: ordered_actions, coarse: {variant: coarse}}
every: {variant: every}
main:
  ask:
    - Which comes first, {{ one | noun }} or {{ other | noun }}, and when?
    - Put {{ one | noun }} and {{ other | noun }} in order, and time the first.
    - How do {{ one | noun }} and {{ other | noun }} follow one another, and when?
q1:
  ask:
    - Which comes first, {{ one | noun }} or {{ other | noun }}?
    - Put {{ one | noun }} and {{ other | noun }} in order.
    - How do {{ one | noun }} and {{ other | noun }} follow one another?
  clue: "Look from {{ segment | span }}."
q2:
  ask:
    - In which segment does {{ first | noun }} begin?
    - Which segment holds the beginning of {{ first | noun }}?
    - Find the segment in which {{ first | noun }} sets in.
  context: "It is established that {{ order | text }}."
  clue: "Watch the field{{ where | text }} from {{ segment | span }}."
q3:
  ask:
    - At which instant is it that {{ moment | text }}?
    - Give the instant at which {{ moment | text }}.
    - In the segment {{ segment | span }}, when is it that {{ moment | text }}?
  context: "It is established that {{ order | text }}, which begins in {{ segment | span }}."
  clue: "Watch the picture at {{ instant | clock }}{{ where | text }}."
variants:
  fine: {coarse: false, every: 60, word: finely}
  any: {coarse: true, every: 30.5, word: in any way}
"""


def laid_out(folder: Path, text: str = FAMILY) -> Path:
    """The family where its id says."""
    (folder / "mine").mkdir(exist_ok=True)
    file = folder / "mine" / "which_first.yaml"
    file.write_text(text, encoding="utf-8")
    return file


# -- in step with the engine -------------------------------------------------------------------


def test_every_finder_is_implemented_and_declared() -> None:
    assert set(ask.FINDERS) == set(FINDERS) == set(NEEDS) == set(RESTATED)
    assert {finder.task for finder in FINDERS.values()} == set(TASKS)


def test_every_filter_prints_and_is_declared() -> None:
    assert set(words.FILTERS) == set(FILTERS)


def test_every_type_has_a_filter_and_every_filter_a_type() -> None:
    given = {
        kind
        for finder in FINDERS.values()
        for fields in (finder.asks, finder.answers, finder.found)
        for kind in fields.values()
    }
    assert given == {kind for types in FILTERS.values() for kind in types}


@pytest.mark.parametrize("name", sorted(FINDERS))
def test_finders_are_documented(name: str) -> None:
    finder = FINDERS[name]
    assert finder.name == name and finder.doc.endswith(".")
    assert all(param.doc for param in finder.params.values())
    groups = (finder.asks, finder.answers, finder.found)
    fields = {field: kind for group in groups for field, kind in group.items()}
    assert len(fields) == sum(map(len, groups)) and finder.answers
    assert {field for field, kind in fields.items() if kind == "text"} <= set(TEXTS)
    assert all(set(one) <= {*finder.asks, *finder.answers} for one in RESTATED[name])


def test_texts_that_are_described_are_fields() -> None:
    assert {f for finder in FINDERS.values() for f in (*finder.asks, *finder.answers, *finder.found)
            } >= set(TEXTS)  # fmt: skip


def test_vocabularies_that_may_not_be_named_are_there() -> None:
    assert set(ANSWERS_NAMED) <= set(FINDERS)
    assert all(vocabulary(kind) for kinds in ANSWERS_NAMED.values() for kind in kinds)


# -- files -------------------------------------------------------------------------------------


def test_a_family_gives_a_chain_each(tmp_path: Path) -> None:
    file = laid_out(tmp_path)
    assert [str(finding) for finding in lint([tmp_path])] == []
    either, fine = load_chains([file], tmp_path)
    assert [either.id, fine.id] == ["mine.which_first.any", "mine.which_first.fine"]
    assert (either.args, fine.args) == ({"coarse": True}, {"coarse": False})
    assert (either.every_us, fine.every_us) == (30_500_000, 60_000_000)
    assert (fine.title, fine.file_id) == (
        "Which of two actions comes first, finely", "mine.which_first")  # fmt: skip
    assert either.digest != fine.digest
    assert pickle.loads(pickle.dumps(fine)) == fine


def test_stages_hold_their_words(tmp_path: Path) -> None:
    chain, _ = load_chains([laid_out(tmp_path)], tmp_path)
    assert tuple(chain.stages) == STAGES
    assert all(len(stage.ask) == 3 for stage in chain.stages.values())
    told = {name: (stage.context is not None, stage.clue is not None)
            for name, stage in chain.stages.items()}  # fmt: skip
    assert told == {"main": (False, False), "q1": (False, True), "q2": (True, True),
                    "q3": (True, True)}  # fmt: skip
    assert chain.stages["q2"].context == (
        "It is established that ", Ref(("order",), ("text",)), ".")  # fmt: skip


def test_defaults(tmp_path: Path) -> None:
    text = FAMILY.split("variants:")[0].replace(", coarse: {variant: coarse}", "")
    text = text.replace("every: {variant: every}\n", "").replace(", {{ variant.word }}", "")
    (chain,) = load_chains([laid_out(tmp_path, text)], tmp_path)
    assert (chain.args, chain.every_us, chain.variant) == ({"coarse": True}, 60_000_000, None)
    assert (chain.form, chain.unit, chain.core_task) == ("choice", "chain", chain.task)
    assert chain.profiles == ("paper", "current")


def test_a_retired_chain_is_not_asked(tmp_path: Path) -> None:
    file = laid_out(tmp_path, FAMILY.replace("benchmark: mine", "benchmark: mine\nstatus: retired"))
    assert load_chains([file], tmp_path) == []


def test_questions_of_all_languages_are_loaded_and_selected() -> None:
    every = load_questions()
    chains = [question for question in every if isinstance(question, Chain)]
    assert [chain.id for chain in chains] == sorted(
        f"surgcot.{file.stem}" for file in SHIPPED
    )  # fmt: skip
    assert [question.id for question in every] == sorted(question.id for question in every)
    assert select(every, ["surgcot"], "paper") == chains
    assert select(every, ["surgcot"], "current", [chains[0].id]) == chains[:1]
    kinds = {type(question).__name__ for question in every}
    assert kinds == {"Template", "Query", "Chain", "Program"}


def test_a_file_is_parsed_in_its_language() -> None:
    for file in SHIPPED:
        chains, findings = parse_file(file, templates_folder())
        assert findings == [] and [type(chain) for chain in chains] == [Chain]


@pytest.mark.parametrize(
    ("head", "whether"),
    [
        ("schema: chain/v1\n", True),
        ("# note\nschema:   'chain/v1'\n", True),
        ('{"schema": "chain/v1", "id": "a.b"}', True),
        ("schema: query/v1\nnote: chain/v1\n", False),
        ("schema: template/v1\nnote: chain/v1\n", False),
        ("title: 'schema: chain/v1'\n", False),
    ],
)
def test_a_chain_is_told_by_its_schema(tmp_path: Path, head: str, whether: bool) -> None:
    (tmp_path / "a.yaml").write_text(head, encoding="utf-8")
    assert is_chain(tmp_path / "a.yaml") is whether


def test_any_value_in_any_place(tmp_path: Path) -> None:
    data = read_yaml(FAMILY, "family").data
    for number, place in enumerate(places(data)):
        for value in ODD[number % EACH :: EACH]:
            laid_out(tmp_path, json.dumps(put(data, place, value)))
            assert isinstance(lint([tmp_path]), list), (place, value)


# -- the words of the shipped chains -----------------------------------------------------------

DEEDS = [
    Deed(tool, verb, target, 0, 1, 1, None, "", (), "")
    for tool in ("hook", "scissors", "")
    for verb, target in (("dissect", "cystic_duct"), ("cut", "adhesion"), ("coagulate", ""))
]
MISTAKES = re.compile(
    r"  |^ | $| [?.,;:](\s|$)|[{}]|\b(a|an|the) (a|an|the) |\b([a-z]+) \3\b"
    r"|(?<!with the )\bscissors is\b|\bis the scissors\b|\bhook are\b|(^|[a-z][?.] )[a-z]"
    r"|\b[a-z]+_[a-z_]+\b"
)


def values(name: str, kind: str) -> list:
    """What a field may hold."""
    if kind == "deed":
        return DEEDS
    if kind == "name":
        labels = {"tool": "instruments", "tissue": "targets", "anomaly": "events"}[name]
        return [Named(labels.removesuffix("s"), label) for label in sorted(vocabulary(labels))]
    if kind == "text":
        shown = [text for text in TEXTS[name].split("; ") if "no place" not in text]
        return [*shown, ""] if name == "where" else shown
    return [21_570_000] if kind == "time" else [(21_500_000, 23_000_000)]


def filled(wording: Wording, fields: dict[str, str]) -> list[str]:
    """The text with each value of each field in turn."""
    used = {p.path[0]: fields[p.path[0]] for p in wording if isinstance(p, Ref)}
    every = {name: values(name, kind) for name, kind in used.items()}
    most = max(map(len, every.values()), default=1)
    return [
        words.fill(wording, {name: some[i % len(some)] for name, some in every.items()})
        for i in range(most)
    ]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_wording_reads_well_with_every_value(file: Path) -> None:
    (chain,) = load_chains([file], templates_folder())
    finder = chain.found_by
    fields = {**finder.asks, **finder.answers, **finder.found}
    for name, stage in chain.stages.items():
        assert len(stage.ask) >= 4
        for wording in (*stage.ask, *filter(None, (stage.context, stage.clue))):
            for text in filled(wording, fields):
                assert not MISTAKES.search(text), text
                assert text.endswith((".", "?")) and text[0] == text[0].upper(), text
        for clue in filled(stage.clue, fields) if stage.clue else ():
            assert lint_clue(clue, has_box=name == "q3" and " at [" in clue) == []


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_nothing_of_the_answers_stands_in_the_first_questions(file: Path) -> None:
    (chain,) = load_chains([file], templates_folder())
    finder = chain.found_by
    for name in ("main", "q1"):
        used = {p.path[0] for w in chain.stages[name].ask for p in w if isinstance(p, Ref)}
        assert used <= set(finder.asks)


# -- the schema for editors --------------------------------------------------------------------


def test_schema_file_is_fresh() -> None:
    file = resources.files("templates") / "schema" / "chain-v1.json"
    assert json.loads(file.read_text(encoding="utf-8")) == SCHEMA, (
        "run 'surgqa schema --of chain --out templates/schema/chain-v1.json'"
    )


def test_schema_describes_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    stages = [SCHEMA["$defs"][name] for name in ("MainFile", "FirstFile", "LaterFile")]
    finders = SCHEMA["$defs"]["find"]["anyOf"]
    for owner in (SCHEMA, *stages, *finders):
        assert [k for k, part in owner["properties"].items() if not part.get("description")] == []
    assert [part["properties"]["by"]["const"] for part in finders] == list(FINDERS)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_schema_accepts_every_chain(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=../schema/chain-v1.json\n")
    data = read_yaml(text, file.name).data
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


def test_schema_accepts_a_family_of_ones_own() -> None:
    assert VALIDATOR.is_valid(read_yaml(FAMILY, "family").data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"find": {}},
        {"find": {"by": "orderd_actions"}},
        {"find": {"by": "ordered_actions", "coarse": 1}},
        {"find": {"by": "ordered_actions", "of": "phase"}},
        {"task": "ordering"},
        {"every": 0},
        {"every": "60"},
        {"main": {"ask": []}},
        {"main": {"ask": ["x"], "clue": "y"}},
        {"q1": {"ask": ["x"]}},
        {"q1": {"ask": ["x"], "clue": "y", "context": "z"}},
        {"q2": {"ask": ["x"], "clue": "y"}},
        {"q3": {"ask": ["x"], "context": "y"}},
        {"q4": {"ask": ["x"]}},
        {"form": "choice"},
        {"schema": "query/v1"},
        {"id": {"variant": "word"}},
        {"variants": {"Fine": {}}},
    ],
    ids=str,
)
def test_schema_underlines_what_is_wrong(wrong: dict) -> None:
    assert not VALIDATOR.is_valid({**read_yaml(FAMILY, "family").data, **wrong})


def test_schema_misses_no_field() -> None:
    data = read_yaml(FAMILY, "family").data
    for name in ("schema", "id", "version", "title", "benchmark", "task", "find", *STAGES):
        assert not VALIDATOR.is_valid({key: part for key, part in data.items() if key != name})

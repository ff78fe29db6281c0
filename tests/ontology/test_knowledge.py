"""The knowledge bank: what is asked of it is found, and what is told keeps the rules."""

import re
from itertools import combinations, product

import pytest

from surgqa.ontology.concepts import load_data, vocabulary
from surgqa.ontology.errors import UserError
from surgqa.ontology.keys import digest
from surgqa.ontology.knowledge import (
    ALWAYS,
    ANY,
    ORDER,
    STAGES,
    TASKS,
    USUALLY,
    effect_of,
    effects,
    operation,
    rules,
    statement,
    statements,
)
from surgqa.transforms.registry import card, datasets
from tests.each import cases, each
from tests.ontology.statements import lint_knowledge

CHOLE = "laparoscopic cholecystectomy"
CAO, CAA, AM, MTL, AOT = TASKS
DEEDS = (CAO, CAA, AM, MTL)
VERBS = tuple(vocabulary("verbs"))
ANOMALIES = tuple(vocabulary("events"))
TARGETS = {**vocabulary("targets"), **vocabulary("structures")}
PARTS = {**vocabulary("phases"), **vocabulary("steps")}
NAMES = load_data("knowledge", "operations")["procedures"]
RULES = [rule for names in ([""], *NAMES.values()) for rule in rules(names[0])]
TEXTS = {
    **{one.id: one.text for one in statements()},
    **{f"{r.id} reason": r.reason for r in RULES},
}
VERSIONS = {
    "actions": (2, "a6eb0e5c841a"),
    "anatomy": (2, "73e55c0c26e3"),
    "anomalies": (1, "df63b6bd581f"),
    "effects": (3, "d83f63ef4473"),
    "operations": (1, "c854530d327f"),
    "rules": (3, "eedf476452b2"),
    "triples": (2, "2189ab789f9b"),
}
"""What each file means at its version; whoever changes a meaning raises the version."""


def test_every_file_has_a_version_that_stands_for_its_meaning():
    files = {name: dict(load_data("knowledge", name)) for name in VERSIONS}
    told = {name: (data.pop("version"), digest(repr(data))[:12]) for name, data in files.items()}
    assert told == VERSIONS, "raise the version of what was changed, and tell it here"


def test_every_verb_has_a_statement_of_its_own_at_each_stage():
    each(product(TASKS, STAGES, VERBS), _has_its_own_statement)


def _has_its_own_statement(task: str, stage: int, verb: str) -> None:
    found = statement(task, stage, verb=verb, procedure=CHOLE)
    tasks, told_stage, *fields = found.key
    assert task in tasks and told_stage == stage
    if stage > 1 and task != AOT:
        assert fields[0] == ("verb", verb)


@cases("anomaly", ANOMALIES)
@cases("stage", STAGES)
def test_every_anomaly_has_a_statement_of_its_own_from_stage_2_on(stage, anomaly):
    found = statement(AOT, stage, anomaly=anomaly)
    assert found.key[2:] == (() if stage == 1 else (("anomaly", anomaly),))


def test_the_first_question_has_a_statement_wherever_it_is_asked():
    for task, part in product(TASKS, [*PARTS, ""]):
        assert statement(task, 1, phase=part, procedure="no operation that we know"), (task, part)


def test_every_phase_and_every_target_is_told_of():
    for phase in vocabulary("phases"):
        assert statement(MTL, 1, phase=phase, procedure=CHOLE).key[2:] == (("phase", phase),)
    for target in vocabulary("targets"):
        assert statement(AM, 1, target=target).key[2:] == (("target", target),)


def test_every_readers_operation_has_its_own_statement():
    bare = {card(name).procedure for name in datasets() if not operation(card(name).procedure)}
    assert {name for name in bare if not name.startswith("as ")} == {"open surgery"}
    for key, names in NAMES.items():
        for name, task in ((name, task) for name in names for task in TASKS):
            assert statement(task, 1, procedure=name).key[2:] == (("procedure", key),)


def test_the_most_specific_statement_is_told():
    given = {"verb": "clip", "procedure": CHOLE, "phase": "clipping_and_cutting"}
    assert statement(CAO, 2, target="cystic_duct", **given).id == "pair_when.clip.cystic_duct"
    assert statement(CAO, 2, target="omentum", **given).id == "order_when.clip"
    assert statement(CAO, 1, target="cystic_duct", **given).id == "place.cystic_duct"
    assert statement(CAO, 1, target="never heard of", **given).id == "part.clipping_and_cutting"
    assert statement(CAO, 1, procedure=CHOLE).id == "operation.cholecystectomy"
    assert statement(CAO, 1).id == "general_order.any"
    assert statement(MTL, 1, target="cystic_duct", **given).id == "part.clipping_and_cutting"
    bleeding = {"anomaly": "bleeding", "procedure": CHOLE}
    assert statement(AOT, 1, target="liver", **bleeding).id == "dangers.cholecystectomy"
    assert statement(AOT, 3, target="liver", **bleeding).id == "anomaly_at_onset.bleeding.liver"
    assert statement(AOT, 3, target="gut", **bleeding).id == "anomaly_onset.bleeding"
    assert statement(AOT, 3, anomaly="never heard of").id == "anomaly_onset_general.any"


def test_what_the_bank_does_not_know_is_none_or_an_error():
    for task in DEEDS:
        assert statement(task, 2, verb="never heard of", target="liver", procedure=CHOLE) is None
        assert statement(task, 3) is None
    with pytest.raises(UserError, match="no such task or stage"):
        statement(CAO, 4)
    with pytest.raises(UserError, match="no such task or stage"):
        statement("next_action", 1)


def test_the_first_question_is_not_answered_by_its_knowledge():
    """No statement of stage 1 is chosen by what Q1 asks for: verb, anomaly, of some the target."""
    for one in statements():
        tasks, stage, *fields = one.key
        names = {name for name, _ in fields}
        if stage == 1:
            assert not names & {"verb", "anomaly"}, one.id
            assert not (names & {"target"} and {MTL, AOT} & set(tasks)), one.id
            assert not (names & {"phase"} and AOT in tasks), one.id
    for one in (s for s in statements() if s.key[:2] == ((AOT,), 1) and len(s.key) > 2):
        assert one.text.count(",") + one.text.count(" and ") >= 2, "names several dangers"


def test_keys_are_concepts_and_can_be_looked_up():
    known = {
        "verb": set(VERBS), "target": set(TARGETS), "anomaly": set(ANOMALIES), "phase": set(PARTS),
        "procedure": set(NAMES),
    }  # fmt: skip
    for one in statements():
        tasks, stage, *fields = one.key
        assert set(tasks) <= set(TASKS) and stage in STAGES, one.id
        assert tuple(name for name, _ in fields) in ORDER, one.id
        for name, value in fields:
            assert value in known[name], one.id
        for task in tasks:
            given = {name: NAMES[value][0] if name == "procedure" else value
                     for name, value in fields}  # fmt: skip
            assert statement(task, stage, **given) is one


def test_a_chain_is_told_three_different_things():
    for task, verb, target in ((t, v, x) for t in DEEDS for v in VERBS for x in TARGETS):
        told = [statement(task, stage, verb=verb, target=target).text for stage in STAGES]
        assert len(set(told)) == 3, (task, verb, target)


def test_every_text_is_knowledge_and_plain_english():
    each(sorted(TEXTS), _is_plain_english)


def _is_plain_english(name: str) -> None:
    text = TEXTS[name]
    assert lint_knowledge(text) == []
    assert 5 <= len(text.split()) <= 40, text
    assert "  " not in text and "_" not in text
    assert not re.search(r"\b(\w+) \1\b|\b(?:an?|the) (?:an?|the)\b| [,.;]", text)
    assert not re.search(r"\ba (?=[aeio])|\ban (?=[^aeiou])", text)


def test_no_two_texts_are_the_same_or_nearly():
    folded = {}
    for name, text in TEXTS.items():
        key = " ".join("".join(c for c in text.casefold() if c.isalnum() or c == " ").split())
        assert folded.setdefault(key, name) == name, (name, folded[key])


def test_every_statement_and_rule_has_a_source():
    ours = "surgical practice, our wording"
    named = {one.source for one in (*statements(), *RULES)}
    assert ours in named and len(named) > 8
    assert all(source.strip() == source != "" for source in named)


def test_effects_exclude_each_other_and_cover_every_action():
    acting = [verb for verb in VERBS if verb != "null_verb"]
    assert {effect_of(verb).id for verb in acting} == set(effects())
    assert effect_of("null_verb") is effect_of("never heard of") is None
    for one, other in combinations(effects().values(), 2):
        assert one.text != other.text
        assert not {*one.synonyms} & {*other.synonyms}
        assert one.text.split()[0] != other.text.split()[0]
    for verb in acting:
        for target in vocabulary("targets").values():
            text = effect_of(verb, target.id).text
            assert text.count("{target}") == 1 and text[0].islower() and text[-1] != "."
            assert 4 <= len(text.format(target=target.phrase).split()) <= 14


def test_an_effect_is_worded_for_its_target():
    assert effect_of("aspirate", "liver").text == effect_of("aspirate", "fluid").text
    assert effect_of("aspirate", "fluid").id == effect_of("aspirate").id == "cleared"
    assert (
        effect_of("cut", "cystic_duct")
        .text.format(target="the cystic duct")
        .startswith("divides the cystic duct")
    )


def test_forces_and_sides_of_rules():
    for rule in RULES:
        assert rule.force in (ALWAYS, USUALLY), rule.id
        for verb, target in (rule.before, rule.after):
            assert verb in VERBS and verb != "null_verb", rule.id
            assert target in (*TARGETS, ANY), rule.id

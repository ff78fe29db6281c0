"""Grammar of what people read: every wording with every instrument, action and target.

One slot is varied at a time, the others keep a plain value; ``truth`` of the language is
in the vocabulary (which names are plural, which need an article).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from ontology.concepts import vocabulary
from ontology.records import Item
from tests.templates.world import asked_everywhere, busy_items, templates
from transforms.language.template import Call, Template
from transforms.questions.bound import BoxRef, Change, Interval, Label, Moment, Point, Tool, Word
from transforms.questions.render import fill, prepare

MOMENT = Moment(3, 3_000_000, 3_000_000)
PLAIN: dict[str, Any] = {
    "instant": MOMENT,
    "interval": Interval(MOMENT, Moment(9, 9_000_000, 9_000_000)),
    "instrument": Tool(0, "grasper", None, "grasper-1"),
    "instrument_class": Label("grasper"),
    "verb": Label("dissect"),
    "target": Label("liver"),
    "choice": Word("horizontal"),
    "change": Change(3, 3_000_000, 3_000_000, Label("dissect")),
    "point": Point(0.5, 0.5),
    "box": BoxRef((0.1, 0.2, 0.3, 0.4)),
}
PLURAL = [term.display for term in vocabulary("instruments").values() if term.plural]
SINGULAR = [term.display for term in vocabulary("instruments").values() if not term.plural]


def either(names: list[str]) -> str:
    """A pattern for any of the names, with its instance number."""
    return "(" + "|".join(map(re.escape, names)) + r")( \(instance \d+\))?+"


ONE, MANY = either(SINGULAR), either(PLURAL)
NOT_ONE_OF_TWO = rf"(?! and (the )?({ONE}|{MANY}))"
MISTAKES = {
    "a plural name with a singular verb": rf"\b{MANY} (is|does|has|moves|lies|stops)\b",
    "a singular verb before a plural name": rf"\b(is|does|has) ((the|any) )?{MANY}",
    "a singular name with a plural verb": rf"(?<! and )(?<! and the ){ONE} are\b",
    "a plural verb before a singular name": (
        rf"\b(are|do|have) (the |any |an? )?{ONE}{NOT_ONE_OF_TWO}"
    ),
    "an article before a plural name": rf"\ban? {MANY}",
    "a for an": r"\ba [aeio]",
    "an for a": r"\ban [bcdfgjklmnpqrstvwxyz]",
    "two articles": r"\b(a|an|the|any) (a|an|the|any) ",
    "a word twice": r"\b([a-z]+) \1\b",
    "doubled spaces": r"  |^ | $",
    "space before a mark": r" [?.,;:](\s|$)",
    "small letter at the start of a sentence": r"(^|[a-z0-9)][?.] )[a-z]",
    "braces left": r"[{}]",
    "an id instead of a name": r"\b[a-z]+_[a-z_]+\b",
    "a Python value": r"\b(None|True|False)\b",
}
COMPILED = {name: re.compile(pattern) for name, pattern in MISTAKES.items()}


def mistakes(text: str) -> list[str]:
    """Names of the mistakes in a question."""
    found = [name for name, pattern in COMPILED.items() if pattern.search(text)]
    return found if text.endswith(("?", ".")) else [*found, "no mark at the end"]


@pytest.mark.parametrize("template_id", sorted(templates()))
def test_every_wording_with_every_name(template_id: str) -> None:
    template = templates()[template_id]
    (stage,) = template.stages
    wordings = [prepare(wording) for wording in stage.ask]
    for slots in fillings(template):
        for wording in wordings:
            question = fill(wording, slots, {})
            assert mistakes(question) == [], question


def fillings(template: Template) -> Iterator[dict[str, Any]]:
    """The template's slots with one of them running through its vocabulary."""
    plain = {slot: PLAIN[call.op] for slot, call in template.needs.items()}
    for slot, call in template.needs.items():
        for value in values(slot, call, template):
            yield {**plain, slot: value}
    yield plain


def values(slot: str, call: Call, template: Template) -> Iterator[Any]:
    """Everything that can be in the slot, as far as it is a word."""
    real = {leaf.leaf.args["verb" if leaf.leaf.op == "not_idle" else "target"]
            for leaf in (template.where.children if template.where else ())
            if leaf.leaf and leaf.leaf.op in ("not_idle", "not_none")}  # fmt: skip
    if call.op == "instrument":
        for label in vocabulary("instruments"):
            yield from (Tool(0, label, number, "") for number in (None, 2))
    elif call.op == "instrument_class":
        yield from map(Label, vocabulary("instruments"))
    elif call.op in ("verb", "target"):
        labels = vocabulary(f"{call.op}s")
        yield from (Label(x) for x in labels if slot not in real or not x.startswith("null_"))
    elif call.op == "change":
        yield from (Change(3, 3_000_000, 3_000_000, Label(x)) for x in vocabulary("verbs"))
    elif call.op == "choice":
        yield from (Word(str(x)) for x in call.args["from"])  # type: ignore[attr-defined]


def every_item() -> Iterator[Item]:
    """Items of the busy scene and of the samples."""
    for items in busy_items().values():
        yield from items
    for asked in asked_everywhere():
        yield from asked.items


def test_items_are_printed_right() -> None:
    ends = ("small letter at the start of a sentence", "no mark at the end")
    for item in every_item():
        assert mistakes(item.question) == [], item.question
        for text in (item.answer, *item.reasoning, *(o.text for o in item.options)):
            assert [m for m in mistakes(text) if m not in ends] == [], text


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("Where is the scissors at 3.00 s?", "a singular verb before a plural name"),
        ("Which box do the hook touch?", "a plural verb before a singular name"),
        (
            "When the bipolar forceps (instance 2) is in view, where?",
            "a plural name with a singular verb",
        ),
        ("Is there a adhesion?", "a for an"),
        ("Name the the hook.", "two articles"),
        ("At 3.00 s. where is the hook?", "small letter at the start of a sentence"),
        ("Does it touch the cystic_duct?", "an id instead of a name"),
        ("Where is the hook ?", "space before a mark"),
        ("Where is the hook", "no mark at the end"),
    ],
)
def test_mistakes_are_seen(text: str, mistake: str) -> None:
    assert mistake in mistakes(text)


def test_two_singular_names_take_a_plural_verb() -> None:
    assert mistakes("Do the hook and the grasper act on the liver?") == []

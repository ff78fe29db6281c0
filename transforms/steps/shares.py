"""Drop items until answers have the shares that templates declare, such as half Yes.

``draw.even`` of a yes/no value declares equal shares among the items of each dataset.
``draw.shares`` declares other shares. A template whose items all have the same answer is dropped,
because it tests nothing. So is a list of options of which the same one is always correct, such as a
scale on which all videos have the lowest level. This is done once the items of all videos are
known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from sys import intern
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.ontology.units import args_of
from surgqa.transforms.algebra.tree import Name
from surgqa.transforms.algebra.walk import names_in, prints
from surgqa.transforms.blind.words import skeleton
from surgqa.transforms.exports.rows import canonical
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.pools import exchanged
from surgqa.transforms.steps.balance import modal_key
from surgqa.transforms.steps.thin import HALF, Sided, blocks_left_out, left_out
from surgqa.transforms.steps.write import Parts, not_chosen, sorted_by_item

FEW = 10
"""A template with fewer items in a dataset stays unchanged: its shares are uneven by chance."""
AT_ONCE = 100_000
"""How many items of templates with declared shares are in memory together; one template alone may
have more."""
PROMISED = "shares.json"
"""File with the shares that were reached, which the run reads for its manifest."""
ANSWER = "answer"
READ = (
    "item_id", "template_id", "chain_id", "question", "answer_value", "slots", "rule_args",
    "options", "block",
)  # fmt: skip
"""Columns of a row that this module reads."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Promise:
    """The share of yes that a template declares for its items in a dataset.

    Attributes:
        name: a yes/no value of ``let``, or ``answer``.
        yes: share of items for which this value is true.
        fields: fields of the answer, if the share is declared for the answer.
        printed: names whose values the question prints, that is, what it is about.
        blocks: True if items have each other's answers as options; then such items are dropped
            together.
    """

    name: str
    yes: Fraction
    fields: tuple[str, ...]
    printed: tuple[str, ...]
    blocks: bool = False


@dataclass(slots=True)
class TemplateItems:
    """Items of a template in one dataset.

    Attributes:
        keys: ids of the items outside chains, as far as they can change the result.
        chains: chain -> the ids of its items.
        sided: id of an item or chain -> whether it is a yes or a no, if a share is declared.
        blocks: id of an item or chain -> its block, if it has one.
        answers: different answers found, until there are two.
        lists: (options of items outside blocks) -> correct answer -> the ids of the items.
    """

    promise: Promise | None
    keys: list[str] = field(default_factory=list)
    chains: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sided: dict[str, Sided] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    answers: set[str] = field(default_factory=set)
    lists: dict[tuple[str, ...], dict[str, list[str]]] = field(default_factory=dict)

    def take(self, row: Row) -> None:
        """Add a row, which has the columns of :data:`READ`."""
        key = row["chain_id"] or row["item_id"]
        if row["chain_id"]:
            self.chains[key].append(row["item_id"])
        elif self.promise is not None or len(self.answers) < 2:
            self.keys.append(key)
        if row["block"] is not None:
            self.blocks[key] = row["block"]
        if len(self.answers) < 2:
            self.answers.add(_answer_of(row))
        if row["options"] and row["block"] is None and row["chain_id"] is None:
            offered = tuple(sorted(one["text"] for one in row["options"]))
            self.lists.setdefault(offered, {}).setdefault(_answer_of(row), []).append(key)
        if self.promise is not None and (one := sided_of(row, self.promise)) is not None:
            self.sided.setdefault(key, one)


def promise_of(program: Program) -> Promise | None:
    """Return the first share that the template declares; None if it declares none."""
    stage = program.stages[0]
    printed = tuple(sorted(set().union(*(names_in(one.node) for one in prints(stage.ask)))))
    fields = tuple(name for name, _ in stage.answer)
    blocks = any(exchanged(one) is not None for one in program.stages)
    for node in program.draw.even:
        if isinstance(node, Name) and node.type.name == "truth":
            return Promise(node.name, HALF, fields, printed, blocks)
    for name, shares in program.draw.shares:
        step = program.step(name)
        if step is not None and step.node.type.name == "truth":
            yes = Fraction(repr(float(dict(shares).get("yes", 0.0))))
            return Promise(name, yes, fields, printed, blocks)
    return None


# -- rows ----------------------------------------------------------------------------------------


def _answer_of(row: Row) -> str:
    """Return the part of an answer that other items can have too, such as a label.

    If there is none, or in a chain, the result is the id of the item.
    """
    if row["chain_id"]:
        return str(row["item_id"])
    key = modal_key(orjson.loads(row["answer_value"]), args_of(row).get("answer") or {})
    return str(row["item_id"]) if key is None else key


def sided_of(row: Row, promise: Promise) -> Sided | None:
    """Return whether a row counts as yes or as no; None if the row does not show it."""
    slots = orjson.loads(row["slots"])
    side = slots.get(promise.name)
    if promise.name == ANSWER:
        value = orjson.loads(row["answer_value"])
        side = next(iter(value.values())) if tuple(value) == promise.fields else None
    if not isinstance(side, bool):
        return None
    of = {name: _named(slots[name]) for name in promise.printed if name in slots}
    text = canonical({name: value for name, value in of.items() if value})
    wording = intern(skeleton(row["question"]))  # few texts for many items
    return Sided(row["chain_id"] or row["item_id"], side, intern(text), wording)


def _named(value: Any) -> Any:
    """Return the labels in a printed value, without times and numbers; None without labels."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        names = ("label", "subject", "verb", "target")
        return {name: value[name] for name in names if value.get(name)} or None
    if isinstance(value, list):
        return [one for one in map(_named, value) if one] or None
    return None


# -- the whole set -------------------------------------------------------------------------------


def over_shares(
    parts: Parts,
    promises: Mapping[str, Promise],
    allow_constant: bool,
    gone: Collection[str] = frozenset(),
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows of ``rejected/choose`` for items beyond the declared shares, and the results.

    Args:
        promises: template -> its declared share.
        allow_constant: True to keep templates with one answer.
        gone: ids of items that are already rejected.

    Returns:
        Rejections, and a result for each template with a declared share or a single answer:
        ``dataset``, ``template``, ``of`` (name of the yes/no value, or null), ``wanted`` (share of
        yes, or null), ``made`` and ``kept`` (numbers of yes and no; otherwise a single number),
        ``answer`` (the single answer, or null), ``few`` (true if there are too few items to drop
        any), ``options`` (those of the single answer, if other lists of the template have more
        answers), ``blocks`` (only if true: whole blocks are dropped).
    """
    entries: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for names in _groups(parts, promises.keys()):
        for (dataset, template), seen in _seen(parts, names, promises, gone).items():
            account = _account(seen, allow_constant)
            for over, result in [account] if account else _listed(seen, allow_constant):
                results.append({"dataset": dataset, "template": template, **result})
                code, why = _reason(result)
                rows = ({"dataset": dataset, "template_id": template, "item_id": item}
                        for key in over for item in seen.chains.get(key, (key,)))  # fmt: skip
                entries += [not_chosen(row, code, why) for row in rows]
    results.sort(key=lambda one: (one["dataset"], one["template"]))
    return sorted_by_item(entries), results


def _groups(parts: Parts, promises: Collection[str]) -> list[set[str]]:
    """Return the names of all templates, in groups whose items fit into memory together.

    Templates without a declared share need little memory, because few of their items are kept.
    """
    made = Counter[str]()
    for info in parts.infos:
        made.update(info["templates"])
    groups, held = [made.keys() - promises], 0
    for name in sorted(made.keys() & promises):
        if held and held + made[name] > AT_ONCE:
            groups.append(set())
            held = 0
        groups[-1].add(name)
        held += made[name]
    return groups


def _seen(
    parts: Parts, names: Collection[str], promises: Mapping[str, Promise], gone: Collection[str]
) -> dict[tuple[str, str], TemplateItems]:
    """Return, by dataset and template, the items that can change the result."""
    out: dict[tuple[str, str], TemplateItems] = {}
    for dataset, template, table in parts.by_template(READ, names):
        seen = out.setdefault((dataset, template), TemplateItems(promises.get(template)))
        if seen.promise is None and len(seen.answers) > 1:
            table = table.filter(_alone(table))
        for row in table.to_pylist():
            if row["item_id"] not in gone:
                seen.take(row)
    return out


def _alone(table: pa.Table) -> pa.Array:
    """Return the rows with options of their own, outside blocks and chains of questions."""
    inside = pc.or_(pc.is_valid(table.column("block")), pc.is_valid(table.column("chain_id")))
    many = pc.fill_null(pc.list_value_length(table.column("options")), 0)
    return pc.and_(pc.invert(inside), pc.greater(many, 0))


def _listed(
    seen: TemplateItems, allow_constant: bool
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Yield (ids to drop, result) for each list of options with a single correct answer."""
    for offered, answers in sorted(seen.lists.items()):
        ((answer, keys), *others) = answers.items()
        if not others and len(keys) >= FEW:
            kept = len(keys) if allow_constant else 0
            yield [] if allow_constant else sorted(keys), {
                "of": None, "wanted": None, "made": [len(keys)], "kept": [kept], "answer": answer,
                "few": False, "options": list(offered),
            }  # fmt: skip


def _account(seen: TemplateItems, allow_constant: bool) -> tuple[list[str], dict[str, Any]] | None:
    """Return (ids to drop, result) for a template; None if there is nothing to report."""
    every = [*seen.keys, *seen.chains]
    few = len(every) < FEW
    single = len(seen.answers) == 1 and not few
    if seen.promise is None:
        if not single:
            return None
        gone, made = [] if allow_constant else sorted(every), len(every)
        return gone, {"of": None, "wanted": None, "made": [made], "kept": [made - len(gone)],
                      "answer": min(seen.answers), "few": False, "options": []}  # fmt: skip
    items = list(seen.sided.values())
    made = Counter(one.yes for one in items)
    constant = len(made) == 1 and seen.promise.yes not in (0, 1)
    gone = [] if few or (constant and allow_constant) else _over(seen, constant)
    kept = made - Counter(seen.sided[key].yes for key in gone)
    return gone, {
        "of": seen.promise.name, "wanted": float(seen.promise.yes),
        "made": [made[True], made[False]], "kept": [kept[True], kept[False]],
        "answer": ("yes" if made[True] else "no") if constant and not few else None, "few": few,
        "options": [],
    } | ({"blocks": True} if seen.promise.blocks else {})  # fmt: skip


def _over(seen: TemplateItems, constant: bool) -> list[str]:
    """Return the ids of the items or chains beyond the declared share."""
    assert seen.promise is not None
    if seen.promise.blocks and not constant:
        return blocks_left_out(seen.sided.values(), seen.blocks, seen.promise.yes)
    return left_out(seen.sided.values(), seen.promise.yes)


def _reason(result: Mapping[str, Any]) -> tuple[Code, str]:
    """Return the code and the reason with which the items of a template are dropped."""
    if result["answer"] is not None:
        what = repr(result["of"]) if result["of"] else "the answer"
        if result["options"]:
            what += f" among {', '.join(result['options'])}"
        return Code.ONE_ANSWER, f"{what} is {result['answer']} in all {sum(result['made'])} items"
    wanted = f"{100 * result['wanted']:g} %"
    return Code.OVER_SHARE, f"left out so that {result['of']!r} is yes in {wanted} of the items"

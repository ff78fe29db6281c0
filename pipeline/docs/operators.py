"""``docs/operators.md``: the operators of the template language, from their registry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.docs.chain_finders import chain_finders_part
from pipeline.docs.finders import finders_part
from transforms.language import Chain, Query, Template
from transforms.language.filters import FILTERS
from transforms.language.operators import BOUNDS, Operator, Param, Role, operators
from transforms.language.template import Condition

_HEAD = """\
# Operators

*Made by `python -m pipeline.docs` from `transforms/language`; do not edit.*

A template names operators and gives them arguments; what must be computed is computed by
them. Lengths are seconds, positions and distances are fractions of the frame (0 to 1),
speeds are such fractions per second. Arguments of type *slot* are names of slots declared
further up under `needs`; the kind that is wanted stands behind. Questions that are put at a
time name a [finder](#finders-find) instead, and so do [chains](#finders-of-chains). How to use
all this: [templates.md](templates.md).
"""

UNUSED = "Used by no shipped template."

_ROLES: dict[Role, tuple[str, str]] = {
    "slot": (
        "Slots (`needs`)",
        "What a question is about: `name: {kind: …, argument: …}`. Every way to fill all slots "
        "is a candidate; one that passes `where` is drawn.",
    ),
    "condition": (
        "Conditions (`where`, `draw.prefer`)",
        "When a filling may be asked: `- name: {argument: …}`, combined with `all`, `any` and "
        "`not`. A condition marked *limit* measures a number and takes at least one of "
        "`at_least`, `at_most`, `above`, `below`; what it measured is stored with the item.",
    ),
    "answer": (
        "Answers (`answer`)",
        "What is true: `answer: {rule: name, argument: …, text: …}`. Its fields are used in the "
        "texts as `{{ answer.field | filter }}`.",
    ),
    "options": (
        "Options (`options`)",
        "Where wrong options come from: `options: {rule: name, argument: …}`.",
    ),
}


def operators_page(
    templates: Sequence[Template], queries: Sequence[Query], chains: Sequence[Chain]
) -> str:
    """The whole page as Markdown."""
    parts = [_HEAD]
    used = _uses(templates)
    for role, (title, text) in _ROLES.items():
        parts.append(f"## {title}\n\n{text}\n")
        parts += [_operator(op, used) for _, op in sorted(operators(role).items())]
    small = (finders_part(queries, UNUSED), chain_finders_part(chains, UNUSED))
    return "\n".join([*parts, _filters(), *small])


def _operator(operator: Operator, used: dict[tuple[str, str], set[str]]) -> str:
    mark = " *(limit)*" if operator.bound else ""
    lines = [f"### `{operator.name}`{mark}", "", operator.doc, ""]
    params = {k: p for k, p in operator.params.items() if k not in BOUNDS}
    if params:
        lines += ["| argument | type | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [_param(name, param) for name, param in params.items()]
        lines.append("")
    if operator.gives:
        lines += [_gives(operator), ""]
    count = len(used.get((operator.role, operator.name), ()))
    lines.append(_used(sorted(used.get((operator.role, operator.name), ())), count))
    return "\n".join(lines) + "\n"


def _param(name: str, param: Param) -> str:
    kind = f"{param.type} ({' or '.join(param.kinds)})" if param.kinds else param.type
    if param.choices:
        kind += ": " + ", ".join(f"`{choice}`" for choice in param.choices)
    return f"| `{name}` | {kind} | {_default(param.default)} | {param.doc} |"


def _default(value: object) -> str:
    if value is ...:
        return "must be given"
    if value is None or value == ():
        return "left out"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _gives(operator: Operator) -> str:
    base = "answer" if operator.role == "answer" else "slot"
    shown = []
    for name, kind in operator.gives.items():
        path = f"{base}.{name}" if name else base
        filters = [f"`{f}`" for f, entry in FILTERS.items() if kind in entry.accepts]
        how = f"filters {', '.join(filters)}" if filters else "by its parts"
        shown.append(f"`{path}` ({kind}; {how})")
    return "In texts: " + "; ".join(shown) + "."


def _used(names: Sequence[str], count: int) -> str:
    if not count:
        return UNUSED
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return f"Used by {shown}{f' and {count - 3} more' if count > 3 else ''}."


def _filters() -> str:
    lines = [
        "## Filters",
        "",
        "A reference ends in exactly one filter, which prints it: `{{ moment | clock }}`.",
        "Words that follow the number of an instrument's name (`is`, `does`, `its`, …) are",
        "filters too, because some names are plural.",
        "",
        "| filter | takes | prints |",
        "| --- | --- | --- |",
    ]
    lines += [f"| `{name}` | {', '.join(f.accepts)} | {f.doc} |" for name, f in FILTERS.items()]
    return "\n".join(lines) + "\n"


def _uses(templates: Sequence[Template]) -> dict[tuple[str, str], set[str]]:
    used: dict[tuple[str, str], set[str]] = {}
    for template in templates:
        for role, name in calls(template):
            used.setdefault((role, name), set()).add(template.id)
    return used


def calls(template: Template) -> Iterator[tuple[Role, str]]:
    """(role, name) of every operator a template uses."""
    yield from (("slot", call.op) for call in template.needs.values())
    for node in leaves(template.where, *template.prefer):
        if node.leaf is not None:
            yield "condition", node.leaf.op
    for stage in template.stages:
        yield "answer", stage.answer.op
        if stage.options is not None:
            yield "options", stage.options.op


def leaves(*trees: Condition | None) -> Iterator[Condition]:
    """The leaves of condition trees, in the order they are written."""
    for tree in trees:
        if tree is not None and tree.leaf is not None:
            yield tree
        elif tree is not None:
            yield from leaves(*tree.children)

"""``surgqa diff``: list the differences between two finished datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from surgqa.ontology.errors import EXIT_DONE, EXIT_FINDINGS
from surgqa.pipeline.cli.console import table, write_json, write_result
from surgqa.pipeline.cli.options import arg, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.store.diff import Differences

_WORDS = {"only_a": "only in A", "only_b": "only in B", "changed": "changed"}


def diff(
    a: Annotated[str, arg("A", "The first dataset.")],
    b: Annotated[str, arg("B", "The second dataset.")],
    json: Annotated[bool, flag("--json", "Print JSON.")] = False,
    limit: Annotated[int, opt("N", "Number of items to list.", min=0)] = 10,
) -> int:
    """Compare two datasets item by item: removed, added and changed items, by template.

    \b
    surgqa diff before after

    Exit status 1 if they differ.
    """
    from surgqa.transforms.store import OutputFolder
    from surgqa.transforms.store.diff import compare

    found = compare(OutputFolder(a), OutputFolder(b))
    if json:
        write_json(found.to_dict())
    else:
        write_result(summary(found, limit))
    return EXIT_FINDINGS if found.count else EXIT_DONE


def summary(found: Differences, limit: int) -> str:
    """Return the counts by template, the fields that changed, and a few items."""
    if not found.count:
        return f"the same {found.total('same')} items"
    rows: list[list[object]] = [["template", "same", *_WORDS.values()]]
    for name, counts in sorted(found.templates.items()):
        rows.append([name, counts["same"], *(counts[kind] for kind in _WORDS)])
    rows.append(["all", found.total("same"), *(found.total(kind) for kind in _WORDS)])
    parts = [table(rows)]
    if found.fields:
        changed = sorted(found.fields.items(), key=lambda pair: (-pair[1], pair[0]))
        parts.append("changed: " + ", ".join(f"{name} {n}" for name, n in changed))
    shown = [
        [_WORDS[one.kind], one.item_id, one.template_id, ", ".join(one.fields)]
        for one in found.listed[:limit]
    ]
    if shown:
        parts.append(table(shown))
    return "\n\n".join(parts)

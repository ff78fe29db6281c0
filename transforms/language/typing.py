"""Types of what a wording refers to: a misspelt attribute is found when the file is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from transforms.language.filters import FILTERS
from transforms.language.operators import operators
from transforms.language.template import Call, Ref, Wording


def check_wording(
    wording: Wording, needs: Mapping[str, Call], answer: Call | None
) -> Iterator[tuple[str, str]]:
    """(code, message) of every reference that cannot be filled."""
    for piece in wording:
        if isinstance(piece, Ref):
            yield from _check(piece, needs, answer)


def _check(ref: Ref, needs: Mapping[str, Call], answer: Call | None) -> Iterator[tuple[str, str]]:
    head, *rest = ref.path
    if head == "answer" and answer is None:
        yield "T109", "a question must not show its answer"
        return
    if head == "variant":
        yield "T107", "a variant's text is put in as '{{ variant.key }}', with no filter"
        return
    if head != "answer" and head not in needs:
        yield "T104", f"no slot named {head!r} (slots: {', '.join(needs)})"
        return
    source = (
        operators("answer").get(answer.op)
        if head == "answer" and answer is not None
        else operators("slot").get(needs[head].op)
    )
    if source is None:
        return
    key = ".".join(rest)
    if key not in source.gives:
        fields = ", ".join(f".{name}" if name else "(itself)" for name in source.gives)
        yield "T104", f"{head!r} has no attribute {key!r} (it has: {fields})"
        return
    kind = source.gives[key]
    if not ref.filters:
        yield "T104", f"{'.'.join(ref.path)!r} ({kind}) needs a filter: {_fitting(kind)}"
    elif kind not in FILTERS[ref.filters[0]].accepts:
        yield "T104", f"filter {ref.filters[0]!r} does not take {kind}: {_fitting(kind)}"
    elif len(ref.filters) > 1:
        yield "T107", "one filter only: a filter gives finished text"


def _fitting(kind: str) -> str:
    return ", ".join(name for name, f in FILTERS.items() if kind in f.accepts)

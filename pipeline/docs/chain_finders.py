"""Finders and filters of chain templates, for ``docs/operators.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.docs.finders import argument_row, users
from transforms.language import Chain
from transforms.language.chains.finders import FILTERS, FINDERS, TEXTS, Finder

_FINDERS = """\
## Finders of chains

A chain (`schema: chain/v1`, see [templates.md](templates.md#chains-of-one-event)) names one of
these: `find: {by: name, argument: …}`. It goes through the evidence of a recording and gives the
events that can be asked about, each with the answers of all stages, their evidence and the wrong
options. What *every question* may use stands first; contexts and the questions of `q2` and `q3`
may also use what *tells the answer of q1*; `segment` may be used from `q3` on, and clues may use
all fields.
"""

_FILTERS = """\
## Filters of chains

| filter | takes | prints |
| --- | --- | --- |
"""

CHAIN_PRINTS = {
    "name": "the name: hook",
    "a": "a hook, scissors",
    "the": "the hook",
    "is": "is or are",
    "deed": "the hook dissects the gallbladder",
    "noun": "dissecting the gallbladder with the hook",
    "text": "as it is",
    "clock": "seconds from the recording's start: 21.57 s",
    "span": "21.50 s to 23.00 s",
}
"""What the filters print; a test keeps them and the language's in step."""


def chain_finders_part(chains: Sequence[Chain], unused: str) -> str:
    """The sections on the finders of chains and on their filters.

    Args:
        unused: sentence for a finder that no template uses.
    """
    parts = [_FINDERS]
    for finder in FINDERS.values():
        ids = sorted(chain.id for chain in chains if chain.finder == finder.name)
        parts.append(_finder(finder, users(ids, unused)))
    rows = [f"| `{name}` | {', '.join(types)} | {CHAIN_PRINTS[name]} |"
            for name, types in FILTERS.items()]  # fmt: skip
    return "\n".join(parts) + "\n" + _FILTERS + "\n".join(rows) + "\n"


def _finder(finder: Finder, used: str) -> str:
    lines = [f"### `{finder.name}`", "", f"{finder.doc} *Task `{finder.task}`.*", ""]
    lines += ["| argument | type | default | meaning |", "| --- | --- | --- | --- |"]
    lines += [argument_row(name, param) for name, param in finder.params.items()]
    told = (
        ("In every question", finder.asks),
        ("Tells the answer of q1", finder.answers),
        ("Tells when and where", finder.found),
    )
    lines += ["", " ".join(f"{head}: {_fields(fields)}." for head, fields in told), "", used]
    return "\n".join(lines) + "\n"


def _fields(fields: Mapping[str, str]) -> str:
    return "; ".join(_field(name, kind) for name, kind in fields.items()) or "nothing"


def _field(name: str, kind: str) -> str:
    fitting = ", ".join(f"`{one}`" for one, types in FILTERS.items() if kind in types)
    such = f"; for example *{TEXTS[name].strip()}*" if name in TEXTS else ""
    return f"`{name}` ({kind}; filters {fitting}{such})"

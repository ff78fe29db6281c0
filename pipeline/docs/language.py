"""``docs/language.md``: grammar, units, types, patterns, filters, kinds of facts."""

from __future__ import annotations

from collections.abc import Iterator

from surgqa.ontology.kinds import kind, kind_names
from surgqa.pipeline.docs.fields import FIELDS
from surgqa.transforms.algebra.signature import POOL_PARAMS
from surgqa.transforms.algebra.tree import RELATIONS
from surgqa.transforms.algebra.types import TYPE_NAMES, Type, readers_of
from surgqa.transforms.language.filters import FILTERS
from surgqa.transforms.language.findings import CODES
from surgqa.transforms.language.forms import BY_TYPE
from surgqa.transforms.language.program import FORMS, MODES

_HEAD = """\
# The language question/v1

*Made by `python -m surgqa.pipeline.docs` from `transforms/language`; do not edit.*

How to write a question, step by step: [templates.md](templates.md). Every operator with an example:
[algebra.md](algebra.md).

## Grammar

```text
file     := schema id version [changes] title benchmark task [status] [profiles] [reading]
            [scorer] unit let [where] [draw] [show] [rounds] (question | stages) [variants]
            [examples]
question := ask answer [say] [wrong] [ranked] [rubric] [reasoning]
unit     := clip | still | {recording: all}
          | {now: any|TIME, see: LENGTH|LENGTH..LENGTH|all, (every: LENGTH | per: NAME)}
          | {stream: any|TIME, length: LENGTH..LENGTH, every: LENGTH}
          | {chain: NAME, every: LENGTH}
let      := NAME: STEP                     in order; NAME, NAME: an unordered pair that is drawn
STEP     := {OPERATOR: MAIN, ARGUMENT: VALUE …} | EXPRESSION
where    := [CONDITION …]                  all must be certainly true
CONDITION := EXPRESSION SIGN EXPRESSION | NAME | {not: …} | {any: [… …]} | [… …] | {exists: …}
EXPRESSION := TERM [(+ or - or /) TERM];   TERM := 12 s | 10 % | 3 | 1 frame | NAME[.READER…] | WORD
SIGN     := = != < <= > >= in
answer   := NAME | [NAME, …] | STEP
wrong    := [POOL …]                       the fairest first
stages   := NAME: {(window | see), [where], question, [context], [knowledge], [clue]} …
window   := {around: STRETCH|options, at_least: LENGTH[..LENGTH], [room: LENGTH],
            [inside: STAGE], [looked: KIND | {kind: KIND, at_least: LENGTH}]}
rounds   := {due: TIME, before: N..N, after: N, else: TOKEN, [accept], within: LENGTH}
          | {every: LENGTH, say: NAME}
```

A bare word is a name of `let` if there is one, else a concept id. A step uses names above it.
"""

UNITS = {
    "clip": ("one clip of a recording", "the clip"),
    "still": ("one picture", "the picture"),
    "recording": ("a whole recording", "all of it"),
    "now": ("a time, `now`", "`see` before it, up to `now` (`2..10 s`: 10 s, and 2 s at the "
            "recording's start; a picture is seen whole); the answer may rest on what follows"),
    "stream": ("a stretch that runs, asked in `rounds`", "from its start up to each round"),
    "chain": ("one event, in several `stages`", "the `window` of each stage"),
}  # fmt: skip
"""Kind of unit -> what one question is about, and which time it may use."""

RELATION_MEANING = {
    "at": "it holds at an instant", "throughout": "it holds from the stretch's start to its end",
    "inside": "it begins and ends inside", "overlaps": "some of it lies inside; the usual one",
    "starts_in": "it begins inside", "ends_in": "it ends inside, where it still held",
    "before": "it ends before",
    "after": "it begins after", "meets": "a border of it is `within` so much of the stretch's",
}  # fmt: skip

SETTINGS = {
    "merge, gap": "facts equal in these fields that touch, or lie `gap` apart, are one",
    "cut": "facts are limited to a stretch", 
    "at_least, at_most": "length of the whole fact, or of what `cut` leaves of it; where nobody "
    "looked for a shorter time than `at_least`, no such fact is overlooked",
    "where": "a condition on the fact, `it`", "as": "another name for `it`",
    "or": "`or: none`: there may certainly be none",
}  # fmt: skip


def language_page() -> str:
    """Return the whole page as Markdown."""
    parts = [
        _HEAD,
        _fields(),
        _units(),
        _types(),
        _patterns(),
        _kinds(),
        _wrong(),
        _forms(),
        _filters(),
    ]
    return "\n".join([*parts, _codes()])


def _table(head: str, columns: str, rows: Iterator[str]) -> str:
    line = "| " + " | ".join("---" for _ in columns.split(" | ")) + " |"
    return "\n".join([head, "", f"| {columns} |", line, *rows]) + "\n"


def _fields() -> str:
    parts = [_table(head, "field | holds", map(_field, told.items()))
             for head, told in FIELDS.items()]  # fmt: skip
    return "\n".join(parts)


def _field(told: tuple[str, str]) -> str:
    return f"| {', '.join(f'`{name}`' for name in told[0].split(', '))} | {told[1]} |"


def _units() -> str:
    rows = (f"| `{name}` | {about} | {sees} |" for name, (about, sees) in UNITS.items())
    return _table("## Units", "unit | one question is about | it sees", rows) + (
        "\nA unit gives one item at most. What an answer rests on is found from the file: "
        + ", ".join(f"`{mode}`" for mode in MODES)
        + ".\n\nNames that are always in reach: `video`, the recording; `window`, what the "
        "question sees; `now`, when it is put; `picture`, the whole picture as a box, with its "
        "middle at `picture.centre`.\n"
    )


def _types() -> str:
    rows = (f"| {name} | {_readers(name)} |" for name in TYPE_NAMES
            if name not in ("none", "absent", "pool", "stage"))  # fmt: skip
    return _table("## Types", "type | readers", rows)


def _readers(name: str) -> str:
    found = readers_of(Type(name))
    if name == "fact":
        return ", ".join(f"`{one}`" for one in found) + ", and the fields of its kind"
    return ", ".join(f"`{one}`" for one in found) or "—"


def _patterns() -> str:
    relations = (f"| `{name}` | {RELATION_MEANING[name]} |" for name in RELATIONS)
    settings = (f"| `{name}` | {meaning} |" for name, meaning in SETTINGS.items())
    text = (
        "A pattern is a kind of facts, `[kind, kind]` or a name of facts; `kind.field` means its\n"
        "different values. Fields (`label`, `subject`, `verb`, `target`, `track`, `act`) take a\n"
        "value, a list, `none` or `{not: …}`. How a fact lies in time:"
    )
    return "\n".join([
        "## Patterns\n", text, "",
        _table("", "relation | the fact fits if", relations).lstrip(),
        _table("", "argument | meaning", settings).lstrip(),
    ])  # fmt: skip


def _kinds() -> str:
    rows = (_kind_row(name) for name in kind_names())
    return _table("## Kinds of facts", "kind | fields | labelled | one at a time of", rows) + (
        "\nA kind that only a table of your own has needs no file: it has every field.\n"
    )


def _kind_row(name: str) -> str:
    one = kind(name)
    fields = ", ".join(f"{field}: {domain}" for field, domain in one.fields.items())
    of = "—" if one.exclusive == "no" else one.exclusive
    union = f" (= {' + '.join(one.union)})" if one.union else ""
    return f"| `{name}`{union} | {fields} | {one.labelled} | {of} |"


def _wrong() -> str:
    rows = (f"| `{name}` | {param.doc} |" for name, param in POOL_PARAMS.items())
    text = (
        "`wrong` is a list of pools, the fairest first: `exchange`, `labels`, `near`, `orders`,\n"
        "`halves`, a set or a value. What is offered is certainly wrong. With `exchange`,\n"
        "questions about one recording offer one another their answers, in blocks of two to\n"
        "four: each option is right once, so no rule on options alone is better than chance.\n"
        "Questions that differ in nothing but times and numbers are taken first. What finds no\n"
        "partner is not asked; a label, act or word is, with other answers of the recording, or\n"
        "with the next pool where there are none. Each pool takes:"
    )
    return "\n".join(["## Wrong options\n", text, "",
                      _table("", "argument | meaning", rows).lstrip()])  # fmt: skip


def _forms() -> str:
    rows = (f"| {name} | `{form}` |" for name, form in BY_TYPE.items())
    text = (
        "The form follows from the answer: with `wrong` it is a `choice`, with `rubric` it is\n"
        f"`open`. All forms: {', '.join(f'`{one}`' for one in FORMS)}."
    )
    return "\n".join(["## Forms\n", text, "", _table("", "type | form", rows).lstrip()])


def _filters() -> str:
    rows = (f"| `{name}` | {', '.join(one.accepts)} | {one.doc} |"
            for name, one in FILTERS.items())  # fmt: skip
    return _table("## Filters", "filter | takes | prints", rows)


def _codes() -> str:
    rows = (f"| `{code}` | {text} |" for code, text in CODES.items())
    return _table("## Findings of `surgqa lint`", "code | finding", rows) + _FINDINGS


_FINDINGS = """
Each is printed as `path:line:column: code where: what (what to do)`; the path opens from where
surgqa was called. A build refuses files with findings other than T105, T108, T109, T111, T112,
T115 and T116, which only advise the author.
"""

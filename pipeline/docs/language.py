"""``docs/language.md``: grammar, units, types, patterns, filters, kinds of facts."""

from __future__ import annotations

from collections.abc import Iterator

from surgqa.ontology.kinds import kind, kind_names
from surgqa.pipeline.docs.fields import FIELDS
from surgqa.transforms.algebra.signature import POOL_PARAMS
from surgqa.transforms.algebra.tree import RELATIONS
from surgqa.transforms.algebra.types import TYPE_NAMES, Type, readers_of
from surgqa.transforms.language.filters import FILTERS
from surgqa.transforms.language.findings import ADVICE, CODES
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
wrong    := [POOL …]                       the best first
stages   := NAME: {(window | see), [where], question, [context], [knowledge], [clue]} …
window   := {around: STRETCH|options, at_least: LENGTH[..LENGTH], [room: LENGTH],
            [inside: STAGE], [looked: KIND | {kind: KIND, at_least: LENGTH}]}
rounds   := {due: TIME, before: N..N, after: N, else: TOKEN, [accept], within: LENGTH}
          | {every: LENGTH, say: NAME}
```

The author replaces words in capitals. A field in brackets, such as `[draw]`, may be left out; other
brackets are those of a YAML list. A word without quotes is a name of `let` if there is such a name,
and otherwise a concept id, such as `grasper`. A step can use only names above it. A READER reads
one property of a value, such as `start` in `tool.start`; [Types](#types) lists them.
"""

UNITS = {
    "clip": ("one clip of a video", "the clip"),
    "still": ("a still image of a dataset of still images. `{now: any, …}` asks about a frame of a "
              "video", "the image"),
    "recording": ("a whole video", "all of it"),
    "now": ("a point in time, `now`", "a time of length `see` that ends at `now` (`2..10 s`: 10 s, "
            "or less near the start of the video, but at least 2 s; `10 s` alone: at least 1 s); "
            "a still image is seen whole; "
            "the answer may depend on what follows `now`"),
    "stream": ("a part of a video, asked several times (in `rounds`); with `every`, `round` is the "
               "time of each round, and `now` the start",
               "from its start up to each round"),
    "chain": ("one event, in several `stages`", "the `window` of each stage"),
}  # fmt: skip
"""Kind of unit -> what one question is about, and which time it may use."""

RELATION_MEANING = {
    "at": "it holds at an instant",
    "throughout": "it holds from the start to the end of the stretch",
    "inside": "it begins and ends inside",
    "overlaps": "a part of it lies inside (the default)",
    "starts_in": "it begins inside",
    "ends_in": "it ends inside, before the end of the stretch",
    "before": "it ends before",
    "after": "it begins after",
    "meets": "it ends at most `within` before or after the start of the stretch",
}

SETTINGS = {
    "merge, gap": "facts that are equal in these fields, and touch or are at most `gap` apart, "
    "count as one",
    "cut": "only the part of each fact inside this stretch is used",
    "at_least, at_most": "limits of the length of the whole fact, or of the part that `cut` "
    "leaves; a gap in the annotation that is shorter than `at_least` cannot hide such a fact",
    "where": "a condition on the fact, `it`",
    "as": "another name for `it`",
    "or": "`or: none`: it may also be certain that there is no such fact; the value is then none",
}


def language_page() -> str:
    """Return the whole page as Markdown."""
    return "\n".join([_HEAD, _fields(), _units(), _types(), _patterns(), _kinds(), _wrong(),
                      _forms(), _filters(), _codes()])  # fmt: skip


def _table(head: str, columns: str, rows: Iterator[str]) -> str:
    line = "| " + " | ".join("---" for _ in columns.split(" | ")) + " |"
    return "\n".join([head, "", f"| {columns} |", line, *rows]) + "\n"


def _fields() -> str:
    parts = []
    for head, entries in FIELDS.items():
        rows = (f"| {', '.join(f'`{one}`' for one in names.split(', '))} | {meaning} |"
                for names, meaning in entries.items())  # fmt: skip
        parts.append(_table(head, "field | holds", rows))
    return "\n".join(parts)


def _units() -> str:
    rows = (f"| `{name}` | {about} | {sees} |" for name, (about, sees) in UNITS.items())
    return _table("## Units", "unit | one question is about | it sees", rows) + (
        "\nA unit gives at most one item. The time that an answer depends on is one of "
        + ", ".join(f"`{mode}`" for mode in MODES)
        + ".\n\nSteps can always use these names: `video`, the whole video; `window`, the part of "
        "it that the question may use; `now`, the time at which it is asked; `picture`, the whole "
        "frame as a box, with its middle at `picture.centre`.\n"
    )


def _types() -> str:
    rows = (f"| {name} | {_readers(name)} |" for name in TYPE_NAMES
            if name not in ("none", "absent", "pool", "stage"))  # fmt: skip
    return _table("## Types\n\nThe column *readers* lists what can be read from a value, as in "
                  "`tool.start`.", "type | readers", rows)  # fmt: skip


def _readers(name: str) -> str:
    found = readers_of(Type(name))
    if name == "fact":
        return ", ".join(f"`{one}`" for one in found) + ", and the fields of its kind"
    return ", ".join(f"`{one}`" for one in found) or "—"


def _patterns() -> str:
    relations = (f"| `{name}` | {RELATION_MEANING[name]} |" for name in RELATIONS)
    settings = (f"| `{name}` | {meaning} |" for name, meaning in SETTINGS.items())
    text = (
        "A pattern selects facts: by their kind, by several kinds (`[kind, kind]`), or by a name\n"
        "of `let` that stands for facts. `kind.field` means the different values of this field.\n"
        "The fields `label`, `subject`, `verb`, `target`, `track` and `act` restrict the\n"
        "selection to a value, a list of values, `none` or `{not: …}`. A relation restricts it to\n"
        "facts at a certain time:"
    )
    return "\n".join([
        "## Patterns\n", text, "",
        _table("", "relation | a fact is selected if", relations).lstrip(),
        _table("", "argument | meaning", settings).lstrip(),
    ])  # fmt: skip


def _kinds() -> str:
    rows = (_kind_row(name) for name in kind_names())
    return _table(_KINDS, "kind | fields | labelled | one at a time of", rows) + (
        "\nThe `box` of a fact is its box when it starts; `{box: it, at: now}` is its box at "
        "another time. Kinds are described by files in `ontology/kinds`. A kind that occurs only "
        "in a table of your own needs no file: all fields can be used with it.\n"
    )


_KINDS = """\
## Kinds of facts

The column *fields* states for each field of a fact which values it has, for example a label of the
vocabulary `instrument`. The column *labelled* states how annotators label the kind:

- `spans`: from a start to an end; `instants`: at single frames, between which the label may change;
  `whole`: once for the whole video;
- `noted`: as spans, and where none is labelled it is certain that there is none;
- `never`: not at all; these facts are medical knowledge without a time.

The last column states what has at most one label of the kind at a time: the video, each subject
(who acts) or each track."""


def _kind_row(name: str) -> str:
    one = kind(name)
    fields = ", ".join(f"{field}: {domain}" for field, domain in one.fields.items())
    of = "—" if one.exclusive == "no" else one.exclusive
    union = f" (= {' + '.join(one.union)})" if one.union else ""
    return f"| `{name}`{union} | {fields} | {one.labelled} | {of} |"


def _wrong() -> str:
    rows = (f"| `{name}` | {param.doc} |" for name, param in POOL_PARAMS.items())
    text = (
        "`wrong` lists pools that distractors (wrong options) are taken from, the best first:\n"
        "`exchange`, `labels`, `near`, `orders`, `halves`, a set or a value. A distractor is\n"
        "always certainly wrong. With `exchange`, two to four items about one video form a block,\n"
        "and all of them offer the answers of these items as options. Each option is right once,\n"
        "so a rule that uses only the options is no better than chance. Items whose questions\n"
        "differ only in times and numbers are combined first\n"
        "([blind.md](blind.md#options-by-exchange)). An item that fits into no block is not\n"
        "asked, except if its answer is a label, an act or a word: its distractors are then other\n"
        "answers in the video or, if there are none, those of the next pool. A pool takes these\n"
        "arguments:"
    )
    return "\n".join(["## Wrong options\n", text, "",
                      _table("", "argument | meaning", rows).lstrip()])  # fmt: skip


def _forms() -> str:
    rows = (f"| {name} | `{form}` |" for name, form in BY_TYPE.items())
    text = (
        "The form of a question is `choice` if it has `wrong`, and `open` if it has a `rubric`.\n"
        "Otherwise it follows from the type of the answer. All forms: "
        + ", ".join(f"`{one}`" for one in FORMS)
        + "."
    )
    return "\n".join(["## Forms\n", text, "", _table("", "type | form", rows).lstrip()])


def _filters() -> str:
    rows = (f"| `{name}` | {', '.join(one.accepts)} | {one.doc} |"
            for name, one in FILTERS.items())  # fmt: skip
    return _table("## Filters", "filter | takes | prints", rows)


def _codes() -> str:
    rows = (f"| `{code}` | {text} |" for code, text in CODES.items())
    return _table("## Findings of `surgqa lint`", "code | finding", rows) + _FINDINGS.format(
        advice=", ".join(sorted(ADVICE)))  # fmt: skip


_FINDINGS = """
Each finding is printed as `path:line:column: severity code where: message (what to do)`, with the
path relative to the folder in which you called surgqa. `surgqa build` refuses a file with an error.
The findings {advice} are warnings: such templates are used.
"""

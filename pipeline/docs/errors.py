"""``docs/error_codes.md`` and ``docs/rejections.md``: what each code means, and what to do."""

from __future__ import annotations

from surgqa.ontology.errors import KINDS
from surgqa.ontology.explained import Explained, explanations, rejections

_HEAD = """\
# Codes of errors

*Made by `python -m surgqa.pipeline.docs` from `ontology/errors.yaml`; do not edit.*

The message of an error begins with `error[CODE]:`. `surgqa explain CODE` prints the section of this
page about this code. In the examples, `out` is the output of a build. A test runs each example and
compares the message. If an example shows no command, its message depends on the machine.
[errors.md](errors.md) explains exit statuses and the parts of a message.
"""


def errors_page() -> str:
    """Return the whole page as Markdown."""
    known = explanations()
    rows = [f"| [`{code}`](#{code}) | {KINDS[code].exit_code} | {one.means.rstrip('.')} |"
            for code, one in known.items()]  # fmt: skip
    table = "\n".join(["| code | status | means |", "| --- | --- | --- |", *rows])
    return "\n".join([_HEAD, table + "\n", *(_section(*one) for one in known.items())])


def _section(code: str, one: Explained) -> str:
    text = f"{one.means}\n\n- Why: {one.why}\n- What to do: {one.fix}"
    return f"## `{code}`\n\n{text}\n\n```\n{one.example()}\n```\n"


_REJECTIONS = """\
# Codes of rejections

*Made by `python -m surgqa.pipeline.docs` from `ontology/rejections.yaml`; do not edit.*

Every row of `rejected/<stage>.jsonl`, and every count of rejected rows in the manifest, has one
of the following codes. `surgqa explain CODE` prints the entry of a code. If a row of a label file
was changed and kept, its outcome is `repaired`. A stage that rejected nothing writes no file.
"""
_STAGES = {"read": "Reading", "cut": "Cutting windows", "ask": "Asking", "choose": "Choosing"}


def rejections_page() -> str:
    """Return the whole page as Markdown."""
    parts = [_REJECTIONS]
    for stage, title in _STAGES.items():
        parts.append(f"## {title}\n\n| code | means | what to do |\n| --- | --- | --- |")
        for code, one in rejections().items():
            if one.stage == stage:
                see = f" See [{one.see.partition('#')[0]}]({one.see})." if one.see else ""
                parts.append(f"| `{code}` | {one.means} | {one.fix}{see} |")
        parts.append("")
    return "\n".join(parts)

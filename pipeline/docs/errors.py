"""``docs/error_codes.md``: what each code of an error means, with an example."""

from __future__ import annotations

from surgqa.ontology.errors import KINDS
from surgqa.ontology.explained import Explained, explanations

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

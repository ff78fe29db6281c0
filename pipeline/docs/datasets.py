"""The README's table of datasets and a section for each, made from the cards."""

from __future__ import annotations

import textwrap

from surgqa.transforms.registry import Card, card, datasets, files

START = "<!-- datasets: made by python -m surgqa.pipeline.docs from the cards -->"
END = "<!-- end of datasets -->"

_HEAD = """\
# Datasets

*Made by `python -m surgqa.pipeline.docs` from `transforms/readers/*/card.yaml`; do not edit.*

`surgqa show NAME` prints the section of a dataset in the terminal. `surgqa verify NAME --root DIR`
reads your copy of the dataset and says whether it is what surgqa expects. Your copy may contain
only some of the videos, and images may be missing. If your files have another layout than described
here, you can read them with `tables` or `exports`: see [your_data.md](your_data.md).
"""


def with_datasets(text: str) -> str:
    """Return the README with its table replaced.

    Raises:
        ValueError: the two marks are missing or in the wrong order.
    """
    before, rest = text.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{datasets_table()}{END}{after}"


def datasets_table() -> str:
    """Return the table of datasets, sorted by title; those for user-supplied data come last."""
    lines = ["| dataset | name | videos | annotated | licence | access |", "| --- " * 6 + "|"]
    return "\n".join([*lines, *map(_line, _cards())]) + "\n"


def datasets_page() -> str:
    """Return a section for each dataset: how to get it, its contents, and known problems."""
    return "\n".join([_HEAD, *map(_section, _cards())])


def _cards() -> list[Card]:
    return sorted(map(card, datasets()), key=lambda one: (not one.videos, one.title.casefold()))


def _line(one: Card) -> str:
    title = f"[{one.title}]({one.homepage})"
    videos = f"{one.videos:,}" if one.videos else "yours"
    return f"| {title} | `{one.name}` | {videos} | {_tasks(one)} | {one.licence} | {one.access} |"


def _tasks(one: Card) -> str:
    return ", ".join(task.replace("_", " ") for task in one.tasks)


def _section(one: Card) -> str:
    known = files(one.name)
    facts = [
        ("name", f"`{one.name}`"),
        ("release", one.release),
        ("annotated", _tasks(one)),
        ("licence", f"[{one.licence}]({one.licence_url})"),
        ("files", ", ".join(f"`{pattern}`" for pattern in known.patterns.values())),
        ("official splits", ", ".join(known.splits)),
        ("left out by default", "; ".join(f"{v}: {r}" for v, r in known.known_bad.items())),
        ("checked against", one.verified),
        ("not in it", "; ".join(one.lacks)),
    ]
    lines = [f"## {one.title}", "", *_wrapped(one.summary), ""]
    lines += [
        part for name, value in facts if value for part in _wrapped(f"**{name}**: {value}", "- ")
    ]
    lines += ["", *_wrapped(one.how_to_get), ""]
    lines += [part for note in one.notes for part in _wrapped(note, "- ")]
    lines += ["", *_wrapped(f"Cite: {one.citation}"), ""]
    return "\n".join(lines)


def _wrapped(text: str, mark: str = "") -> list[str]:
    return textwrap.wrap(
        text, 96, initial_indent=mark, subsequent_indent=" " * len(mark),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip

"""The table of datasets in the README, from the cards; no reader is imported."""

from __future__ import annotations

from transforms.registry import Card, card, datasets

START = "<!-- datasets: made by python -m pipeline.docs from the cards -->"
END = "<!-- end of datasets -->"


def with_datasets(text: str) -> str:
    """The README's text with its table made anew.

    Raises:
        ValueError: the two marks are not there, in this order.
    """
    before, rest = text.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{datasets_table()}{END}{after}"


def datasets_table() -> str:
    """One line a dataset, sorted by title; those that users bring come last."""
    cards = sorted(map(card, datasets()), key=lambda one: (not one.videos, one.title.casefold()))
    lines = ["| dataset | name | videos | annotated | licence | access |", "| --- " * 6 + "|"]
    return "\n".join([*lines, *map(_line, cards)]) + "\n"


def _line(one: Card) -> str:
    title = f"[{one.title}]({one.homepage})"
    what = ", ".join(task.replace("_", " ") for task in one.tasks)
    videos = f"{one.videos:,}" if one.videos else "yours"
    return f"| {title} | `{one.name}` | {videos} | {what} | {one.licence} | {one.access} |"

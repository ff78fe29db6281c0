"""Tables and messages of ``surgqa label`` about rounds and corrections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surgqa.pipeline.cli.console import table

if TYPE_CHECKING:
    from surgqa.transforms.labelling.rounds import LabelRound


def line_of(one: LabelRound) -> list[object]:
    """Return a round as a row of the table of rounds."""
    imports = one.done("import")

    def total(books: str, name: str) -> int:
        return sum(step[books].get(name, 0) for step in imports)

    left = imports[-1]["frames"]["not_reviewed"] if imports else len(one.chosen)
    actions = ("confirmed", "moved", "relabelled", "added", "clicked", "deleted")
    measures = [step["held_out"] for step in one.steps if step["step"] in ("train", "evaluate")]
    return [
        one.number, one.part.replace("_", " "), len(one.chosen), total("frames", "imported"), left,
        total("frames", "rejected"), *(total("boxes", action) for action in actions),
        _change(measures, "map50"), _change(measures, "map50_95"),
    ]  # fmt: skip


def _change(measures: list[dict[str, Any]], name: str) -> str:
    if not measures:
        return "-"
    ends = [measures[-1]["before"], measures[-1]["after"]]
    return " -> ".join(f"{end[name]:.3f}" for end in ends if end is not None) or "-"


def reasons_of(one: LabelRound) -> str:
    """Return the reasons for choosing a round's frames, the most frequent first."""
    from collections import Counter

    from surgqa.transforms.labelling.signs import SENTENCES

    counts = Counter(choice["reason"] for choice in one.steps[0]["chosen"])
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return table([[count, SENTENCES[reason]] for reason, count in ordered])


def account_of(layer: str, record: dict[str, Any]) -> str:
    """Return the result of importing corrections."""
    frames, boxes = record["frames"], record["boxes"]
    parts = [
        f"layer {layer}, {record['reviewer']}, {record['date']}",
        table([list(frames), list(frames.values())]),
        table([list(boxes), list(boxes.values())]),
    ]
    if record["rejected"]:
        left_out = [["", n, code] for code, n in record["rejected"].items()]
        parts.append(f"left out\n{table(left_out)}")
    return "\n\n".join(parts)

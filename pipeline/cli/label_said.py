"""Tables and messages about rounds of labelling, corrections, and how good a detector is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surgqa.pipeline.cli.console import shown, table

if TYPE_CHECKING:
    from surgqa.transforms.labelling.fitness import Entitling, MeasuredFitness
    from surgqa.transforms.labelling.rounds import LabelRound
    from surgqa.transforms.store.evidence import EvidenceStore


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


AGAIN = "To use them: surgqa observe … --out {}, with the options of the first time, then build"
"""How corrections become evidence."""


def after_import(store: EvidenceStore, layer: str, record: Mapping[str, Any]) -> list[str]:
    """Return messages: which corrections of a layer do not apply, and what makes the others count.

    Args:
        record: the layer's record.
    """
    frames, out = record["reviewed"], []
    if changed := [v for v in frames if store.medium(v) != frames[v]["medium"]]:
        out.append(
            f"the file of {', '.join(changed)} was replaced and observed again after these frames "
            "were chosen: their corrections are kept, but do not apply to its new content"
        )
    if record["boxes"].get("clicked"):
        out.append(f"next: surgqa observe … --out {shown(store.path)} --segment SAM2.pt finds the "
                   "outlines of what was clicked")  # fmt: skip
    elif any(layer not in store.facts(v).get("layers", ()) for v in frames if v not in changed):
        out.append(f"a build does not use the corrections yet. {AGAIN.format(shown(store.path))}")
    return out


HEADS = ("class", "frames", "recall", "blocks", "missed in", "at most", "absent", "all listed",
         "believed")  # fmt: skip


def fitness_text(measured: MeasuredFitness, settings: Entitling) -> str:
    """Return a table of the classes, and what a build may conclude from it."""
    rows: list[list[object]] = [list(HEADS)]
    for name, one in measured.classes.items():
        known = measured.fitness.of(name)
        guard = known.guard_us
        rows.append([
            name, one.frames, "-" if one.frames == 0 else f"{one.recall:.3f}", one.missed.blocks,
            one.missed.against, f"{one.missed.bound:.2%}",
            "unknown" if guard is None else f"{guard / 1e6:g} s from a box",
            "yes" if known.alone else "unknown", "yes" if known.believed else "no",
        ])  # fmt: skip
    return f"{table(rows)}\n{_followed(measured, settings)}"


def _followed(measured: MeasuredFitness, settings: Entitling) -> str:
    fitness = measured.fitness
    allowed = [name for name, one in (fitness.classes or {}).items() if one.guard_us is not None]
    if not allowed:
        return (
            "only questions about what was seen: no class was shown to be missed in at most "
            f"{settings.risk:.1%} of the blocks of {settings.block_us / 1e6:g} s, with "
            f"{settings.confidence:.0%} confidence; review more frames, or train on them"
        )
    for_long = f"over up to {fitness.reach_us / 1e6:g} s" if fitness.reach_us else "at instants"
    others = "" if fitness.complete else "; the absence of unknown instruments is not"
    return f"absence of {', '.join(allowed)} is concluded {for_long}{others}"


def precision_text(held_out: Mapping[str, Any]) -> str:
    """Return a table of the average precision on held-out frames, before and after training."""
    before, after = held_out["before"], held_out["after"]
    shown = [one for one in (before, after) if one is not None]
    if not shown:
        return (
            "not measured: no frame of the held-out part was reviewed; "
            "see 'surgqa label choose --part held-out'"
        )
    heads = [name for name, one in (("before", before), ("after", after)) if one is not None]
    rows: list[list[object]] = [
        ["held out", *(f"{m} {when}" for when in heads for m in ("mAP50", "mAP50-95"))],
        ["all", *(f"{one[m]:.3f}" for one in shown for m in ("map50", "map50_95"))],
    ]
    for name in shown[0]["classes"]:
        values = [one["classes"][name][m] for one in shown for m in ("ap50", "ap50_95")]
        rows.append([name, *(f"{value:.3f}" for value in values)])
    frames, boxes = held_out["frames"], sum(held_out["boxes"].values())
    return f"{table(rows)}\n{boxes} boxes on {frames} of {held_out['of']} frames held out"


def unused(rejected: Mapping[str, int]) -> list[str]:
    """Return messages about corrections and findings of a store that a build did not use.

    Args:
        rejected: for each ``stage/code/outcome``, the count, from the manifest.
    """
    from surgqa.ontology.records import Code

    out = []
    if count := rejected.get(f"read/{Code.UNAPPLIED}/rejected", 0):
        out.append(
            f"corrections of {count} frames are not used (rejected/read.jsonl): they were imported "
            f"after the videos were observed. {AGAIN.format('STORE')}"
        )
    count = rejected.get(f"read/{Code.UNMEASURED}/rejected", 0)
    if not count:
        return out
    return [
        *out,
        f"{count} findings of detectors are not used (rejected/read.jsonl): until it is measured "
        "how often a detector misses an instrument, the instrument is never known to be "
        "absent, and only questions about what was seen are asked. To measure it: "
        "surgqa label evaluate STORE",
    ]

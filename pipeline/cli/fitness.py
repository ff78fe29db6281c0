"""Messages of 'surgqa label' and builds about a detector: precision and known absence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surgqa.pipeline.cli.console import table

if TYPE_CHECKING:
    from surgqa.transforms.labelling.fitness import Entitling, MeasuredFitness

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
            "positive questions only: no class was shown to be missed seldom enough (in at most "
            f"{settings.risk:.1%} of blocks of {settings.block_us / 1e6:g} s, with "
            f"{settings.confidence:.0%} confidence); review more frames, or train on them"
        )
    for_long = f"over up to {fitness.reach_us / 1e6:g} s" if fitness.reach_us else "at instants"
    others = "" if fitness.complete else "; of instruments it does not know nothing is concluded"
    return f"absence of {', '.join(allowed)} is concluded {for_long}{others}"


def precision_text(held_out: Mapping[str, Any]) -> str:
    """Average precision on the held-out part, before and after training."""
    before, after = held_out["before"], held_out["after"]
    shown = [one for one in (before, after) if one is not None]
    if not shown:
        return (
            "not measured: no frame of the part held out has been reviewed; "
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


def unmeasured(rejected: Mapping[str, int]) -> list[str]:
    """The message of a build about classes whose absence is unknown, as recall is not measured.

    Args:
        rejected: for each ``stage/code/outcome``, the count, from the manifest.
    """
    from surgqa.ontology.records import Code

    count = rejected.get(f"read/{Code.UNMEASURED}/rejected", 0)
    if not count:
        return []
    return [
        f"{count} findings of detectors are not relied on (rejected/read.jsonl): where it was not "
        "measured how often a detector misses an instrument, the instrument is not known to be "
        "absent, and such videos give questions about what was seen alone. To measure it: "
        "surgqa label evaluate STORE"
    ]

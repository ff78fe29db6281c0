"""The scores of all chains, as plain data and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.scoring.reporting import (
    MISSING,
    UNPARSED,
    Table,
    counted,
    percent,
    plain,
    remarks_on,
    span,
)
from transforms.scoring.surgcot.items import LABELS, SCALES, STAGES, TASKS, Chain, ItemScore
from transforms.scoring.surgcot.tables import Group


@dataclass(frozen=True, slots=True)
class SurgcotReport:
    """The scores of all chains.

    Attributes:
        groups: those of standard chains first; in each scale the tasks, then their mean.
        chains: by chain id.
        items: by item id.
        replicates, seed: of the bootstrap.
    """

    groups: tuple[Group, ...]
    chains: tuple[Chain, ...]
    items: tuple[ItemScore, ...]
    replicates: int
    seed: str

    def group(self, name: str = "average", scale: str = "standard") -> Group:
        """Return the group of that name and scale; raise KeyError if there is none."""
        for group in self.groups:
            if (group.name, group.scale) == (name, scale):
                return group
        raise KeyError((name, scale))

    def counts(self) -> dict[str, int]:
        """Return whole chains by scale, incomplete ones, items (= scored + unparsed + missing)."""
        whole = [chain.scale for chain in self.chains if chain.whole]
        return {
            **{scale: whole.count(scale) for scale in SCALES},
            "incomplete": len(self.chains) - len(whole),
            "items": len(self.items),
            **counted(one.status for one in self.items),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON; numbers have six decimals."""
        return {
            "counts": self.counts(),
            "groups": plain(self.groups),
            "chains": [_plain_chain(chain) for chain in self.chains],
            "items": [_plain_item(one) for one in self.items],
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
        }

    def tables(self) -> list[tuple[str, Table]]:
        """Return (title, rows with the header first) of the tables of each scale that occurs."""
        out: list[tuple[str, Table]] = []
        for scale in SCALES:
            mine = [group for group in self.groups if group.scale == scale]
            if mine:
                out.append((f"surgcot, {scale} chains: accuracy", _accuracies(mine)))
                out.append((f"surgcot, {scale} chains: whole chains and times", _wholes(mine)))
        return out

    def item_scores(self) -> Iterator[tuple[str, float]]:
        """Yield (item id, score in [0, 1]) of each item."""
        yield from ((one.item.item_id, one.score) for one in self.items)

    def titled(self, name: str) -> list[tuple[str, Table]]:
        """Return the tables with their titles."""
        return self.tables()

    def remarks(self, name: str) -> list[str]:
        """Return remarks on what the tables do not show."""
        counts = self.counts()
        out = remarks_on(name, counts, {
            MISSING: "items have no response (scored 0)",
            UNPARSED: "responses choose no option (scored 0)",
            "incomplete": "chains lack a stage: counted in the accuracies, not as chains",
        })  # fmt: skip
        if counts["coarse"] and not counts["standard"]:
            out.append(f"{name}: all chains are coarse, so there are no standard chains")
        return out


def _accuracies(groups: Sequence[Group]) -> Table:
    head: list[object] = [
        "task", "chains", "items", *LABELS, "all", "95% interval", "chance", "majority",
        "unparsed", "missing",
    ]  # fmt: skip
    names = (*STAGES, "accuracy")
    return [head, *(
        [TASKS.get(group.name, group.name), group.chains, group.items,
         *(percent(group.measures[name]) for name in names), span(group.intervals["accuracy"]),
         *(percent(group.measures[name]) for name in ("chance", "majority")),
         group.unparsed, group.missing]
        for group in groups
    )]  # fmt: skip


def _wholes(groups: Sequence[Group]) -> Table:
    head: list[object] = [
        "task", "CCA", "95% interval", "chance", "majority", "P(Q2|Q1)", "P(Q3|Q1,Q2)",
        "main only", "IoU Q2", "read", "error Q3", "read",
    ]  # fmt: skip
    floors = ("chance_chain", "majority_chain")
    given = ("q2_given_q1", "q3_given_q1_q2", "main_right_chain_wrong", "iou_q2")
    return [head, *(
        [TASKS.get(group.name, group.name), percent(group.measures["chain_completion"]),
         span(group.intervals["chain_completion"]),
         *(percent(group.measures[name]) for name in (*floors, *given)), group.timed_q2,
         _seconds(group.measures["error_q3_s"]), group.timed_q3]
        for group in groups
    )]  # fmt: skip


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def _plain_chain(chain: Chain) -> dict[str, Any]:
    return {
        "chain_id": chain.chain_id,
        "task": chain.task,
        "scale": chain.scale,
        "right": {STAGES[stage]: bool(one.score) for stage, one in chain.stages.items()},
        "complete": chain.complete if chain.whole else None,
    }


def _plain_item(one: ItemScore) -> dict[str, Any]:
    item = {name: getattr(one.item, name) for name in
            ("item_id", "template_id", "chain_id", "task", "stage", "scale", "video")}  # fmt: skip
    said = {name: getattr(one, name) for name in ("status", "chosen", "score")}
    return {**item, "stage": STAGES[one.item.stage], **said, "iou": plain(one.iou),
            "error_s": plain(one.error_s)}  # fmt: skip

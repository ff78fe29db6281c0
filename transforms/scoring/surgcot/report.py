"""The scores of all chains, as plain data and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.scoring.report import MISSING, SCORED, UNPARSED
from transforms.scoring.surgcot.chains import Chain
from transforms.scoring.surgcot.items import ItemScore
from transforms.scoring.surgcot.stages import LABELS, SCALES, STAGES, TASKS
from transforms.scoring.surgcot.tables import Group

_DECIMALS = 6
Table = list[list[object]]


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
        by_status = dict.fromkeys((SCORED, UNPARSED, MISSING), 0)
        for one in self.items:
            by_status[one.status] += 1
        return {
            **{scale: whole.count(scale) for scale in SCALES},
            "incomplete": len(self.chains) - len(whole),
            "items": len(self.items),
            **by_status,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON; numbers have six decimals."""
        return {
            "counts": self.counts(),
            "groups": [_plain(group) for group in self.groups],
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
        said = {
            "missing": "items have no response (scored 0)",
            "unparsed": "responses choose no option (scored 0)",
            "incomplete": "chains lack a stage: counted in the accuracies, not as chains",
        }
        out = [f"{name}: {counts[key]} {text}" for key, text in said.items() if counts[key]]
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
        [_short(group.name), group.chains, group.items,
         *(_percent(group.measures[name]) for name in names), _interval(group, "accuracy"),
         *(_percent(group.measures[name]) for name in ("chance", "majority")),
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
        [_short(group.name), _percent(group.measures["chain_completion"]),
         _interval(group, "chain_completion"),
         *(_percent(group.measures[name]) for name in (*floors, *given)), group.timed_q2,
         _seconds(group.measures["error_q3_s"]), group.timed_q3]
        for group in groups
    )]  # fmt: skip


def _short(name: str) -> str:
    return TASKS.get(name, name)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def _interval(group: Group, name: str) -> str:
    low_high = group.intervals[name]
    return f"{_percent(low_high[0])} to {_percent(low_high[1])}" if low_high else "-"


def _plain(group: Group) -> dict[str, Any]:
    return {name: _value(getattr(group, name)) for name in group.__slots__}


def _plain_chain(chain: Chain) -> dict[str, Any]:
    return {
        "chain_id": chain.chain_id,
        "task": chain.task,
        "scale": chain.scale,
        "right": {STAGES[stage]: bool(one.score) for stage, one in chain.stages.items()},
        "complete": chain.complete if chain.whole else None,
    }


def _plain_item(one: ItemScore) -> dict[str, Any]:
    item = one.item
    return {
        "item_id": item.item_id,
        "template_id": item.template_id,
        "chain_id": item.chain_id,
        "task": item.task,
        "stage": STAGES[item.stage],
        "scale": item.scale,
        "video": item.video,
        "status": one.status,
        "chosen": one.chosen,
        "score": one.score,
        "iou": _value(one.iou),
        "error_s": _value(one.error_s),
    }


def _value(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DECIMALS)
    if isinstance(value, tuple):
        return [_value(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _value(part) for name, part in value.items()}
    return value

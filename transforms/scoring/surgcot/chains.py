"""The stages of one chain, combined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from transforms.scoring.surgcot.items import ItemScore
from transforms.scoring.surgcot.stages import STAGES

MAIN, Q1, Q2, Q3 = range(len(STAGES))


@dataclass(frozen=True, slots=True)
class Chain:
    """The scores of one chain.

    Attributes:
        task, scale, video: the same as in its items.
        stages: score by stage, in order; some may be missing if not all items were scored.
    """

    chain_id: str
    task: str
    scale: str
    video: str
    stages: Mapping[int, ItemScore]

    @classmethod
    def of(cls, stages: Mapping[int, ItemScore]) -> Chain:
        """Return the chain of the given stages, at least one."""
        item = next(iter(stages.values())).item
        return cls(item.chain_id, item.task, item.scale, item.video, dict(sorted(stages.items())))

    @property
    def whole(self) -> bool:
        """Whether all stages are present; only then does it count as a chain."""
        return len(self.stages) == len(STAGES)

    def right(self, *stages: int) -> bool:
        """Return whether all these stages are present and correct."""
        return all(stage in self.stages and self.stages[stage].score for stage in stages)

    @property
    def complete(self) -> bool:
        """Whether the main question and all three stages are correct."""
        return self.right(MAIN, Q1, Q2, Q3)

    @property
    def chance(self) -> float:
        """Probability that random choices are correct in all stages."""
        return prod(1 / len(one.item.options) for one in self.stages.values())

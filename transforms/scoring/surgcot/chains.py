"""The stages of one chain together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from transforms.scoring.surgcot.items import ItemScore
from transforms.scoring.surgcot.stages import STAGES

MAIN, Q1, Q2, Q3 = range(len(STAGES))


@dataclass(frozen=True, slots=True)
class Chain:
    """What was scored of a chain.

    Attributes:
        task, scale, video: as of its items.
        stages: score by stage, in order; a dataset that was cut may lack some.
    """

    chain_id: str
    task: str
    scale: str
    video: str
    stages: Mapping[int, ItemScore]

    @classmethod
    def of(cls, stages: Mapping[int, ItemScore]) -> Chain:
        """A chain of the stages that there are, one at least."""
        item = next(iter(stages.values())).item
        return cls(item.chain_id, item.task, item.scale, item.video, dict(sorted(stages.items())))

    @property
    def whole(self) -> bool:
        """Whether all stages are there; only then it counts as a chain."""
        return len(self.stages) == len(STAGES)

    def right(self, *stages: int) -> bool:
        """Whether all of these are right."""
        return all(stage in self.stages and self.stages[stage].score for stage in stages)

    @property
    def complete(self) -> bool:
        """Whether the main question and all three stages are right."""
        return self.right(MAIN, Q1, Q2, Q3)

    @property
    def chance(self) -> float:
        """Probability that guessing gets all of them."""
        return prod(1 / len(one.item.options) for one in self.stages.values())

"""What is told of times that a dataset's files do not hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ontology.records import Clock
from transforms.registry import card

if TYPE_CHECKING:
    from pipeline.config import RunConfig
    from transforms.store import OutputFolder


def published(name: str, rate: object) -> Iterator[str]:
    """The rate of a dataset's card, where it is taken because no other was given."""
    told = card(name).rate
    if told and rate is None:
        yield (
            f"{name}: its files hold no times; {told} picture(s) a second are taken, the rate that "
            "the dataset publishes; --rate sets another"
        )


def clocks(folder: OutputFolder, config: RunConfig) -> Iterator[str]:
    """Videos of which only the order of pictures is known, and what could be done about it."""
    table = folder.evidence("videos").select(["dataset", "clock"]).to_pylist()
    counts = Counter((row["dataset"], row["clock"]) for row in table)
    for run in {one.name: one for one in config.datasets}.values():
        yield from published(run.name, run.rate)
        without = counts[run.name, str(Clock.ORDER)]
        if without:
            yield " ".join([
                f"{run.name}: no clock in {without} video(s): only the order of their pictures is "
                "known, so no clip is cut and nothing is asked in seconds.",
                *_about_rates(run.name, run.rate),
            ])  # fmt: skip


def _about_rates(name: str, rate: str | None) -> Iterator[str]:
    """What the card says of rates, and the option if it may help."""
    yield from (note for note in card(name).notes if re.search(r"\brates?\b", note))
    yield f"--rate {rate} was not used." if rate else "If you know the rate: --rate FPS"

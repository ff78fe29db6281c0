"""Messages about datasets whose files contain no times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surgqa.ontology.records import Clock
from surgqa.transforms.registry import card

if TYPE_CHECKING:
    from surgqa.pipeline.config import RunConfig
    from surgqa.transforms.store import OutputFolder


def published(name: str, rate: object) -> Iterator[str]:
    """Yield the published frame rate of a dataset, if it was used because no other was given."""
    published_rate = card(name).rate
    if published_rate and rate is None:
        yield (
            f"{name}: its files hold no times; {published_rate} picture(s) a second are taken, "
            "the rate that the dataset publishes; --rate sets another"
        )


def clocks(folder: OutputFolder, config: RunConfig) -> Iterator[str]:
    """Messages about videos of which only the order of frames is known, with possible remedies."""
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
    """Yield advice about rates: the published rate, or the option that sets a rate."""
    yield from (note for note in card(name).notes if re.search(r"\brates?\b", note))
    yield f"--rate {rate} was not used." if rate else "If you know the rate: --rate FPS"

"""Windows, scale and measured values of a chain."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.checks.chains.base import (
    HALF_US,
    MAIN,
    PRINTED_US,
    Q1,
    Q2,
    Q3,
    SECOND_US,
    STAGES,
    Chain,
    Stretch,
    Truth,
)
from transforms.checks.chains.names import span_in, time_in
from transforms.checks.chains.segments import overlap, segment_of, stage_target

ROUNDED = 1e-6


def window_problems(chain: Chain, truth: Truth) -> None:
    """Windows become narrower, and hold the right answer strictly and all others."""
    first, second, third = (chain.window(stage) for stage in (Q1, Q2, Q3))
    widths = [end - start for start, end in (first, second, third)]
    if not widths[0] > widths[1] > widths[2]:
        chain.note("windows_not_narrower", Q3, f"{widths} us")
    if chain.window(MAIN) != first:
        chain.note("chain_window_differs", MAIN, f"main {chain.window(MAIN)}, Q1 {first}")
        return
    _strictly(chain, Q1, truth.shown, first)
    for text, right in chain.texts(Q2):
        found = span_in(text)
        if found is not None:
            _inside(chain, Q2, found, second, right)
            _inside(chain, Q2, found, first, False)
    for stage, window in ((MAIN, first), (Q3, third)):
        for text, right in chain.texts(stage):
            when = time_in(text.rpartition(", at ")[2])
            if when is not None:
                _inside(chain, stage, (when, when), window, right)


def _strictly(chain: Chain, stage: int, held: Stretch, window: Stretch) -> None:
    outside = not window[0] < held[0] <= held[1] < window[1]
    chain.note("outside_window", stage, f"{list(held)} in {list(window)}", outside)


def _inside(chain: Chain, stage: int, held: Stretch, window: Stretch, right: bool) -> None:
    """Printed times; at the very edge only wrong ones may lie."""
    if right:
        _strictly(chain, stage, held, window)
        return
    kept = window[0] - PRINTED_US <= held[0] and held[1] <= window[1] + PRINTED_US
    chain.note("outside_window", stage, f"{list(held)} in {list(window)}", not kept)


def scale_problems(chain: Chain, truth: Truth) -> None:
    """Instants are as far apart as the resolution of the evidence asks for."""
    spacing = chain.spacing_us
    told = f"spacing {spacing} us, resolution {truth.resolution_us} us"
    if chain.coarse:
        needed = spacing > HALF_US and spacing in {2 * one for one in truth.resolutions}
        chain.note("scale_differs", Q3, f"coarse: {told}", not needed)
    else:
        chain.note("scale_differs", Q3, f"standard: {told}", spacing != HALF_US)
    fine = spacing >= 2 * truth.resolution_us
    chain.note("scale_differs", Q3, f"too fine: {told}", not fine and spacing >= HALF_US)


def measure_problems(chain: Chain, truth: Truth) -> None:
    """What the questions say they measured is what they ask."""
    for stage in range(len(STAGES)):
        measured = {one["name"]: one["measured"] for one in chain.rows[stage]["checks"] or ()}
        for name, wanted, slack in _measures(chain, truth, stage):
            found = measured.get(name)
            if found is None or not any(abs(found - one) <= slack for one in wanted):
                detail = f"{name}: measured {found}, expected {' or '.join(map(str, wanted))}"
                chain.note("measure_differs", stage, detail)


def _measures(chain: Chain, truth: Truth, stage: int) -> Iterator[tuple[str, list[float], float]]:
    """(name, allowed values, tolerance) of what a stage must have measured."""
    start, end = chain.window(stage)
    yield "window_s", [(end - start) / SECOND_US], ROUNDED
    yield "scale_coarse", [float(chain.coarse)], 0.0
    resolution = max(truth.resolutions)
    if stage == Q2 and (found := segment_of(truth.target, resolution)):
        cover = overlap(found[0], stage_target(truth.target, resolution))
        yield "segment_iou", [float(cover)], ROUNDED
        yield "grid_s", [found[1] / SECOND_US], ROUNDED
    if stage == Q3:
        instants = [time_in(text) for text, right in chain.texts(Q3) if not right]
        gaps = [abs(time - truth.time_us) for time in instants if time is not None]
        if gaps:
            yield "spacing_s", [min(gaps) / SECOND_US], PRINTED_US / SECOND_US
        yield "resolution_s", sorted(one / SECOND_US for one in truth.resolutions), ROUNDED

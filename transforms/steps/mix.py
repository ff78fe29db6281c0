"""Drop items until the kinds of streaming questions have the shares that the run requests.

A kind of question, called a cell here, is a temporal mode (a question about the past, the present
or the future, or an alert). Questions that cannot be answered yet and alerts that never come are
cells of their own.

Questions about the past can be asked almost everywhere, but alerts only rarely. Items are dropped
in descending order of :data:`ORDER`, until the shares of the cells are within a tolerance of the
requested shares. This is done once the items of all videos are known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.keys import Key
from surgqa.ontology.records import Code
from surgqa.transforms.steps.write import Parts, not_chosen

ORDER = Key("choose", "mix")
BLIND = "unanswerable"
"""The answer of a question that cannot be answered yet."""

KEPT = ("item_id", "dataset", "block", "template_id")
"""What is kept in memory of each item."""

SCARCE = 10
"""Cells with fewer items do not count, so that one rare alert does not empty the whole dataset."""


@dataclass(frozen=True, slots=True)
class Mix:
    """The requested shares of the cells (kinds of questions) among all items with a query time.

    Attributes:
        shares: the shares of ``retrospective``, ``present``, ``future``, ``future_streaming`` and
            ``proactive`` items; they are scaled to sum to 1.
        unanswerable: share of the ``future`` items that cannot be answered yet.
        never: share of the ``proactive`` items (alerts) whose event never comes.
        tolerance: accepted distance from the shares: half the sum of their absolute differences.
        benchmarks: only items of these benchmarks are counted and dropped; empty: all items with a
            temporal mode.
    """

    shares: Mapping[str, float]
    unanswerable: float
    never: float
    tolerance: float
    benchmarks: tuple[str, ...] = ()

    def cells(self) -> dict[str, Fraction]:
        """Return the requested share of each kind of question, named as by :func:`cell_of`."""
        total = sum(map(_exact, self.shares.values()))
        shares = {name: _exact(share) / total for name, share in self.shares.items()}
        split = {"future": ("unanswerable", self.unanswerable), "proactive": ("never", self.never)}
        out = {}
        for name, share in shares.items():
            if name in split:
                other, part = split[name][0], _exact(split[name][1])
                out[f"{name}/{other}"], out[f"{name}/other"] = share * part, share * (1 - part)
            else:
                out[name] = share
        return {name: share for name, share in out.items() if share}


def _exact(value: float) -> Fraction:
    return Fraction(repr(float(value)))


def cell_of(temporal_mode: str, task_mode: str, value: Mapping[str, Any]) -> str:
    """Return the cell (kind of question) of an item.

    Args:
        value: the correct answer; all its fields are None for an alert that never comes.
    """
    if temporal_mode == "future" and task_mode == "streaming":
        return "future_streaming"
    if temporal_mode == "future":
        return f"future/{BLIND if BLIND in value.values() else 'other'}"
    if temporal_mode == "proactive":
        never = all(one is None for one in value.values())
        return f"proactive/{'never' if never else 'other'}"
    return temporal_mode


def kept_counts(
    there: Mapping[str, int], wanted: Mapping[str, Fraction], tolerance: Fraction
) -> dict[str, int]:
    """Return the number of items to keep of each kind of question: as many as the tolerance allows.

    The shares are computed among the kinds that have items. So a kind without items does not cause
    items of other kinds to be dropped.
    """
    shares = {cell: share for cell, share in wanted.items() if there.get(cell)}
    total = sum(shares.values(), Fraction(0))
    if not total:
        return dict.fromkeys(there, 0)
    shares = {cell: share / total for cell, share in shares.items()}

    def parts(size: int) -> dict[str, Fraction]:
        return {c: min(Fraction(there[c]), size * share) for c, share in shares.items()}

    low, high = 1, max(-(-there[c] * s.denominator // s.numerator) for c, s in shares.items())
    while low < high:
        middle = (low + high + 1) // 2
        # Not rounded to whole items: in small sets, rounding would increase the distance and hide
        # that larger sets are close enough.
        if _distance(parts(middle), shares) <= tolerance:
            low = middle
        else:
            high = middle - 1
    # At least one of each cell, so that rounding never removes a cell.
    kept = {cell: max(1, int(part)) for cell, part in parts(low).items()}
    return {**dict.fromkeys(there, 0), **kept}


def _distance(parts: Mapping[str, Fraction], shares: Mapping[str, Fraction]) -> Fraction:
    total = sum(parts.values())
    return sum((abs(parts[c] / total - shares[c]) for c in shares), Fraction(0)) / 2


def over_mix(parts: Parts, mix: Mix, gone: Collection[str] = frozenset()) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items that are dropped to reach the requested shares.

    Items that share their options (a block) are kept or dropped together, also if they belong to
    different cells. A block of which an item is already rejected goes for that reason.

    Args:
        gone: ids of items that are already rejected.
    """
    found: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for row in _items(parts, mix.benchmarks):
        value = orjson.loads(row["answer_value"])
        cell = cell_of(row["temporal_mode"], row["task_mode"], value)
        kept_fields = {name: row[name] for name in KEPT}
        found[row["block"] or row["item_id"]].append((cell, kept_fields))
    blocks = [sorted(found[name], key=_place) for name in ORDER.ordered(found)
              if not any(row["item_id"] in gone for _, row in found[name])]  # fmt: skip
    there = Counter(cell for block in blocks for cell, _ in block)
    plenty = {cell: count for cell, count in there.items() if count >= SCARCE}
    room = Counter({**there, **kept_counts(plenty, mix.cells(), _exact(mix.tolerance))})
    kept, dropped = Counter[str](), list[tuple[str, dict[str, Any]]]()
    for block in blocks:
        wanted = Counter(cell for cell, _ in block)
        if kept + wanted <= room:
            kept += wanted
        else:
            dropped += block
    why = "the mix of modes has room for {} of {} items of {}"
    return [not_chosen(row, Code.OVER_MIX, why.format(kept[cell], there[cell], cell))
            for cell, row in sorted(dropped, key=_place)]  # fmt: skip


def _place(one: tuple[str, dict[str, Any]]) -> tuple[str, str]:
    return one[0], one[1]["item_id"]


def _items(parts: Parts, benchmarks: Sequence[str]) -> Iterator[dict[str, Any]]:
    columns = [*KEPT, "benchmark", "temporal_mode", "task_mode", "answer_value"]
    for info in parts.infos:
        table = parts.items(info, columns)
        table = table.filter(pc.is_valid(table.column("temporal_mode")))
        if benchmarks:
            mine = pc.is_in(table.column("benchmark"), pa.array(benchmarks, pa.string()))
            table = table.filter(mine)
        yield from table.to_pylist()

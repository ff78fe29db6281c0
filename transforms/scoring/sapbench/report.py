"""The scores of ``sapbench`` items, as plain data and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ontology.times import round_half_up
from transforms.scoring.report import MISSING, SCORED, UNPARSED
from transforms.scoring.sapbench.marks import RANKS, Scored
from transforms.scoring.sapbench.surgeons import Against
from transforms.scoring.sapbench.tables import MEASURES, TITLES, Share

Table = list[list[object]]
_INTERVAL_DECIMALS = 4
_MILLION = 10**6


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of the items of one template, or of one of its datasets.

    Attributes:
        eligible: number of items with a following action; only these count in relaxed measures.
        videos_left_out: number of videos without such an item.
        baselines: scores of the baselines by name, without intervals.
    """

    name: str
    items: int
    videos: int
    eligible: int
    videos_left_out: int
    shares: tuple[Share, ...]
    baselines: dict[str, tuple[Share, ...]]


@dataclass(frozen=True, slots=True)
class SapbenchReport:
    """The scores of all items of the benchmark.

    Attributes:
        groups: for each template all items, then each dataset if there are several.
        items: by item id.
        surgeons: scores against the surgeons; empty if no sheet was given.
        unanswered: number of items that at least one surgeon did not answer.
        replicates, seed: of the bootstrap.
    """

    groups: tuple[Group, ...]
    items: tuple[Scored, ...]
    surgeons: tuple[Against, ...]
    unanswered: int
    replicates: int
    seed: str

    def counts(self) -> dict[str, int]:
        """Return the numbers of items (= scored + unparsed + missing) and of bad labels."""
        status = Counter(one.status for one in self.items)
        return {
            "items": len(self.items),
            **{name: status[name] for name in (SCORED, UNPARSED, MISSING)},
            "with_unknown_labels": sum(bool(one.ranked.unknown) for one in self.items),
            "unknown_labels": sum(len(one.ranked.unknown) for one in self.items),
            "duplicate_labels": sum(one.ranked.duplicates for one in self.items),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON."""
        return {
            "counts": self.counts(),
            "groups": [_plain_group(group) for group in self.groups],
            "surgeons": [_plain_against(one) for one in self.surgeons],
            "items_without_every_surgeon": self.unanswered,
            "items": [_plain_item(one) for one in self.items],
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
        }

    def tables(self) -> list[Table]:
        """Return tables to print, header first: one for each group, one for the surgeons."""
        out = [_table(group) for group in self.groups]
        if self.surgeons:
            head: list[object] = ["who", "against", "items", *(f"top-{k}" for k in RANKS)]
            out.append([head, *(_against_row(one) for one in self.surgeons)])
        return out


def _table(group: Group) -> Table:
    head: list[object] = [
        group.name, *(f"{TITLES[m]} top-{k}" for m in MEASURES for k in RANKS),
    ]  # fmt: skip
    rows: Table = [["model", *_percents(group.shares)]]
    rows.append(["95% interval", *(_interval(share) for share in group.shares)])
    rows.append(["N", *(share.of for share in group.shares)])
    rows += [[name, *_percents(shares)] for name, shares in group.baselines.items()]
    return [head, *rows]


def _percents(shares: Sequence[Share]) -> list[object]:
    return ["-" if share.percent is None else str(share.percent) for share in shares]


def _interval(share: Share) -> str:
    if share.interval is None:
        return "-"
    low, high = share.interval
    return f"{low * 100:.2f} to {high * 100:.2f}"


def _against_row(one: Against) -> list[object]:
    cells = _percents(one.shares)
    return [one.who, one.reference, one.shares[0].of, *cells, *["-"] * (len(RANKS) - len(cells))]


def _plain_group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "items": group.items,
        "videos": group.videos,
        "eligible": group.eligible,
        "videos_left_out": group.videos_left_out,
        "shares": [_plain(share) for share in group.shares],
        "baselines": {n: [_plain(one) for one in s] for n, s in group.baselines.items()},
    }


def _plain(share: Share) -> dict[str, Any]:
    low_high = share.interval
    return {
        "measure": share.measure,
        "k": share.k,
        "hits": _number(share),
        "of": share.of,
        "percent": None if share.percent is None else float(share.percent),
        "interval": None if low_high is None else [round(v, _INTERVAL_DECIMALS) for v in low_high],
    }


def _number(share: Share) -> int | float:
    """Return hits: whole numbers if they are counts, else sums of shares with six decimals."""
    if share.hits.denominator == 1:
        return share.hits.numerator
    return round_half_up(share.hits * _MILLION) / _MILLION


def _plain_against(one: Against) -> dict[str, Any]:
    return {
        "who": one.who,
        "reference": one.reference,
        "shares": [_plain(share) for share in one.shares],
    }


def _plain_item(one: Scored) -> dict[str, Any]:
    relaxed = one.mark.relaxed
    return {
        "item_id": one.item.item_id,
        "video": one.item.video,
        "status": one.status,
        "form": one.ranked.form,
        "ranked": list(one.ranked.entries),
        "unknown": list(one.ranked.unknown),
        "strict": [bool(hit) for hit in one.mark.strict],
        "relaxed": None if relaxed is None else [bool(hit) for hit in relaxed],
    }

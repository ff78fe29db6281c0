"""Guess each template of a dataset; for chains, each stage in each setting.

A setting determines which texts a model gets besides the question (``docs/surgcot.md``): ``BL``
none, ``KE`` knowledge and context, ``FC`` clues as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.units import CHAIN
from surgqa.transforms.blind.guess import Guess, Interval, guess
from surgqa.transforms.blind.items import Ask, Row, asks_of, in_order, is_ranked
from surgqa.transforms.blind.shelves import Shelves
from surgqa.transforms.inference.chains import (
    ChainSetting,
    EarlierAnswers,
    Setting,
    asked_order,
    reference_texts,
)

HEADER = ("template", "items", "chance", "majority", "blind", "95% interval", "by", "beyond chance",
          "by the options alone")  # fmt: skip
_DECIMALS = 4
MOST = 5
"""Maximum number of templates without a warning that are printed."""


@dataclass(frozen=True, slots=True)
class Blind:
    """The result of guessing one template, or one stage of a template's chains in one setting.

    Attributes:
        template: id of the template.
        stage: name of the stage, "" if the template has no chains.
        setting: for chains ``BL``, ``KE`` or ``FC`` (which texts a model also gets), else "".
        left_out: number of the template's items that were not guessed because it has too many.
    """

    template: str
    stage: str
    setting: str
    guess: Guess
    left_out: int = 0

    @property
    def name(self) -> str:
        """The template, the stage, and the setting in brackets."""
        staged = f"{self.template}/{self.stage}" if self.stage else self.template
        return f"{staged} ({self.setting})" if self.setting else staged

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data for JSON, with shares of four decimals."""
        one = self.guess
        return {
            "template": self.template, "stage": self.stage or None, "setting": self.setting or None,
            "items": one.items, "surgeries": one.surgeries, "left_out": self.left_out,
            "judged": one.judged,
            "chance": _rounded(one.chance), "majority": _rounded(one.majority),
            "best": _rounded(one.best), "rule": one.rule or None, "interval": _both(one.interval),
            "structural": _rounded(one.structural), "structural_rule": one.structural_rule or None,
            "structural_interval": _both(one.structural_interval),
            "structural_excess": _rounded(one.excess), "structural_sure": one.sure,
            "rules": {name: _rounded(share) for name, share in one.rules},
        }  # fmt: skip

    def line(self) -> str:
        """Return the finding in one line."""
        one = self.guess
        chance = None if one.excess is None else (one.structural or 0.0) - one.excess
        return (f"{self.name}: {_percent(one.structural)} % by {one.structural_rule}, "
                f"chance {_percent(chance)} %")  # fmt: skip

    def row(self) -> list[str]:
        """Return cells of one row under :data:`HEADER`; shares are in percent."""
        one = self.guess
        ends = one.interval
        return [
            self.name, str(one.items), *map(_percent, (one.chance, one.majority, one.best)),
            f"{_percent(ends[0])} to {_percent(ends[1])}" if ends else "-", one.rule or "-",
            "-" if one.excess is None else f"{100 * one.excess:+.1f}{'!' if one.sure else ''}",
            one.structural_rule or "-",
        ]  # fmt: skip


def table_of(found: Iterable[Blind]) -> list[list[str]]:
    """Return the rows for printing, with the header first."""
    return [list(HEADER), *(one.row() for one in found)]


def outstanding(found: Sequence[Blind]) -> list[Blind]:
    """Return the results that ``surgqa check`` prints, in the given order.

    These are the results that it warns about, and the :data:`MOST` others furthest above chance
    among those with enough items.
    """
    judged = [k for k, one in enumerate(found) if one.guess.judged]
    ordered = sorted(judged, key=lambda k: (-_beyond(found[k].guess), k))
    shown = {*ordered[:MOST], *(k for k, one in enumerate(found) if one.guess.sure)}
    return [found[k] for k in sorted(shown)]


def _beyond(one: Guess) -> float:
    return (one.best or 0.0) - (one.chance or 0.0)


def guesses(shelves: Shelves) -> Iterator[Blind]:
    """Yield the results of guessing every template, sorted by template id."""
    for name, some, recordings in shelves.templates():
        yield from guess_template(name, recordings, shelves.rows[name] - some)


def guess_template(
    name: str, recordings: Iterable[Sequence[Row]], left_out: int = 0
) -> Iterator[Blind]:
    """Yield the result of guessing a template; for chains, one for each stage and setting.

    Args:
        recordings: the template's rows in batches of whole videos. Each batch is converted to
            questions at once, because these need far less memory.
    """
    asks: list[Ask] = []
    chained: list[Row] = []
    ranked = False
    for rows in recordings:
        plain = [row for row in rows if not (row["unit"] == CHAIN and row["chain_id"])]
        chained += [row for row in rows if row["unit"] == CHAIN and row["chain_id"]]
        asks += asks_of(plain)
        ranked = ranked or any(map(is_ranked, plain[:1]))
    if asks:
        asks.sort(key=in_order)
        yield Blind(name, "", "", guess(asks, ranked), left_out)
    if chained:
        yield from _chains(name, chained, left_out)


def _chains(name: str, rows: Sequence[Row], left_out: int) -> Iterator[Blind]:
    chains: dict[str, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        chains[row["chain_id"]][row["stage"] or 0] = row
    whole = [tuple(one[k] for k in range(len(one))) for one in chains.values()
             if sorted(one) == list(range(len(one)))]  # fmt: skip
    for stage in sorted({row["stage"] or 0 for row in rows}):
        mine = [chain for chain in whole if stage < len(chain)]
        if not mine:
            continue
        some = [{**chain[stage], "block": _block(chain)} for chain in mine]
        earlier = {chain[stage]["item_id"]: _earlier(chain, stage) for chain in mine}
        task = str(some[0]["task"]).rpartition("/")[2]
        for setting in Setting:
            shown = {chain[stage]["item_id"]: _shown_text(chain, stage, setting) for chain in mine}
            if setting != Setting.BL and not any(shown.values()):
                continue
            found = guess(asks_of(some, shown, earlier), is_ranked(some[0]))
            yield Blind(name, task, str(setting), found, left_out)


def _block(chain: Sequence[Row]) -> str | None:
    """Return a chain's block id: that of the one stage in a block; it is used for all stages."""
    return next((row["block"] for row in chain if row["block"]), None)


def _earlier(chain: Sequence[Row], stage: int) -> str:
    """Return the questions of a chain that are asked before a stage."""
    order = asked_order(chain)
    return " ".join(chain[k]["question"] for k in order[: order.index(stage)])


def _shown_text(chain: Sequence[Row], stage: int, setting: Setting) -> str:
    """Return all texts that a setting adds to the question of a stage."""
    telling = ChainSetting(setting, None if setting == Setting.BL else EarlierAnswers.GOLD)
    texts = reference_texts(tuple(chain), stage, telling)
    return " ".join(text for text in texts.values() if text)


def marks_of(found: Iterable[Blind]) -> dict[str, tuple[str, ...]]:
    """Return, for each item id, the names of the rules that answer it; for chains, "SETTING:
    rule".
    """
    out: dict[str, list[str]] = defaultdict(list)
    for one in found:
        for item_id, rules in one.guess.marks.items():
            out[item_id] += [f"{one.setting}: {r}" if one.setting else r for r in rules]
    return {item_id: tuple(rules) for item_id, rules in sorted(out.items())}


def summed(found: Sequence[Blind]) -> Mapping[str, float | None]:
    """Return the means of ``chance``, ``majority`` and ``best`` over all items (chains: ``BL``)."""
    mine = [one.guess for one in found if one.setting in ("", Setting.BL)]
    return {
        name: _rounded(_mean([(one.items, getattr(one, name)) for one in mine]))
        for name in ("chance", "majority", "best")
    }


def _mean(parts: Sequence[tuple[int, float | None]]) -> float | None:
    known = [(n, value) for n, value in parts if value is not None]
    total = sum(n for n, _ in known)
    return sum(n * value for n, value in known) / total if total else None


def _both(ends: Interval) -> list[float | None] | None:
    return [_rounded(one) for one in ends] if ends else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"

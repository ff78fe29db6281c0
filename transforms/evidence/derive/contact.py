"""Detect contacts of a tool and a tissue, onsets of actions, and the tissue a tool works on.

Images have no depth, so boxes that touch are only candidates for contact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surgqa.ontology.boxes import area
from surgqa.transforms.evidence.derive.pairs import Pair
from surgqa.transforms.evidence.derive.rows import Happening, box_of
from surgqa.transforms.evidence.derive.settings import ContactLimits, DeriveSettings

UNITS = "units"
SPEED = "units/s"


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact of a tool with a tissue.

    Attributes:
        first, last: first and last index, during the contact, into the times of the pair.
        end_us: time at which the two were seen apart, or one period after the last touch.
        approached: True if the two were seen apart before, without a long gap since then.
    """

    first: int
    last: int
    end_us: int
    approached: bool


def contacts(pair: Pair, limits: ContactLimits) -> list[Contact]:
    """Return the contacts of a tool and a tissue.

    A contact begins at a distance of at most ``limits.touch``. It ends when the two are farther
    apart than ``limits.part`` for more than ``limits.bridge_us``, or at a long gap between samples.
    """
    found: list[Contact] = []
    gap, run, time = pair.gap.tolist(), pair.run.tolist(), pair.time_us.tolist()
    first = last = -1
    for at, away in enumerate(gap):
        if first >= 0 and (run[at] != run[last] or away > limits.part):
            apart = time[at] if run[at] == run[last] else time[last] + pair.period_us
            found.append(Contact(first, last, apart, _approached(pair, first, limits)))
            first = -1
        if first < 0 and away <= limits.touch:
            bridged = bool(found) and run[found[-1].last] == run[at]
            if bridged and time[at] - found[-1].end_us <= limits.bridge_us:
                first = found.pop().first
            else:
                first = at
        if first >= 0:
            last = at
    if first >= 0:
        end = time[last] + pair.period_us
        found.append(Contact(first, last, end, _approached(pair, first, limits)))
    return found


def _approached(pair: Pair, first: int, limits: ContactLimits) -> bool:
    """Return whether the two are more than ``limits.part`` apart earlier in the same run."""
    start = int(np.searchsorted(pair.run, pair.run[first], "left"))
    return bool((pair.gap[start:first] > limits.part).any())


def contact_rows(
    pair: Pair, found: Sequence[Contact], limits: ContactLimits
) -> Iterator[Happening]:
    """Yield ``contact`` rows; the value is the smallest distance during the contact."""
    for contact in found:
        least = float(pair.gap[contact.first : contact.last + 1].min())
        row = pair.happening(
            "contact", "derive.contact", contact.first, contact.end_us, least, UNITS
        )
        yield replace(row, resolution_us=slack(pair, contact, limits))


def slack(pair: Pair, contact: Contact, limits: ContactLimits) -> int | None:
    """Largest possible error of a contact's stated start and end, microseconds.

    The contact really began between the last sample before it at which the two are clearly apart
    and the first at which they clearly overlap; its end is bounded in the same way. None if the two
    were not seen apart before or after the contact, or never overlap.
    """
    time, first, last = pair.time_us, contact.first, contact.last
    before = np.flatnonzero(pair.gap[:first] > limits.part)
    after = np.flatnonzero(pair.gap[last + 1 :] > limits.part)
    inside = slice(first, last + 1)
    over = np.flatnonzero((pair.gap[inside] <= 0) & (pair.depth[inside] >= limits.part))
    if not (len(before) and len(after) and len(over)):
        return None
    apart = time[first] - time[before[-1]], time[last + 1 + after[0]] - contact.end_us
    touching = time[first + over[0]] - time[first], contact.end_us - time[first + over[-1]]
    return int(max(*apart, *touching))


def onsets(pair: Pair, found: Sequence[Contact], settings: DeriveSettings) -> Iterator[Happening]:
    """Yield ``onset``: a tool begins to work on a tissue.

    It does so if it touches the tissue after both were apart, or slows down within ``reach``. The
    value is the greatest speed in the ``brake_us`` before. Candidates within ``onset_us`` after an
    onset are left out.
    """
    limits = settings.contact
    touch = {contact.first for contact in found if contact.approached}
    brake = set(_brakings(pair, settings))
    last = None
    for at in sorted(touch | brake):
        now = int(pair.time_us[at])
        if last is not None and now - last <= limits.onset_us:
            continue
        source = "derive.onset.touch" if at in touch else "derive.onset.deceleration"
        value = _greatest(pair, at, limits.brake_us)
        yield pair.happening("onset", source, at, now, value, SPEED)
        last = now


def _greatest(pair: Pair, at: int, span_us: int) -> float | None:
    start = int(np.searchsorted(pair.time_us, pair.time_us[at] - span_us, "left"))
    before = pair.speed[start : at + 1][pair.run[start : at + 1] == pair.run[at]]
    known = before[~np.isnan(before)]
    return float(known.max()) if len(known) else None


def _brakings(pair: Pair, settings: DeriveSettings) -> Iterator[int]:
    limits, slow = settings.contact, settings.motion.slow
    near = (pair.speed < slow) & (pair.gap <= limits.reach)
    fresh = np.concatenate([[True], (pair.speed[:-1] >= slow) | (np.diff(pair.run) != 0)])
    for at in np.flatnonzero(near & fresh).tolist():
        greatest = _greatest(pair, at, limits.brake_us)
        if greatest is not None and greatest >= limits.brake_from:
            yield at


def switches(
    pairs: Sequence[Pair], found: Sequence[Sequence[Contact]], limits: ContactLimits
) -> Iterator[Happening]:
    """Yield ``contact_switch``: the work of one tool moves from one tissue to another.

    Args:
        pairs: pairs of one tool with all its tissues.
        found: the contacts of each pair.
    """
    regions = _regions(pairs, found, limits)
    for (old, _, until), (new, since, _) in zip(regions[:-1], regions[1:], strict=True):
        if old != new and since - until <= limits.switch_us:
            pair = pairs[new]
            at = int(np.searchsorted(pair.time_us, since))
            yield Happening(
                since, since, "contact_switch", pair.tissue.label, "derive.contact_switch",
                pair.resolution(at), pair.tool.number, pair.tissue.number, box_of(pair.box[at]),
                (since - until) / 1e6, "s",
            )  # fmt: skip


def _regions(
    pairs: Sequence[Pair], found: Sequence[Sequence[Contact]], limits: ContactLimits
) -> list[tuple[int, int, int]]:
    """Return (pair, first time, last time) of each period in which the tool works on one tissue.

    If a tool touches several tissues, it works on the smallest one (by the median area of its
    boxes, then by number), because that is the most specific.
    """
    sizes = [(float(np.median(area(p.tissue.box))), p.tissue.number) for p in pairs]
    rank = sorted(range(len(pairs)), key=lambda which: sizes[which])
    touched: dict[int, int] = {}
    for which in reversed(rank):
        for contact in found[which]:
            span = pairs[which].time_us[contact.first : contact.last + 1].tolist()
            touched.update(dict.fromkeys(span, which))
    spans: list[list[int]] = []
    for now in sorted(touched):
        if spans and spans[-1][0] == touched[now]:
            spans[-1][2] = now
        else:
            spans.append([touched[now], now, now])
    period = pairs[0].period_us if pairs else 0
    held = [s for s in spans if s[2] - s[1] + period >= limits.settle_us]
    merged: list[tuple[int, int, int]] = []
    for which, since, until in held:
        if merged and merged[-1][0] == which:
            since = merged.pop()[1]
        merged.append((which, since, until))
    return merged

"""The cost of continuing a track with a box, and the cheapest matching of tracks and boxes."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.evidence.link.appearance import distance
from surgqa.transforms.evidence.link.settings import LinkSettings
from surgqa.transforms.evidence.link.tracks import SECOND_US, LinkBoxes, LinkedTracks

DECIMALS = 6
"""Costs are rounded, so that ties are ties on every machine."""

LEAST_AREA = 1e-8
"""Area in squared diagonals below which all boxes count as equally small."""


def overlap(
    centre_a: np.ndarray, size_a: np.ndarray, centre_b: np.ndarray, size_b: np.ndarray
) -> np.ndarray:
    """IoU of each of (K,) boxes with each of (N,), given as centres and sizes."""
    half_a, half_b = size_a[:, None] / 2, size_b[None] / 2
    away = np.abs(centre_a[:, None] - centre_b[None])
    # Overlap along an axis: the sum of the half sizes minus the distance of the centres, at
    # most the smaller size.
    side = np.minimum(half_a + half_b - away, 2 * np.minimum(half_a, half_b)).clip(min=0.0)
    inner = side[..., 0] * side[..., 1]
    whole = size_a.prod(axis=1)[:, None] + size_b.prod(axis=1)[None] - inner
    return inner / np.where(whole > 0, whole, 1.0)


def costs(
    tracks: LinkedTracks, rows: np.ndarray, found: LinkBoxes, of: np.ndarray, now_us: int,
    settings: LinkSettings, limit: float,
) -> np.ndarray:  # fmt: skip
    """Return costs of continuing the tracks ``rows`` with the boxes ``of``.

    The density of positions is Student's t with two degrees of freedom in the plane.  Its heavy
    tails match real motion: most steps are short, few are long.  Its spread grows with the time
    since a track's last box, so a track that was just seen there beats one that may have come back.
    At many frames per second the position decides, at few the class.

    Returns:
        float64 (len(rows), len(of)); ``limit`` for pairs that cost as much or more.
    """
    s = settings
    passed = ((now_us - tracks.seen_us[rows]) / SECOND_US)[:, None]
    delta = tracks.expected(now_us)[rows][:, None] - found.centre[of][None]
    away = delta[..., 0] * delta[..., 0] + delta[..., 1] * delta[..., 1]
    area_a = np.maximum(tracks.size[rows].prod(axis=1), LEAST_AREA)[:, None]
    area_b = np.maximum(found.size[of].prod(axis=1), LEAST_AREA)[None]
    still = s.rest + s.rest_share * np.sqrt(area_a)
    spread = still + s.drift * np.minimum(passed, s.drift_us / SECOND_US)
    twice = 2 * spread * spread
    cost = np.log(np.pi * twice) + 2 * np.log(1 + away / twice)
    cost += s.size_weight * np.abs(np.log(area_a / area_b))
    cost -= np.log(tracks.chance(rows, found.label[of]))
    other = tracks.label[rows][:, None] != found.label[of][None]
    cost += s.switch_weight * passed * other
    cost += s.age_weight * passed * (tracks.missed[rows] > 1)[:, None]
    if tracks.looks is not None and found.looks is not None:
        cost += s.looks_weight * (_unlike(tracks.looks[rows], found.looks[of], s) - s.looks_neutral)
    banned = tracks.kind[rows][:, None] != found.kind[of][None]
    return np.where(banned, limit, np.minimum(np.round(cost, DECIMALS), limit))


def _unlike(a: np.ndarray, b: np.ndarray, settings: LinkSettings) -> np.ndarray:
    apart = distance(a, b)
    return np.where(np.isnan(apart), settings.looks_neutral, apart)


def cheapest(cost: np.ndarray, limit: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the matching with the lowest total cost, without pairs at ``limit``."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    real = cost[rows, columns] < limit
    return rows[real], columns[real]

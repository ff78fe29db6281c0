"""Tracks that can still be continued: position, motion and appearance of each.

Lengths are in diagonals of the frame, so a step to the right counts as much as a step down.
"""

from __future__ import annotations

import numpy as np

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.link.appearance import distance
from surgqa.transforms.evidence.link.settings import LinkSettings

LOOKS_MEMORY = 4
"""A track's appearance is a running mean in which the newest box has weight 1 / LOOKS_MEMORY."""


class LinkedTracks:
    """K tracks in the order in which they were opened; columns of one table.

    Attributes:
        number: int64 (K,), from 0 in order of opening.
        kind: int64 (K,).
        label: int64 (K,), class with the largest sum of scores.
        centre: float64 (K, 2), smoothed.
        size: float64 (K, 2), width and height, smoothed.
        speed: float64 (K, 2), per second.
        scores: float64 (K, classes), sums.
        boxes: int64 (K,).
        missed: int64 (K,), sampled instants since the last box, including the present one.
        seen_us: int64 (K,), time of the last box.
        looks: int64 (K, D), or None without descriptors.
    """

    def __init__(self, labels: int, looks: int | None, settings: LinkSettings) -> None:
        self._settings = settings
        self.opened = 0
        self.number = np.empty(0, np.int64)
        self.kind = np.empty(0, np.int64)
        self.label = np.empty(0, np.int64)
        self.scores = np.empty((0, labels))
        self.centre = np.empty((0, 2))
        self.size = np.empty((0, 2))
        self.speed = np.empty((0, 2))
        self.seen_us = np.empty(0, np.int64)
        self.boxes = np.empty(0, np.int64)
        self.missed = np.empty(0, np.int64)
        self.looks = None if looks is None else np.empty((0, looks), np.int64)

    def __len__(self) -> int:
        return len(self.number)

    def pass_by(self, now_us: int) -> None:
        """Begin a sampled instant: close tracks that were not seen for too long."""
        s = self._settings
        self.missed += 1
        keep = self.seen_us >= now_us - s.reidentify_us
        keep &= (self.boxes > 1) | (self.missed <= s.tentative_instants)
        if not keep.all():
            for name in self._columns():
                setattr(self, name, getattr(self, name)[keep])

    def expected(self, now_us: int) -> np.ndarray:
        """(K, 2) predicted centres at a time; the speed fades, so the distance is bounded."""
        fade = self._settings.speed_fade_s
        passed = (now_us - self.seen_us) / SECOND_US
        return self.centre + self.speed * (passed * fade / (passed + fade))[:, None]

    def chance(self, rows: np.ndarray, label: np.ndarray) -> np.ndarray:
        """(len(rows), len(label)): probability that a track's next box has the class.

        The probability is the share of the class in the scores so far, with ``class_prior`` boxes
        of any class added, because one box proves little. It is never 0: detectors make errors.
        """
        s = self._settings
        total = self.scores[rows].sum(axis=1, keepdims=True)
        of_class = self.scores[rows][:, label] + s.class_prior * s.class_chance
        return s.class_error + (1 - s.class_error) * of_class / (total + s.class_prior)

    def take(self, rows: np.ndarray, now_us: int, found: LinkBoxes, of: np.ndarray) -> None:
        """Continue the tracks ``rows`` with the boxes at indices ``of`` in ``found``."""
        s = self._settings
        passed = ((now_us - self.seen_us[rows]) / SECOND_US)[:, None]
        ahead = self.expected(now_us)[rows]
        share = passed / (passed + s.speed_learn_s)
        weight = np.maximum(s.place_learn, share)
        off = found.centre[of] - ahead
        faded = self.speed[rows] * (s.speed_fade_s / (passed + s.speed_fade_s))
        self.speed[rows] = faded + off * share / passed
        self.centre[rows] = ahead + off * weight
        self.size[rows] += (found.size[of] - self.size[rows]) * weight
        self.seen_us[rows] = now_us
        self.boxes[rows] += 1
        self.missed[rows] = 0
        self.scores[rows, found.label[of]] += found.score[of]
        self.label[rows] = self.scores[rows].argmax(axis=1)
        if self.looks is not None and found.looks is not None:
            mean = self.looks[rows] * (LOOKS_MEMORY - 1) + found.looks[of] + LOOKS_MEMORY // 2
            known = self.looks[rows].any(axis=1, keepdims=True)
            seen = found.looks[of].any(axis=1, keepdims=True)
            fresh = np.where(known, mean // LOOKS_MEMORY, found.looks[of])
            self.looks[rows] = np.where(seen, fresh, self.looks[rows])

    def open(self, now_us: int, found: LinkBoxes, of: np.ndarray) -> np.ndarray:
        """Open tracks for the boxes at indices ``of`` in ``found``; return the tracks' numbers."""
        fresh = np.arange(self.opened, self.opened + len(of))
        self.opened += len(of)
        scores = np.zeros((len(of), self.scores.shape[1]))
        scores[np.arange(len(of)), found.label[of]] = found.score[of]
        news: dict[str, np.ndarray] = {
            "number": fresh, "kind": found.kind[of], "label": found.label[of], "scores": scores,
            "centre": found.centre[of], "size": found.size[of],
            "speed": np.zeros((len(of), 2)), "seen_us": np.full(len(of), now_us),
            "boxes": np.ones(len(of), np.int64), "missed": np.zeros(len(of), np.int64),
        }  # fmt: skip
        if self.looks is not None and found.looks is not None:
            news["looks"] = found.looks[of]
        for name in self._columns():
            setattr(self, name, np.concatenate([getattr(self, name), news[name]]))
        return fresh

    def _columns(self) -> tuple[str, ...]:
        plain = (
            "number",
            "kind",
            "label",
            "scores",
            "centre",
            "size",
            "speed",
            "seen_us",
            "boxes",
            "missed",
        )
        return plain if self.looks is None else (*plain, "looks")


class LinkBoxes:
    """N boxes prepared for the linker: lengths in diagonals, in a fixed order.

    Rows are sorted by (sample, score from high to low, box, kind, label, sure, looks), so the
    caller's order has no effect.

    Attributes:
        order: int64 (N,), for each row, its index in the caller's arrays.
    """

    def __init__(
        self, sample: np.ndarray, label: np.ndarray, kind: np.ndarray, box_xyxy: np.ndarray,
        score: np.ndarray, looks: np.ndarray | None, aspect: float, sure: np.ndarray,
    ) -> None:  # fmt: skip
        keys = [sure, label, kind, *box_xyxy.T[::-1], -score, sample]
        if looks is not None:
            keys = [*looks.T[::-1], *keys]
        self.order = order = np.lexsort(keys)
        diagonal = float(np.sqrt(aspect * aspect + 1.0))
        unit = np.array([aspect / diagonal, 1.0 / diagonal])
        self.box = box = box_xyxy[order]
        self.sample, self.label, self.kind = sample[order], label[order], kind[order]
        self.score, self.sure = score[order], sure[order]
        self.centre = (box[:, :2] + box[:, 2:]) / 2 * unit
        self.size = (box[:, 2:] - box[:, :2]) * unit
        self.looks = None if looks is None else looks[order].astype(np.int64)


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
    """Return costs of continuing the tracks ``rows`` with the boxes at indices ``of``.

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
    """Return rows and columns of the matching with the lowest cost, without pairs at ``limit``."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    real = cost[rows, columns] < limit
    return rows[real], columns[real]

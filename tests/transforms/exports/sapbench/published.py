"""Tables of clips with SAP-Bench's published counts, sums and standard deviations.

The authors' table is not public.  What is printed of it is met by whole durations, which are
made here: exact numbers and sums, and sums of squares that round to the printed deviations
of each source and of both together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from statistics import NormalDist

import numpy as np

Row = tuple[str, int, int, str]
"""(video, first frame, last frame, action)."""
Clips = list[tuple[str, int]]
"""(action, seconds) of one video."""

CLASSES = {
    "cholect50": {
        "Aspiration": (39, 1404, 138908),
        "Coagulation": (89, 3615, 532055),
        "Dissection": (298, 53565, 19883901),
        "Tissue Retraction": (232, 5221, 223245),
        "Vessel Clipping": (71, 3148, 231132),
    },
    "heichole": {
        "Aspiration": (19, 704, 33722),
        "Coagulation": (21, 335, 10139),
        "Dissection": (299, 13491, 1142201),
        "Tissue Retraction": (89, 1407, 40013),
        "Vessel Clipping": (69, 1285, 36995),
    },
}
"""(clips, seconds, sum of squares) of each action."""

CONTEXTS = {
    "cholect50": (50, 66953, 105369105, 105369400),
    "heichole": (24, 17222, 14898137, 14898270),
}
"""(videos, seconds, least and greatest sum of squares)."""


def durations(n: int, total: int, least: int, most: int) -> list[int]:
    """n whole numbers from 1 with that sum, and a sum of squares from least to most.

    They begin as quantiles of a lognormal distribution, which is skewed as durations are;
    single seconds then move from one number to another until sum and squares are met.
    """
    mean = total / n
    sigma = math.sqrt(math.log((least + most) / 2 / n / mean**2))
    middle = math.log(mean) - sigma**2 / 2
    places = [NormalDist().inv_cdf((k + 0.5) / n) for k in range(n)]
    out = [max(1, round(math.exp(middle + sigma * place))) for place in places]
    for at in count():
        lacks = total - sum(out)
        if not lacks:
            break
        out[at % n] = max(1, out[at % n] + (1 if lacks > 0 else -1))
    while gap := _gap(out, least, most):
        _move_second(out, gap)
    return sorted(out)


def _gap(numbers: Iterable[int], least: int, most: int) -> int:
    """What the sum of squares lacks of the middle of its bounds; 0 between them."""
    squares = sum(one * one for one in numbers)
    return 0 if least <= squares <= most else (least + most) // 2 - squares


def _move_second(out: list[int], gap: int) -> None:
    """Move one second between the two numbers where that comes nearest to the wanted squares.

    From a to b, a and b become a - 1 and b + 1: the squares change by 2 (b - a) + 2.
    """
    given = np.array(out)
    left = np.abs(gap - (2 * (given[None, :] - given[:, None]) + 2))
    not_allowed = (given < 2)[:, None] | np.eye(len(out), dtype=bool)
    left = np.where(not_allowed, np.iinfo(left.dtype).max, left)
    a, b = np.unravel_index(np.argmin(left), left.shape)
    assert left[a, b] < abs(gap), "these sums cannot be met"
    out[a] -= 1
    out[b] += 1


@cache
def rows(source: str) -> tuple[Row, ...]:
    """The clips of one source; those of a video follow one another without a hole."""
    videos = _shared_out(source)
    out: list[Row] = []
    for number, clips in enumerate(videos):
        frame = 60 + number
        for action, seconds in _arranged(clips):
            out.append((f"{source[:3].upper()}{number:02d}", frame, frame + seconds - 1, action))
            frame += seconds
    return tuple(out)


def _shared_out(source: str) -> list[Clips]:
    """Clips over videos: the longest to the video that lacks most, then swapped to fit."""
    number, total, least, most = CONTEXTS[source]
    lacks = durations(number, total, least, most)
    videos: list[Clips] = [[] for _ in range(number)]
    classes = {action: durations(n, s, q, q) for action, (n, s, q) in CLASSES[source].items()}
    clips = [(seconds, action) for action, some in classes.items() for seconds in some]
    for seconds, action in sorted(clips, reverse=True):
        at = max(range(number), key=lambda k: lacks[k])
        lacks[at] -= seconds
        videos[at].append((action, seconds))
    while exchange := _less_crowded(videos):
        _exchange(videos, exchange)
    while gap := _gap((sum(s for _, s in clips) for clips in videos), least, most):
        _exchange(videos, _nearer_in_squares(videos, gap))
    return videos


def _exchange(videos: list[Clips], places: tuple[int, int, int, int]) -> None:
    a, i, b, j = places
    videos[a][i], videos[b][j] = videos[b][j], videos[a][i]


def _less_crowded(videos: Sequence[Clips]) -> tuple[int, int, int, int] | None:
    """Of a video with so much of one action that it must follow itself, a clip to give away.

    It goes to a video that can take it, for one of another action that is about as long.
    """
    counts = [Counter(action for action, _ in clips) for clips in videos]
    room = [(len(clips) + 1) // 2 for clips in videos]
    found = (
        (abs(mine - theirs), a, i, b, j)
        for a, given in enumerate(videos)
        for i, (action, mine) in enumerate(given)
        if counts[a][action] > room[a]
        for b, taken in enumerate(videos)
        if counts[b][action] < room[b]
        for j, (other, theirs) in enumerate(taken)
        if action != other
    )
    best = min(found, default=None)
    return best and best[1:]


def _nearer_in_squares(videos: Sequence[Clips], gap: int) -> tuple[int, int, int, int]:
    """The two clips of one action whose exchange brings the sum of squares nearest."""
    sums = [sum(seconds for _, seconds in clips) for clips in videos]
    left, *places = min(
        (abs(gap - 2 * more * (sums[a] - sums[b] + more)), a, i, b, j)
        for a, given in enumerate(videos)
        for i, (action, mine) in enumerate(given)
        for b, taken in enumerate(videos[:a])
        for j, (other, theirs) in enumerate(taken)
        if action == other and (more := theirs - mine)
    )
    assert left < abs(gap), "these contexts cannot be met"
    a, i, b, j = places
    return a, i, b, j


def _arranged(clips: Clips) -> Clips:
    """No action after itself, as far as that is possible."""
    left = {a: [s for b, s in clips if b == a] for a in sorted({a for a, _ in clips})}
    out: Clips = []
    for _ in clips:
        last = out[-1][0] if out else ""
        counts = Counter({a: len(some) for a, some in left.items() if some})
        others = {a: n for a, n in counts.items() if a != last} or counts
        action = max(others, key=lambda a: (others[a], a))
        out.append((action, left[action].pop()))
    return out


def write_csv(path: Path, table: Sequence[Row]) -> Path:
    """A table of clips as the import reads it."""
    lines = ["video,start,end,action", *(",".join(map(str, row)) for row in table)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path

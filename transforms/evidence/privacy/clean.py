"""What every picture goes through before it leaves the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ontology.keys import digest
from transforms.evidence.base import file_digest
from transforms.evidence.privacy.finders import faces, overlays
from transforms.evidence.privacy.hiding import blur, erase
from transforms.evidence.privacy.settings import FindSettings, PrivacySettings
from transforms.evidence.privacy.weights import FACES, TEXT, path

Find = Callable[[np.ndarray, FindSettings], np.ndarray]
Hide = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a picture that was made unreadable.

    Attributes:
        kind: ``text``, ``face`` or ``known`` (handed in by the caller).
        box: corners x1, y1, x2, y2 in pixels, upper ends excluded.
    """

    kind: str
    box: tuple[int, int, int, int]


def require(settings: PrivacySettings) -> None:
    """Makes sure that pictures can be cleaned; called before the first one is exported.

    Raises:
        SourceMissing: a detector's weights are not installed; names the extra.  An export
            that goes on without them would show what it promised to hide, so only
            settings with ``blur`` off (the user's ``--no-blur``) pass without weights.
    """
    if settings.blur and settings.text:
        path(TEXT)
    if settings.blur and settings.faces:
        path(FACES)


def hiding(settings: PrivacySettings) -> str:
    """A digest of how pictures are made clean: the settings, and the weights of both detectors.

    Raises:
        SourceMissing: as :func:`require`.
    """
    return digest("clean", repr(settings), *(file_digest(path(one)) for one in (TEXT, FACES)))


def clean(
    picture: np.ndarray, settings: PrivacySettings, known: np.ndarray | None = None
) -> tuple[np.ndarray, tuple[Region, ...]]:
    """The picture with text erased and faces blurred, and where.

    A detector that found something looks at the result again, at most ``rounds`` times, and
    what it finds there is hidden as well.

    Args:
        picture: uint8 (H, W, 3), RGB; it is not changed.
        known: int (N, 4) boxes in pixels to erase in any case, such as those of
            :func:`~transforms.evidence.privacy.still.static_overlays`.

    Raises:
        SourceMissing: as :func:`require`.
    """
    require(settings)
    if not settings.blur:
        return picture, ()
    find, regions = settings.find, []
    if known is not None and len(known):
        picture = erase(picture, known)
        regions += _regions("known", known)
    if settings.faces:
        picture, found = _hidden(
            picture, "face", faces, lambda p, b: blur(p, b, find.face_cells, find.levels), find
        )
        regions += found
    if settings.text:
        picture, found = _hidden(picture, "text", overlays, erase, find)
        regions += found
    return picture, tuple(regions)


def _hidden(
    picture: np.ndarray, kind: str, find: Find, hide: Hide, settings: FindSettings
) -> tuple[np.ndarray, list[Region]]:
    regions: list[Region] = []
    for _ in range(settings.rounds):
        boxes = find(picture, settings)
        if not len(boxes):
            break
        picture = hide(picture, boxes)
        regions += _regions(kind, boxes)
    return picture, regions


def _regions(kind: str, boxes: np.ndarray) -> list[Region]:
    return [Region(kind, (int(a), int(b), int(c), int(d))) for a, b, c, d in boxes]

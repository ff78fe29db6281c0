"""Hide text and faces in images before they are exported from the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.evidence.base import file_digest
from surgqa.transforms.evidence.privacy.finders import faces, overlays
from surgqa.transforms.evidence.privacy.hiding import blur, erase
from surgqa.transforms.evidence.privacy.settings import FindSettings, PrivacySettings
from surgqa.transforms.evidence.privacy.weights import FACES, TEXT, path

Find = Callable[[np.ndarray, FindSettings], np.ndarray]
Hide = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Region:
    """A region of an image that was made unreadable.

    Attributes:
        kind: ``text``, ``face`` or ``known`` (passed in by the caller).
        box: corners x1, y1, x2, y2 in pixels; x2 and y2 are exclusive.
    """

    kind: str
    box: tuple[int, int, int, int]


def require(settings: PrivacySettings) -> None:
    """Check that images can be cleaned; called before the first one is exported.

    Raises:
        PackageMissing: the weights of a detector are not installed; the message names the extra.
            Without them an export would show what it promises to hide, so they are needed unless
            ``blur`` is off (the user's ``--no-blur``).
    """
    if settings.blur and settings.text:
        path(TEXT)
    if settings.blur and settings.faces:
        path(FACES)


def hiding(settings: PrivacySettings) -> str:
    """A digest of how images are cleaned: the settings, and the weights of both detectors.

    Raises:
        PackageMissing: as :func:`require`.
    """
    return digest("clean", repr(settings), *(file_digest(path(one)) for one in (TEXT, FACES)))


def clean(
    picture: np.ndarray, settings: PrivacySettings, known: np.ndarray | None = None
) -> tuple[np.ndarray, tuple[Region, ...]]:
    """The image with text erased and faces blurred, and the changed regions.

    If a detector found something, it runs on the result again, up to ``rounds`` times in total, and
    what it finds then is hidden too.

    Args:
        picture: uint8 (H, W, 3), RGB; it is not changed.
        known: int (N, 4), boxes in pixels that are erased in any case.

    Raises:
        PackageMissing: as :func:`require`.
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

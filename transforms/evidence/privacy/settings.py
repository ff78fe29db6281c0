"""Settings of the search for what tells who a patient is, and of how it is made unreadable."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StillSettings:
    """Limits for overlays that stand still while the scene moves, at 320 x 180 pixels.

    All are our choice, calibrated on real frames with and without drawn text.

    Attributes:
        samples: least number of trusted pictures; fewer say nothing of what moves.
        spread: grey levels by which a still pixel may vary (compression noise).
        moving: share of the lit pixels that must move, else still says nothing.
        lit: grey level from which a pixel counts as lit.
        edge: grey levels between a stroke and its ground.
        rim: pixels around the edge of the endoscope's dark surround that are left out.
        close: pixels over which the dark surround is closed, so that text in it is no rim.
        reach: pixels across which strokes join to a line of text.
        least: edge pixels of the smallest overlay.
        tallest: pixels of the tallest overlay; a sharp still structure is taller.
        density: least share of edge pixels in an overlay's box.
    """

    samples: int = 4
    spread: int = 24
    moving: float = 0.2
    lit: int = 40
    edge: int = 48
    rim: int = 5
    close: int = 15
    reach: int = 9
    least: int = 12
    tallest: int = 40
    density: float = 0.2


@dataclass(frozen=True, slots=True)
class FindSettings:
    """Where text and faces are found in one picture, and how they are blurred.

    Attributes:
        text_side: pixels of the longer side at which text is looked for; a multiple of 32.
            Letters lower than about 8 pixels at that size are not found.
        text_ink: score in [0, 1] from which a pixel belongs to a line of text; the text
            detector's own value.
        text_score: least mean score of a line of text, in [0, 1].
        text_tallest: thickest core of a line, as a share of the picture's short side; letters
            are about twice as tall.  Without it bag rims and instrument shafts are taken
            for letters, and whole quarters of real frames are lost.
        text_longer: a line is at least this many times as long as its core is thick.
        text_slant: a core whose box is more than so many times as high as the core is thick
            is slanted, and hidden step by step along itself.
        text_grow: the detector marks the core of a line, which is grown on all sides by
            this share of its height.
        face_side: pixels of the longer side at which faces are looked for; multiple of 32.
        face_score: least score of a face, in [0, 1].
        face_overlap: boxes of the same face overlap by more than this (intersection over
            union).
        face_grow: share of a face's box added on all sides; the detector leaves out hair
            and chin.
        face_cells: cells along the short side of a blurred face; few enough that the face
            detector finds none.  Text keeps no pixel of its own at all.
        levels: grey levels that a cell's colour keeps.
        rounds: how often a picture is looked through, each time without what was hidden
            before.
    """

    text_side: int = 960
    text_ink: float = 0.3
    text_score: float = 0.6
    text_tallest: float = 0.1
    text_longer: float = 1.5
    text_slant: float = 1.6
    text_grow: float = 0.6
    face_side: int = 960
    face_score: float = 0.4
    face_overlap: float = 0.3
    face_grow: float = 0.2
    face_cells: int = 4
    levels: int = 16
    rounds: int = 3


@dataclass(frozen=True, slots=True)
class SaidSettings:
    """How what was said is masked, beside the rules.

    Attributes:
        names_model: a folder with a token-classification model in ONNX form, or None.
        score: least probability of a label, 0 to 1.
    """

    names_model: str | None = None
    score: float = 0.5


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """What is done before a picture leaves the store.

    Attributes:
        blur: whether regions are looked for at all; only a person's ``--no-blur`` turns it
            off.
        text: blur overlaid text.
        faces: blur faces.
        find: how they are found and blurred.
    """

    blur: bool = True
    text: bool = True
    faces: bool = True
    find: FindSettings = field(default_factory=FindSettings)

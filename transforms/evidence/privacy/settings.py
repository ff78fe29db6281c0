"""Settings for finding what identifies a patient, and for making it unreadable."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StillSettings:
    """Limits for finding overlays that stand still while the scene moves, at 320 x 180 pixels.

    We chose all of them, calibrated on real frames with and without drawn text.

    Attributes:
        samples: minimum number of trusted frames; with fewer, motion cannot be judged.
        spread: largest change of a still pixel in grey levels (compression noise).
        moving: share of the lit pixels that must move; otherwise stillness proves nothing.
        lit: grey level from which a pixel counts as lit.
        edge: difference in grey levels between a stroke and its background.
        rim: pixels that are ignored around the edge of the endoscope's dark surround.
        close: pixels over which the dark surround is closed, so that text in it does not count as
            edge.
        reach: pixels across which strokes are joined into a line of text.
        least: minimum number of edge pixels of an overlay.
        tallest: maximum height of an overlay in pixels; sharp still structures are taller.
        density: minimum share of edge pixels in an overlay's box.
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
    """How text and faces are found in one image, and how they are blurred.

    Attributes:
        text_side: longer side in pixels of the image used to find text; a multiple of 32.
            Letters lower than about 8 pixels at that size are not found.
        text_ink: score in [0, 1] from which a pixel belongs to a line of text; the text detector's
            own value.
        text_score: minimum mean score of a line of text, in [0, 1].
        text_tallest: maximum thickness of a line's core, as a share of the image's short side;
            letters are about twice as tall.  Without this limit the rims of bags and the shafts of
            instruments are taken for letters, and whole quarters of real frames are erased.
        text_longer: minimum length of a line, as a multiple of the thickness of its core.
        text_slant: a core is slanted if the short side of its box is more than this multiple of its
            thickness; it is then covered by several boxes along it.
        text_grow: the detector marks only the core of a line; it is grown on all sides by this
            share of its thickness.
        face_side: longer side in pixels of the image used to find faces; multiple of 32.
        face_score: minimum score of a face, in [0, 1].
        face_overlap: boxes that overlap more are the same face (intersection over union).
        face_grow: share of a face's box added on all sides; the detector omits hair and chin.
        face_cells: cells along the short side of a blurred face; so few that the face detector does
            not find it again.  (Text is erased instead: none of its pixels remain.)
        levels: grey levels that remain in each colour channel of a cell.
        rounds: maximum number of searches in an image; each runs on the result of the one before.
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
    """How transcripts are masked in addition to the rules.

    Attributes:
        learned: whether the learned model masks words that the rules do not recognise, in English.
        names_model: folder of a token-classification model in ONNX format, or None.
        score: minimum probability of a label of that model, 0 to 1.
        unknown_words: also mask every word that is neither a common English word nor a medical
            term.  Fewer names remain, and more other words are masked.  For English speech only.
    """

    learned: bool = True
    names_model: str | None = None
    score: float = 0.5
    unknown_words: bool = False


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """What is done to an image before it is exported from the store.

    Attributes:
        blur: whether regions are searched for at all; only the user's ``--no-blur`` turns it off.
        text: erase text.
        faces: blur faces.
        find: how they are found and blurred.
    """

    blur: bool = True
    text: bool = True
    faces: bool = True
    find: FindSettings = field(default_factory=FindSettings)

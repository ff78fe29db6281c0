"""The data classes that the packages exchange.

All are frozen dataclasses with slots.  Arrays hold the values of all instants of a video or window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING

from surgqa.ontology.absence import Absence
from surgqa.ontology.moments import Moment
from surgqa.ontology.same import same

if TYPE_CHECKING:
    import numpy as np

UNKNOWN = -1
"""Code of 'not annotated' in every integer column."""


class MediaKind(StrEnum):
    """Form of a video's media on disk."""

    VIDEO = "video"
    FRAMES = "frames"
    IMAGE = "image"
    ABSENT = "absent"


class Clock(StrEnum):
    """The meaning of the times in a video's evidence.

    ``TIME``: seconds of the video.  ``ORDER``: only the order of the frames is known; frame k is
    stored at k seconds, and no duration may be stated.  ``WHOLE``: labels have no time, because
    they apply to a still image or to a whole video.
    """

    TIME = "time"
    ORDER = "order"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Media:
    """A video's media: form, path relative to the dataset's root, size in pixels or None.

    Attributes:
        first: number in the file name of the frame at time 0, for a folder of frames.
        sha256: digest of the content, if it is known; see ``transforms.media.digests``.
    """

    kind: MediaKind
    path: str | None = None
    width: int | None = None
    height: int | None = None
    first: int = 0
    sha256: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Source:
    """One annotation file: path relative to the root (forward slashes) and its SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Video:
    """One video of a dataset, and its properties.

    Attributes:
        fps: exact rate of the annotation's frame numbers (1 for CholecT50).
        period_us: nominal time between two annotated instants.
        duration_us: end of the known part of the video; all instants are before it.
        split_group: patient or surgery; the same for one surgery in several datasets.
        vocabulary: the instruments that were annotated. It is never known whether other instruments
            are absent.
    """

    dataset: str
    video_id: str
    procedure: str
    specialty: str
    fps: Fraction
    period_us: int
    duration_us: int
    media: Media
    split_group: str
    licence: str
    label_source: str
    sources: tuple[Source, ...]
    vocabulary: tuple[str, ...]
    clock: Clock = Clock.TIME

    @property
    def key(self) -> str:
        """The name in messages, keys and evidence: ``dataset/video_id``."""
        return f"{self.dataset}/{self.video_id}"


Pair = tuple[str, str]
"""(verb id, target id); ('null_verb', 'null_target') for an instrument that does nothing."""

IDLE: Pair = ("null_verb", "null_target")


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """An additional column of a table of N rows, such as who holds a tool, or its visibility.

    Attributes:
        values: float64 (N,), NaN if not annotated; indices into ``words`` if there are any.
        words: meaning of the values if they are not numbers.
    """

    name: str
    values: np.ndarray
    words: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attribute):
            return NotImplemented
        words = (self.name, self.words) == (other.name, other.words)
        return words and same(self.values, other.values)


@dataclass(frozen=True, slots=True, eq=False)
class InstrumentTable:
    """The instruments of one video by time, with box, verb and target (SurgSTU: event tuples).

    Lesions, anatomical structures and hands are not instruments; they have tables of the same
    form (:attr:`VideoEvidence.regions`).

    The table has T annotated instants and N rows, sorted by (sample, label id, box).  Rows with the
    same instant, instrument and box are one instance with several pairs.  An instant without rows
    shows no instrument, unless ``absence`` restricts this.  An unlisted instant is unknown.

    Attributes:
        instants_us: int64 (T,), strictly ascending.
        frames: int64 (T,), source frame number of each instant.
        sample: int32 (N,), index into the instants.
        label: int16 (N,), index into ``labels``.
        box_xyxy: float64 (N, 4) in [0, 1], NaN where the instance has no box.
        score: float64 (N,), detector score, 1.0 for manual labels.
        pairs: int16 (N,), index into ``pair_sets``, UNKNOWN where not annotated.
        track: int32 (N,), source track id, UNKNOWN where the source has none.
        row: int32 (N,), position of the first source row within its instant.
        labels: instrument concept ids.
        pair_sets: each a sorted, non-empty tuple of (verb, target).
        box_origin: ``manual``, ``detector``, ``mask``, ``interpolated`` or ``none``, for all boxes
            or for each row.
        pointer: pattern for a position in the source, with ``{frame}`` and ``{row}``.
        places: for each (frame, row), path and position in the source, if ``pointer`` cannot state
            them; (frame, 0) stands for an instant without rows.
        attributes: further columns, sorted by name.
        masks: masks of each row, as ``HEIGHTxWIDTH:counts`` with COCO's compressed run lengths, or
            '' if the row has none; empty if no row has one.
        absence: what it means that a class has no row at an instant, if a model searched for it;
            None: the class is absent.
    """

    instants_us: np.ndarray
    frames: np.ndarray
    sample: np.ndarray
    label: np.ndarray
    box_xyxy: np.ndarray
    score: np.ndarray
    pairs: np.ndarray
    track: np.ndarray
    row: np.ndarray
    labels: tuple[str, ...]
    pair_sets: tuple[tuple[Pair, ...], ...]
    box_origin: str | tuple[str, ...]
    pointer: str
    attributes: tuple[Attribute, ...] = ()
    masks: tuple[str, ...] = ()
    absence: Absence | None = None
    places: Mapping[tuple[int, int], tuple[str, str]] = field(default_factory=dict)

    def origins(self) -> list[str]:
        """Return the origin of each row's box; ``none`` for a row without one."""
        left, given = self.box_xyxy[:, 0].tolist(), self.box_origin
        every = [given] * len(left) if isinstance(given, str) else given
        return ["none" if isnan(x) else one for one, x in zip(every, left, strict=True)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InstrumentTable):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled interval of a ``kind`` such as phase, step or gesture; intervals may overlap.

    Attributes:
        label: concept id of that kind.
        value, rater: a score, and the rater if there are several.
        subject: who acts: an instrument's concept id, or ``left_hand``; '' for the whole scene.
        sampled_us: for a run of labelled instants, the distance between them; otherwise 0.
        origin: the rule that derived the interval from other labels; '' for an annotation.
    """

    kind: str
    label: str
    start_us: int
    end_us: int
    source: str
    pointer: str
    value: float | None = None
    rater: str = ""
    subject: str = ""
    sampled_us: int = 0
    origin: str = ""


@dataclass(frozen=True, slots=True)
class VideoLabel:
    """A label of a whole video or still image: a rating, a finding, a surgeon's level.

    Attributes:
        kind, label: ``rating``, ``finding``, ``experience``; a concept id of that kind.
        value: the score or count; None for a label without one.
        rater: the rater, if there are several.
    """

    kind: str
    label: str
    value: float | None
    rater: str
    source: str
    pointer: str


class Code(StrEnum):
    """The codes for why something was left out; ``rejections.yaml`` explains each."""

    BAD_ROW = "bad_row"
    UNKNOWN_LABEL = "unknown_label"
    DROPPED_LABEL = "dropped_label"
    BAD_BOX = "bad_box"
    BAD_MASK = "bad_mask"
    BAD_TIME = "bad_time"
    BAD_VALUE = "bad_value"
    DUPLICATE_FRAME = "duplicate_frame"
    BAD_FRAME = "bad_frame"
    CONTRADICTION = "contradiction"
    INCOMPLETE_INSTANT = "incomplete_instant"
    UNMEASURED = "unmeasured"
    UNAPPLIED = "unapplied"
    UNLINKED = "unlinked"
    UNSEEN = "unseen"
    NO_EVIDENCE = "no_evidence"
    EXCLUDED = "excluded"
    UNREADABLE = "unreadable"
    NO_CLOCK = "no_clock"
    TOO_SHORT = "too_short"
    LEFT_OVER = "left_over"
    NO_UNIT = "no_unit"
    NO_FILLING = "no_filling"
    GATE = "gate"
    TOO_FEW_OPTIONS = "too_few_options"
    UNPAIRED = "unpaired"
    NO_KNOWLEDGE = "no_knowledge"
    INCOHERENT = "incoherent"
    REVIEWED = "reviewed"
    OVER_SHARE = "over_share"
    ONE_ANSWER = "one_answer"
    NO_PAIR = "no_pair"
    NOT_BLIND = "not_blind"
    OVER_CAP = "over_cap"
    OVER_MIX = "over_mix"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row, window or unit that was left out, with the reason and its position.

    Attributes:
        stage: step of a build: ``plan``, ``observe``, ``read``, ``cut``, ``ask`` or ``choose``.
        key: key of the item, window, template or video that was left out.
        reason: a sentence for people.
        where: file and position, or the condition of a template that is not met.
        count: number of units (rows, microseconds, windows) that this entry stands for.
        outcome: ``rejected``; or ``repaired`` for a unit that was changed and kept.
    """

    stage: str
    key: str
    code: Code
    reason: str
    where: str = ""
    count: int = 1
    outcome: str = "rejected"


@dataclass(frozen=True, slots=True)
class Books:
    """Row counts of one step of a build for one video: read = kept + rejected + failed."""

    stage: str
    unit: str
    read: int
    kept: int
    rejected: int
    failed: int = 0

    @property
    def balanced(self) -> bool:
        return self.read == self.kept + self.rejected + self.failed


@dataclass(frozen=True, slots=True)
class VideoEvidence:
    """All evidence of one video, as returned by a reader or the evidence store.

    Attributes:
        spans: sorted by (kind, start, end, label, subject, rater).
        labels, moments: sorted by (kind, label, rater); by :func:`~ontology.moments.moment_order`.
        regions: for each kind (``finding``, ``landmark``, ``structure``), the table of its
            instances. The table's ``labels`` are all classes that were annotated; such a class is
            absent at instants without a row.
        unseen: (kind of fact, start, end) of gaps, for kinds that are ``noted``: nobody annotated
            the kind there, so that its absence is unknown.
    """

    video: Video
    instruments: InstrumentTable | None
    spans: tuple[Span, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    books: tuple[Books, ...] = ()
    labels: tuple[VideoLabel, ...] = ()
    regions: Mapping[str, InstrumentTable] = field(default_factory=dict)
    moments: tuple[Moment, ...] = ()
    unseen: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a video that a question may use: clip, action clip, query window or round."""

    kind: str
    window_id: str
    start_us: int
    end_us: int

    @property
    def duration_us(self) -> int:
        return self.end_us - self.start_us

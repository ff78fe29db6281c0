"""The data classes that the packages exchange.

Frozen dataclasses with slots and with arrays over instants: one element is a video or a window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ontology.absence import Absence
from ontology.moments import Moment
from ontology.same import same

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
    """Meaning of the times in a video's evidence.

    ``TIME``: seconds of the video.  ``ORDER``: only the order of the frames is known; frame k is
    stored at k seconds, and no duration may be stated.  ``WHOLE``: only the whole, a still image or
    a video that was labelled as a whole.
    """

    TIME = "time"
    ORDER = "order"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Media:
    """Path of the media, relative to the dataset's root; size in pixels or None.

    Attributes:
        first: number in the file name of the frame at time 0, for a folder of frames.
    """

    kind: MediaKind
    path: str | None = None
    width: int | None = None
    height: int | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """One annotation file: path relative to the root (forward slashes) and its SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Video:
    """One video.

    Attributes:
        fps: exact rate of the annotation's frame numbers (1 for CholecT50).
        period_us: nominal distance of two annotated instants.
        duration_us: end of the known part of the video; all instants are before it.
        split_group: patient or surgery; aliases of one surgery share it.
        vocabulary: instruments that this dataset annotates; the absence of others is never known.
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
        """``dataset/video_id``: the name in messages, keys and evidence."""
        return f"{self.dataset}/{self.video_id}"


Pair = tuple[str, str]
"""(verb id, target id); idling is ('null_verb', 'null_target')."""

IDLE: Pair = ("null_verb", "null_target")


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One additional column of a table of N rows: who holds a tool, how much of it is visible.

    Attributes:
        values: float64 (N,), NaN if not annotated; indices if there are words.
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
    """Event tuples as read (SurgSTU: time, instrument, box, verb, target) of one video.

    Lesions, anatomical structures and hands, which are no instruments, come in tables of
    the same shape (:attr:`VideoEvidence.regions`).

    T annotated instants, N rows.  Rows are sorted by (sample, label id, box) and rows
    that share instrument and box at one instant are one instance with several pairs.
    An instant without a row is annotated and shows no instrument, unless ``absence`` says
    less; an instant that is not listed is unknown.

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
        box_origin: ``manual``, ``detector``, ``interpolated`` or ``none``.
        pointer: how to write a place in the source, with ``{frame}`` and ``{row}``.
        attributes: further columns, sorted by name.
        masks: of each row as ``HEIGHTxWIDTH:counts`` with COCO's compressed run lengths,
            '' where it has none; empty where no row has one.
        absence: what an instant without a row of a class says; None: that it is absent.
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
    box_origin: str
    pointer: str
    attributes: tuple[Attribute, ...] = ()
    masks: tuple[str, ...] = ()
    absence: Absence | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InstrumentTable):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled interval: phase, step, gesture, as ``kind`` states; intervals may overlap.

    Attributes:
        label: concept id of that kind.
        value, rater: a score, and the rater if there are several.
        subject: who acts: an instrument's concept id, ``left_hand``; '' for the scene.
        sampled_us: for a run of labelled instants, the distance between them; otherwise 0.
        origin: the rule that derived it from other labels; '' for an annotation.
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
        value, rater: the score or count, None for a label without one; the rater if there are
            several.
    """

    kind: str
    label: str
    value: float | None
    rater: str
    source: str
    pointer: str


class Code(StrEnum):
    """The closed list of reasons for leaving something out."""

    # reading
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
    UNSEEN = "unseen"
    EXCLUDED = "excluded"
    UNREADABLE = "unreadable"
    # windows
    NO_CLOCK = "no_clock"
    TOO_SHORT = "too_short"
    LEFT_OVER = "left_over"
    # questions
    NO_EVIDENCE = "no_evidence"
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
    """Something that was left out, why, and where it was.

    Attributes:
        stage: ``plan``, ``observe``, ``read``, ``cut``, ``ask`` or ``choose``.
        key: item, window, template or source key.
        reason: a sentence a person understands.
        where: file and place, or the leaf of a template's ``where``.
        count: how many units (rows, microseconds, windows) this entry stands for.
        outcome: ``rejected``, or ``repaired`` of a unit that was kept after a change.
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
    """read = kept + rejected + failed, for one stage of one video or reader."""

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
    """All that is known of one video, as a reader or the evidence store gives it.

    Attributes:
        spans: sorted by (kind, start, end, label, subject, rater).
        labels, moments: sorted by (kind, label, rater); by :func:`~ontology.moments.moment_order`.
        regions: kind (``finding``, ``landmark``, ``structure``) -> what of it is where and
            when; its ``labels`` are all that was annotated, so that absence is known.
        unseen: (kind of fact, start, end): where nobody looked, of a kind that is ``noted``.
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
    """What one question may see: a clip, an action clip, a query window, a round."""

    kind: str
    window_id: str
    start_us: int
    end_us: int

    @property
    def duration_us(self) -> int:
        return self.end_us - self.start_us


@dataclass(frozen=True, slots=True)
class Option:
    """One choice; ``kind``: why a wrong one is a fair one, ``value``: what it means, typed."""

    key: str
    text: str
    is_answer: bool
    kind: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Check:
    """A gate the item passed: its name, the measured value and the limit as text."""

    name: str
    measured: float
    limit: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """Rows of ``evidence/`` an answer rests on: ``kind`` is the table (``window``: all in the
    window), ``id`` a row's id, or a track's.
    """

    kind: str
    id: str
    start_us: int
    end_us: int


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its answer and proof; the fields of a row of ``data/``."""

    item_id: str
    template_id: str
    window: Window
    question: str
    answer: str
    options: tuple[Option, ...]
    answer_value: Mapping[str, Any]
    slots: Mapping[str, Any]
    evidence: tuple[Pointer, ...]
    checks: tuple[Check, ...]
    reasoning: tuple[str, ...] = ()
    knowledge: str | None = None
    clue: str | None = None
    context: str | None = None
    chain_id: str | None = None
    stage: int | None = None
    block: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

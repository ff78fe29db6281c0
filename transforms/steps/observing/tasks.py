"""What the steps of ``surgqa observe`` pass on: names and ranges, never frames or sound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson

from surgqa.ontology.keys import bytes_digest, digest
from surgqa.ontology.observed import MASKING
from surgqa.ontology.records import Media
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import FrameExtractor, SoundExtractor
from surgqa.transforms.evidence.curate import CurateSettings
from surgqa.transforms.evidence.derive import DeriveSettings
from surgqa.transforms.evidence.link import LinkSettings
from surgqa.transforms.evidence.privacy import SaidSettings
from surgqa.transforms.evidence.privacy.span_finder import SpanFinders, finder_of
from surgqa.transforms.evidence.segment import Extractor as MaskExtractor
from surgqa.transforms.evidence.segment import Followed
from surgqa.transforms.labelling.layer import VideoLayer, layers_of
from surgqa.transforms.media.batches import MEDIA_VERSION
from surgqa.transforms.places import Place, RemotePath, place

CODE_VERSION = "4"
"""Must be increased when a code change alters the evidence that is made from the same rows."""


@dataclass(frozen=True, slots=True)
class ObserveTask:
    """One video to observe.

    Attributes:
        media: the video file or image folder, relative to ``root``.
        fps: frame rate of an image folder; None for a video file, which states its own.
        said: metadata of the video from the user or the dataset, as JSON with sorted keys.
    """

    dataset: str
    video_id: str
    root: str
    media: Media
    fps: Fraction | None = None
    said: str = "{}"

    @property
    def metadata(self) -> dict[str, Any]:
        """Metadata of the video from the user or the dataset."""
        return dict(orjson.loads(self.said))

    @property
    def key(self) -> str:
        """``dataset/video_id``."""
        return f"{self.dataset}/{self.video_id}"

    @property
    def part(self) -> str:
        """Name of the video's folder in the work folder."""
        return digest("observe", self.dataset, self.video_id)[:16]


@dataclass(frozen=True, slots=True)
class ObserveSettings:
    """How videos are observed; the settings are the same for all videos and can be pickled.

    Attributes:
        store: the store's folder: a path or URL that all workers can reach.
        rate: sampled frames per second, or None for every frame.
        batch: frames that a model gets at once; a model's results may depend on it.
        piece_us: approximate length of one piece of frames, in microseconds; the evidence does
            not depend on it.
        sound_piece_us: greatest length of one piece of sound, in microseconds.
        frames, sound, masks: extractors; ``masks`` needs boxes and runs after ``frames``.
        said: how names and dates in utterances are masked.
    """

    store: str
    rate: Fraction | None
    batch: int
    frames: tuple[FrameExtractor, ...]
    sound: SoundExtractor | None
    masks: MaskExtractor | None
    link: LinkSettings
    derive: DeriveSettings
    curate: CurateSettings
    piece_us: int = 60 * SECOND_US
    sound_piece_us: int = 300 * SECOND_US
    said: SaidSettings = SaidSettings()

    @property
    def folder(self) -> Place:
        """The store's folder as a path."""
        return place(self.store)

    @property
    def rules(self) -> dict[str, Any]:
        """Everything that the evidence depends on, except the media and the models."""
        return {
            "code": CODE_VERSION,
            "media": MEDIA_VERSION,
            "rate": None if self.rate is None else str(self.rate),
            "batch": self.batch,
            "sound_piece_us": self.sound_piece_us,
            "link": repr(self.link),
            "derive": repr(self.derive),
            "curate": repr(self.curate),
            "masking": [MASKING, self.finder.identity],
        }

    @property
    def fills(self) -> bool:
        """True if frames of several short videos should share a model's batches."""
        return self.batch > 1 and any(extractor.fills for extractor in self.frames)

    @property
    def finder(self) -> SpanFinders:
        """The models that find names in utterances; rules find them too."""
        return finder_of(self.said)

    def layers(self, task: ObserveTask, medium: str) -> list[VideoLayer]:
        """People's corrections of a video's boxes, oldest first; kept in local stores only."""
        folder = self.folder
        return [] if isinstance(folder, RemotePath) else layers_of(folder, task.video_id, medium)

    def raw_key(self, extractor: Any, medium: str, task: ObserveTask | None = None) -> str:
        """Return the cache key of the rows that a model (extractor) computes from a media file.

        Args:
            task: the video. Only masks need it: they depend on the video's boxes and on people's
                corrections.
        """
        how: dict[str, Any] = {"rate": self.rules["rate"], "batch": self.batch}
        if isinstance(extractor, SoundExtractor):
            how = {"sound_piece_us": self.sound_piece_us}
        elif extractor is self.masks:
            # What is segmented depends on the linked boxes.
            how |= {"link": repr(self.link), "by": [e.digest for e in self.frames]}
            how["layers"] = [layer.name for layer in self.layers(task, medium)] if task else []
            how["clips"] = repr(self.derive.shots) if how["layers"] else None
        text = orjson.dumps(
            [MEDIA_VERSION, medium, extractor.digest, how], option=orjson.OPT_SORT_KEYS
        )
        return bytes_digest(text)[:32]

    def made_from(self, task: ObserveTask, medium: str) -> str:
        """Return a digest of everything that a video's evidence depends on."""
        extractors = [*self.frames, self.sound, self.masks]
        parts = {
            "task": [task.dataset, task.video_id, repr(task.media), str(task.fps), task.said],
            "medium": medium,
            "layers": [layer.name for layer in self.layers(task, medium)],
            "rules": self.rules,
            "extractors": [e.digest for e in extractors if e is not None],
        }  # fmt: skip
        return bytes_digest(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS))


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work on one video.

    Attributes:
        kind: ``look`` (frames), ``hear`` (sound) or ``mask`` (segmentation).
        first, last: range of batches, of sound pieces, or of mask windows; ``last`` is excluded.
        extractors: names of the extractors to run.
        followed: the object that a person clicked and that SAM2 follows; None for all objects of a
            window.
        short: whether the piece is a whole video of fewer frames than a batch. Such videos share
            batches.
    """

    task: ObserveTask
    kind: str
    first: int
    last: int
    extractors: tuple[str, ...]
    followed: Followed | None = None
    short: bool = False

    @property
    def name(self) -> str:
        """Name of the piece of work, unique within its video."""
        return f"{self.kind}-{self.first:08d}-{self.last:08d}"


Info = dict[str, Any]
"""Summary of a finished video, as data for JSON."""

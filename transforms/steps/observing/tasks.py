"""What travels between the steps of observing: names and ranges, never pictures or sound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson

from ontology.keys import bytes_digest, digest
from ontology.observed import MASKING
from ontology.records import Media
from ontology.times import SECOND_US
from transforms.evidence.base import FrameExtractor, SoundExtractor
from transforms.evidence.curate import CurateSettings
from transforms.evidence.derive import DeriveSettings
from transforms.evidence.link import LinkSettings
from transforms.evidence.privacy import SaidSettings
from transforms.evidence.privacy.tagger import Tagger, tagger_of
from transforms.evidence.segment import Extractor as MaskExtractor
from transforms.evidence.segment import Followed
from transforms.labelling.layer import VideoLayer, layers_of
from transforms.media.settings import MEDIA_VERSION
from transforms.places import Place, RemotePath, place

CODE_VERSION = "3"
"""Raised whenever assembling gives other evidence from the same raw observations."""


@dataclass(frozen=True, slots=True)
class ObserveTask:
    """One video to observe.

    Attributes:
        media: relative to ``root``.
        fps: rate of a frame folder's file numbers; None for a video file, which knows.
        said: what the user or the dataset says of it, as JSON with sorted keys.
    """

    dataset: str
    video_id: str
    root: str
    media: Media
    fps: Fraction | None = None
    said: str = "{}"

    @property
    def metadata(self) -> dict[str, Any]:
        """What the user or the dataset says of it."""
        return dict(orjson.loads(self.said))

    @property
    def key(self) -> str:
        """``dataset/video_id``."""
        return f"{self.dataset}/{self.video_id}"

    @property
    def part(self) -> str:
        """Name of the video's files in the work folder."""
        return digest("observe", self.dataset, self.video_id)[:16]


@dataclass(frozen=True, slots=True)
class ObserveSettings:
    """How every video is observed; the same for all, and picklable.

    Attributes:
        store: the store's folder, a path or an address that all workers reach.
        rate: samples a second, or None for every frame.
        batch: pictures that a model is given at once; results may depend on it.
        piece_us: about how much of a video one piece of work holds; never shows.
        frames, sound, masks: extractors; ``masks`` needs boxes and runs after ``frames``.
        said: how what was said is masked.
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
        """The store."""
        return place(self.store)

    @property
    def rules(self) -> dict[str, Any]:
        """All that shows in the evidence beside the media and the extractors."""
        return {
            "code": CODE_VERSION,
            "media": MEDIA_VERSION,
            "rate": None if self.rate is None else str(self.rate),
            "batch": self.batch,
            "sound_piece_us": self.sound_piece_us,
            "link": repr(self.link),
            "derive": repr(self.derive),
            "curate": repr(self.curate),
            "masking": [MASKING, None if self.tagger is None else self.tagger.identity],
        }

    @property
    def fills(self) -> bool:
        """Whether a model's batches are better filled with pictures of several videos."""
        return self.batch > 1 and any(extractor.fills for extractor in self.frames)

    @property
    def tagger(self) -> Tagger | None:
        """The user's model that finds names, if there is one."""
        return tagger_of(self.said)

    def layers(self, task: ObserveTask) -> list[VideoLayer]:
        """People's corrections of a video's boxes, oldest first; kept in local stores only."""
        folder = self.folder
        return [] if isinstance(folder, RemotePath) else layers_of(folder, task.video_id)

    def raw_key(self, extractor: Any, medium: str, task: ObserveTask | None = None) -> str:
        """Name under which what an extractor made of a medium is kept.

        Args:
            task: the video, needed for masks: they follow boxes, which people correct.
        """
        how: dict[str, Any] = {"rate": self.rules["rate"], "batch": self.batch}
        if isinstance(extractor, SoundExtractor):
            how = {"sound_piece_us": self.sound_piece_us}
        elif extractor is self.masks:
            # What is segmented is what linked boxes point at.
            how |= {"link": repr(self.link), "by": [e.digest for e in self.frames]}
            how["layers"] = [layer.name for layer in self.layers(task)] if task else []
            how["clips"] = repr(self.derive.shots) if how["layers"] else None
        text = orjson.dumps(
            [MEDIA_VERSION, medium, extractor.digest, how], option=orjson.OPT_SORT_KEYS
        )
        return bytes_digest(text)[:32]

    def made_from(self, task: ObserveTask, medium: str) -> str:
        """Digest of everything that a video's evidence depends on."""
        extractors = [*self.frames, self.sound, self.masks]
        parts = {
            "task": [task.dataset, task.video_id, repr(task.media), str(task.fps), task.said],
            "medium": medium,
            "layers": [layer.name for layer in self.layers(task)],
            "rules": self.rules,
            "extractors": [e.digest for e in extractors if e is not None],
        }  # fmt: skip
        return bytes_digest(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS))


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work on one video.

    Attributes:
        kind: ``look``, ``hear`` or ``mask``.
        first, last: batches, the sound piece's number, or the mask window's number.
        extractors: names of the extractors whose rows are wanted.
        followed: what a person pointed at, in place of a window of all samples.
        short: it is a whole video of less than a batch, looked at together with others.
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
        """Name of the piece among those of its video."""
        return f"{self.kind}-{self.first:08d}-{self.last:08d}"


Info = dict[str, Any]
"""What is told of a finished video: plain JSON."""

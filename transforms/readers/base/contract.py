"""The contract of a reader: plan cheaply, then read one video at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ontology.errors import SourceBroken, SourceMissing
from ontology.files import listed, read_bytes
from ontology.keys import bytes_digest
from ontology.records import (
    Clock,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    Video,
    VideoEvidence,
)
from ontology.times import period_us
from transforms import registry
from transforms.places import Place, below, place
from transforms.readers.base.groups import split_group
from transforms.readers.base.media import Recording, frames_media, recording

Seen = tuple[str, tuple[Any, ...], Any]
"""One look at the disk: of what kind, at what, and what was there."""


class Reader(ABC):
    """Reads one dataset from a folder.  Subclasses are always called ``Reader``.

    A reader opens no file before :meth:`read` and then only those of that video; it
    writes nothing and never looks at pixels.  It may be pickled.

    Args:
        root: the folder that the card's ``how_to_get`` ends in; may be the URL of one.
        include_known_bad: also plan videos whose labels are known to be wrong.
        rate: pictures a second, for datasets whose files do not tell it; the card's if None.

    Attributes:
        name: the dataset's name, that of its folder.
        version: raised whenever the same files give other evidence.
        span_kinds: kinds of :class:`~ontology.records.Span` it gives.
        label_kinds: kinds of :class:`~ontology.records.VideoLabel` it gives.
        region_kinds: kinds of regions it gives.
        replayable: :meth:`read` looks at files only through :meth:`_source`,
            :meth:`_optional`, :meth:`_pictures`, :meth:`_recording` and :meth:`_names`, so
            that what it saw can be looked at again.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    span_kinds: ClassVar[tuple[str, ...]] = ()
    label_kinds: ClassVar[tuple[str, ...]] = ()
    region_kinds: ClassVar[tuple[str, ...]] = ()
    replayable: ClassVar[bool] = False

    def __init__(
        self, root: Place | str, include_known_bad: bool = False, rate: Fraction | None = None
    ) -> None:
        self.root = place(root)
        self.include_known_bad = include_known_bad
        published = self.card.rate
        self.rate = rate or (Fraction(published) if published else None)
        self.seen: list[Seen] = []

    @abstractmethod
    def found(self) -> list[str]:
        """Ids of all videos that can be read from what is there, sorted; cheap."""

    @abstractmethod
    def read(self, video_id: str) -> VideoEvidence:
        """All that the dataset says of one video.

        Raises:
            SourceMissing: a file that this video needs is not there.
            SourceBroken: a file can't be understood; names file and place.
        """

    @property
    def card(self) -> registry.Card:
        """What a person wants to know of the dataset."""
        return registry.card(self.name)

    @property
    def files(self) -> registry.Files:
        """What the whole dataset consists of."""
        return registry.files(self.name)

    @property
    def splits(self) -> Mapping[str, Mapping[str, str]]:
        """Official splits: name -> video id -> ``train``, ``val`` or ``test``."""
        return self.files.splits

    def videos(self) -> list[str]:
        """Ids of the videos to read, sorted.  A partial download is fine.

        Raises:
            SourceMissing: nothing of the dataset is there; names the first file and
                how to get the dataset.
        """
        found = self.found()
        if not found:
            raise self._nothing_found()
        if self.include_known_bad:
            return found
        known_bad = self.known_bad()
        return [video_id for video_id in found if video_id not in known_bad]

    def known_bad(self) -> Mapping[str, str]:
        """Videos that are left out unless asked for, with the reason."""
        return self.files.known_bad

    def excluded(self) -> tuple[Rejected, ...]:
        """Videos that are there but left out because their labels are known to be wrong."""
        planned, known_bad = self.videos(), self.known_bad()
        return tuple(
            Rejected("read", f"{self.name}/{video}", Code.EXCLUDED, known_bad[video])
            for video in self.found()
            if video not in planned
        )

    def missing(self) -> list[str]:
        """Files of the whole release that are not there, relative to the root, sorted."""
        expected = {
            pattern.format(video_id=video_id)
            for pattern in self.files.patterns.values()
            for video_id in self.files.video_ids or self._own_ids()
        }
        return sorted(name for name in expected if not (self.root / name).is_file())

    def _own_ids(self) -> list[str]:
        """Videos of a dataset that users bring: those that are there, or the name of any."""
        return self.found() or ["VIDEO"]

    def _nothing_found(self) -> SourceMissing:
        video_id = (self.files.video_ids or self._own_ids())[0]
        first = next(iter(self.files.patterns.values())).format(video_id=video_id)
        there = [path.name for path in listed(self.root)] if self.root.is_dir() else None
        shown = ", ".join((there or [])[:5]) + (", …" if len(there or []) > 5 else "")
        if there is None:
            found = f"{self.root} is not a folder"
        else:
            found = f"{self.root} holds {shown}" if there else f"{self.root} is empty"
        return SourceMissing(
            f"{self.name}: {first} is missing",
            expected=f"{first} and the like",
            found=found,
            where=first,
            fix=self.card.how_to_get,
        )

    def unchanged(self, seen: Sequence[Seen]) -> bool:
        """Whether all that an earlier ``read`` saw still looks the same.

        Reading again would then give the same evidence; False where it cannot be told.
        """
        return self.replayable and all(getattr(self, f"_{kind}")(*asked) == told
                                       for kind, asked, told in seen)  # fmt: skip

    def _digest(self, name: str) -> str | None:
        try:
            return bytes_digest(read_bytes(below(self.root, name), name))
        except (SourceBroken, SourceMissing):
            return None

    def _source(self, name: str) -> tuple[bytes, Source]:
        """Bytes of a label file and its record; missing files say how to get them."""
        try:
            data = read_bytes(below(self.root, name), name)
        except SourceMissing:
            self.seen.append(("digest", (name,), None))
            raise SourceMissing(
                f"{self.name}: {name} is missing",
                expected=name,
                where=name,
                fix=self.card.how_to_get,
            ) from None
        source = Source(name, bytes_digest(data))
        self.seen.append(("digest", (name,), source.sha256))
        return data, source

    def _optional(self, name: str) -> tuple[bytes, Source] | None:
        """As :meth:`_source`, None where there is no such file."""
        try:
            return self._source(name)
        except SourceMissing:
            return None

    def _names(self, folder: str) -> tuple[str, ...]:
        """Names of what lies in a folder below the root, sorted; empty where it is none."""
        there = below(self.root, folder) if folder else self.root
        names = tuple(path.name for path in listed(there)) if there.is_dir() else ()
        self.seen.append(("listing", (folder,), names))
        return names

    def _listing(self, folder: str) -> tuple[str, ...]:
        there = below(self.root, folder) if folder else self.root
        return tuple(path.name for path in listed(there)) if there.is_dir() else ()

    def _pictures(self, folder: str, frames: Sequence[int], first: int = 0) -> Media:
        """The video's folder of numbered pictures, see :func:`frames_media`."""
        media = frames_media(self.root, folder, frames, first)
        self.seen.append(("media", (folder, tuple(frames), first), media))
        return media

    def _media(self, folder: str, frames: Sequence[int], first: int = 0) -> Media | None:
        try:
            return frames_media(self.root, folder, frames, first)
        except SourceBroken:
            return None

    def _recording(self, *names: str, probed: bool = False) -> Recording:
        """The first of these video files that is there, relative to the root.

        Args:
            probed: also ask the container for size, rate and length; only for datasets
                whose labels do not tell them.
        """
        found = recording(self.root, names, probed)
        self.seen.append(("film", (names, probed), found))
        return found

    def _film(self, names: tuple[str, ...], probed: bool) -> Recording | None:
        try:
            return recording(self.root, names, probed)
        except SourceBroken:
            return None

    def _record(
        self,
        video_id: str,
        sources: Sequence[Source],
        *,
        fps: Fraction,
        duration_us: int,
        media: Media | None = None,
        vocabulary: Sequence[str] = (),
        period: int | None = None,
        **more: Any,
    ) -> Video:
        """A video's record with what the card says; ``more`` overrides any other field."""
        fields: dict[str, Any] = {
            "dataset": self.name,
            "video_id": video_id,
            "procedure": self.card.procedure,
            "specialty": self.card.specialty,
            "fps": fps,
            "period_us": period_us(fps) if period is None else period,
            "duration_us": duration_us,
            "media": media or Media(MediaKind.ABSENT),
            "split_group": split_group(self.name, video_id),
            "licence": self.card.licence,
            "label_source": "original_annotation",
            "sources": tuple(sources),
            "vocabulary": tuple(vocabulary),
            "clock": Clock.TIME,
        }
        return Video(**{**fields, **more})

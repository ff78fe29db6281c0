"""The base class of all readers: list the videos cheaply, then read one video at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.files import listed, read_bytes
from surgqa.ontology.keys import bytes_digest, file_sha256
from surgqa.ontology.records import (
    Clock,
    Code,
    Media,
    MediaKind,
    Rejected,
    Source,
    Video,
    VideoEvidence,
)
from surgqa.ontology.times import period_us
from surgqa.transforms import registry
from surgqa.transforms.media.found import MediaRecord, frames_media, recording, still
from surgqa.transforms.places import Place, below, place
from surgqa.transforms.readers.base.groups import split_group

Seen = tuple[str, tuple[Any, ...], Any]
"""One recorded file access: its kind, its arguments and its result."""


class Reader(ABC):
    """Reads one dataset from a folder.  Subclasses are always called ``Reader``.

    A reader opens no file before :meth:`read`, and then it opens only the files of that
    video.  It writes nothing and never decodes pixels.  It can be pickled.

    Args:
        root: path or URL of the folder that the card's ``how_to_get`` describes.
        include_known_bad: also read videos whose labels are known to be wrong.
        rate: frames per second, for files that do not state it; None for the rate in ``card.yaml``.

    Attributes:
        name: the dataset's name, which is also the name of the reader's folder.
        version: increased whenever the same files would give different evidence.
        span_kinds: kinds of :class:`~ontology.records.Span` that the reader returns.
        label_kinds: kinds of :class:`~ontology.records.VideoLabel` that the reader returns.
        region_kinds: kinds of regions that the reader returns.
        replayable: True if :meth:`read` accesses files only through :meth:`_source`,
            :meth:`_optional`, :meth:`_pictures`, :meth:`_recording` and :meth:`_names`.
            These record each access, so that it can be repeated and compared.
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
        """Return the ids of all videos whose files are present, sorted. This must be cheap."""

    @abstractmethod
    def read(self, video_id: str) -> VideoEvidence:
        """Return all evidence of the dataset about one video.

        Raises:
            SourceMissing: a file that this video needs does not exist.
            SourceBroken: a file can't be parsed; the error names the file and the place in it.
        """

    @property
    def card(self) -> registry.Card:
        """The dataset's card: its description for people."""
        return registry.card(self.name)

    @property
    def files(self) -> registry.DatasetFiles:
        """The list of the files that the complete dataset consists of."""
        return registry.files(self.name)

    @property
    def splits(self) -> Mapping[str, Mapping[str, str]]:
        """The official splits: for each name and video id, ``train``, ``val`` or ``test``."""
        return self.files.splits

    def videos(self) -> list[str]:
        """Return the ids of the videos to read, sorted. A partial download is allowed.

        Raises:
            SourceMissing: no file of the dataset exists; the error names the first file
                and says how to get the dataset.
        """
        found = self.found()
        if not found:
            raise self._nothing_found()
        if self.include_known_bad:
            return found
        known_bad = self.known_bad()
        return [video_id for video_id in found if video_id not in known_bad]

    def known_bad(self) -> Mapping[str, str]:
        """Return the videos that are left out by default: video id -> reason."""
        return self.files.known_bad

    def excluded(self) -> tuple[Rejected, ...]:
        """Return rejections of videos that exist but are left out for labels known to be wrong."""
        planned, known_bad = self.videos(), self.known_bad()
        return tuple(
            Rejected("read", f"{self.name}/{video}", Code.EXCLUDED, known_bad[video])
            for video in self.found()
            if video not in planned
        )

    def missing(self) -> list[str]:
        """Return missing files of the complete release, relative to the root, sorted."""
        expected = {
            pattern.format(video_id=video_id)
            for pattern in self.files.patterns.values()
            for video_id in self.files.video_ids or self._own_ids()
        }
        return sorted(name for name in expected if not (self.root / name).is_file())

    def _own_ids(self) -> list[str]:
        """Return the ids of user-supplied videos; a placeholder id if there are none."""
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
        """Return whether repeating the file accesses of an earlier ``read`` gives the same results.

        If True, reading again gives the same evidence.  False if this cannot be known.
        """
        try:
            return self.replayable and all(ACCESSES[kind](self.root, *asked) == result
                                           for kind, asked, result in seen)  # fmt: skip
        except SourceBroken:
            return False

    def _access(self, kind: str, *asked: Any) -> Any:
        """Access a file by one of :data:`ACCESSES`; record the access and return its result."""
        found = ACCESSES[kind](self.root, *asked)
        self.seen.append((kind, asked, found))
        return found

    def _missing_file(self, name: str) -> SourceMissing:
        """Return the error for a missing file, which says how to get it."""
        return SourceMissing(f"{self.name}: {name} is missing", expected=name, where=name,
                             fix=self.card.how_to_get)  # fmt: skip

    def _source(self, name: str) -> tuple[bytes, Source]:
        """Return the bytes of a label file, and its path with its digest; the file must exist."""
        try:
            data = read_bytes(below(self.root, name), name)
        except SourceMissing:
            self.seen.append(("digest", (name,), None))
            raise self._missing_file(name) from None
        source = Source(name, bytes_digest(data))
        self.seen.append(("digest", (name,), source.sha256))
        return data, source

    def _optional(self, name: str) -> tuple[bytes, Source] | None:
        """Return the same as :meth:`_source`, or None if the file does not exist."""
        if below(self.root, name).is_file():
            return self._source(name)
        self.seen.append(("digest", (name,), None))
        return None

    def _names(self, folder: str) -> tuple[str, ...]:
        """Return the sorted names of the entries of a folder; () if there is no such folder."""
        return self._access("listing", folder)

    def _listing(self, folder: str) -> tuple[str, ...]:
        return names_in(self.root, folder)

    def _pictures(self, folder: str, frames: Sequence[int], first: int = 0) -> Media:
        """Return the media record of a folder of numbered images, see :func:`frames_media`."""
        return self._access("media", folder, tuple(frames), first)

    def _recording(self, *names: str, probed: bool = False) -> MediaRecord:
        """Return the first of these video files that exists; paths are relative to the root.

        Args:
            probed: also read size, frame rate and length from the container.  Set this only
                for datasets whose labels do not state them.
        """
        return self._access("film", names, probed)

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
        """Return a video's record, with the licence of the card; ``more`` are further fields."""
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


def digest_of(root: Place, name: str) -> str | None:
    """Return the SHA-256 of a label file; None if it cannot be read."""
    try:
        return bytes_digest(read_bytes(below(root, name), name))
    except (SourceBroken, SourceMissing):
        return None


def film_digest(root: Place, name: str) -> str | None:
    """Return the SHA-256 of a video, read in parts; None if it cannot be read."""
    try:
        return file_sha256(below(root, name))
    except OSError:
        return None


def names_in(root: Place, folder: str) -> tuple[str, ...]:
    """Return the sorted names of the entries of a folder; empty if it is not a folder."""
    there = below(root, folder) if folder else root
    return tuple(path.name for path in listed(there)) if there.is_dir() else ()


def first_still(root: Place, *names: str) -> Media:
    """Return the first of these images that exists, with the size in its header, or ABSENT."""
    found = (still(root, name) for name in names)
    return next((one for one in found if one.path), Media(MediaKind.ABSENT))


ACCESSES: Mapping[str, Callable[..., Any]] = {
    "digest": digest_of, "film_digest": film_digest, "listing": names_in, "media": frames_media,
    "film": recording, "picture": first_still,
}  # fmt: skip
"""Kinds of file accesses: functions of the root and further arguments."""

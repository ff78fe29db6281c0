"""Stills and films of which something is said as a whole, often by the folder they lie in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.keys import digest
from surgqa.ontology.records import Clock, Media, MediaKind, Source, Video
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.places import below
from surgqa.transforms.readers.base.contract import Reader
from surgqa.transforms.readers.base.media import MediaRecord, still
from surgqa.transforms.readers.base.shared import parsed_once

FILMS = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm", ".wmv")
Parse = Callable[[bytes, str], Any]


class GalleryReader(Reader):
    """A reader that also looks at single pictures, and at films for their digest."""

    def _still(self, *names: str) -> Media:
        """The first of these pictures that is there, measured by its header, or ABSENT.

        Raises:
            SourceBroken: it is neither PNG nor JPEG.
        """
        media = Media(MediaKind.ABSENT)
        for name in names:
            media = still(self.root, name)
            if media.kind != MediaKind.ABSENT:
                break
        self.seen.append(("picture", names, media))
        return media

    def _picture(self, *names: str) -> Media | None:
        found = (still(self.root, name) for name in names)
        try:
            return next((one for one in found if one.path), Media(MediaKind.ABSENT))
        except SourceBroken:
            return None

    def _whole(
        self, video_id: str, sources: Sequence[Source], film: MediaRecord, **more: Any
    ) -> Video:
        """Record of a still, or of a film whose labels hold for all of it."""
        fps = film.fps or Fraction(1)
        return self._record(
            video_id,
            sources,
            fps=fps,
            duration_us=film.duration_us or frame_to_us(1, fps),
            media=film.media,
            clock=Clock.TIME if film.duration_us else Clock.WHOLE,
            **more,
        )

    def _optional(self, name: str) -> tuple[bytes, Source] | None:
        """As for every reader; what is not there is not opened."""
        if (self.root / name).is_file():
            return super()._optional(name)
        self.seen.append(("digest", (name,), None))
        return None

    def _tables_of(
        self, files: Sequence[tuple[Parse, Sequence[str]]]
    ) -> list[tuple[Parse, Any, Source]]:
        """Tables that all videos share, parsed once.

        Args:
            files: what reads them, and their names relative to the root.  Of the entries
                that the same function reads, those of the first that is there count.
        """
        found: list[tuple[Parse, Any, Source]] = []
        for parse, names in files:
            if parse not in [done for done, _, _ in found]:
                there = [one for name in names if (one := self._optional(name))]
                found += [(parse, parsed_once(data, at, parse), at) for data, at in there]
        return found

    def _folders(self, top: str, depth: int) -> list[str]:
        """All that lies so many levels below a folder, relative to the root, sorted."""
        if not depth:
            return [top]
        inside = [f"{top}/{name}" if top else name for name in self._names(top)]
        return [folder for one in inside for folder in self._folders(one, depth - 1)]

    def _film_source(self, name: str) -> Source:
        """Record of a film that is its own label file; it is never held in memory whole.

        Raises:
            SourceMissing: it is not there; says how to get it.
        """
        told = self._film_digest(name)
        self.seen.append(("film_digest", (name,), told))
        if told is None:
            raise SourceMissing(
                f"{self.name}: {name} is missing",
                expected=name,
                where=name,
                fix=self.card.how_to_get,
            )
        return Source(name, told)

    def _film_digest(self, name: str) -> str | None:
        try:
            with below(self.root, name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return None


def alias(prefix: str, name: str) -> str:
    """An id for a file whose own name tells the answer to a question about it."""
    return f"{prefix}-{digest('alias', name)[:8]}"

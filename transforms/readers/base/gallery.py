"""Still images and videos that are labelled as a whole, often by the name of their folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.ontology.records import Clock, Media, Source, Video
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.media.found import MediaRecord
from surgqa.transforms.readers.base.contract import Reader
from surgqa.transforms.readers.base.shared import parsed_once

FILMS = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm", ".wmv")
Parse = Callable[[bytes, str], Any]


class GalleryReader(Reader):
    """A reader that also opens single images, and video files for their digest."""

    def _still(self, *names: str) -> Media:
        """Return the first of these images that exists, with the size in its header, or ABSENT.

        Raises:
            SourceBroken: the file is neither PNG nor JPEG.
        """
        return self._access("picture", *names)

    def _whole(
        self, video_id: str, sources: Sequence[Source], film: MediaRecord, **more: Any
    ) -> Video:
        """Return the record of a still image, or of a video whose labels hold for all of it."""
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

    def _tables_of(
        self, files: Sequence[tuple[Parse, Sequence[str]]]
    ) -> list[tuple[Parse, Any, Source]]:
        """Return the tables that all videos share: for each existing file, (parser, table, source).

        Args:
            files: pairs of a parser and the files that it can read, relative to the root. Further
                entries of one parser are used only if no file of its earlier entries exists.
        """
        found: list[tuple[Parse, Any, Source]] = []
        for parse, names in files:
            if parse not in [done for done, _, _ in found]:
                there = [one for name in names if (one := self._optional(name))]
                found += [(parse, parsed_once(data, at, parse), at) for data, at in there]
        return found

    def _folders(self, top: str, depth: int) -> list[str]:
        """Return all paths a number of levels below a folder, relative to the root, sorted."""
        if not depth:
            return [top]
        inside = [f"{top}/{name}" if top else name for name in self._names(top)]
        return [folder for one in inside for folder in self._folders(one, depth - 1)]

    def _film_source(self, name: str) -> Source:
        """Return path and digest of a video file, if its name is the label. It is read in pieces.

        Raises:
            SourceMissing: the file does not exist. The error says how to get it.
        """
        found = self._access("film_digest", name)
        if found is None:
            raise self._missing_file(name)
        return Source(name, found)


def alias(prefix: str, name: str) -> str:
    """Return an id for a file whose own name reveals the answer to a question about it."""
    return f"{prefix}-{digest('alias', name)[:8]}"

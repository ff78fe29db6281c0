"""The contracts of extractors: told what they are before any model is loaded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson
import pyarrow as pa

from ontology.keys import bytes_digest
from transforms.media import FrameBatch, Sound


class _Extractor(ABC):
    """An extractor can be pickled until it has been used; it holds settings, no model.

    Attributes:
        name: that of its folder.
        version: raised whenever the same model and settings give other evidence.
        kind: the table of :data:`ontology.observed.KINDS` it gives rows of.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    kind: ClassVar[str]

    @property
    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """All that its evidence depends on beside the medium: plain JSON, no paths.

        Settings, the model's digest, and the libraries whose arithmetic shows in the
        result.  Computed without loading the model.
        """

    @property
    def digest(self) -> str:
        """Digest of name, version and identity: the store's key beside the medium's digest."""
        whole = {"name": self.name, "version": self.version, **self.identity}
        return bytes_digest(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a frame extractor saw in one batch.

    Attributes:
        rows: of the schema of the extractor's kind.
        dropped: why, or of which class -> findings left out.
    """

    rows: pa.Table
    dropped: dict[str, int]


class FrameExtractor(_Extractor):
    """Sees pictures, one batch at a time.

    Attributes:
        fills: short batches cost as much as full ones, so it sees them together.
    """

    fills: ClassVar[bool] = False

    @abstractmethod
    def look(self, batch: FrameBatch) -> pa.Table:
        """Rows for one batch; depends on nothing but the batch.

        Batches have the same composition however a video is cut over workers.  Pictures
        that are not trusted give no row, or rows without measures.

        Returns:
            Rows of the schema of :attr:`kind`, in its order.
        """

    def see(self, batch: FrameBatch) -> Seen:
        """:meth:`look`, with what was left out counted."""
        return Seen(self.look(batch), {})

    def see_together(self, batches: Sequence[FrameBatch]) -> list[Seen]:
        """:meth:`see` of each batch, of one medium or several.

        What is seen in a batch is the same, bit for bit, whatever others are beside it.
        """
        return [self.see(batch) for batch in batches]

    def facts(self) -> dict[str, Any]:
        """What is to be known of the rows beside their identity; may load the model."""
        return {}


@dataclass(frozen=True, slots=True)
class Heard:
    """What a sound extractor made of one piece.

    Attributes:
        rows: of the schema of the extractor's kind.
        facts: plain JSON told of the piece: language, its probability, what was left out.
    """

    rows: pa.Table
    facts: dict[str, Any]


class SoundExtractor(_Extractor):
    """Hears pieces of sound."""

    @abstractmethod
    def hear(self, sound: Sound) -> Heard:
        """Rows for one piece; times count from the video's start, not from the piece's.

        Pieces are cut at the same quiet places whatever the number of workers.
        """

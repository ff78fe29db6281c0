"""Base classes of extractors.  Their identity is known before any model is loaded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson
import pyarrow as pa

from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.media import FrameBatch, Sound


class _Extractor(ABC):
    """Base of all extractors.  It can be pickled until first use: it holds settings, no model.

    Attributes:
        name: name of its folder.
        version: increase it when the same model and settings give other evidence.
        kind: the table of :data:`ontology.observed.KINDS` whose rows it returns.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    kind: ClassVar[str]

    @property
    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Everything besides the medium that the evidence depends on: plain JSON, no paths.

        Settings, the model's digest, and the libraries whose arithmetic affects the result.
        Computed without loading the model.
        """

    @property
    def digest(self) -> str:
        """Digest of name, version and identity; with the medium's digest it is the cache key."""
        whole = {"name": self.name, "version": self.version, **self.identity}
        return bytes_digest(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS))


@dataclass(frozen=True, slots=True)
class Seen:
    """Output of a frame extractor for one batch.

    Attributes:
        rows: in the schema of the extractor's kind.
        dropped: reason or class -> number of findings left out.
    """

    rows: pa.Table
    dropped: dict[str, int]


class FrameExtractor(_Extractor):
    """Extractor that gets frames, one batch at a time.

    Attributes:
        fills: short batches cost as much as full ones, so several should be passed together.
    """

    fills: ClassVar[bool] = False

    @abstractmethod
    def look(self, batch: FrameBatch) -> pa.Table:
        """Return rows for one batch; they depend only on the batch.

        A video's batches do not depend on the number of workers.  Frames that are not trusted
        give no row, or rows without measures.

        Returns:
            Rows of the schema of :attr:`kind`, in its order.
        """

    def see(self, batch: FrameBatch) -> Seen:
        """Return the rows of :meth:`look`, and counts of what was left out."""
        return Seen(self.look(batch), {})

    def see_together(self, batches: Sequence[FrameBatch]) -> list[Seen]:
        """Return the result of :meth:`see` for each batch, of one medium or several.

        The result for a batch is identical, whatever other batches are passed with it.
        """
        return [self.see(batch) for batch in batches]

    def facts(self) -> dict[str, Any]:
        """Facts about the rows besides the identity; may load the model."""
        return {}


@dataclass(frozen=True, slots=True)
class Heard:
    """Output of a sound extractor for one piece of sound.

    Attributes:
        rows: in the schema of the extractor's kind.
        facts: plain JSON about the piece: language, its probability, what was left out.
    """

    rows: pa.Table
    facts: dict[str, Any]


class SoundExtractor(_Extractor):
    """Extractor that gets pieces of sound."""

    @abstractmethod
    def hear(self, sound: Sound) -> Heard:
        """Return rows for one piece; times count from the video's start, not the piece's.

        Pieces are cut at the same quiet places, whatever the number of workers.
        """

"""Base classes of extractors.  Their identity is known before any model is loaded.

An extractor of another package is a subclass of :class:`FrameExtractor`, :class:`SoundExtractor` or
of one of their helpers (``transforms.evidence.detect.BoxExtractor``,
``transforms.evidence.segment.MaskExtractor``), named by an entry point of the group
``surgqa.extractors``.  It sets ``version``, ``kind`` and ``Settings``, and gives rows of its kind.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pyarrow as pa

from surgqa.ontology.errors import PluginBroken
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.observed import KINDS
from surgqa.transforms.evidence.base.fetched import is_remote, weights_digest
from surgqa.transforms.media import FrameBatch, Sound

SECTIONS: Mapping[str, str] = {
    "frames": "quality", "boxes": "detect", "utterances": "speech", "masks": "segment",
}  # fmt: skip
"""Kind of evidence -> the section of a run file with the settings of its extractor.

The store keeps the evidence under the section, so that rules about what a detector sees (or does
not see) apply to every detector.
"""


class Extractor(ABC):
    """Base of all extractors; holds settings and no model, so it can be pickled.

    Attributes:
        version: increase it when the same model and settings give other evidence.
        kind: the table of :data:`ontology.observed.KINDS` whose rows the extractor returns, from
            :data:`SECTIONS`.
        Settings: a frozen dataclass; its fields are what a run file may set.
        precisions: the setting that chooses the arithmetic, and its values for full and for half
            precision, such as ("precision", "fp32", "fp16"); () if there is no choice.
        run_settings: settings of the whole run, which the extractor's section may override.
        not_counted: settings that are not part of the identity. They say where a model is or runs;
            the model's digest is part of the identity instead.
        offered_as: name of the entry point of another package's extractor; '' for surgqa's own.
    """

    version: ClassVar[int]
    kind: ClassVar[str]
    Settings: ClassVar[type]
    precisions: ClassVar[tuple[str, str, str] | tuple[()]] = ()
    run_settings: ClassVar[tuple[str, ...]] = ("device",)
    not_counted: ClassVar[tuple[str, ...]] = ("sha256", "device")
    offered_as: str = ""

    def __init__(self, settings: Any = None) -> None:
        self.settings = self.Settings() if settings is None else settings

    @property
    def name(self) -> str:
        """Section of the run file with the settings; also the name of the evidence in the store."""
        return SECTIONS[self.kind]

    @classmethod
    def pinned(cls, settings: Any) -> Any:
        """Return the settings with the digest of weights in remote storage.

        This is called once when a run is planned. The planning machine downloads the weights to
        compute their digest. Each worker downloads its own copy and compares the digest. By default
        this concerns settings with the fields ``weights`` and ``sha256``.
        """
        names = {one.name for one in fields(settings)}
        if not {"weights", "sha256"} <= names or settings.sha256 is not None:
            return settings
        far = is_remote(settings.weights)
        return replace(settings, sha256=weights_digest(settings.weights)) if far else settings

    def basis(self) -> dict[str, Any]:
        """Return what the evidence depends on, besides the medium: plain JSON without paths.

        It contains settings, the model's digest, and versions of the libraries whose arithmetic
        affects the result; no model is loaded for it.  This method returns only the settings, with
        a file's digest in place of its path.
        """
        values = {one.name: getattr(self.settings, one.name) for one in fields(self.settings)}
        return {
            "settings": {
                name: weights_digest(value, values.get("sha256"))
                if isinstance(value, Path)
                else value
                for name, value in values.items()
                if name not in self.not_counted
            }
        }

    @property
    def identity(self) -> dict[str, Any]:
        """The result of :meth:`basis`, plus the name if the extractor is of another package."""
        return self.basis() | ({"extractor": self.offered_as} if self.offered_as else {})

    @property
    def digest(self) -> str:
        """Digest of name, version and identity; with the medium's digest it is the cache key."""
        whole = {"name": self.name, "version": self.version, **self.identity}
        return bytes_digest(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS))

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the name of an extractor of another package; a worker looks it up and checks it.

        The state is pickled separately, so that a worker can report that it lacks the package.
        """
        if not self.offered_as:
            return super().__reduce_ex__(protocol)
        from surgqa.transforms.evidence.extractors import restored

        return restored, (self.offered_as, self.version, pickle.dumps(self.__dict__))

    def fitting(self, rows: Any, schema: pa.Schema | None = None) -> pa.Table:
        """Return the rows, after a check that they have the columns of the kind.

        Raises:
            UserError: the rows do not have the required columns.
        """
        schema = schema or KINDS[self.kind]
        if isinstance(rows, pa.Table) and rows.schema.equals(schema):
            return rows
        odd = _difference(rows, schema)
        raise PluginBroken(
            f"the extractor {self.offered_as or self.name!r} returned no valid {self.kind!r} table",
            expected=f"a pyarrow.Table with the schema of {self.kind!r} in ontology/observed.py",
            found=odd, where=f"{type(self).__module__}.{type(self).__qualname__}",
            fix="make the table with pa.Table.from_pylist(rows, schema=...)",
        )  # fmt: skip


def _difference(rows: Any, schema: pa.Schema) -> str:
    if not isinstance(rows, pa.Table):
        return type(rows).__name__
    for number, field in enumerate(schema):
        mine = rows.schema.field(number) if number < len(rows.schema) else None
        if mine is None or not mine.equals(field):
            return f"column {number + 1} is {mine or 'missing'}, and not {field}"
    return f"further columns: {', '.join(rows.column_names[len(schema) :])}"


@dataclass(frozen=True, slots=True)
class Seen:
    """Output of a frame extractor for one batch.

    Attributes:
        rows: the rows, in the schema of the extractor's kind.
        dropped: for each reason or class, the number of findings left out.
    """

    rows: pa.Table
    dropped: dict[str, int]


class FrameExtractor(Extractor):
    """Extractor that gets frames, one batch at a time.

    Attributes:
        fills: True if a short batch costs as much as a full one, so short videos share batches.
    """

    fills: ClassVar[bool] = False
    run_settings: ClassVar[tuple[str, ...]] = ("batch", "device")

    @abstractmethod
    def look(self, batch: FrameBatch) -> pa.Table:
        """Return rows for one batch, which depend only on the batch.

        A video's batches do not depend on the number of workers.  Frames that are not trusted
        give no row, or rows without measures.

        Returns:
            Rows with the schema of :attr:`kind`, sorted as that schema states.
        """

    def see(self, batch: FrameBatch) -> Seen:
        """Return the rows of :meth:`look`, and counts of what was left out.

        Raises:
            UserError: the rows do not have the columns of the kind.
        """
        return Seen(self.fitting(self.look(batch)), {})

    def see_together(self, batches: Sequence[FrameBatch]) -> list[Seen]:
        """Return the result of :meth:`see` for each batch, of one medium or several.

        The result for a batch is identical, whatever other batches are passed with it.
        """
        return [self.see(batch) for batch in batches]

    def facts(self) -> dict[str, Any]:
        """Return facts to store with the rows, such as the device; may load the model."""
        return {}


def nothing_heard() -> dict[str, Any]:
    """Return the facts about a piece of sound without speech; there are no other keys of facts."""
    return {
        "language": None, "language_probability": None, "alternatives": [], "notes": [],
        "speech_us": 0, "set_to_sound": None, "rejected": [],
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heard:
    """Output of a sound extractor for one piece of sound.

    Attributes:
        rows: the rows, in the schema of the extractor's kind.
        facts: plain JSON about the piece, with names of :func:`nothing_heard`: ``language``,
            ``language_probability``, ``alternatives``, ``notes``, ``speech_us`` (duration of the
            recognised speech), ``set_to_sound`` (whether word times could be aligned to the
            sound), and ``rejected``, with one row for each utterance that was left out: start_us,
            end_us, text, code, reason, measured and threshold.
    """

    rows: pa.Table
    facts: dict[str, Any]


class SoundExtractor(Extractor):
    """Extractor that gets pieces of sound."""

    kind: ClassVar[str] = "utterances"

    @abstractmethod
    def listen(self, sound: Sound) -> Heard:
        """Return rows for one piece; times count from the video's start, not the piece's.

        Pieces are cut at the same quiet places, whatever the number of workers.
        """

    def hear(self, sound: Sound) -> Heard:
        """Return the result of :meth:`listen`, checked.

        People's names are masked later, but only in the texts of rows and of ``rejected``. So facts
        under keys that :func:`nothing_heard` does not have are an error.

        Raises:
            UserError: the rows do not have the columns of the kind, or a fact has another key.
        """
        heard = self.listen(sound)
        self.fitting(heard.rows)
        facts = nothing_heard()
        if unknown := sorted(set(heard.facts) - set(facts)):
            raise PluginBroken(
                f"the extractor {self.offered_as or self.name!r} returned facts with unknown names",
                expected=", ".join(facts), found=", ".join(unknown),
                where=f"{type(self).__module__}.{type(self).__qualname__}",
            )  # fmt: skip
        return Heard(heard.rows, {**facts, **heard.facts})

"""Finders of spans to mask in addition to those of the rules, selected by the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surgqa.transforms.evidence.privacy.learned import LearnedWords
from surgqa.transforms.evidence.privacy.masking import MaskedSpan
from surgqa.transforms.evidence.privacy.settings import SaidSettings
from surgqa.transforms.evidence.privacy.tagger import tagger_of
from surgqa.transforms.evidence.privacy.unknown import NameFinder


@dataclass(frozen=True, slots=True)
class SpanFinders:
    """Several finders, used as one; each masks spans independently of the others."""

    finders: tuple[NameFinder, ...]

    @property
    def identity(self) -> dict[str, Any]:
        """The identities of all finders, in their order."""
        return {"finders": [finder.identity for finder in self.finders]}

    def spans(self, text: str, language: str | None = None) -> list[MaskedSpan]:
        """Return the spans that any finder returns; they may overlap."""
        return [span for finder in self.finders for span in finder.spans(text, language)]


def finder_of(settings: SaidSettings) -> SpanFinders:
    """Return the finders that the settings switch on: the learned model, the user's model."""
    learned = LearnedWords() if settings.learned else None
    return SpanFinders(tuple(one for one in (learned, tagger_of(settings)) if one is not None))

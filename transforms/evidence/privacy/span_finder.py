"""What finds spans to mask in addition to the rules, as the settings say."""

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
    """Several finders as one."""

    finders: tuple[NameFinder, ...]

    @property
    def identity(self) -> dict[str, Any]:
        """Those of all."""
        return {"finders": [finder.identity for finder in self.finders]}

    def spans(self, text: str, language: str | None = None) -> list[MaskedSpan]:
        """The spans that any of them finds."""
        return [span for finder in self.finders for span in finder.spans(text, language)]


def finder_of(settings: SaidSettings) -> SpanFinders:
    """The finders that the settings name."""
    learned = LearnedWords() if settings.learned else None
    return SpanFinders(tuple(one for one in (learned, tagger_of(settings)) if one is not None))

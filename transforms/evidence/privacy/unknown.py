"""Mask every word that is in no word list: an option for English speech, besides the rules."""

from __future__ import annotations

from typing import Any, Protocol

from surgqa.transforms.evidence.privacy.masking import MaskedSpan, mask_text
from surgqa.transforms.evidence.privacy.slots import is_unknown
from surgqa.transforms.evidence.privacy.tokens import tokens_of

SHORTEST = 4
"""Minimum letters: most shorter unknown words are abbreviations or parts of misheard words."""


class NameFinder(Protocol):
    """Interface of models and lists that find names in addition to the rules."""

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the spans depend on besides the text, as plain JSON."""

    def spans(self, text: str, language: str | None = None) -> list[MaskedSpan]:
        """The spans found in a text.

        Args:
            text: utterances, one a line.
            language: code of the speech, or None if it is not known.
        """


class UnknownWords:
    """Finds words that are neither common English words nor medical terms, wherever they stand.

    Args:
        model: the user's model that finds names, whose spans are added; or None.
    """

    def __init__(self, model: NameFinder | None = None) -> None:
        self.model = model

    @property
    def identity(self) -> dict[str, Any]:
        """The shortest word that is masked, and the identity of the model."""
        return {"unknown_words": SHORTEST, "model": self.model and self.model.identity}

    def spans(self, text: str, language: str | None = None) -> list[MaskedSpan]:
        """The spans of the model, and the unknown words that neither it nor the rules mask."""
        found = self.model.spans(text, language) if self.model else []
        masked = mask_text(text, more=found)[1]
        hidden = {place for span in masked for place in range(span.start, span.end)}
        unknown = [
            MaskedSpan(token.start, token.end, "NAME")
            for token in tokens_of(text)
            if len(token.word) >= SHORTEST and is_unknown(token) and token.start not in hidden
        ]
        return sorted([*found, *unknown])

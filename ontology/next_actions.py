"""The fixed list of actions for questions about the next action (SAP-Bench).

The data are in ``ontology/vocab/next_actions.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from surgqa.ontology.concepts import raw_terms
from surgqa.ontology.names import words_of

Spelling = tuple[str, ...]
"""The words of a name, in lower case."""


@dataclass(frozen=True, slots=True)
class NextAction:
    """An action that may be the answer to a question about the next action.

    Attributes:
        letter: position of the action in the fixed order, from ``A``.
        verbs: verbs of event tuples that mean this action.
    """

    id: str
    letter: str
    display: str
    verbs: tuple[str, ...]
    synonyms: tuple[str, ...]

    @property
    def spellings(self) -> frozenset[Spelling]:
        """The normal forms of all names of the action."""
        return frozenset(words_of(name) for name in (self.id, self.display, *self.synonyms))


@cache
def next_actions() -> tuple[NextAction, ...]:
    """Return all actions in their fixed order."""
    entries = raw_terms("next_actions").items()
    return tuple(
        NextAction(
            key, chr(ord("A") + k), one["display"], tuple(one["verbs"]), tuple(one["synonyms"])
        )
        for k, (key, one) in enumerate(entries)
    )


@cache
def action_ids() -> tuple[str, ...]:
    """Return the ids of all actions in their fixed order."""
    return tuple(one.id for one in next_actions())


def display(action: str) -> str:
    """Return the display name of an action."""
    return next_actions()[action_ids().index(action)].display


def action_named(name: str) -> str | None:
    """Return the action that has this name, or None; case and separators do not matter."""
    return _named().get(words_of(name))


@cache
def _named() -> Mapping[Spelling, str]:
    return {words: one.id for one in next_actions() for words in one.spellings}


def action_of_verbs(verbs: Iterable[str]) -> str | None:
    """Return the action with the highest priority of those that the verbs mean; None for idling."""
    present = set(verbs)
    for action, shown_by in _by_priority():
        if present & shown_by:
            return action
    return None


@cache
def _by_priority() -> tuple[tuple[str, frozenset[str]], ...]:
    ranked = sorted(raw_terms("next_actions").items(), key=lambda entry: entry[1]["rank"])
    return tuple((action, frozenset(entry["verbs"])) for action, entry in ranked)

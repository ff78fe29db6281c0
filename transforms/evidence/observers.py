"""Kinds of facts that a Python rule makes from other facts, because no template can express it.

The file of such a kind names its observer.  The observer runs if a template asks for the kind and
the dataset has no annotations of it.  Its result is ordinary evidence; ``origin`` marks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from surgqa.ontology.errors import UnknownName
from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, kind_of_span
from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.evidence.action_clips import action_clips, limits_of

Settings = Mapping[str, Any]
Rule = Callable[[VideoEvidence], VideoEvidence]
"""Returns the evidence with the spans of one kind, and the rejections."""

OBSERVERS: Mapping[str, Callable[[Settings], Rule]] = {
    "action_clips": lambda settings: partial(action_clips, limits=limits_of(settings)),
}
"""Name of an observer -> its rule, from settings as written; an invalid one is a ``UserError``."""


def observers_of(
    kinds: Iterable[str], own: Mapping[str, Settings] | None = None
) -> dict[str, dict[str, Any]]:
    """Return observer (``by``) and settings of each given kind that has an observer, sorted.

    Args:
        own: for each kind, the settings that replace those of the kind's file.

    Raises:
        UserError: an observer or setting does not exist, or a kind in ``own`` has no observer.
    """
    own = own or {}
    known = [one for one in kind_names() if described(one).observer]
    for name in own:
        if name not in known:
            raise UnknownName(
                f"kind {name!r} has no observer", expected=", ".join(known),
                found=name, where="observers",
            )  # fmt: skip
    by_kind = {name: {**described(name).observer, **own.get(name, {})} for name in sorted(known)}
    for one in by_kind.values():
        rule_of(one)
    return {name: one for name, one in by_kind.items() if name in {*kinds}}


def rule_of(entry: Settings) -> Rule:
    """Return the rule of an observer.

    Raises:
        UserError: the observer or a setting does not exist.
    """
    if entry["by"] not in OBSERVERS:
        raise UnknownName(f"unknown observer {entry['by']!r}", found=str(entry["by"]),
                          expected=", ".join(sorted(OBSERVERS)), where="observers")  # fmt: skip
    return OBSERVERS[entry["by"]]({name: one for name, one in entry.items() if name != "by"})


def observed(evidence: VideoEvidence, observers: Mapping[str, Settings]) -> VideoEvidence:
    """Return the evidence with the observers' spans added, except kinds that already have spans."""
    for name, entry in observers.items():
        if all(kind_of_span(span) != name for span in evidence.spans):
            evidence = rule_of(entry)(evidence)
    return evidence

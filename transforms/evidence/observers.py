"""Kinds of facts that are made of others by a rule that no template can say.

A kind's file names its observer.  It runs where a template asks for the kind and nobody labelled
such facts; what it gives is evidence like any other, and is told apart by its ``origin``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ontology.errors import UserError
from ontology.kinds import kind as described
from ontology.kinds import kind_names, kind_of_span
from ontology.records import VideoEvidence
from transforms.evidence.action_clips import action_clips, limits_of

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observer:
    """How spans of one kind are made.

    Attributes:
        rule: settings as written -> the rule; a setting that will not do is a ``UserError``.
        observe: evidence, rule -> evidence with the spans, and what gave none.
    """

    rule: Callable[[Settings], Any]
    observe: Callable[[VideoEvidence, Any], VideoEvidence]


OBSERVERS: Mapping[str, Observer] = {"action_clips": Observer(limits_of, action_clips)}


def observers_of(
    kinds: Iterable[str], own: Mapping[str, Settings] | None = None
) -> dict[str, dict[str, Any]]:
    """Kind -> its observer as ``by`` and the settings, of those kinds that have one, sorted.

    Args:
        own: kind -> settings that replace those of its file.

    Raises:
        UserError: there is no such observer or setting, or ``own`` names a kind without one.
    """
    own = own or {}
    known = [one for one in kind_names() if described(one).observer]
    for name in own:
        if name not in known:
            raise UserError(
                f"facts of kind {name!r} are made by no rule", expected=", ".join(known),
                found=name, where="observers",
            )  # fmt: skip
    told = {name: {**described(name).observer, **own.get(name, {})} for name in sorted(known)}
    for one in told.values():
        rule_of(one)
    return {name: one for name, one in told.items() if name in {*kinds}}


def rule_of(told: Settings) -> tuple[Observer, Any]:
    """An observer and its rule.

    Raises:
        UserError: there is no such observer or setting.
    """
    if told["by"] not in OBSERVERS:
        raise UserError(f"no observer is called {told['by']!r}", found=str(told["by"]),
                        expected=", ".join(sorted(OBSERVERS)), where="observers")  # fmt: skip
    observer = OBSERVERS[told["by"]]
    return observer, observer.rule({name: one for name, one in told.items() if name != "by"})


def observed(evidence: VideoEvidence, observers: Mapping[str, Settings]) -> VideoEvidence:
    """The evidence with what observers make of it; a kind that has spans is left as it is."""
    for name, told in observers.items():
        if all(kind_of_span(span) != name for span in evidence.spans):
            observer, rule = rule_of(told)
            evidence = observer.observe(evidence, rule)
    return evidence

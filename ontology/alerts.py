"""Triggers of alerts: the labels that a model should report, and the wording of the alert.

The data are in ``ontology/vocab/alerts.yaml``.  A trigger belongs to one kind of label.  Therefore
no question asks to watch for something that a dataset does not label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ontology.concepts import load_data, vocabulary

ANY = "*"
TRIPLET = "triplet"


ALERT = "alert: "
"""Prefix of an answer that raises an alert; the reason follows."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """What triggers an alert, for one kind of label.

    Attributes:
        alert: name of the alert, such as ``bleeding_alert``.
        kind: kind of the labels; ``triplet`` for labels ``instrument,verb,target``.
        labels: concept ids in the order of the file, or patterns of triplets with :data:`ANY`;
            empty if :mod:`ontology.workflow` decides.
        once: only the first such label of a video counts.
        watch_for: noun phrase for "Watch for …".
        instruction: clause for "Raise an alert …".
        reason, reason_over: wording of the alert, with ``{display}`` and, if the workflow decides,
            ``{other}``; ``reason_over`` is for labels that come too late.
    """

    alert: str
    kind: str
    labels: tuple[str, ...]
    once: bool
    watch_for: str
    instruction: str
    reason: str
    reason_over: str

    def matches(self, label: str) -> bool:
        """Whether a label of the kind triggers the alert."""
        return any(_fits(pattern, label) for pattern in self.labels)

    def says(self, label: str, *, before: str = "", after: str = "") -> str:
        """The reason for a label; with the prefix ``alert: `` it is the whole answer.

        Args:
            before: a label that should have come before this one.
            after: a label that should have come after this one; used only without ``before``.
        """
        text = self.reason_over if after and not before else self.reason
        other = self._name(before or after) if before or after else ""
        return text.format(display=self._name(label), other=other)

    def _name(self, label: str) -> str:
        kind, concept = self.kind, label
        if kind == TRIPLET:
            kind, concept = "target", label.split(",")[2]
        return vocabulary(f"{kind}s")[concept].display


@cache
def triggers() -> tuple[Trigger, ...]:
    """All triggers, in the order of the file."""
    data = load_data("vocab", "alerts")
    return tuple(
        _trigger(alert, kind, entry)
        for alert, kinds in data.items()
        for kind, entry in kinds.items()
    )


def _trigger(alert: str, kind: str, entry: Mapping[str, Any]) -> Trigger:
    return Trigger(
        alert=alert,
        kind=kind,
        labels=tuple(entry.get("labels", ())),
        once=bool(entry.get("once")),
        watch_for=entry["watch_for"],
        instruction=entry["instruction"],
        reason=entry["reason"],
        reason_over=entry.get("reason_over", ""),
    )


def _fits(pattern: str, label: str) -> bool:
    wanted, given = pattern.split(","), label.split(",")
    return len(wanted) == len(given) and all(
        one in (ANY, other) for one, other in zip(wanted, given, strict=True)
    )

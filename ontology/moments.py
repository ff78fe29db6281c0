"""Events at a time: actions, cues, states of tissues, anomalies, speech."""

from __future__ import annotations

from dataclasses import dataclass

MOMENTS = (
    "action", "affordance", "anomaly", "contact", "cue", "roi", "said", "state", "transition",
    "watched",
)  # fmt: skip
"""Every kind of :class:`Moment`.

``action``: an instrument does something (``verb``, ``target``) from its first visible sign on;
``label`` is the verb.  ``affordance``: the effect (``label``) of an action on a tissue, with the
place of first contact.  ``transition``: an instrument changes from one action to another;
``label`` is ``verb,target>verb,target``.  ``cue``: a sign that an action will follow; ``label``
is ``approach``, ``positioned``, ``intent`` or ``camera``.  ``contact``: an instrument touches a
tissue.  ``state``: a tissue is in a state (``label``) from ``start_us`` on.  ``anomaly``: an id of
the vocabulary ``events``, from its onset until it is under control.  ``roi``: the place
(``box_xyxy``) of an anomaly at a key frame; ``value`` is the frame's number.  ``said``: speech;
``text`` is its words.  ``watched``: a channel (``label``: ``tracks``, ``speech``, ``camera``,
``anomaly``) was annotated throughout, so that what is not stated in it is known to be absent.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, with instrument, action and place as far as they are known.

    Attributes:
        kind: one of :data:`MOMENTS`.
        label: concept id of that kind; '' if the kind has none.
        start_us, end_us: half-open interval; equal for a point in time.
        resolution_us: accuracy of the event's start.
        tool, verb, target: concept ids, '' if unknown.
        box_xyxy: place of the event at its start, in [0, 1]; None if unknown.
        group: text that moments share if they belong together, such as an anomaly's id.
        value: a measured value, or a frame's number.
        text: words: speech, a cause, a size.
        origin: ``annotated``, ``imported``, ``speech``, ``tracks`` or ``speech and tracks``.
    """

    kind: str
    label: str
    start_us: int
    end_us: int
    resolution_us: int
    source: str
    pointer: str
    tool: str = ""
    verb: str = ""
    target: str = ""
    box_xyxy: tuple[float, float, float, float] | None = None
    group: str = ""
    value: float | None = None
    text: str = ""
    origin: str = "annotated"


def moment_order(one: Moment) -> tuple[object, ...]:
    """Return the sort key of a video's moments."""
    return (one.kind, one.start_us, one.end_us, one.label, one.tool, one.verb, one.target,
            one.group, one.origin, one.pointer)  # fmt: skip

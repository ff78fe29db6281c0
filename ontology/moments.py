"""Events at a time: actions, cues, states of tissues, anomalies, speech."""

from __future__ import annotations

from dataclasses import dataclass

MOMENTS = (
    "action", "affordance", "anomaly", "contact", "cue", "roi", "said", "state", "transition",
    "watched",
)  # fmt: skip
"""Every kind of :class:`Moment`.

``action``: an instrument does something (``verb``, ``target``) from its first visible cue on;
``label`` is the verb.  ``affordance``: the effect (``label``) that an action has on a tissue,
with the place of first contact.  ``transition``: an instrument passes from one deed to another;
``label`` is ``verb,target>verb,target``.  ``cue``: something that announces an action; ``label``
is ``approach``, ``positioned``, ``intent`` or ``camera``.  ``contact``: an instrument touches a
tissue.  ``state``: a tissue is in a state (``label``) from ``start_us`` on.  ``anomaly``: one of
the vocabulary of events, from its onset to its control; ``roi``: its place (``box_xyxy``) at a key
frame, ``value`` the frame's number.  ``said``: speech, ``text`` its words.  ``watched``: a channel
(``label``: ``tracks``, ``speech``, ``camera``, ``anomaly``) was looked at all the way, so that
what is not there is known to be absent.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, with instrument, action and place as far as they are known.

    Attributes:
        kind: of :data:`MOMENTS`.
        label: concept of that kind; '' if the kind has none.
        start_us, end_us: half open; equal for a point in time.
        resolution_us: accuracy of its start.
        tool, verb, target: concept ids, '' if unknown.
        box_xyxy: its place at its start, in [0, 1], None if unknown.
        group: shared by moments of one thing: an anomaly's id, a track.
        value: a measured value, a frame's number.
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
    """The sort key of a video's moments."""
    return (one.kind, one.start_us, one.end_us, one.label, one.tool, one.verb, one.target,
            one.group, one.origin, one.pointer)  # fmt: skip

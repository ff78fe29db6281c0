"""Names of deeds, times and places as the questions of chains show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ontology.concepts import Term, vocabulary
from ontology.times import print_number, print_seconds
from transforms.language.template import Ref, Wording
from transforms.questions.queries.render import FILTERS as COMMON
from transforms.timeline.facts import Stretch
from transforms.timeline.story import Box, Deed

SURGEON = "the surgeon"
"""Who acts where no instrument is known."""


def deed_sentence(deed: Deed) -> str:
    """'the hook dissects the gallbladder': a clause in the present."""
    verb = vocabulary("verbs")[deed.verb]
    tool = vocabulary("instruments").get(deed.tool)
    done = (verb.display if tool and tool.plural else verb.third) or verb.display
    return " ".join(filter(None, (tool.phrase if tool else SURGEON, done, target_phrase(deed))))


def deed_noun(deed: Deed) -> str:
    """'dissecting the gallbladder with the hook'."""
    verb = vocabulary("verbs")[deed.verb]
    tool = vocabulary("instruments").get(deed.tool)
    by = f"with {tool.phrase}" if tool else ""
    return " ".join(filter(None, (verb.gerund or verb.display, target_phrase(deed), by)))


def target_phrase(deed: Deed) -> str:
    """'the gallbladder', '' where nothing is acted on or it is not known."""
    return tissue(deed.target).phrase if deed.target else ""


def tissue(label: str) -> Term:
    """The term of a tissue: a target, or a structure."""
    for kind in ("targets", "structures"):
        if label in vocabulary(kind):
            return vocabulary(kind)[label]
    raise KeyError(label)


def clock(time_us: int) -> str:
    """'21.57 s'."""
    return f"{print_seconds(time_us)} s"


def span(stretch: Stretch) -> str:
    """'21.50 s to 23.00 s'."""
    return f"{clock(stretch[0])} to {clock(stretch[1])}"


def place(box: Sequence[float]) -> str:
    """'[540, 420, 620, 480]' on the grid of 1000."""
    return f"[{', '.join(print_number(1000 * edge, 0) for edge in box)}]"


def where(box: Box | None) -> str:
    """' at [540, 420, 620, 480]', '' without a box."""
    return f" at {place(box)}" if box else ""


FILTERS: Mapping[str, Callable[[Any], str]] = {
    **{name: COMMON[name] for name in ("name", "a", "the", "is", "text")},
    "deed": deed_sentence,
    "noun": deed_noun,
    "clock": clock,
    "span": span,
}


def fill(wording: Wording, fields: Mapping[str, Any]) -> str:
    """The finished text."""
    text = "".join(
        FILTERS[piece.filters[0]](fields[piece.path[0]]) if isinstance(piece, Ref) else piece
        for piece in wording
    )
    return text[:1].upper() + text[1:]

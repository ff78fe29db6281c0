"""Does the answer's text say what the answer value says.

Not a second rendering: each label, box, time and class word of the value must occur
in the text in one of its accepted spellings.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from ontology.boxes import print_box
from ontology.concepts import vocabulary
from ontology.times import print_seconds

WORDS = {
    "left": ("left",),
    "right": ("right",),
    "centre": ("centre", "center", "middle"),
    "middle": ("middle", "centre", "center"),
    "top": ("top", "upper", "above"),
    "bottom": ("bottom", "lower", "below"),
    "above": ("above",),
    "below": ("below",),
    "closer": ("closer",),
    "farther": ("farther",),
    "maintained": ("maintained",),
}
PLAIN = ("horizontal", "vertical", "change", "side", "speed_class", "path_class")
TIMES = ("time_us", "start_us", "end_us")
UNSAID = ("null_target",)
ASKED = ("label", "time_us", "box_xyxy")


def text_problems(
    answer: str, value: Any, slots: Any, start_us: int, kinds: tuple[str, ...]
) -> Iterator[str]:
    """What of the value the text does not say.

    Args:
        answer: the stored answer's text.
        value: the stored answer value.
        slots: the item's slots; what they hold the question says already.
        start_us: the clip's start, from which texts count.
        kinds: vocabulary of ``labels`` in this value, ``("targets",)`` or ``("instruments",)``.
    """
    folded = answer.casefold()
    asked = [leaf for leaf in leaves(slots) if leaf[0] in ASKED]
    for key, one in leaves(value):
        if (key, one) in asked:
            continue
        texts = accepted(key, one, start_us, kinds)
        if texts and not any(says(folded, text) for text in texts):
            yield f"{key} {one!r} is not in {answer!r}"


def says(text: str, part: str) -> bool:
    """The part occurs in the text as whole words and numbers."""
    at = text.find(part)
    while at >= 0:
        before, after = text[:at][-1:], text[at + len(part) :][:1]
        if not (before.isalnum() or before == "." or after.isalnum()):
            return True
        at = text.find(part, at + 1)
    return False


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """All (key, leaf) of a value; a box is one leaf, a list's leaves carry its key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield from leaves(inner, name)
            else:
                yield name, inner
    elif isinstance(value, list) and not key.endswith("box_xyxy"):
        for inner in value:
            yield from leaves(inner, key)
    else:
        yield key, value


def accepted(key: str, one: Any, start_us: int, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Accepted spellings (case-folded) of a leaf; none where the text need not say it.

    A leaf of the wrong type has none: the comparison with the truth reports it.
    """
    if key.endswith("box_xyxy"):
        return (print_box(one), print_box(one, 1)) if _is_box(one) else ()
    if key in TIMES:
        whole = isinstance(one, int)
        return tuple(print_seconds(one - start_us, n) for n in (2, 1, 3)) if whole else ()
    if key == "same":
        return ("yes",) if one else ("no",)
    if not isinstance(one, str) or one in UNSAID:
        return ()
    if key in PLAIN:
        return WORDS.get(one, (one,))
    if key == "label":
        return spellings("instruments", one)
    if key == "labels":
        return tuple(text for kind in kinds for text in spellings(kind, one))
    if key in ("verb", "target"):
        return spellings(f"{key}s", one)
    return spellings("targets", one) if key == "targets" else ()


def _is_box(value: Any) -> bool:
    numbers = isinstance(value, list) and all(isinstance(v, int | float) for v in value)
    return numbers and len(value) == 4


@cache
def spellings(kind: str, label: str) -> tuple[str, ...]:
    """Display name, inflections and synonyms of a concept, case-folded."""
    term = vocabulary(kind).get(label)
    if term is None:
        return (label.casefold(),)
    texts = (term.display, term.third, term.gerund, *term.synonyms)
    return tuple(sorted({text.casefold() for text in texts if text}))

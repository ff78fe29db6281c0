"""Static types of the language: what a step gives, known when the file is read.

A type has a name and, for some, what it is *of*: a label of ``verb`` cannot be compared with a
label of ``phase``, a set of ``instrument`` holds instruments.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_NAMES = (
    "fact", "facts", "track", "instant", "duration", "stretch", "stretches", "label", "act",
    "number", "word", "statement", "point", "box", "place", "set", "sequence", "motion", "truth",
    "none", "absent", "pool",
)  # fmt: skip
"""Every type name.

``fact``: one row of the relation; ``facts``: several.  ``track``: one instance.  ``instant`` and
``duration``: whole microseconds, as ranges.  ``stretch``: half open, from one instant to another.
``label``: a concept id; ``act``: a verb with its target.  ``number``: a count, share, distance,
speed or value, as a range.  ``word``: a step of a scale; ``statement``: a sentence of ``cases``.
``set`` and ``sequence``: of labels, acts, instants or records.  ``none``: the literal ``none``.
``absent``: the premise of the question is false.  ``pool``: values for wrong options.
"""

ORDERED = ("instant", "duration", "number")
"""Types whose values are ranges and can be compared with ``<``."""


@dataclass(frozen=True, slots=True)
class Type:
    """One static type.

    Attributes:
        name: one of :data:`TYPE_NAMES`.
        of: the kind of a fact, the domain of a label (``instrument``, ``verb``, ``target``, the
            kind's name for labels of a kind), the element of a set or sequence; '' if any.
    """

    name: str
    of: str = ""

    def __post_init__(self) -> None:
        if self.name not in TYPE_NAMES:
            raise ValueError(f"no type named {self.name!r}")

    def __str__(self) -> str:
        return f"{self.name} of {self.of}" if self.of else self.name

    def fits(self, wanted: Type) -> bool:
        """Whether a value of this type can stand where ``wanted`` is expected."""
        return self.name == wanted.name and (not wanted.of or not self.of or self.of == wanted.of)


INSTANT, DURATION, STRETCH = Type("instant"), Type("duration"), Type("stretch")
NUMBER, TRUTH, WORD, NONE, BOX = Type("number"), Type("truth"), Type("word"), Type("none"), Type("box")
TRACK, ACT, POINT, STATEMENT = Type("track"), Type("act"), Type("point"), Type("statement")

READERS: dict[str, dict[str, Type]] = {
    "fact": {
        "start": INSTANT, "end": INSTANT, "length": DURATION, "label": Type("label"),
        "subject": Type("label", "instrument"), "verb": Type("label", "verb"),
        "target": Type("label", "target"), "act": ACT, "value": NUMBER, "track": TRACK, "box": BOX,
        "centre": NUMBER,
    },
    "facts": {"size": NUMBER},
    "track": {"label": Type("label", "instrument")},
    "instant": {"earliest": INSTANT, "latest": INSTANT},
    "stretch": {"start": INSTANT, "end": INSTANT, "length": DURATION, "middle": INSTANT},
    "box": {"x": NUMBER, "y": NUMBER, "area": NUMBER, "centre": POINT},
    "point": {"x": NUMBER, "y": NUMBER},
    "set": {"size": NUMBER},
    "sequence": {"size": NUMBER, "first": Type("label"), "last": Type("label")},
    "motion": {
        "path": NUMBER, "mean_speed": NUMBER, "min_speed": NUMBER, "max_speed": NUMBER,
        "samples": NUMBER,
    },
}  # fmt: skip
"""Type name -> reader -> type of what it reads.

``start`` and ``end`` of a fact are half open.  ``label`` of a fact is of the fact's kind.
``centre(axis)`` of a fact takes the name of an axis; ``x`` and ``y`` of a box are its centre's.
"""

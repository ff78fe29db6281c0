"""The types of expressions in the template language, known when the template is read.

A type has a name and, for some names, a domain or an element type, called *of*. So a label of
``verb`` cannot be compared with a label of ``phase``, and a set of ``instrument`` contains
instruments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surgqa.ontology.kinds import ANY, kind

TYPE_NAMES = (
    "fact", "facts", "track", "instant", "duration", "stretch", "stretches", "label", "act",
    "number", "word", "statement", "point", "box", "place", "set", "sequence", "motion", "truth",
    "none", "absent", "pool", "record", "video", "rater", "text", "stage",
)  # fmt: skip
"""Every type name.

``fact``: one row of the relation (an annotated event or state); ``facts``: several. ``track``: one
instance. ``instant`` and ``duration``: whole microseconds, as ranges. ``stretch``: a half-open time
interval. ``label``: a concept id; ``act``: a verb with its target. ``number``: a count, share,
distance, speed or value, as a range. ``word``: a step of a scale; ``statement``: a sentence of
``cases``. ``set`` and ``sequence``: of labels, acts, instants or records. ``none``: the literal
``none``. ``absent``: the premise of the question is false. ``pool``: values for distractors.
``record``: several fields of one fact, as an element of a set or sequence. ``video``: the whole
video. ``rater``: the annotator; ``text``: free text. ``stage``: a question of a chain.
"""

ORDERED = ("instant", "duration", "number")
"""Types whose values are ranges and can be compared with ``<``."""


@dataclass(frozen=True, slots=True)
class Type:
    """The type of an expression.

    Attributes:
        name: one of :data:`TYPE_NAMES`.
        of: the kind of a fact; the domain of a label (``instrument``, ``verb``, ``target``, or the
            kind's name for labels of a kind); the element of a set or sequence (the domain of its
            labels, or a type's name). Several kinds are joined by ``|``. '' means any; ``?`` means
            that an error was already reported.
    """

    name: str
    of: str = ""

    def __post_init__(self) -> None:
        if self.name not in TYPE_NAMES:
            raise ValueError(f"no type named {self.name!r}")

    def __str__(self) -> str:
        return f"{self.name} of {self.of}" if self.of else self.name

    def fits(self, wanted: Type) -> bool:
        """Return whether a value of this type can be used where ``wanted`` is expected."""
        if "?" in (self.of, wanted.of):
            return True
        return self.name == wanted.name and (not wanted.of or not self.of or self.of == wanted.of)


INSTANT, DURATION, STRETCH = Type("instant"), Type("duration"), Type("stretch")
NUMBER, TRUTH, WORD, NONE, BOX = (
    Type("number"),
    Type("truth"),
    Type("word"),
    Type("none"),
    Type("box"),
)
TRACK, ACT, POINT, STATEMENT = Type("track"), Type("act"), Type("point"), Type("statement")

RECORD, VIDEO = Type("record"), Type("video")

READERS: Mapping[str, Mapping[str, Type]] = {
    "fact": {"start": INSTANT, "end": INSTANT, "length": DURATION, "centre": NUMBER,
             "middle": INSTANT},
    "facts": {"size": NUMBER},
    "track": {"label": Type("label", "instrument")},
    "act": {"verb": Type("label", "verb"), "target": Type("label", "target")},
    "instant": {"earliest": INSTANT, "latest": INSTANT},
    "stretch": {"start": INSTANT, "end": INSTANT, "length": DURATION, "middle": INSTANT},
    "video": {"start": INSTANT, "end": INSTANT, "length": DURATION,
              "procedure": Type("label", "procedure")},
    "box": {"x": NUMBER, "y": NUMBER, "area": NUMBER, "centre": POINT},
    "point": {"x": NUMBER, "y": NUMBER},
    "set": {"size": NUMBER},
    "sequence": {"size": NUMBER},
    "motion": {
        "path": NUMBER, "mean_speed": NUMBER, "min_speed": NUMBER, "max_speed": NUMBER,
        "samples": NUMBER,
    },
}  # fmt: skip
"""Type name -> reader -> type of the value read; :func:`readers_of` adds a fact's own fields.

The time from ``start`` to ``end`` of a fact is half-open. ``centre(axis)`` of a fact needs the name
of an axis; ``x`` and ``y`` of a box are those of its centre.
"""

_FIELDS: Mapping[str, Type] = {
    "number": NUMBER, "track": TRACK, "box": BOX, "act": ACT, "rater": Type("rater"),
    "text": Type("text"), ANY: Type("label"),
}  # fmt: skip

_ELEMENTS = ("track", "act", "instant", "duration", "stretch", "number", "box", "record", "point",
             "word", "rater", "text")  # fmt: skip


def fields_of(kinds: str) -> Mapping[str, Type]:
    """Return the fields, with types, that all these kinds of facts (joined by ``|``) have."""
    each = [kind(name).fields for name in kinds.split("|") if name]
    if not each:
        return {}
    shared = [name for name in each[0] if all(name in other for other in each)]
    return {name: _one([other[name] for other in each]) for name in shared}


def _one(domains: list[str]) -> Type:
    domain = domains[0] if len(set(domains)) == 1 else ANY
    return _FIELDS.get(domain, Type("label", domain))


def readers_of(base: Type) -> Mapping[str, Type]:
    """Return the properties that can be read from a value of this type, with their types."""
    found = dict(READERS.get(base.name, {}))
    if base.name == "fact":
        fields = fields_of(base.of)
        found |= fields
        if "box" not in fields:
            found.pop("centre")
    if base.name == "sequence" and base.of in ("instant", "stretch"):
        return {}
    if base.name == "sequence" and element(base).name in ("label", "act"):
        found |= {"first": element(base), "last": element(base)}
    return found


def element(many: Type) -> Type:
    """Return the type of one element of facts, a set, a sequence or stretches."""
    if many.name == "facts":
        return Type("fact", many.of)
    if many.name == "stretches":
        return STRETCH
    if many.of.startswith("fact of "):
        return Type("fact", many.of.removeprefix("fact of "))
    return Type(many.of) if many.of in _ELEMENTS else Type("label", many.of)


def many(name: str, one: Type) -> Type:
    """Return a set or sequence whose elements have the type ``one``."""
    if one.name == "label":
        return Type(name, one.of)
    return Type(name, str(one) if one.name == "fact" else one.name)

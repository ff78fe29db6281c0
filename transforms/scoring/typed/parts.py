"""Score one field of an answer, given the tokens (values in a text) that state it.

If a gold value has bounds, every value between them is correct, and so is the printed value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from surgqa.ontology.kinds import kind
from surgqa.ontology.names import words_of
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.scoring import measures
from surgqa.transforms.scoring.case import Field, GoldCase, PredictionScore, printed_box
from surgqa.transforms.scoring.typed.tokens import NULLS, Number

EPSILON = 1e-9
Tokens = Sequence[Any]
"""The values that a text states for one field; None for a value that it does not state."""
MEASURED = ("instant", "duration", "number", "stretch", "box", "point", "none")
"""Types whose value may be null, which means "certainly absent" and is stated as "none"."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The correct values of a number or time: all from ``low`` to ``high``; ``at`` is printed."""

    low: float
    at: float
    high: float

    def error(self, value: float) -> float:
        """Return the distance of a value to the nearest correct value."""
        gap = max(self.low - value, value - self.high, 0.0)
        return gap if gap > EPSILON else 0.0

    def nearest(self, value: float) -> float:
        """Return the correct value that is nearest to a value."""
        return min(max(value, self.low), self.high)

    def with_printed(self, printed: Number | None) -> Bounds:
        """Return bounds that include the printed number, which replaces a value without bounds."""
        if printed is None:
            return self
        if self.low == self.high:
            return Bounds(printed.value, printed.value, printed.value)
        low, high = min(self.low, printed.value), max(self.high, printed.value)
        return Bounds(low, printed.value, high)


def bounds_of(value: Any, unit: float = 1.0, zero: float = 0.0) -> Bounds:
    """Return the correct values for a number, duration or time, in the unit of printed answers."""
    if not isinstance(value, Mapping):
        at = (value - zero) / unit
        return Bounds(at, at, at)
    names = ("earliest_us", "time_us", "latest_us") if "time_us" in value else (
        "least", "value", "most")  # fmt: skip
    low, at, high = ((value[name] - zero) / unit for name in names)
    return Bounds(low, at, high)


def seconds_of(field: Field, value: Any, case: GoldCase) -> Bounds:
    """Return the correct values for an instant or a duration in seconds."""
    return bounds_of(value, SECOND_US, 0.0 if field.type.name == "duration" else case.zero_us)


def label_of(value: Any) -> str | None:
    """Return the label of a label, an instance or a fact; None if it is absent."""
    if isinstance(value, Mapping):
        value = value.get("label") or value.get("subject") or value.get("verb")
    return None if value in NULLS else value


def class_of(value: Any) -> str | None:
    """Return the class of the instrument that a value is or is about."""
    return (
        value.get("subject") or label_of(value) if isinstance(value, Mapping) else label_of(value)
    )


def act_of(value: Any) -> tuple[str, str | None] | None:
    """Return verb and target; the target is None if it is the null target."""
    if not value:
        return None
    target = value.get("target")
    return value["verb"], None if target in NULLS else target


# ---- which tokens state a field ----------------------------------------------------------


def sorts_of(field: Field) -> tuple[str, ...]:
    """Return in which forms (*sorts*) a text states a field: one, or two for an interval.

    If a sort starts with ``all``, every value of this sort in the text is part of the field.
    """
    name, of = field.type.name, field.type.of
    if field.value is None and name in MEASURED:
        return ("none",)
    if name in ("set", "sequence"):
        return (_sort_of_many(of),)
    if name == "fact":
        return ("act",) if isinstance(field.value, Mapping) and "verb" in field.value else (
            f"label:{_domain(of)}",)  # fmt: skip
    if name == "label":
        return (f"label:{of}",)
    return {
        "stretch": ("time", "time"), "instant": ("time",), "duration": ("time",),
        "stretches": ("text",), "track": ("track",), "statement": ("text",),
        "rater": ("text",), "stage": ("text",), "facts": ("text",),
    }.get(name, (name,))  # fmt: skip


def _sort_of_many(of: str) -> str:
    if of in ("act", "instant", "duration", "number", "track", "word"):
        return "all " + {"instant": "time", "duration": "time"}.get(of, of)
    if of in ("record", "stretch", "box", "point", "text", "rater"):
        return "records"
    return f"all label:{_domain(of.removeprefix('fact of ')) if of.startswith('fact of ') else of}"


def _domain(kinds: str) -> str:
    """Return the vocabulary of the labels of these kinds of facts, '' if they have several."""
    domains = {kind(name).fields.get("label", "") for name in kinds.split("|") if name}
    return domains.pop() if len(domains) == 1 else ""


def fits(field: Field, sort: str, place: int, token: Any, case: GoldCase) -> bool:
    """Return whether a value in a text (``token``) equals the field's printed value.

    Args:
        place: index of the token within the field, 1 for the end of an interval.
    """
    value = field.value
    if sort in ("time", "number"):
        side = ("start", "end")[place] if field.type.name == "stretch" else ""
        value = value[side] if side else value
        right = bounds_of(value) if sort == "number" else seconds_of(field, value, case)
        return abs(token.value - right.at) <= token.half + 1e-6
    if sort == "box":
        return tuple(token) == printed_box(value)
    if sort == "point":
        return all(abs(a - b) <= 0.0005 + EPSILON for a, b in zip(token, value, strict=True))
    if sort == "act":
        return bool(token == act_of(value))
    if sort == "track":
        return bool(token[0] == class_of(value))
    if sort.startswith("label:"):
        return bool((None if token in NULLS else token) == label_of(value))
    return bool(sort == "none" or token == (value is not None if sort == "absent" else value))


# ---- the scores of a field ---------------------------------------------------------------


def exact(right: bool) -> PredictionScore:
    """Return the score 1 if ``right``, otherwise 0."""
    return PredictionScore(float(right), accuracy=float(right))


def _number(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return the relative score of a number; its accuracy is whether the number is correct."""
    right = bounds_of(field.value).with_printed(gold[0])
    error = right.error(said[0].value)
    return PredictionScore(
        measures.score(error / max(abs(right.at), measures.RELATIVE_FLOOR)),
        accuracy=float(error == 0),
    )


def _duration(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    right = seconds_of(field, field.value, case).with_printed(gold[0])
    return PredictionScore(
        measures.score(right.error(said[0].value) / max(abs(right.at), measures.RELATIVE_FLOOR))
    )


def _instant(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return the score 1 - error / (length of the window)."""
    right = seconds_of(field, field.value, case).with_printed(gold[0])
    error = right.error(said[0].value)
    length = case.duration_s
    return PredictionScore(measures.score(error / length) if length > 0 else float(error == 0))


def _stretch(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return the IoU with the nearest correct interval."""
    values = [field.value[name] for name in ("start", "end")]
    right = [seconds_of(field, value, case).with_printed(one)
             for value, one in zip(values, gold, strict=True)]  # fmt: skip
    if said[1] is None:
        return PredictionScore(0.0)
    stated = (said[0].value, said[1].value)
    span = (right[0].nearest(stated[0]), right[1].nearest(stated[1]))
    return PredictionScore(
        measures.temporal_iou((min(stated), max(stated)), (min(span), max(span)))
    )


def _box(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    overlap = measures.iou(said[0], printed_box(field.value))
    return PredictionScore(overlap, overlap, float(overlap >= 0.5))


def _point(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    x, y = gold[0] or field.value
    return PredictionScore(
        measures.score(sqrt((said[0][0] - x) ** 2 + (said[0][1] - y) ** 2) / measures.SQRT2)
    )


def _track(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return 1 for the correct class, unless both texts state a side and the sides differ."""
    (label, side), wanted = said[0], gold[0][1] if gold[0] else ""
    return exact(label == class_of(field.value) and (not side or not wanted or side == wanted))


def _plain(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return 1 if the label, word, action, fact or truth value is the correct one."""
    return exact(fits(field, sorts_of(field)[0], 0, said[0], case))


def _text(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return 1 if the words of the answer occur in the text in this order."""
    words, right = said[0], words_of(case.printed)
    size = len(right)
    return exact(any(words[i : i + size] == right for i in range(len(words) - size + 1)))


def _many(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return F1 for a set, ROUGE-L for a sequence."""
    mine, right = _members(field, said[0]), _members(field, _gold_members(field, gold[0], case))
    if field.type.name == "set":
        return PredictionScore(
            measures.set_f1(mine, right), accuracy=float(set(mine) == set(right))
        )
    return PredictionScore(measures.rouge_l(mine, right), accuracy=float(mine == right))


def _members(field: Field, found: Sequence[Any]) -> list[Any]:
    """Return the members of a set or sequence as they are compared.

    An action in a sequence gives two members, its verb and its target.
    """
    if field.type.of == "act" and field.type.name == "sequence":
        return [word for verb, target in found for word in (verb, target or "null_target")]
    if field.type.of == "track":
        return [one[0] for one in found]
    if field.type.of in ("instant", "duration", "number"):
        return [round(one.value, 3) for one in found]
    return [one for one in found if one is not None and one not in NULLS]


def _gold_members(field: Field, printed: Sequence[Any], case: GoldCase) -> Sequence[Any]:
    values = field.value or ()
    if field.type.of == "act":
        return [act_of(one) if isinstance(one, Mapping) else _split(one) for one in values]
    if field.type.of in ("instant", "duration", "number"):
        return printed
    if field.type.of == "track":
        return [(class_of(one), "") for one in values]
    return [label_of(one) for one in values]


def _split(act: str) -> tuple[str, str | None]:
    verb, _, target = act.partition(",")
    return verb, target if target and target not in NULLS else None


MEASURES: Mapping[str, Callable[[Field, Tokens, Tokens, GoldCase], PredictionScore]] = {
    "truth": _plain, "label": _plain, "act": _plain, "word": _plain, "fact": _plain,
    "absent": _plain, "track": _track, "number": _number, "duration": _duration,
    "instant": _instant, "stretch": _stretch, "box": _box, "point": _point,
    "set": _many, "sequence": _many,
}  # fmt: skip
"""Type of a field -> function of the field, the tokens of the response, the tokens of the printed
answer and the gold answer, which returns the mark. Other types are compared word by word."""


def measure(field: Field, said: Tokens, gold: Tokens, case: GoldCase) -> PredictionScore:
    """Return the scores of a field, given the values in a text that state it (``said``)."""
    if sorts_of(field) == ("none",):
        return exact(True)
    return MEASURES.get(field.type.name, _text)(field, said, gold, case)

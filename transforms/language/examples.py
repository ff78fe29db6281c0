"""Read the ``examples`` of a template: a few written facts, and the expected question and answer.

``transforms.questions.example`` runs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from surgqa.ontology.kinds import kind, kind_names, terms_of
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.tree import Node, Place
from surgqa.transforms.language.context import At, ParseContext, Scope, nearest
from surgqa.transforms.language.program import Stage
from surgqa.transforms.language.resolve import conditions, value

LONGEST_SECONDS = 3600

Bounds = tuple[int, int]
"""(earliest, latest) microsecond of a start or an end; equal if the time is exact."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of the image's width and height."""

Second = Annotated[float, Field(ge=0)]
Pair = Annotated[list[Second], Field(min_length=2, max_length=2)]
Thousandths = Annotated[float, Field(ge=0, le=1000)]
BoxFile = Annotated[list[Thousandths], Field(min_length=4, max_length=4)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class ExpectFile(_Strict):
    """``expect`` of an example: the question and answer, or the reason why nothing is asked."""

    answer: str | dict[str, str] | None = Field(
        None, description="The answer without its letter; for a chain: stage -> answer."
    )
    question: str | dict[str, str] | None = Field(
        None, description="One of the filled wordings; for a chain: stage -> question."
    )
    rounds: dict[int, str] | None = Field(
        None, description="For a stream: second of a round -> expected output."
    )
    not_asked: str | None = Field(
        None, description="What is not certain: a name of `let`, `where`, `answer` or `wrong`."
    )


class ExampleFile(_Strict):
    """An example as written in the file: a few facts and the expected result."""

    about: str | None = Field(None, description="What the example shows, in one line.")
    variant: str = Field("", description="The variant that the example tests; default: all.")
    seconds: float = Field(gt=0, le=LONGEST_SECONDS, description="Length of the video.")
    every: float | None = Field(
        None, ge=0.04, description="Seconds from one annotated instant to the next; default: none."
    )
    procedure: str = Field("", description="The operation, such as laparoscopic_cholecystectomy.")
    facts: list[dict[str, Any]] = Field([], description="`{KIND: LABEL, from: 2, to: 8}` each.")
    gaps: list[Pair] = Field([], description="[from, to] of stretches that nobody annotated.")
    labels: dict[str, list[str]] = Field(
        {}, description="Kind, verb or target -> labels that were annotated; default: unknown."
    )
    at: float | None = Field(None, ge=0, description="Query time in seconds.")
    where: list[Any] = Field([], description="Further conditions, which fix what is drawn.")
    expect: ExpectFile = Field(description="The expected result.")


class TimesFile(_Strict):
    """Fields of an example's fact: when it holds, and where it is in the image."""

    from_: Second | Pair = Field(
        0.0, alias="from", description="Start of the fact, or [earliest, latest]."
    )
    to: Second | Pair | None = Field(
        None, description="End of the fact; default: the end of the video."
    )
    box: BoxFile | None = Field(None, description="[x1, y1, x2, y2] in thousandths.")
    path: Annotated[list[BoxFile], Field(min_length=2)] | None = Field(
        None, description="Boxes at equal times from start to end."
    )


F = TypeVar("F", bound=_Strict)

OTHERS = ("subject", "verb", "target", "track", "value", "rater")
"""Fields of a fact besides the label, which stands after the name of its kind."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of an example, with its labels and times.

    Attributes:
        fields: for each field, the concept id, text or number.
        path: boxes at equal time steps from start to end; a single box means no movement.
    """

    kind: str
    fields: Mapping[str, str | float]
    start: Bounds
    end: Bounds
    path: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """One example, made from an :class:`ExampleFile`, which describes the texts.

    Attributes:
        where: more conditions, which fix the values that would be drawn.
        put: the query time, if the file gives one.
        places: for each part of ``expect``, its (line, column) in the file.
    """

    file: ExampleFile
    facts: tuple[Fact, ...]
    where: tuple[Node, ...]
    put: Node | None
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)

    @property
    def duration_us(self) -> int:
        """Length of the video in microseconds."""
        return round(self.file.seconds * SECOND_US)


def examples(
    c: ParseContext, data: Any, scope: Scope, stages: Sequence[Stage], variant: str | None
) -> tuple[Example, ...]:
    """Return the examples of a template or of its variant; record mistakes as findings."""
    if not isinstance(data, list):
        fix = "write '- {seconds: 20, facts: […], expect: …}'"
        c.add("T102", ("examples",), "a list of examples is expected", fix)
        return ()
    used, kinds = set(c.used), set(c.kinds)
    found = [_example(c, one, ("examples", i), scope, stages) for i, one in enumerate(data)]
    c.used, c.kinds = used, kinds  # names that only an example uses do not count as used
    return tuple(one for one in found if one is not None and one.file.variant in ("", variant))


def _example(
    c: ParseContext, data: Any, at: At, scope: Scope, stages: Sequence[Stage]
) -> Example | None:
    file = _read(c, ExampleFile, data, at)
    if file is None:
        return None
    if file.variant and file.variant not in (names := c.source.data.get("variants", {})):
        c.unknown("T102", (*at, "variant"), f"no variant {file.variant!r}", file.variant, names)
    _expected(c, file.expect, (*at, "expect"), stages)
    for name, labels in file.labels.items():
        if not terms_of(name):
            _kind(c, name, (*at, "labels", name))
        for i, label in enumerate(labels):
            domain = name if terms_of(name) else kind(name).fields.get("label", name)
            _concept(c, domain, label, (*at, "labels", name, i))
    facts = [_fact(c, one, (*at, "facts", i), file) for i, one in enumerate(file.facts)]
    where = conditions(c, file.where, (*at, "where"), scope) if file.where else ()
    put = None
    if file.at is not None and "now" not in scope.names:
        c.add("T102", (*at, "at"), "questions of this unit have no query time", "leave 'at' out",
              key=True)  # fmt: skip
    elif file.at is not None:
        put = value(c, f"video.start + {file.at:g} s", (*at, "at"), scope)
    places = {name: c.place((*at, "expect", name), key=True) for name in data.get("expect", {})}
    return Example(file, tuple(one for one in facts if one is not None), where, put, places)


def _read(c: ParseContext, model: type[F], data: Any, at: At) -> F | None:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        reported = set()
        for problem in error.errors(include_url=False):
            place = tuple(part for part in problem["loc"] if not _is_union(part))
            if place not in reported:
                text = place and place[-1] in ("answer", "question")
                c.add("T102", (*at, *place), problem["msg"],
                      "write a text, in quotes" if text else "")  # fmt: skip
            reported.add(place)
        return None


def _is_union(part: object) -> bool:
    """True if pydantic added this name for a member of a union, so it is no key of the file."""
    return str(part) in ("str", "float", "int") or str(part).startswith(
        ("dict[", "list[", "constrained-")
    )


def _fact(c: ParseContext, data: Mapping[str, Any], at: At, file: ExampleFile) -> Fact | None:
    """Read one entry of ``facts``."""
    times = {key: data[key] for key in ("from", "to", "box", "path") if key in data}
    named = [key for key in data if key not in times and key not in OTHERS]
    if len(named) != 1:
        c.add("T102", at, f"one kind is expected, found {', '.join(named) or 'none'}",
              "write '{instrument: hook, from: 2, to: 8}'")  # fmt: skip
        return None
    name = named[0]
    when = _read(c, TimesFile, times, at)
    if when is None or not _kind(c, name, (*at, name)):
        return None
    known = kind(name).fields
    own = "label" if "label" in known else "subject"
    fields = {own: data[name], **{key: data[key] for key in OTHERS if key in data}}
    for key, term in fields.items():
        place = (*at, name if key == own else key)
        if key not in known:
            fix = f"fields: {', '.join(known)}"
            c.add("T104", place, f"a fact of {name!r} has no field {key!r}", fix, key=True)
        elif term is not None and key not in ("track", "value", "rater"):
            _concept(c, known[key], term, place)
    start = _bounds(when.from_)
    end = _bounds(file.seconds if when.to is None else when.to)
    if not (start[0] <= start[1] and end[0] <= end[1] and start[0] < end[1]):
        c.add("T102", at, "a fact must begin before it ends", "write 'from: 2, to: 8'")
        return None
    boxes = when.path or ([when.box] if when.box else [])
    path = tuple((a / 1000, b / 1000, x / 1000, y / 1000) for a, b, x, y in boxes)
    return Fact(name, {k: v for k, v in fields.items() if v is not None}, start, end, path)


def _bounds(value: float | list[float]) -> Bounds:
    low, high = value if isinstance(value, list) else (value, value)
    return round(low * SECOND_US), round(high * SECOND_US)


def _kind(c: ParseContext, name: str, at: At) -> bool:
    """T106: report a kind of fact that is unknown and that the template does not ask for."""
    if name in kind_names() or name in c.kinds:
        return True
    c.unknown("T106", at, f"no kind {name!r}", name, kind_names(), "kinds", key=True)
    return False


def _concept(c: ParseContext, domain: str, value: Any, at: At) -> None:
    """T106: report a label that is not in the vocabulary of its domain."""
    terms = terms_of(domain)
    if not isinstance(value, str):
        c.add("T102", at, f"a label is expected, found {value!r}")
    elif terms and value not in terms:
        c.unknown("T106", at, f"no {domain} {value!r}", value, terms, f"{domain}s")


def _expected(c: ParseContext, expect: ExpectFile, at: At, stages: Sequence[Stage]) -> None:
    asked = expect.answer is not None or expect.question is not None or expect.rounds is not None
    if asked == (expect.not_asked is not None):
        c.add("T102", at, "expected either the question and answer, or 'not_asked'",
              "write 'answer: …' or 'not_asked: …'", key=True)  # fmt: skip
    chain = [stage.name for stage in stages if stage.name]
    for key in ("answer", "question"):
        wanted = getattr(expect, key)
        if chain and isinstance(wanted, str):
            c.add("T102", (*at, key), "a chain has several questions", f"write '{chain[0]}: …'")
        for name in wanted if isinstance(wanted, dict) else ():
            if name not in chain:
                fix = nearest(name, chain, "stages") or "write the text alone"
                c.add("T106", (*at, key, name), f"no stage named {name!r}", fix, key=True)
